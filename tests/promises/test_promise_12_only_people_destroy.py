"""Only people, or a policy they wrote, destroy: automatic passes add, archive and propose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import History, Index, Memory
from omoide.errors import AccessDeniedError
from omoide.testing import FakeClock

Opener = Callable[..., Memory]

DESTROYING = {"forget", "purge", "reject", "delete", "erase", "supersede"}


@pytest.fixture
def lived(opened: Opener, clock: FakeClock) -> Memory:
    """A namespace with repeats in other words, contradictions, expired and old beliefs, one of them a person's."""
    mem = opened()
    for n in range(6):
        mem.remember(f"the deploy of service {n} takes four minutes", subject="deploy", tags=["ops"])
        mem.remember(f"The deploy of service {n} takes 4 minutes.", subject="deploy", tags=["ops"])
        clock.advance(60)
    mem.remember("the port is 80", subject="srv", predicate="port")
    mem.remember("the port is 90", subject="srv", predicate="port")
    mem.remember("an event long over", kind="event", valid_from="2020-01-01", valid_to="2020-01-02")
    opened(door_trust="stated").remember("prefers tea", subject="user", predicate="drink", kind="preference")
    clock.advance(400 * 86_400)
    return mem


def believed(mem: Memory, at: Any) -> list[tuple[int, str]]:
    """Return every memory that was believed at a time, whatever was archived since."""
    return sorted((hit.id, hit.text) for hit in mem.recall(None, k=999, as_of=at))


def passes(mem: Memory, path: Path, tmp_path: Path, clock: FakeClock) -> dict[str, Callable[[], object]]:
    """Return everything that runs by itself."""

    def ingest_and_vanish() -> None:
        folder = tmp_path / "docs"
        folder.mkdir()
        (folder / "a.md").write_text("the handbook", encoding="utf-8")
        with Index(path, embedder="none", clock=clock) as index:
            index.add_files(folder)
            (folder / "a.md").unlink()
            index.add_files(folder)

    def retain() -> None:
        with History(path, embedder="none", clock=clock) as history:
            history.save("an old talk", project="")
            history.retention_run()

    return {
        "sleep": mem.sleep,
        "consolidate": lambda: mem.consolidate(lambda _: [{"text": "prefers coffee", "subject": "user"}]),
        "the cap": lambda: Memory(path, embedder="none", max_memories=2, clock=clock).remember("one more"),
        "age": lambda: mem.forget_older_than(1),
        "ingest": ingest_and_vanish,
        "retention": retain,
        "sources": mem.check_sources,
        "rebuild": mem.rebuild,
        "repair": mem.repair,
    }


@pytest.mark.parametrize(
    "name", ["sleep", "consolidate", "the cap", "age", "ingest", "retention", "sources", "rebuild", "repair"]
)
def test_nothing_that_runs_by_itself_ends_or_erases(
    lived: Memory, path: Path, tmp_path: Path, clock: FakeClock, name: str
) -> None:
    """After it every belief is there as it was then, every memory can be explained, and no event says destroyed."""
    now = clock.now()
    clock.advance(60)
    before, versions = believed(lived, now), lived.stats()["default"]["versions"]
    events = len(lived.audit())
    passes(lived, path, tmp_path, clock)[name]()
    clock.advance(1)
    assert believed(lived, now) == before
    assert lived.stats()["default"]["versions"] >= versions
    assert all(lived.why(memory_id).versions[-1].known_to is None for memory_id, _ in before)
    assert DESTROYING & {event.op for event in lived.audit()[events:]} == set()


def test_what_consolidation_would_end_is_a_proposal(lived: Memory, opened: Opener) -> None:
    """A merge waits for somebody who accepts it, and can be refused for good."""
    lived.sleep()
    waiting = lived.proposals()
    assert waiting
    count = lived.stats()["default"]["count"]
    lived.refuse([waiting[0].id])
    lived.sleep()
    assert lived.stats()["default"]["count"] == count
    assert waiting[0].id not in {proposal.id for proposal in lived.proposals()}


@pytest.mark.parametrize("trust", ["derived", "untrusted"])
@pytest.mark.parametrize("verb", ["forget", "purge", "reject", "restore", "undo"])
def test_a_door_that_nobody_vouches_for_destroys_nothing(lived: Memory, opened: Opener, trust: str, verb: str) -> None:
    """What passes write through may neither end, erase, refuse nor bring back what is stated or observed."""
    weak = opened(door_trust=trust)
    count = lived.stats()["default"]["count"]
    with lived.batch() as batch:
        lived.confirm(1)
    given: Any = batch if verb == "undo" else 1
    with pytest.raises(AccessDeniedError):
        getattr(weak, verb)(given)
    assert lived.stats()["default"]["count"] == count
    assert lived.get(1) is not None


@pytest.mark.parametrize("trust", ["derived", "untrusted"])
def test_a_weak_door_replaces_nothing(lived: Memory, opened: Opener, trust: str) -> None:
    """What it revises or supersedes stays beside what it could not replace."""
    weak = opened(door_trust=trust)
    (tea,) = lived.list(subject="user")
    weak.revise(tea.id, "prefers poison")
    weak.supersede([tea.id], "prefers poison too", subject="user", predicate="drink")
    found = lived.get(tea.id)
    assert found is not None
    assert (found.text, found.trust) == ("prefers tea", "stated")
    assert lived.conflicts()
