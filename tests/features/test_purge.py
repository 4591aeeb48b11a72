from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError, NotFoundError
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]
HIDDEN = "passphrase-xylophone-7731"


def leaks(folder: Path, *words: str) -> list[str]:
    """Return the files that hold any of the words, in UTF-8 or UTF-16."""
    return [
        file.name
        for file in folder.rglob("*")
        for word in words
        if file.is_file()
        if word.encode() in file.read_bytes() or word.encode("utf-16-le") in file.read_bytes()
    ]


@pytest.fixture
def folder(path: Path) -> Path:
    """Where the store and its side files are."""
    return path.parent


@pytest.mark.parametrize("embedder", ["none", "fake"])
def test_no_byte_of_it_is_left(opened: Opener, folder: Path, embedder: str) -> None:
    """After a purge no file holds the text, its earlier texts, its subject, source or metadata."""
    mem = opened(embedder="none" if embedder == "none" else FakeEmbedder(16))
    kept = mem.remember("tea at four")
    memory_id = mem.remember(
        f"{HIDDEN} one", subject="zanzibar-subject", source="zeppelin-source", metadata={"k": "quetzal-value"}
    )
    mem.revise(memory_id, f"{HIDDEN} two")
    mem.update(memory_id, text=f"{HIDDEN} three")
    receipt = mem.purge(memory_id)
    assert receipt.purged_ids == (memory_id,)
    assert receipt.verified
    words = (HIDDEN, "xylophone", "zanzibar-subject", "zeppelin-source", "quetzal-value")
    assert leaks(folder, *words) == []
    mem.close()
    assert leaks(folder, *words) == []
    assert opened().get(kept) is not None


def test_it_is_gone_at_every_time(mem: Memory, clock: FakeClock) -> None:
    """A purged memory is not believed now nor as of before, not found, not got, not explained."""
    then = clock.now()
    memory_id = mem.remember(HIDDEN)
    clock.advance(60)
    mem.purge(memory_id)
    assert mem.get(memory_id) is None
    assert mem.recall(HIDDEN) == []
    assert mem.recall(None, as_of=then) == []
    assert mem.list() == []
    with pytest.raises(NotFoundError):
        mem.why(memory_id)


def test_it_is_not_counted(mem: Memory) -> None:
    """``stats`` counts neither a purged memory nor its versions."""
    memory_id = mem.remember(HIDDEN)
    mem.revise(memory_id, "another one")
    mem.remember("tea at four")
    mem.purge(memory_id)
    stats = mem.stats()["default"]
    assert (stats["count"], stats["versions"]) == (1, 1)


def test_the_gap_stays(mem: Memory) -> None:
    """The id of a purged memory is not given again, and the store is sound."""
    memory_id = mem.remember(HIDDEN)
    mem.remember("tea at four")
    mem.purge(memory_id)
    assert mem.remember("coffee at ten") > memory_id
    assert mem.integrity_check() == []
    assert mem.verify() == []


def test_a_forgotten_memory_can_be_purged(mem: Memory, folder: Path) -> None:
    """What was only forgotten is still in the file, until it is purged."""
    memory_id = mem.remember(HIDDEN)
    mem.forget(memory_id)
    mem.purge(memory_id)
    assert leaks(folder, HIDDEN) == []


def test_by_source_and_by_subject(mem: Memory) -> None:
    """A selector purges what it matches and nothing else."""
    a = mem.remember("A", source="s-1")
    b = mem.remember("B", subject="ann")
    c = mem.remember("C")
    assert mem.purge(source="s-1").purged_ids == (a,)
    assert mem.purge(subject="ann").purged_ids == (b,)
    assert [record.id for record in mem.list()] == [c]


def test_a_namespace(opened: Opener, folder: Path) -> None:
    """A whole namespace is purged without touching its neighbour."""
    a, b = opened("a"), opened("b")
    a.remember(HIDDEN)
    a.remember(f"{HIDDEN} again")
    kept = b.remember("tea at four")
    assert len(a.purge(namespace="a").purged_ids) == 2
    assert leaks(folder, HIDDEN) == []
    assert b.get(kept) is not None


def test_a_deliberate_remember_brings_it_back(mem: Memory) -> None:
    """Said again on purpose, the text is a new memory."""
    memory_id = mem.remember(HIDDEN)
    mem.purge(memory_id)
    assert mem.remember(HIDDEN) != memory_id
    assert [hit.text for hit in mem.recall(HIDDEN)] == [HIDDEN]


def test_a_retry_after_the_purge(mem: Memory, folder: Path) -> None:
    """The idempotency key of a purged memory still answers a retry, and keeps no text."""
    memory_id = mem.remember(HIDDEN, idempotency_key="k")
    mem.purge(memory_id)
    assert mem.remember(HIDDEN, idempotency_key="k") == memory_id
    with pytest.raises(InvalidInputError):
        mem.remember("other", idempotency_key="k")
    assert leaks(folder, HIDDEN) == []


def test_a_text_that_another_memory_shares_stays_there(mem: Memory) -> None:
    """Purging one of two memories with one text leaves the other whole."""
    a = mem.remember("shared text", subject="a")
    b = mem.remember("shared text", subject="b")
    mem.purge(a)
    assert [hit.id for hit in mem.recall("shared text")] == [b]
    assert mem.integrity_check() == []


@pytest.mark.parametrize("selector", [{}, {"source": " "}, {"subject": ""}])
def test_an_empty_selector_is_an_error(mem: Memory, selector: dict[str, Any]) -> None:
    """Purging everything by leaving something out is refused."""
    mem.remember("A")
    with pytest.raises(InvalidInputError):
        mem.purge(**selector)
    assert len(mem.list()) == 1


def test_a_missing_memory_is_an_error(mem: Memory) -> None:
    """An id that does not exist is named in the error."""
    with pytest.raises(NotFoundError, match="4711"):
        mem.purge(4711)
