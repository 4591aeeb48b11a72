from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.features.conftest import database

from omoide import Memory
from omoide.errors import EmbedderError, EmbedderMismatchError, ReadOnlyStoreError
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]
MODEL = FakeEmbedder(16)
DERIVED = ["entry", "feed", "term", "posting", "held", "block"]


class Counting(FakeEmbedder):
    """Counts the texts it is given; fails after ``most``."""

    def __init__(self, most: int | None = None, **options: Any) -> None:
        super().__init__(16, **options)
        self.most, self.count = most, 0

    def embed(self, texts: list[str], /) -> list[list[float]]:
        self.count += len(texts)
        if self.most is not None and self.count > self.most:
            raise ConnectionError("no more today")
        return super().embed(texts)


def run(path: Path, *statements: str) -> None:
    """Change the file behind the library's back."""
    connection = apsw.Connection(str(database(path)))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def number(path: Path, sql: str) -> int:
    """Return the one number that a statement yields."""
    connection = apsw.Connection(str(database(path)), flags=apsw.SQLITE_OPEN_READONLY)
    found = int(connection.execute(sql).get)
    connection.close()
    return found


def filled(opened: Opener, clock: FakeClock) -> tuple[Memory, object]:
    """Open a store with a past and holes in its ordinals; return a moment in it, too."""
    mem = opened(embedder=MODEL)
    with mem.bulk():
        ids = [mem.remember(f"note {n} on tea", subject="user") for n in range(30)]
    clock.advance(3600)
    past = clock.now()
    clock.advance(3600)
    mem.revise(ids[0], "note 0 on coffee")
    mem.forget(ids[1])
    mem.purge(ids[2])
    mem.purge(ids[29])
    mem.remember("東京タワーに行きました", pinned=True)
    return mem, past


def answers(mem: Memory, past: object) -> list[object]:
    """Ask by every leg, now and then."""
    options: list[dict[str, Any]] = [{}, {"use_bm25": False}, {"use_vectors": False}, {"as_of": past}]
    hits = [mem.recall(query, k=12, **o) for query in ("note 7 on tea", "coffee", "東京タワー") for o in options]
    return [[(hit.id, hit.text, round(hit.score, 6)) for hit in each] for each in hits] + [mem.list()]


@pytest.mark.parametrize("tables", [*([table] for table in DERIVED), DERIVED], ids="-".join)
def test_deleted_rows_of_an_index_are_made_anew(
    opened: Opener, clock: FakeClock, path: Path, tables: list[str]
) -> None:
    mem, past = filled(opened, clock)
    before = answers(mem, past)
    run(path, *(f"DELETE FROM {table}" for table in tables))
    assert mem.rebuild() == 31
    assert answers(mem, past) == before
    assert mem.integrity_check() == []


def test_ordinals_stay_and_purged_ones_stay_empty(opened: Opener, clock: FakeClock, path: Path) -> None:
    mem, _ = filled(opened, clock)
    top = number(path, "SELECT max(ord) FROM version")
    entries = number(path, "SELECT entries FROM space")
    mem.rebuild()
    assert number(path, "SELECT max(ord) FROM version") == top
    assert number(path, "SELECT entries FROM space") == entries
    assert number(path, "SELECT count(*) FROM entry") == 31


def test_every_vector_is_made_anew(opened: Opener) -> None:
    first = Counting()
    mem = opened(embedder=first)
    for n in range(20):
        mem.remember(f"note {n}")
    first.count = 0
    mem.rebuild()
    assert first.count == 20


def test_a_handle_without_the_model_keeps_the_vectors(opened: Opener) -> None:
    mem = opened(embedder=MODEL)
    memory_id = mem.remember("tea at four")
    opened().rebuild()
    assert mem.stats()["default"]["pending_vectors"] == 0
    assert mem.recall("tea at four", use_bm25=False)[0].id == memory_id


def test_other_handles_see_the_new_index(opened: Opener, clock: FakeClock) -> None:
    mem, past = filled(opened, clock)
    other = opened(embedder=MODEL)
    before = answers(other, past)
    mem.rebuild()
    assert answers(other, past) == before
    memory_id = mem.remember("milk at noon")
    assert other.recall("milk at noon", k=1)[0].id == memory_id
    assert other.recall("milk at noon", k=1, use_bm25=False)[0].id == memory_id


def test_writes_go_on_meanwhile(opened: Opener) -> None:
    """What is remembered, revised and forgotten while a rebuild runs is in the new index."""
    mem, other = opened(embedder=MODEL), opened(embedder=MODEL)
    with mem.bulk():
        ids = [mem.remember(f"note {n} on tea") for n in range(1600)]
    ready = threading.Event()

    class Slow(FakeEmbedder):
        def embed(self, texts: list[str], /) -> list[list[float]]:
            ready.set()
            return super().embed(texts)

    slow = opened(embedder=Slow(16))
    ready.clear()
    thread = threading.Thread(target=slow.rebuild)
    thread.start()
    ready.wait(60)
    new = [other.remember(f"late note {n}") for n in range(20)]
    other.revise(ids[5], "note 5 on coffee")
    other.forget(ids[6])
    thread.join()
    assert mem.integrity_check() == []
    for n, memory_id in enumerate(new):
        assert mem.recall(f"late note {n}", k=1, use_vectors=False)[0].id == memory_id
        assert mem.recall(f"late note {n}", k=1, use_bm25=False)[0].id == memory_id
    assert mem.recall("note 5 on coffee", k=1)[0].id == ids[5]
    assert ids[6] not in {hit.id for hit in mem.recall("note 6 on tea", k=20)}


def test_a_model_that_fails_leaves_the_old_index(opened: Opener, clock: FakeClock, path: Path) -> None:
    mem, past = filled(opened, clock)
    before = answers(mem, past)
    failing = opened(embedder=Counting(most=0))
    with pytest.raises(EmbedderError):
        failing.rebuild()
    assert answers(mem, past) == before
    assert mem.integrity_check() == []
    assert number(path, "SELECT count(*) FROM space") == 2
    mem.rebuild()
    assert number(path, "SELECT count(*) FROM space") == 1
    assert answers(mem, past) == before


def test_purge_reaches_what_an_interrupted_rebuild_left(opened: Opener, path: Path) -> None:
    mem = opened(embedder=MODEL)
    with mem.bulk():
        for n in range(1200):
            mem.remember(f"note {n}")
        secret = mem.remember("xylophone")
    with pytest.raises(EmbedderError):
        opened(embedder=Counting(most=600)).rebuild()
    assert number(path, "SELECT count(DISTINCT space) FROM entry") == 2
    mem.purge(secret)
    assert number(path, "SELECT count(*) FROM term WHERE term LIKE 'xylo%'") == 0
    assert number(path, "SELECT count(DISTINCT space) FROM entry") == 1
    assert mem.integrity_check() == []


def test_another_model(opened: Opener) -> None:
    """The store answers with the new model; a handle of the old one says why it cannot, and does not write."""
    mem, old = opened(embedder=MODEL), opened(embedder=MODEL)
    memory_id = mem.remember("tea at four")
    with mem.bulk():
        for n in range(100):
            mem.remember(f"note {n}")
    mem.rebuild(embedder=FakeEmbedder(16, model_name="two"))
    assert mem.embedder_name == "two"
    assert mem.stats()["default"]["pending_vectors"] == 0
    assert mem.recall("tea at four", use_bm25=False, k=1)[0].id == memory_id
    hits = old.recall("tea at four")
    assert hits[0].id == memory_id
    assert hits.degraded
    assert "two" in " ".join(hits.reasons)
    with pytest.raises(EmbedderMismatchError):
        old.remember("milk at noon")
    with pytest.raises(EmbedderMismatchError):
        opened(embedder=MODEL)


def test_another_model_that_stops_halfway(opened: Opener, path: Path) -> None:
    """What it has made is kept, the rest is pending, found by keyword, and made by the next handle."""
    mem = opened(embedder=MODEL)
    with mem.bulk():
        for n in range(200):
            mem.remember(f"note {n}")
    with pytest.raises(EmbedderError):
        mem.rebuild(embedder=Counting(most=100, model_name="two"))
    assert 0 < mem.stats()["default"]["pending_vectors"] < 200
    mem.close()
    again = opened(embedder=FakeEmbedder(16, model_name="two"))
    assert again.integrity_check() == []
    assert again.recall("note 7", use_vectors=False, k=1)[0].text == "note 7"
    again.repair()
    assert again.stats()["default"]["pending_vectors"] == 0
    assert again.recall("note 199", use_bm25=False, k=1)[0].text == "note 199"


def test_a_model_that_does_not_work_changes_nothing(opened: Opener) -> None:
    mem = opened(embedder=MODEL)
    memory_id = mem.remember("tea at four")
    with pytest.raises(EmbedderError):
        mem.rebuild(embedder=Counting(most=0, model_name="two"))
    assert mem.embedder_name == MODEL.model_name
    assert mem.recall("tea at four", use_bm25=False, k=1)[0].id == memory_id


def test_to_keywords_only_and_back(opened: Opener, path: Path) -> None:
    mem = opened(embedder=MODEL)
    memory_id = mem.remember("tea at four")
    mem.rebuild(embedder="none")
    assert not mem.recall("tea").degraded
    assert number(path, "SELECT count(*) FROM block WHERE (id >> 28) & 15 > 0") == 0
    assert mem.integrity_check() == []
    mem.close()
    again = opened(embedder=FakeEmbedder(24, model_name="three"))
    again.remember("milk at noon")
    again.repair()
    assert again.recall("tea at four", use_bm25=False, k=1)[0].id == memory_id
    assert again.integrity_check() == []


def test_all_namespaces_are_rebuilt(opened: Opener) -> None:
    handles = {name: opened(name, embedder=MODEL) for name in ("one", "two", "three")}
    for name, mem in handles.items():
        mem.remember(f"tea for {name}")
    assert handles["one"].rebuild() == 3
    assert [mem.recall("tea")[0].text for mem in handles.values()] == [f"tea for {name}" for name in handles]


def test_a_store_that_may_not_be_written(opened: Opener) -> None:
    opened().remember("tea at four")
    reading = opened(read_only=True)
    assert reading.integrity_check() == []
    for change in (reading.rebuild, reading.repair):
        with pytest.raises(ReadOnlyStoreError):
            change()


async def test_the_async_twins(opened: Opener, tmp_path: Path) -> None:
    mem = opened(embedder=MODEL)
    await mem.aremember("tea at four")
    assert await mem.arebuild() == 1  # type: ignore[attr-defined]
    assert await mem.aintegrity_check() == []  # type: ignore[attr-defined]
    assert (await mem.arepair()).findings == ()  # type: ignore[attr-defined]
    assert await mem.abackup(tmp_path / "copy.db") == str(tmp_path / "copy.db")  # type: ignore[attr-defined]
    assert await mem.averify(await mem.ahead()) == []  # type: ignore[attr-defined]
    assert [event.op for event in await mem.aaudit()] == ["remember", "rebuild"]  # type: ignore[attr-defined]
