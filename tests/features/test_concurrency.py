from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]


def in_threads(count: int, work: Callable[[int], None]) -> list[BaseException]:
    """Run ``work(n)`` in threads that start together; return what they raised."""
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def one(number: int) -> None:
        try:
            start.wait()
            work(number)
        except BaseException as error:  # noqa: BLE001 - the test reports whatever a thread raised
            errors.append(error)

    threads = [threading.Thread(target=one, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@pytest.mark.parametrize("embedder", ["none", "fake"])
def test_eight_threads_on_one_handle(opened: Opener, embedder: str) -> None:
    """Threads that write and read through one handle lose nothing and raise nothing."""
    mem = opened(embedder="none" if embedder == "none" else FakeEmbedder(16))

    def work(number: int) -> None:
        for n in range(20):
            mem.remember(f"thread {number} note {n}")
            assert mem.recall(f"thread {number} note {n}", k=1)

    assert in_threads(8, work) == []
    assert mem.stats()["default"]["count"] == 160
    assert mem.integrity_check() == []


def test_threads_repeat_one_text(mem: Memory) -> None:
    """The same text from eight threads is one memory, seen eight times."""
    ids: list[int] = []

    def work(number: int) -> None:
        ids.append(mem.remember("the one text", source=f"s-{number}"))

    assert in_threads(8, work) == []
    assert len(set(ids)) == 1
    record = mem.get(ids[0])
    assert record is not None
    assert record.seen == 8
    assert len(record.sources) == 8


def test_threads_revise_one_memory(mem: Memory) -> None:
    """Revisions of one memory from many threads form one chain with nothing lost."""
    memory_id = mem.remember("start", valid_from="2026-01-01")

    def work(number: int) -> None:
        for n in range(5):
            mem.revise(memory_id, f"thread {number} step {n}")

    assert in_threads(4, work) == []
    texts = {v.text for v in mem.why(memory_id).versions}
    assert texts == {"start"} | {f"thread {t} step {n}" for t in range(4) for n in range(5)}
    assert len(mem.recall(None)) == 1


def test_one_key_from_many_threads_is_one_write(mem: Memory) -> None:
    """The same idempotency key used at once by eight threads writes once."""
    ids: list[int] = []

    def work(number: int) -> None:
        ids.append(mem.remember("A", idempotency_key="k"))

    assert in_threads(8, work) == []
    assert len(set(ids)) == 1
    record = mem.get(ids[0])
    assert record is not None
    assert record.seen == 1


def test_two_handles_see_each_other(opened: Opener) -> None:
    """What one handle writes, another finds at its next call, by keyword and by vector, both ways."""
    a, b = opened(embedder=FakeEmbedder(16)), opened(embedder=FakeEmbedder(16))
    for n in range(5):
        for writer, reader in ((a, b), (b, a)):
            memory_id = writer.remember(f"note {n} of {'ab'[writer is b]}")
            text = f"note {n} of {'ab'[writer is b]}"
            assert reader.recall(text, k=1, use_vectors=False)[0].id == memory_id
            assert reader.recall(text, k=1, use_bm25=False)[0].id == memory_id
    assert a.integrity_check() == b.integrity_check() == []


def test_a_change_elsewhere_is_seen(opened: Opener) -> None:
    """Revise, update, forget and restore by another handle show at the next call of either leg."""
    a, b = opened(embedder=FakeEmbedder(16)), opened(embedder=FakeEmbedder(16))
    memory_id = a.remember("tea at four")
    assert b.recall("tea at four", k=1)[0].text == "tea at four"
    a.revise(memory_id, "tea at five")
    assert [hit.text for hit in b.recall("tea at five", use_bm25=False)] == ["tea at five"]
    a.update(memory_id, text="tea at six")
    assert [hit.text for hit in b.recall("tea", use_vectors=False)] == ["tea at six"]
    a.forget(memory_id)
    assert b.recall("tea at six") == []
    a.restore(memory_id)
    assert [hit.text for hit in b.recall("tea at six", use_bm25=False)] == ["tea at six"]


def test_a_rebuild_elsewhere_is_seen(opened: Opener) -> None:
    """A handle goes on answering after another rebuilt the indexes."""
    a, b = opened(embedder=FakeEmbedder(16)), opened(embedder=FakeEmbedder(16))
    a.remember("tea at four")
    assert b.recall("tea")
    a.rebuild()
    a.remember("coffee at ten")
    assert [hit.text for hit in b.recall("coffee at ten", use_bm25=False, k=1)] == ["coffee at ten"]
    assert [hit.text for hit in b.recall("tea at four", use_bm25=False, k=1)] == ["tea at four"]


def test_many_handles_of_one_store(opened: Opener) -> None:
    """Ten handles of ten namespaces on one file write in turn and lose nothing."""
    handles = [opened(f"n{n}", embedder=FakeEmbedder(16)) for n in range(10)]
    for step in range(3):
        for mem in handles:
            mem.remember(f"step {step} of {mem.namespace}")
    for mem in handles:
        assert mem.stats()[mem.namespace]["count"] == 3
        assert mem.integrity_check() == []
