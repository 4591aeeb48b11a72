"""Any index can be deleted and rebuilt with the same answers."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from omoide import Memory
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]
INDEXES = ("entry", "feed", "term", "posting", "held", "block")


def answers(mem: Memory, past: object) -> list[object]:
    """Ask now and then, by every leg."""
    asked: list[object] = []
    for query in ("tea in the garden", "backup host 7", "東京タワー"):
        for options in ({}, {"use_bm25": False}, {"use_vectors": False}, {"as_of": past}):
            hits = mem.recall(query, k=8, **options)
            asked.append([(hit.id, hit.text, round(hit.score, 6)) for hit in hits])
    asked.append([(record.id, record.text) for record in mem.list()])
    asked.append(mem.stats()["default"]["count"])
    return asked


@pytest.fixture
def filled(opened: Opener, clock: FakeClock) -> tuple[Memory, object]:
    """A store with a past, and a moment in it."""
    mem = opened(embedder=FakeEmbedder(16))
    return mem, _lived(mem, clock)


def _lived(mem: Memory, clock: FakeClock) -> object:
    """Give a store a past; return a moment in it."""
    ids = [mem.remember(f"backup of host {n} runs at {n}") for n in range(20)]
    tea = mem.remember("tea in the garden")
    mem.remember("東京タワーに行きました")
    clock.advance(3600)
    past = clock.now()
    clock.advance(3600)
    mem.revise(tea, "tea in the kitchen")
    mem.forget(ids[7])
    mem.update(ids[8], text="backup of host 8 was moved")
    return past


def upkeep_done(mem: Memory) -> None:
    """Wait until every entry has its vector."""
    for _ in range(200):
        if mem.stats()["default"]["pending_vectors"] == 0:
            return
        mem.recall("tea", k=1)
        time.sleep(0.02)


def test_rebuilt_while_open(filled: tuple[Memory, object]) -> None:
    """A rebuild of a sound store changes no answer, now or as of then."""
    mem, past = filled
    before = answers(mem, past)
    mem.rebuild()
    assert answers(mem, past) == before
    assert mem.integrity_check() == []


def test_deleted_behind_its_back(filled: tuple[Memory, object], opened: Opener, path: Path) -> None:
    """With every index emptied by another program the store opens, says so, and is rebuilt from its texts."""
    mem, past = filled
    before = answers(mem, past)
    mem.close()
    connection = apsw.Connection(str(path))
    for name in INDEXES:
        connection.execute(f'DELETE FROM "{name}"')
    connection.close()
    again = opened(embedder=FakeEmbedder(16))
    assert again.integrity_check() != []
    again.repair()
    assert answers(again, past) == before
    assert again.integrity_check() == []


def test_texts_versions_and_events_are_plain_rows(filled: tuple[Memory, object], path: Path) -> None:
    """Any SQLite client reads the texts of the store."""
    mem, _ = filled
    mem.close()
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {
        value
        for name in names
        for row in connection.execute(f'SELECT * FROM "{name}"')
        for value in row
        if isinstance(value, str)
    }
    connection.close()
    assert {"tea in the garden", "tea in the kitchen", "東京タワーに行きました"} <= found


@pytest.mark.parametrize("gone", [".index", ".index and MEMORY.md"])
def test_a_vault_is_made_again_from_its_files(tmp_path: Path, clock: FakeClock, gone: str) -> None:
    """With its index thrown away a folder answers about now and then as before, and the audit chain is whole."""
    root = tmp_path / "vault"
    options: dict[str, Any] = {"embedder": FakeEmbedder(16), "clock": clock}
    with Memory(f"{root}/", **options) as mem:
        past, head = _lived(mem, clock), mem.head()
        before = answers(mem, past)
    shutil.rmtree(root / ".index")
    if gone == ".index and MEMORY.md":
        (root / "MEMORY.md").unlink()
    with Memory(f"{root}/", **options) as again:
        again.repair()
        upkeep_done(again)
        assert answers(again, past) == before
        assert again.verify(head) == []
        assert again.integrity_check() == []
        again.remember("one more")
        assert (root / "MEMORY.md").exists()


def test_the_files_of_a_vault_alone_are_enough(tmp_path: Path, clock: FakeClock) -> None:
    """A copy without ``.index`` and what is local to a machine, as a clone is, has the same ids, past and answers."""
    root, clone = tmp_path / "vault", tmp_path / "clone"
    options: dict[str, Any] = {"embedder": FakeEmbedder(16), "clock": clock}
    with Memory(f"{root}/", **options) as mem:
        past = _lived(mem, clock)
        before = answers(mem, past)
    shutil.copytree(root, clone, ignore=shutil.ignore_patterns(".index", "local"))
    with Memory(f"{clone}/", **options) as again:
        upkeep_done(again)
        assert answers(again, past) == before
