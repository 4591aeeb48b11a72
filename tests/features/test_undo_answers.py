"""After an undo every question is answered as before the batch: the same memories, order and scores."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.store.sqlite.indexing import undone
from omoide.testing import FakeClock

Opener = Callable[..., Memory]
QUESTIONS = ("rate limit of service 3", "soup", "gazpacho", "ramen 昼食", "déjeuner soupe", "sou*", "gazp*", "gazpcho")


def answers(mem: Memory) -> list[list[tuple[int, float, float | None]]]:
    """What each question finds, best first, with its scores; and what is listed."""
    found = [[(hit.id, hit.score, hit.bm25_score) for hit in mem.recall(question, k=30)] for question in QUESTIONS]
    return [*found, [(hit.id, hit.score, None) for hit in mem.recall(None, k=30)]]


@pytest.fixture
def mem(opened: Opener) -> Memory:
    return opened(door_trust="stated")


@pytest.fixture
def ids(mem: Memory, clock: FakeClock) -> list[int]:
    """Memories that share words, so that the words' statistics and the memories' age decide on their order."""
    made = [int(mem.remember(f"the rate limit of service {number} is {number} requests")) for number in range(5)]
    clock.advance(60)
    for text in ("lunch is soup", "soup is served hot", "昼食はラーメンです", "le déjeuner est une soupe"):
        made.append(int(mem.remember(text)))
        clock.advance(60)
    return made


def changed(mem: Memory, clock: FakeClock, ids: list[int]) -> str:
    """Do a bit of everything in one batch; return its id."""
    clock.advance(60)
    with mem.batch() as batch:
        mem.revise(ids[5], "lunch is gazpacho soup soup soup")
        clock.advance(60)
        mem.revise(ids[5], "lunch is nothing at all")
        mem.remember("gazpacho is a soup")
        mem.forget(ids[2])
        mem.forget(ids[6])
        clock.advance(60)
        mem.restore(ids[6])
        mem.supersede([ids[0], ids[1]], "the rate limit of every service is 9 requests")
        mem.revise(ids[7], "昼食はうどんです")
        mem.revise(ids[8], "le déjeuner est un gazpacho")
    clock.advance(60)
    return batch


def test_the_order_and_the_scores_are_those_of_before_the_batch(mem: Memory, clock: FakeClock, ids: list[int]) -> None:
    """Neither the words that the batch wrote nor the moment of the undo leave a trace in an answer."""
    before = answers(mem)
    batch = changed(mem, clock, ids)
    assert answers(mem) != before
    assert mem.undo(batch).skipped == ()
    assert answers(mem) == before


def test_another_handle_and_a_rebuilt_index_answer_the_same(
    mem: Memory, clock: FakeClock, ids: list[int], opened: Opener
) -> None:
    """It follows from the rows, so whoever reads them and whatever is made of them agree."""
    other = opened(door_trust="stated")
    before = answers(other)
    mem.undo(changed(mem, clock, ids))
    assert answers(other) == before
    mem.rebuild()
    assert answers(mem) == before
    assert answers(other) == before
    assert (mem.integrity_check(), mem.verify()) == ([], [])


def test_a_vault_without_its_index_answers_the_same(tmp_path: Path, clock: FakeClock, ids: list[int]) -> None:
    """What was undone is in the logs, so files alone are enough."""
    root = tmp_path / "elsewhere"
    root.mkdir()
    with Memory(root, clock=clock, embedder="none", door_trust="stated") as vault:
        own = [int(vault.remember(f"soup number {number} of {number} requests")) for number in range(9)]
        before = answers(vault)
        vault.undo(changed(vault, clock, own))
        assert answers(vault) == before
    shutil.rmtree(root / ".index")
    with Memory(root, clock=clock, embedder="none", door_trust="stated") as vault:
        assert answers(vault) == before


def test_batches_undone_one_after_the_other_leave_nothing(mem: Memory, clock: FakeClock, ids: list[int]) -> None:
    """An undo of what was written on top of an undone batch restores that state as well."""
    before = answers(mem)
    first = changed(mem, clock, ids)
    between = answers(mem)
    second = changed(mem, clock, ids)
    mem.undo(second)
    assert answers(mem) == between
    mem.undo(first)
    assert answers(mem) == before
    third = changed(mem, clock, ids)
    mem.undo(third)
    assert answers(mem) == before


def test_the_past_still_finds_what_was_undone(mem: Memory, clock: FakeClock, ids: list[int]) -> None:
    """As of a time between the batch and its undo its words answer, whole, begun and in other spellings."""
    batch = changed(mem, clock, ids)
    between = clock.now()
    clock.advance(60)
    told = [[hit.id for hit in mem.recall(question, k=30, as_of=between)] for question in QUESTIONS]
    assert told[2]
    mem.undo(batch)
    assert [[hit.id for hit in mem.recall(question, k=30, as_of=between)] for question in QUESTIONS] == told
    assert mem.recall("gazpacho") == []


def test_what_is_said_again_after_an_undo_counts_as_new(mem: Memory, clock: FakeClock, ids: list[int]) -> None:
    """Only what was undone is left out: the same words, remembered later, are found."""
    mem.undo(changed(mem, clock, ids))
    said = mem.remember("gazpacho is a soup")
    assert [hit.id for hit in mem.recall("gazpacho")] == [said]


def test_purging_what_was_undone_changes_no_answer(mem: Memory, clock: FakeClock, ids: list[int]) -> None:
    """It counted for nothing, so nothing is missing."""
    clock.advance(60)
    before = answers(mem)
    with mem.batch() as batch:
        made = mem.remember("gazpacho is a soup")
        mem.revise(made, "gazpacho is a cold soup")
    mem.undo(batch)
    mem.purge(made)
    assert answers(mem) == before


def test_a_memory_that_stays_keeps_its_words(mem: Memory, clock: FakeClock, ids: list[int]) -> None:
    """What was edited since the batch is left as it is, and is found."""
    with mem.batch() as batch:
        made = mem.remember("gazpacho is a soup")
    clock.advance(60)
    mem.revise(made, "gazpacho is a cold soup")
    assert mem.undo(batch).skipped == (made,)
    assert [hit.id for hit in mem.recall("gazpacho")] == [made]


def test_a_question_costs_no_statement_more_where_nothing_was_undone(
    opened: Opener, clock: FakeClock, ids: list[int]
) -> Any:
    """The last undo is told by the row that is read anyhow."""
    mem = opened(door_trust="stated")
    mem.recall("soup")
    with mem._ctx.store.read(None) as tx:
        view = tx.view("default")
        assert view is not None
        assert view.undone is None
        assert view.postings is view.lists(view.current(tx.now))


def test_a_listing_after_an_undone_import_asks_one_question_more(mem: Memory, ids: list[int]) -> None:
    """What only came with the import and went with it is not read again at the start of every session."""
    asked: list[str] = []

    def noted(_cursor: Any, statement: str, _values: Any) -> bool:
        asked.append(statement)
        return True

    def listed() -> list[str]:
        asked.clear()
        with mem._ctx.store.read(None) as tx:
            tx.connection.exec_trace = noted
            mem.recall(k=3)
            tx.connection.exec_trace = None
        return list(asked)

    mem.recall(k=3)
    before = listed()
    with mem.batch() as batch:
        mem.remember("gazpacho is a soup")
    mem.undo(batch)
    mem.recall(k=3)
    assert len(listed()) == len(before) + 1


def test_what_was_undone_is_found_without_a_look_at_the_rest(mem: Memory, ids: list[int]) -> None:
    """The first question of a process does not walk the namespace for it."""
    with mem.batch() as batch:
        mem.revise(ids[5], "lunch is gazpacho")
    mem.undo(batch)

    def steps() -> int:
        done = 0

        def count() -> bool:
            nonlocal done
            done += 1
            return False

        with mem._ctx.store.read(None) as tx:
            view = tx.view("default")
            assert view is not None
            tx.connection.set_progress_handler(count, 1)
            assert undone.find(tx.connection, view.space.space) is not None
            tx.connection.set_progress_handler(None)
        return done

    few = steps()
    with mem.bulk():
        for number in range(300):
            mem.remember(f"one of many, {number}")
    assert steps() < few + 100
