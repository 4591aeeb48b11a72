"""Two copies of a vault that a program keeps in step, file by file, in any order: what comes late is nobody's edit."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from omoide.testing import FakeClock
from omoide.vault import coming
from omoide.vault.place import Place

from .vaults import clone, note_of, notes, open_vault, texts, throw_index_away

Files = dict[str, bytes | None]
LOCAL = {".index", "local"}


def state(root: Path) -> Files:
    """What a program that keeps folders in step would carry, the list for people aside."""
    found = {file.relative_to(root).as_posix(): file for file in root.rglob("*") if file.is_file()}
    kept = {path: file for path, file in found.items() if not LOCAL & set(path.split("/")) and path != "MEMORY.md"}
    return {path: file.read_bytes() for path, file in kept.items()}


def changed(before: Files, after: Files) -> Files:
    """The files that are others now, those that are gone with None."""
    return {path: after.get(path) for path in sorted({*before, *after}) if before.get(path) != after.get(path)}


def bring(root: Path, path: str, data: bytes | None) -> None:
    """Write or remove a file as such a program does."""
    place = root / path
    if data is None:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.with_name(".coming").write_bytes(data)
    place.with_name(".coming").replace(place)


def is_log(path: str) -> bool:
    return path.endswith(".jsonl")


class Pair:
    """Two copies, here and there, and what each wrote that the other has not got."""

    def __init__(self, here: Path, there: Path, clock: FakeClock) -> None:
        self.here, self.there = open_vault(here, clock), open_vault(there, clock)
        self.roots = (here, there)
        self.known = state(there)
        self.same = dict(self.known)

    def from_there(self) -> Files:
        """What changed there since this was last asked."""
        before, self.known = self.known, state(self.roots[1])
        return changed(before, self.known)

    def settle(self) -> None:
        """Bring over both ways what either changed, logs last, until nothing changes any more."""
        for _ in range(4):
            for source, target, mem in ((1, 0, self.here), (0, 1, self.there)):
                self._carry(self.roots[source], self.roots[target])
                mem.list()

    def _carry(self, source: Path, target: Path) -> None:
        """Bring what the source changed since both were the same; where both changed, what the source has."""
        theirs, ours = state(source), state(target)
        for path in sorted({*theirs, *ours}, key=lambda path: (is_log(path), path)):
            if theirs.get(path) == self.same.get(path):
                continue
            if not (is_log(path) and len(ours.get(path) or b"") > len(theirs.get(path) or b"")):
                bring(target, path, theirs.get(path))
                self.same[path] = theirs.get(path)

    def bring(self, path: str, data: bytes | None) -> None:
        """Bring one file from there."""
        bring(self.roots[0], path, data)
        self.same[path] = data

    def edits(self) -> list[str]:
        """What either took for somebody's edit."""
        return [event.op for mem in (self.here, self.there) for event in mem.audit() if event.actor == "file"]

    def close(self) -> None:
        self.here.close()
        self.there.close()


@pytest.fixture
def pair(tmp_path: Path, clock: FakeClock) -> Iterator[Pair]:
    """Two copies with two memories."""
    with open_vault(tmp_path / "here", clock) as mem:
        mem.remember("lives in Osaka", subject="user")
        mem.remember("habite à Lyon", subject="marie")
    clock.advance(60)
    made = Pair(tmp_path / "here", clone(tmp_path / "here", tmp_path / "there"), clock)
    yield made
    made.close()


@pytest.mark.parametrize("verb", ["revise", "update", "forget", "supersede"])
def test_a_note_that_comes_after_its_line_and_after_a_change_here_is_no_edit(
    pair: Pair, clock: FakeClock, verb: str
) -> None:
    """It says what was believed for a while there; what was said here since counts in both copies."""
    pair.there.revise(1, "lives in Tokyo")
    files = pair.from_there()
    (note,) = [path for path in files if not is_log(path)]
    (log,) = [path for path in files if is_log(path)]
    pair.bring(log, files[log])
    assert texts(pair.here) == ["habite à Lyon", "lives in Tokyo"]
    clock.advance(60)
    if verb == "revise":
        pair.here.revise(1, "京都に住んでいる")
    elif verb == "update":
        pair.here.update(1, text="京都に住んでいる")
    elif verb == "forget":
        pair.here.forget(1)
    else:
        pair.here.supersede([1], "京都に住んでいる", subject="user")
    said = texts(pair.here)
    pair.bring(note, files[note])
    assert texts(pair.here) == said
    assert pair.edits() == []
    assert pair.here.quarantine() == []
    for _ in range(2):
        pair.settle()
        assert texts(pair.there) == texts(pair.here) == said
        throw_index_away(pair.roots[0])
    assert pair.edits() == []
    assert pair.here.integrity_check() == pair.there.integrity_check() == []


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_states_of_a_note_that_come_in_any_order_after_the_log_are_no_edits(
    pair: Pair, clock: FakeClock, order: tuple[int, ...]
) -> None:
    states = []
    for n in range(3):
        pair.there.revise(1, f"lives in house {n}")
        clock.advance(60)
        states.append(pair.from_there())
    for path, data in states[2].items():
        if is_log(path):
            pair.bring(path, data)
    pair.here.revise(1, "lives here")
    for n in order:
        for path, data in states[n].items():
            if not is_log(path):
                pair.bring(path, data)
        assert texts(pair.here) == ["habite à Lyon", "lives here"]
    assert pair.edits() == []
    pair.same |= states[2]
    pair.settle()
    assert texts(pair.there) == texts(pair.here) == ["habite à Lyon", "lives here"]
    said = {version.text for version in pair.there.why(1).versions}
    assert said == {"lives in Osaka", "lives here", *(f"lives in house {n}" for n in range(3))}
    assert note_of(pair.roots[0], "lives here").name == note_of(pair.roots[1], "lives here").name


@pytest.mark.parametrize("both", [False, True], ids=["one wrote", "both wrote"])
@pytest.mark.parametrize("seed", range(6))
def test_files_that_come_in_any_order_lose_nothing(pair: Pair, clock: FakeClock, seed: int, both: bool) -> None:
    """Each file by itself, a call after each: in the end both copies say the same, and know all that either said."""
    chance = random.Random(seed)
    pair.there.revise(1, "lives in Tokyo")
    pair.there.forget(2)
    pair.there.remember("犬を飼っている", subject="user", predicate="pet")
    clock.advance(60)
    files = list(pair.from_there().items())
    chance.shuffle(files)
    for place, (path, data) in enumerate(files):
        pair.bring(path, data)
        pair.here.list()
        if both and place == seed % len(files):
            clock.advance(60)
            pair.here.remember("written here", subject="user")
            pair.here.list()
    pair.settle()
    assert texts(pair.here) == texts(pair.there)
    expected = ["lives in Tokyo", "犬を飼っている"] + (["written here"] if both else [])
    assert texts(pair.here) == sorted(expected)
    assert "lives in Osaka" in [version.text for version in pair.here.why(1).versions]
    assert pair.here.quarantine() == pair.there.quarantine() == []
    assert pair.here.integrity_check() == pair.there.integrity_check() == []
    assert len(notes(pair.roots[0])) == len(notes(pair.roots[1]))


def local(root: Path) -> dict[str, Any]:
    """What a copy waits for."""
    file = root / ".omoide" / "local" / "coming"
    found: dict[str, Any] = (
        json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"absent": [], "told": {}}
    )
    return found


def test_what_is_waited_for_is_forgotten_once_it_is_there(pair: Pair, clock: FakeClock) -> None:
    """Notes that were never here, and states that were told, are known of beside the index only while they lack."""
    made = pair.there.remember("犬を飼っている", subject="user")
    pair.there.revise(1, "lives in Tokyo")
    files = pair.from_there()
    for path in sorted(files, key=lambda path: not is_log(path)):
        pair.bring(path, files[path])
        pair.here.list()
        if is_log(path):
            assert [len(each) for each in local(pair.roots[0]).values()] == [1, 2]
    assert local(pair.roots[0])["absent"] == []
    pair.here.purge(made)
    assert made not in [record.id for record in pair.here.list()]
    clock.advance(31 * 86_400)
    for n in range(3):
        pair.there.revise(1, f"lives in house {n}")
        for path, data in pair.from_there().items():
            if is_log(path):
                pair.bring(path, data)
        pair.here.list()
    assert [len(hashes) for _, hashes in local(pair.roots[0])["told"].values()] == [3]


def test_what_is_waited_for_is_bounded(tmp_path: Path) -> None:
    """Of memories and of the states of one note only so many are kept, the latest of them."""
    place = Place(tmp_path)
    for day in range(3):
        coming.tell(place, {f"uid {day} {n}": ["aa", "bb"] for n in range(coming.MOST // 2)}, day * 86_400_000_000)
    coming.tell(place, {"uid 2 0": [f"{n:02x}" for n in range(99)]}, 2 * 86_400_000_000)
    there = coming.read(place)
    assert len(there.told) == coming.MOST
    assert not any(uid.startswith("uid 0") for uid in there.told)
    assert there.told["uid 2 0"][1] == [f"{n:02x}" for n in range(99 - coming.LONGEST, 99)]


def test_a_person_who_brings_an_old_state_back_is_listened_to(pair: Pair, clock: FakeClock) -> None:
    """What was here before, or came and was seen, is no latecomer: to bring it back by hand is an edit."""
    old = note_of(pair.roots[0], "Osaka").read_bytes()
    pair.there.revise(1, "lives in Tokyo")
    for path, data in pair.from_there().items():
        pair.bring(path, data)
    assert texts(pair.here) == ["habite à Lyon", "lives in Tokyo"]
    clock.advance(60)
    pair.here.revise(1, "lives here")
    note_of(pair.roots[0], "lives here").write_bytes(old)
    assert texts(pair.here) == ["habite à Lyon", "lives in Osaka"]
