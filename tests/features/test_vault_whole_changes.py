"""A change of several notes that is killed anywhere was made or was not, by the files alone as with the index."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from omoide import Memory
from omoide.testing import FakeClock
from omoide.vault import begun

from .vaults import notes, open_vault, texts, throw_index_away

DEEP: Final = os.environ.get("OMOIDE_LAWS") == "deep"
"""Whether every point is tried; else every third, which changes from verb to verb."""


class _KilledError(BaseException):
    """The process ends here."""


@dataclass(frozen=True)
class Scene:
    """A vault that is open."""

    mem: Memory
    clock: FakeClock
    root: Path


def _start(scene: Scene) -> None:
    scene.mem.remember("lives in Osaka", subject="user")
    scene.mem.remember("habite à Lyon", subject="user")
    scene.mem.remember("犬を飼っている", subject="user", predicate="pet")
    scene.mem.forget(scene.mem.remember("has a cat", subject="user"))


def _batch(scene: Scene) -> None:
    _start(scene)
    with scene.mem.batch(source="s-1"):
        scene.mem.supersede([1, 2], "lives in Tokyo", subject="user")
        scene.mem.revise(3, "猫を飼っている")


def _cut(scene: Scene) -> None:
    _batch(scene)
    scene.mem.forget(5)


def _moved(scene: Scene) -> None:
    scene.mem.remember("lives in Osaka", subject="user")
    scene.clock.advance(30 * 86_400)
    scene.mem.remember("lives in Tokyo", subject="user")
    scene.mem.sleep()


def _linked(scene: Scene) -> None:
    scene.mem.remember("a dog", subject="rex", predicate="is")
    for n in range(2):
        (scene.root / f"seen {n}.md").write_text("walks with [[rex-is]] and [[rex-is|犬]]\n", encoding="utf-8")
    scene.mem.list()


def _in_bulk(scene: Scene) -> None:
    with scene.mem.bulk():
        for n in range(3):
            scene.mem.remember(f"said in one go {n}")


def _merge(scene: Scene) -> None:
    place = scene.root.with_name(f"{scene.root.name}.db")
    with Memory(place, embedder="none", clock=scene.clock) as other:
        other.remember("un chat", subject="user")
        other.remember("二匹の犬", subject="user")
    scene.mem.merge_from(place)


Act: TypeAlias = Callable[[Scene], object]

VERBS: Final[dict[str, tuple[Act, Act]]] = {
    "supersede": (_start, lambda it: it.mem.supersede([1, 2], "lives in Tokyo", subject="user")),
    "supersede before its start": (_start, lambda it: it.mem.supersede([3], "猫", valid_from="2027-01-01")),
    "revise": (_start, lambda it: it.mem.revise(1, "lives in Tokyo", valid_from="2026-05-01")),
    "forget several": (_start, lambda it: it.mem.forget(subject="user")),
    "restore": (_start, lambda it: it.mem.restore(4)),
    "restore of what was superseded": (_cut, lambda it: it.mem.restore(1)),
    "reject": (_start, lambda it: it.mem.reject(1, reason="no")),
    "rename of a subject": (_start, lambda it: it.mem.rename_subject("user", "思い出")),
    "undo": (_batch, lambda it: it.mem.undo(it.mem.audit()[-1].batch or "")),
    "accept": (_moved, lambda it: it.mem.accept(it.mem.proposals()[0].id)),
    "bulk": (_start, _in_bulk),
    "purge": (_start, lambda it: it.mem.purge(subject="user")),
    "merge": (_start, _merge),
    "rename of a note": (_linked, lambda it: it.mem.rename_note("rex-is", "animals/rex", dry_run=False)),
}
"""What to prepare, and the call that is cut short."""
CASES: Final = [(verb, True) for verb in VERBS] + [(verb, False) for verb in VERBS if DEEP or len(verb) in (5, 9)]


def _state(mem: Memory, root: Path) -> tuple[Any, ...]:
    """What is believed and was, what is refused, what the notes and links say; without what differs by chance."""
    ids = [record.id for record in mem.list(include_archived=True, limit=99)]
    versions = [
        (id, version.text, version.subject, version.valid_from, version.valid_to, version.known_to is None)
        for id in range(1, max(ids, default=0) + 6) if mem.get(id, as_of="2026-06-01") or id in ids
        for version in mem.why(id).versions
    ]  # fmt: skip
    said = [(note.relative_to(root).parent.as_posix(), note.read_text(encoding="utf-8")) for note in notes(root)]
    lines = [(folder, [line for line in text.splitlines() if line[:4] != "uid:"]) for folder, text in said]
    dangling = [(link.source, link.text) for link in mem.dangling_links()]
    ops = [event.op for event in mem.audit() if event.op not in ("add", "replace")]  # documents are taken in afterwards
    return texts(mem), versions, sorted(map(repr, lines)), dangling, ops


@pytest.mark.parametrize(
    "verb, without_index", CASES, ids=[f"{verb}, {'files alone' if alone else 'index'}" for verb, alone in CASES]
)
def test_a_change_of_several_notes_is_whole_or_absent(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, verb: str, without_index: bool
) -> None:
    template = tmp_path / "template"
    with open_vault(template, clock) as mem:
        VERBS[verb][0](Scene(mem, clock, template))
    with open_vault(template, clock) as mem:
        before = _state(mem, template)
    count, after = _done(tmp_path, template, clock, monkeypatch, verb)
    assert before != after
    outcomes = [
        _seen(tmp_path / str(step), template, clock, monkeypatch, verb, step, without_index)
        for step in _steps(count, verb)
    ]
    odd = [outcome for outcome in outcomes if outcome not in (before, after)]
    assert odd == [], list(zip(odd[0], before, after, strict=True))
    assert outcomes[-1] == after
    assert outcomes[0] == before or not without_index


def _steps(count: int, verb: str) -> list[int]:
    """The first and the last points at which it can be killed, and some between."""
    return [*range(1, count + 1)] if DEEP else sorted({1, 2, *range(3 + len(verb) % 3, count, 3), count})


def _done(
    tmp_path: Path, template: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, verb: str
) -> tuple[int, tuple[Any, ...]]:
    """Return at how many points it could be killed, and what there is when it is not."""
    root = shutil.copytree(template, tmp_path / "done")
    with open_vault(root, clock) as mem:
        with monkeypatch.context() as patched:
            calls = _killing(patched, 10_000)
            VERBS[verb][1](Scene(mem, clock, root))
        return calls(), _state(mem, root)


def _seen(
    root: Path, template: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, verb: str, step: int,
    without_index: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """Kill it before one of its calls of the system; return what is found in what it leaves on the disk."""
    shutil.copytree(template, root)
    left = root.with_name(f"{root.name} left")
    with open_vault(root, clock) as mem, monkeypatch.context() as patched:
        _killing(patched, step)
        with pytest.raises(_KilledError):
            VERBS[verb][1](Scene(mem, clock, root))
        patched.undo()
        shutil.copytree(root, left)
    if without_index:
        throw_index_away(left)
    with open_vault(left, clock) as mem:
        found = _state(mem, left)
        assert (mem.quarantine(), mem.integrity_check(), mem.verify()) == ([], [], [])
    assert [file.name for file in (left / ".omoide" / "local").iterdir() if "begun" in file.name] == []
    return found


def _killing(patched: pytest.MonkeyPatch, step: int) -> Callable[[], int]:
    """Stop for good before a call that changes the folder; return what tells how many were asked for."""
    count = 0

    def killed(call: Callable[..., Any], counts: Callable[..., bool]) -> Callable[..., Any]:
        def run(*arguments: Any, **more: Any) -> Any:
            nonlocal count
            if counts(*arguments, **more):
                count += 1
                if count >= step:
                    raise _KilledError
            return call(*arguments, **more)

        return run

    for name in ("replace", "link", "fsync"):
        patched.setattr(os, name, killed(getattr(os, name), lambda *_, **__: True))
    patched.setattr(Path, "unlink", killed(Path.unlink, lambda *_, **__: True))
    patched.setattr(Path, "open", killed(Path.open, lambda _, mode="r", *__, **___: not mode.startswith("r")))
    return lambda: count


@pytest.mark.parametrize("step", [2, 6, 10])
def test_what_a_purge_that_was_killed_had_begun_to_erase_is_in_no_file_after_a_rebuild(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """The line that erases it stands in the log, behind those that hold it, until the vault is closed again."""
    with open_vault(tmp_path / "template", clock) as mem:
        _start(Scene(mem, clock, tmp_path / "template"))
    found = _seen(tmp_path / "vault", tmp_path / "template", clock, monkeypatch, "purge", step, without_index=True)
    assert found[0] == []
    left = [file for file in (tmp_path / "vault left").rglob("*") if file.is_file()]
    assert [file.name for file in left if "犬を飼って".encode() in file.read_bytes()] == []


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """A vault in which a change was noted and no file was touched."""
    root = tmp_path / "notes"
    with open_vault(root) as mem:
        mem.remember("lives in Osaka", subject="user")
    begun.begin(root, "", (), b'[{"path": "new.md", "old": null, "new": "YQ==", "from": null, "uid": null,'
                b' "moved": null}]', durable=True)  # fmt: skip
    return root


@pytest.mark.parametrize("cut", [0, 1, 20, 40, -1])
def test_a_note_of_a_change_that_is_not_whole_is_no_change(torn: Path, cut: int) -> None:
    file = torn / ".omoide" / "local" / "begun"
    file.write_bytes(file.read_bytes()[:cut])
    with open_vault(torn) as mem:
        assert texts(mem) == ["lives in Osaka"]
    assert not file.exists()
    assert not (torn / "new.md").exists()


def test_what_a_handle_that_is_open_finds_begun_is_done_before_it_writes(torn: Path) -> None:
    with open_vault(torn) as mem:
        assert (torn / "new.md").read_bytes() == b"a"
        mem.remember("lives in Lyon", subject="user")
    with open_vault(torn) as mem:
        assert texts(mem) == ["lives in Lyon", "lives in Osaka"]


def test_a_memory_whose_note_could_not_be_written_is_kept_when_its_write_was_killed(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of its note is closed, the process ends, the index goes: what was done is no deletion by hand."""
    template = tmp_path / "template"
    with open_vault(template, clock) as mem:
        mem.remember("likes tea", subject="user")
    (template / "decision").write_text("in the way")
    found = set()
    for step in range(1, 12):
        root = shutil.copytree(template, tmp_path / str(step))
        with open_vault(root, clock) as mem, monkeypatch.context() as patched:
            _killing(patched, step)
            with suppress(_KilledError):
                mem.remember("Postgres it is", kind="decision")
            patched.undo()
            left = shutil.copytree(root, root.with_name(f"{step} left"))
        throw_index_away(left)
        with open_vault(left, clock) as mem:
            assert "forget" not in [event.op for event in mem.audit()]
            found.add(tuple(sorted(texts(mem))))
    assert found == {("likes tea",), ("Postgres it is", "likes tea")}
