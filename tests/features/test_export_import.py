from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory, Policy
from omoide.errors import AccessDeniedError, InvalidInputError, StoreVersionError
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where an export goes."""
    return tmp_path / "out" / "export.jsonl"


@pytest.fixture
def lived(mem: Memory, clock: FakeClock) -> Memory:
    """A store in which everything that can happen to a memory has happened."""
    city = mem.remember(
        "habite à Osaka 大阪\u2028\x00", subject="ann", predicate="city", source="s1", valid_from="2025-01-01",
        tags=["home"], importance=8, confidence=0.5, basis="told", cites=["README.md@a1b2c3"], triggers=["src/*"],
        project="p", metadata={"deep": [1, None, {"x": "東京"}]}, pinned=True, abstract="a city",
    )  # fmt: skip
    clock.advance(60)
    mem.revise(city, "habite à Tokyo", valid_from="2025-06-01", valid_to="2025-09-01", source="s2")
    mem.forget(mem.remember("likes tea", kind="preference"))
    mem.reject(mem.remember("the moon is cheese"), reason="no")
    back = mem.remember("plays go", source="s3")
    mem.forget(back)
    clock.advance(60)
    mem.restore(back)
    mem.remember("plays go", source="s4")
    mem.dispute(back, reason="hm")
    mem.supersede([city], "habite à Kyoto", subject="ann", predicate="city")
    mem.exclusive("city")
    mem.alias_subject("Anna", of="ann")
    mem.purge(mem.remember("passphrase-xylophone"))
    clock.advance(60)
    return mem


def everything(mem: Memory) -> list[Any]:
    """Return what a store answers about itself, past included."""
    ids = range(1, 20)
    chains = [mem.why(id) for id in ids if mem.list(include_retracted=True) and _there(mem, id)]
    return [chains, mem.list(include_archived=True), mem.conflicts(), mem.diff("2026-01-01")]


def _there(mem: Memory, id: int) -> bool:
    try:
        mem.why(id)
    except KeyError:
        return False
    return True


def test_an_empty_store_gets_everything_as_it_was(
    lived: Memory, opened: Opener, file: Path, tmp_path: Path, clock: FakeClock
) -> None:
    """Ids, both time axes, sources, trust, marks, links and the audit chain are those of the original."""
    lived.export(file)
    copy = opened(path=tmp_path / "copy.db")
    report = copy.import_(file)
    assert everything(copy) == everything(lived)
    assert [event.hash for event in copy.audit()][:-1] == [event.hash for event in lived.audit()]
    assert copy.verify(lived.head()) == []
    assert copy.integrity_check() == []
    assert report.chain == ()
    times = [record.known_from for record in lived.list(include_retracted=True)]
    for at in times:
        assert copy.recall(None, k=50, as_of=at) == lived.recall(None, k=50, as_of=at)


def test_one_state_gives_one_file(lived: Memory, file: Path) -> None:
    """Two exports are the same byte for byte, and nothing unfinished is left beside them."""
    lived.export(file)
    first = file.read_bytes()
    lived.export(file)
    assert file.read_bytes() == first
    assert [found.name for found in file.parent.iterdir()] == [file.name]


def test_a_namespace_never_written_keeps_its_times(
    lived: Memory, opened: Opener, file: Path, tmp_path: Path, clock: FakeClock
) -> None:
    """In a store that has other namespaces, memories get new ids and keep when they were known."""
    lived.export(file)
    other = tmp_path / "other.db"
    opened("elsewhere", path=other).remember("something else")
    copy = opened(path=other)
    copy.import_(file)
    assert _told(copy) == _told(lived)
    assert copy.verify() == []
    assert copy.integrity_check() == []


def test_a_namespace_that_was_written_knows_it_from_now(
    lived: Memory, opened: Opener, file: Path, tmp_path: Path, clock: FakeClock
) -> None:
    """The past stays as it was; original known times are in the provenance; ids are new, uids are not."""
    lived.export(file)
    copy = opened(path=tmp_path / "copy.db")
    first = copy.remember("was here before")
    before = clock.now()
    clock.advance(3600)
    report = copy.import_(file)
    assert [hit.id for hit in copy.recall(None, k=50, as_of=before)] == [first]
    for memory_id in report.added:
        assert all(version.known_from == clock.now() for version in copy.why(memory_id).versions)
        assert all(version.provenance.known_elsewhere is not None for version in copy.why(memory_id).versions)
    uids = {record.uid for record in lived.list()}
    assert uids <= {record.uid for record in copy.list()}
    assert {text for text, *_ in _told(lived)} <= {text for text, *_ in _told(copy)}
    assert copy.verify() == []
    assert copy.integrity_check() == []


def _told(mem: Memory) -> list[tuple[Any, ...]]:
    found = [version for id in range(1, 30) if _there(mem, id) for version in mem.why(id).versions]
    return sorted(
        (v.text, v.valid_from, v.valid_to or v.valid_from, v.known_from, v.cause, v.source or "", v.trust)
        for v in found
    )


def test_again_does_nothing(lived: Memory, opened: Opener, file: Path, tmp_path: Path) -> None:
    """What is known by its uid is left alone, and the store is not written."""
    lived.export(file)
    assert lived.import_(file).batch is None
    copy = opened(path=tmp_path / "copy.db")
    copy.remember("was here before")
    copy.import_(file)
    head = copy.head()
    report = copy.import_(file)
    assert (report.batch, report.added, report.changed) == (None, (), ())
    assert copy.head() == head


def test_a_dry_run_only_says(lived: Memory, opened: Opener, file: Path, tmp_path: Path) -> None:
    """The report is that of the import, and the store stays empty."""
    lived.export(file)
    copy = opened(path=tmp_path / "copy.db")
    report = copy.import_(file, dry_run=True)
    assert len(report.added) == 5
    assert copy.audit() == []
    assert copy.import_(file).added == report.added


@pytest.mark.parametrize("written", [True, False])
def test_undo_takes_an_import_back(
    mem: Memory, opened: Opener, file: Path, tmp_path: Path, clock: FakeClock, written: bool
) -> None:
    """The batch of an import undone, only what was there before is believed, and the history stays."""
    mem.remember("came along")
    mem.export(file)
    copy = opened(path=tmp_path / "copy.db")
    if written:
        copy.remember("was here before")
    report = copy.import_(file)
    clock.advance(60)
    assert report.batch is not None
    copy.undo(report.batch)
    assert [record.text for record in copy.list()] == (["was here before"] if written else [])
    assert copy.why(report.added[0]).versions[0].text == "came along"


def test_trust_is_observed_at_most(opened: Opener, file: Path, tmp_path: Path) -> None:
    """What a person stated elsewhere is observed here, unless a person says otherwise; lower levels stay."""
    person = opened(door_trust="stated")
    person.remember("stated fact")
    person.remember("from the web", trust="untrusted")
    person.export(file)
    agent = opened(path=tmp_path / "agent.db")
    agent.import_(file)
    assert {record.text: record.trust for record in agent.list()} == {
        "stated fact": "observed", "from the web": "untrusted",
    }  # fmt: skip
    with pytest.raises(AccessDeniedError):
        agent.import_(file, trust="stated")
    other = opened(path=tmp_path / "person.db", door_trust="stated")
    other.import_(file, trust="stated")
    assert {record.text: record.trust for record in other.list()}["stated fact"] == "stated"


def test_rejected_here_is_refused(mem: Memory, opened: Opener, file: Path, tmp_path: Path) -> None:
    """A value rejected here does not come in by a file, in another spelling neither; its neighbour does."""
    mem.remember("The MOON is cheese")
    mem.remember("the moon is rock")
    mem.export(file)
    copy = opened(path=tmp_path / "copy.db")
    copy.reject(copy.remember("the moon is cheese"))
    report = copy.import_(file)
    assert [record.text for record in copy.list()] == ["the moon is rock"]
    assert [refusal.reason for refusal in report.refused] == ["rejected"]


def test_an_old_export_does_not_bring_back_what_was_purged(
    mem: Memory, file: Path, clock: FakeClock, path: Path
) -> None:
    """A file written before the purge brings the sibling back and not the purged memory, after a restart too."""
    secret = mem.remember("passphrase-xylophone", subject="ann")
    sibling = mem.remember("tea at four", subject="ann")
    mem.export(file)
    clock.advance(60)
    receipt = mem.purge(secret)
    mem.forget(sibling)
    assert any(str(file) in line for line in receipt.remaining)
    mem.close()
    with Memory(path, clock=clock, embedder="none") as again:
        report = again.import_(file)
        assert [refusal.reason for refusal in report.refused] == ["purged"]
        assert again.rebuild() >= 1
        assert again.recall("xylophone") == []
        assert [record.text for record in again.list(include_retracted=True)] == ["tea at four"]


def test_one_subject(lived: Memory, opened: Opener, file: Path, tmp_path: Path) -> None:
    """A data request gets every memory of a subject under all its names, past included, and no other."""
    lived.remember("her sister", subject="Anna")
    lived.export_subject("ann", file)
    told = file.read_text(encoding="utf-8")
    assert all(text in told for text in ("Osaka", "Tokyo", "Kyoto", "her sister"))
    assert not any(text in told for text in ("likes tea", "plays go", "cheese"))
    copy = opened(path=tmp_path / "copy.db")
    copy.import_(file)
    assert len(copy.list(subject="ann")) + len(copy.list(subject="Anna")) >= 2


def test_only_namespaces_that_may_be_read_are_written(opened: Opener, file: Path, tmp_path: Path) -> None:
    """An export holds the namespaces that the policy opens; an import writes no other."""
    opened("a").remember("in a")
    opened("b").remember("in b")
    opened("a").export(file)
    assert "in b" not in file.read_text(encoding="utf-8")
    opened("a", policy=Policy.open()).export(file)
    copy = opened("a", path=tmp_path / "copy.db")
    with pytest.raises(AccessDeniedError):
        copy.import_(file)
    assert copy.audit() == []
    assert len(opened("a", path=tmp_path / "copy.db", policy=Policy.open()).import_(file).added) == 2
    assert [record.text for record in opened("b", path=tmp_path / "copy.db").list()] == ["in b"]


Damage = Callable[[list[str]], list[str]]
DAMAGE: dict[str, tuple[Damage, str]] = {
    "cut off": (lambda lines: [*lines[:3], lines[3][:40]], "line 4"),
    "end missing": (lambda lines: lines[:-1], "ends before"),
    "a line lost": (lambda lines: [*lines[:3], *lines[4:]], "not those"),
    "no JSON": (lambda lines: [*lines[:3], lines[3].replace('":', '"', 1), *lines[4:]], "line 4"),
    "no text": (lambda lines: [*lines[:3], lines[3].replace('"text":', '"test":'), *lines[4:]], "line 4"),
    "a time that does not exist": (
        lambda lines: [*lines[:3], lines[3].replace('"valid_from":"2026-06', '"valid_from":"2026-66'), *lines[4:]],
        "line 4",
    ),
    "a text changed": (lambda lines: [*lines[:3], lines[3].replace("coffee", "cocoa"), *lines[4:]], "not those"),
    "another file": (lambda _: ['{"hello": 1}'], "line 1"),
    "empty": (lambda _: [""], "line 1"),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("written", [True, False])
def test_a_damaged_file_changes_nothing(
    mem: Memory, opened: Opener, file: Path, tmp_path: Path, kind: str, written: bool
) -> None:
    """The error names the line; not one memory of the file came in."""
    mem.remember("tea at four")
    mem.remember("coffee at ten")
    mem.remember("water at noon")
    mem.export(file)
    damage, told = DAMAGE[kind]
    lines = damage(file.read_text(encoding="utf-8").split("\n")[:-1])
    file.write_text("\n".join(lines) + ("" if kind == "cut off" else "\n"), encoding="utf-8", newline="\n")
    copy = opened(path=tmp_path / "copy.db")
    if written:
        copy.remember("was here before")
    head = copy.head()
    with pytest.raises(InvalidInputError, match=told):
        copy.import_(file)
    assert copy.head() == head
    assert len(copy.list()) == int(written)


def test_a_newer_format_is_refused(mem: Memory, file: Path, tmp_path: Path) -> None:
    """The message says what to do."""
    file.parent.mkdir()
    file.write_text('{"omoide":"export","format":99}\n', encoding="utf-8")
    with pytest.raises(StoreVersionError, match="upgrade"):
        mem.import_(file)


def test_a_hand_written_file_may_leave_the_checksum_out(
    mem: Memory, opened: Opener, file: Path, tmp_path: Path
) -> None:
    """Without a checksum the lines are checked one by one, and an edited text comes in."""
    mem.remember("tea at four")
    mem.export(file)
    lines = file.read_text(encoding="utf-8").replace("tea at four", "tea at five").split("\n")[:-1]
    end = json.loads(lines[-1])
    del end["sha256"]
    file.write_text("\n".join([*lines[:-1], json.dumps(end)]) + "\n", encoding="utf-8")
    copy = opened(path=tmp_path / "copy.db")
    copy.import_(file)
    assert [record.text for record in copy.list()] == ["tea at five"]


def test_vectors_are_made_anew(opened: Opener, file: Path, tmp_path: Path) -> None:
    """Imported memories are found by keyword at once and by vector when those are made."""
    mem = opened()
    mem.remember("tea at four")
    mem.export(file)
    copy = opened(path=tmp_path / "copy.db", embedder=FakeEmbedder(16))
    copy.import_(file)
    copy.rebuild()
    assert [hit.text for hit in copy.recall("tea at four", use_bm25=False)] == ["tea at four"]
    assert copy.stats()["default"]["pending_vectors"] == 0


def test_wrong_paths_are_refused(mem: Memory, tmp_path: Path, path: Path) -> None:
    """A folder, the store itself and a missing file are errors that say so."""
    mem.remember("x")
    for wrong in (tmp_path, path, " "):
        with pytest.raises(InvalidInputError):
            mem.export(wrong)
    with pytest.raises(InvalidInputError, match="no file"):
        mem.import_(tmp_path / "nowhere.jsonl")


@pytest.mark.file_only
def test_a_store_given_to_import_is_told_from_an_export(mem: Memory, tmp_path: Path) -> None:
    """The error names what takes it in."""
    mem.remember("x")
    mem.backup(tmp_path / "copy.db")
    with pytest.raises(InvalidInputError, match="merge_from"):
        mem.import_(tmp_path / "copy.db")
