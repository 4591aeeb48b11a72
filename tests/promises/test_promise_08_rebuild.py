"""Any index can be deleted and rebuilt with the same answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
    ids = [mem.remember(f"backup of host {n} runs at {n}") for n in range(20)]
    tea = mem.remember("tea in the garden")
    mem.remember("東京タワーに行きました")
    clock.advance(3600)
    past = clock.now()
    clock.advance(3600)
    mem.revise(tea, "tea in the kitchen")
    mem.forget(ids[7])
    mem.update(ids[8], text="backup of host 8 was moved")
    return mem, past


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
