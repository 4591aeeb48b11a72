"""The files alone are enough: an index that is gone is made again with the same answers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import RejectedValueError, StoreError
from omoide.maintenance import repair
from omoide.testing import FakeClock, FakeEmbedder

from .vaults import clone, logs, note_of, notes, open_vault, texts, throw_index_away


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the vault will be."""
    return tmp_path / "notes"


@pytest.fixture
def mem(root: Path, clock: FakeClock) -> Iterator[Memory]:
    """A handle on the vault."""
    with open_vault(root, clock) as handle:
        yield handle


def busy(mem: Memory, clock: FakeClock) -> list[int]:
    """A small life: revised, forgotten, restored, superseded, rejected, renamed, disputed."""
    home = mem.remember("lives in Osaka", subject="user", valid_from="2026-01-10", tags=["home"], source="session-1")
    clock.advance(60)
    mem.revise(home, "lives in Tokyo", valid_from="2026-05-01")
    tea = mem.remember("boit du thé le matin", subject="user", kind="preference", importance="high")
    gone = mem.remember("has a dog", subject="user")
    clock.advance(60)
    mem.forget(gone)
    mem.restore(gone)
    cat = mem.supersede([gone], "has a cat", subject="user")
    wrong = mem.remember("誕生日は五月", subject="user", predicate="birthday")
    clock.advance(60)
    mem.reject(wrong, reason="六月です")
    mem.alias_subject("me", of="user")
    mem.dispute(tea, reason="really?")
    mem.exclusive("birthday")
    clock.advance(60)
    return [home, tea, gone, cat, wrong]


PASTS: list[dict[str, Any]] = [
    {},
    {"as_of": "2026-06-01T12:01:30Z"},
    {"valid_at": "2026-02-01", "known_at": "2026-06-01T12:00:30Z"},
]


def answers(mem: Memory, ids: list[int]) -> list[object]:
    """Everything that must be the same before and after."""
    recalled = [
        [(hit.id, hit.version_id, hit.text, round(hit.score, 9)) for hit in mem.recall("user lives tea", k=9, **when)]
        for when in PASTS
    ]
    return [
        recalled, [mem.why(id) for id in ids], mem.diff("2026-01-01"), mem.timeline("user"), mem.audit(), mem.head(),
        mem.list(), mem.stats(), mem.subjects(), mem.conflicts(),
    ]  # fmt: skip


def test_the_same_answers(mem: Memory, root: Path, clock: FakeClock) -> None:
    """Current and past answers, reasons, differences and the audit chain come back as they were."""
    ids = busy(mem, clock)
    before = answers(mem, ids)
    throw_index_away(root)
    assert answers(mem, ids) == before
    assert mem.verify() == []
    assert mem.integrity_check() == []


def test_rebuild_by_hand(mem: Memory, root: Path, clock: FakeClock) -> None:
    """``rebuild`` makes the index from the files, in an open handle and in a new one."""
    ids = busy(mem, clock)
    before = answers(mem, ids)[0]
    mem.rebuild()
    assert answers(mem, ids)[0] == before
    mem.close()
    with open_vault(root, clock) as again:
        again.rebuild()
        assert answers(again, ids)[0] == before


def test_a_clone_has_the_same_answers(mem: Memory, root: Path, clock: FakeClock, tmp_path: Path) -> None:
    """What git carries to another machine answers the same."""
    ids = busy(mem, clock)
    with open_vault(clone(root, tmp_path / "clone"), clock) as other:
        assert answers(other, ids) == answers(mem, ids)


def test_rejected_values_stay_rejected(mem: Memory, root: Path, clock: FakeClock) -> None:
    """A value that a person rejected is refused after a rebuild."""
    busy(mem, clock)
    throw_index_away(root)
    with pytest.raises(RejectedValueError):
        mem.remember("誕生日は五月", subject="user", predicate="birthday")


def test_ids_are_never_given_twice(mem: Memory, root: Path) -> None:
    """The id of a purged memory is not given out again, index or not."""
    mem.remember("first")
    last = mem.remember("second")
    mem.purge(last)
    throw_index_away(root)
    assert mem.remember("third") > last


def test_an_edit_made_meanwhile_is_a_revision(mem: Memory, root: Path) -> None:
    """A note that was changed while there was no index is a revision, with what it said before as history."""
    id = mem.remember("lives in Lyon", subject="user")
    mem.close()
    throw_index_away(root)
    note = note_of(root, "lives in Lyon")
    note.write_text(note.read_text(encoding="utf-8").replace("lives in Lyon", "lives in Nice"), encoding="utf-8")
    with open_vault(root) as again:
        assert texts(again) == ["lives in Nice"]
        assert next(version.text for version in again.why(id).versions) == "lives in Lyon"


def test_under_a_running_handle(mem: Memory, root: Path) -> None:
    """Reads and writes go on when the index is removed between any two calls."""
    for n in range(4):
        mem.remember(f"fact {n}")
        throw_index_away(root)
        assert len(mem.recall("fact", k=9)) == n + 1
        throw_index_away(root)
    assert mem.integrity_check() == []


def test_each_index_has_a_log_of_its_own(mem: Memory, root: Path) -> None:
    """A rebuilt index goes on in a new log; one that is not written to leaves none."""
    mem.remember("one")
    for _ in range(3):
        throw_index_away(root)
        mem.recall("one")
    assert len(logs(root)) == 1
    mem.remember("two")
    assert len({file.parent for file in logs(root)}) == 2


def test_a_torn_last_line_is_no_harm(mem: Memory, root: Path) -> None:
    """Half a line at the end of a log, as a crash leaves it, loses nothing that was acknowledged."""
    mem.remember("acknowledged")
    mem.close()
    with logs(root)[0].open("ab") as log:
        log.write(b'{"omoide":1,"n":2,"prev":"')
    throw_index_away(root)
    with open_vault(root) as again:
        assert texts(again) == ["acknowledged"]
        assert any("cannot be read" in line for line in again.integrity_check())
        again.remember("more")
        assert texts(again) == ["acknowledged", "more"]


def test_a_broken_line_is_named_and_the_rest_counts(mem: Memory, root: Path) -> None:
    """One damaged line loses what it said and no other; the finding says where it is."""
    for n in range(4):
        mem.remember(f"fact {n}")
    mem.close()
    log = logs(root)[0]
    broken = log.read_bytes().splitlines(keepends=True)
    broken[1] = b"<<<<<<< HEAD\n"
    log.write_bytes(b"".join(broken))
    throw_index_away(root)
    with open_vault(root) as again:
        assert {"fact 0", "fact 2", "fact 3"} <= set(texts(again))
        assert any("line 2" in line and "conflict mark" in line for line in again.integrity_check())


def test_notes_without_a_log(mem: Memory, root: Path) -> None:
    """Where only the notes are left, their memories are adopted with their uids."""
    mem.remember("only the note is left", subject="user", tags=["a"])
    uid = mem.list()[0].uid
    mem.close()
    throw_index_away(root)
    for log in logs(root):
        log.unlink()
    with open_vault(root) as again:
        (record,) = again.list()
        assert (record.text, record.uid, record.tags) == ("only the note is left", uid, ("a",))
        assert len(notes(root)) == 1


def test_repair_makes_a_damaged_index_from_the_files(mem: Memory, root: Path) -> None:
    """A database with broken pages is thrown away and made again."""
    mem.remember("still here")
    mem.close()
    database = root / ".index" / "omoide.db"
    data = bytearray(database.read_bytes())
    data[4096 * 3 : 4096 * 6] = b"\xff" * (4096 * 3)
    database.write_bytes(data)
    with open_vault(root) as again:
        again.repair()
        assert texts(again) == ["still here"]
        assert again.integrity_check() == []


def test_repair_by_path_makes_the_index_again_from_the_files(mem: Memory, root: Path) -> None:
    id = mem.remember("lives in Osaka", subject="user")
    mem.close()
    (root / ".index" / "omoide.db").write_bytes(b"no database" * 1000)
    assert repair(root, embedder="none").remaining == ()
    with open_vault(root) as again:
        assert [record.id for record in again.list()] == [id]
    with pytest.raises(StoreError, match="there is no store"):
        repair(root.parent / "nothing", embedder="none")


def test_a_rebuild_by_who_has_no_model_keeps_the_vectors(root: Path) -> None:
    with open_vault(root, embedder=FakeEmbedder(16)) as first:
        first.remember("tea at four")
        with open_vault(root) as other:
            other.rebuild()
        assert first.stats()["default"]["pending_vectors"] == 0


def test_an_index_that_is_no_database_is_made_again(mem: Memory, root: Path) -> None:
    """Whatever lies in the place of the index, the vault opens."""
    mem.remember("still here")
    mem.close()
    (root / ".index" / "omoide.db").write_bytes(b"no database at all " * 100)
    with open_vault(root) as again:
        assert texts(again) == ["still here"]


def test_a_database_that_forgot_its_last_writes(mem: Memory, root: Path, tmp_path: Path) -> None:
    """What a power cut took from the database, and from the notes, comes back from the log."""
    id = mem.remember("before the last flush")
    note, database = note_of(root, "before"), root / ".index" / "omoide.db"
    old = note.read_bytes()
    mem.close()
    shutil.copy(database, tmp_path / "old.db")
    with open_vault(root) as later:
        later.revise(id, "acknowledged")
        later.remember("acknowledged too")
        head = later.head()
    database.write_bytes((tmp_path / "old.db").read_bytes())
    note.write_bytes(old)
    with open_vault(root) as again:
        assert texts(again) == ["acknowledged", "acknowledged too"]
        assert again.head() == head
        assert "acknowledged" in note.read_text(encoding="utf-8")
        assert again.verify() == again.integrity_check() == []
