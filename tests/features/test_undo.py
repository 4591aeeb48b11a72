from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from omoide import Index, Memory, UndoReport
from omoide.errors import AccessDeniedError, InvalidInputError, NotFoundError
from omoide.testing import FakeClock


def current(mem: Memory) -> dict[int, str]:
    """Return the texts believed now by memory."""
    return {hit.id: hit.text for hit in mem.recall(None, k=99)}


def test_what_a_batch_remembered_is_forgotten(mem: Memory) -> None:
    """A memory that the batch made ends; one from before stays."""
    before = mem.remember("A")
    with mem.batch() as batch:
        made = mem.remember("B")
    assert mem.undo(batch) == UndoReport(undone=(made,))
    assert current(mem) == {before: "A"}


def test_writes_after_the_block_are_not_of_the_batch(mem: Memory) -> None:
    """Only what is written inside the block carries the id."""
    with mem.batch() as batch:
        mem.remember("A")
    after = mem.remember("B")
    mem.undo(batch)
    assert current(mem) == {after: "B"}
    assert mem.why(after).versions[0].provenance.batch is None


def test_a_revision_is_taken_back(mem: Memory, clock: FakeClock) -> None:
    """The belief from before the batch holds again, over the same intervals."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    before = mem.get(memory_id)
    clock.advance(60)
    with mem.batch() as batch:
        mem.revise(memory_id, "B", valid_from="2026-03-01", valid_to="2026-04-01")
        mem.revise(memory_id, "C", valid_from="2026-05-01")
    clock.advance(60)
    assert mem.undo(batch).undone == (memory_id,)
    after = mem.get(memory_id)
    assert before is not None
    assert after is not None
    assert (after.text, after.valid_from, after.valid_to) == ("A", before.valid_from, None)
    assert [v.text for v in mem.why(memory_id).versions if v.known_to is None] == ["A"]


def test_the_past_keeps_the_batch(mem: Memory, clock: FakeClock) -> None:
    """As of a time between the batch and its undo, the batch is believed."""
    memory_id = mem.remember("A")
    clock.advance(60)
    with mem.batch() as batch:
        mem.revise(memory_id, "B")
        mem.remember("C")
    between = clock.now()
    clock.advance(60)
    mem.undo(batch)
    assert {hit.text for hit in mem.recall(None, as_of=between)} == {"B", "C"}
    assert {hit.text for hit in mem.recall(None)} == {"A"}


def test_a_supersession_is_taken_back(mem: Memory, clock: FakeClock) -> None:
    """The new memory ends and the old ones are believed again."""
    one, two = mem.remember("A"), mem.remember("B")
    clock.advance(60)
    with mem.batch() as batch:
        new = mem.supersede([one, two], "A and B")
    clock.advance(60)
    assert set(mem.undo(batch).undone) == {one, two, new}
    assert current(mem) == {one: "A", two: "B"}


def test_a_forget_is_taken_back(mem: Memory) -> None:
    """What the batch forgot is believed again."""
    memory_id = mem.remember("A")
    with mem.batch() as batch:
        mem.forget(memory_id)
    assert mem.undo(batch).undone == (memory_id,)
    assert current(mem) == {memory_id: "A"}


def test_a_rejection_is_taken_back(person: Memory) -> None:
    """What the batch rejected is believed again and may be said."""
    memory_id = person.remember("A")
    with person.batch() as batch:
        person.reject(memory_id)
    person.undo(batch)
    assert current(person) == {memory_id: "A"}
    assert person.remember("a")


def test_a_value_rejected_since_stays_out(person: Memory, clock: FakeClock) -> None:
    """A revision is not taken back to a value that was rejected meanwhile; another one is."""
    rejected, other = person.remember("A"), person.remember("X")
    with person.batch() as batch:
        person.revise(rejected, "B")
        person.revise(other, "Y")
    clock.advance(1)
    person.reject(person.remember("A"), reason="no")
    report = person.undo(batch)
    assert (report.undone, report.skipped) == ((other,), (rejected,))
    assert "A" not in current(person).values()


def test_memories_edited_since_are_left_out_and_listed(mem: Memory) -> None:
    """An edit after the batch keeps the memory; the rest of the batch goes."""
    with mem.batch() as batch:
        edited, other = mem.remember("A"), mem.remember("B")
    mem.revise(edited, "A, better")
    assert mem.undo(batch) == UndoReport(undone=(other,), skipped=(edited,))
    assert current(mem) == {edited: "A, better"}


def test_a_memory_said_again_since_is_left_out(mem: Memory) -> None:
    """What another source said as well stays, as it does when a source is forgotten."""
    with mem.batch() as batch:
        shared, other = mem.remember("A", source="s1"), mem.remember("B", source="s1")
    mem.remember("A", source="s2")
    assert mem.undo(batch) == UndoReport(undone=(other,), skipped=(shared,))


def test_a_repeat_in_the_batch_is_taken_back(mem: Memory) -> None:
    """A memory that the batch only repeated stays, without the batch's source and sighting."""
    memory_id = mem.remember("A", source="s1")
    with mem.batch() as batch:
        mem.remember("A", source="s2")
    assert mem.undo(batch) == UndoReport()
    record = mem.get(memory_id)
    assert record is not None
    assert (record.sources, record.seen) == (("s1",), 1)


def test_one_session_stored_twice_can_be_undone(mem: Memory) -> None:
    """Of two overlapping batches the second is undone: exactly the memories of the first stay, ids unchanged."""
    with mem.batch("ingest", source="a.txt"):
        first = {mem.remember(f"message {n}"): f"message {n}" for n in range(40)}
    with mem.batch("ingest", source="b.txt") as second:
        for n in range(52):
            mem.remember(f"message {n}")
    assert len(current(mem)) == 52
    assert len(mem.undo(second).undone) == 12
    assert current(mem) == first


def test_undo_twice_changes_nothing(mem: Memory) -> None:
    """A second undo of a batch finds nothing to do."""
    memory_id = mem.remember("A")
    with mem.batch() as batch:
        mem.revise(memory_id, "B")
        mem.remember("C")
    mem.undo(batch)
    assert mem.undo(batch) == UndoReport()
    assert current(mem) == {memory_id: "A"}


def test_batches_are_undone_one_after_the_other(mem: Memory, clock: FakeClock) -> None:
    """After the later batch is undone, the earlier one can be."""
    memory_id = mem.remember("A")
    batches = []
    for text in ("B", "C"):
        clock.advance(1)
        with mem.batch() as batch:
            mem.revise(memory_id, text)
        batches.append(batch)
    assert mem.undo(batches[0]).skipped == (memory_id,)
    assert mem.undo(batches[1]).undone == (memory_id,)
    assert current(mem) == {memory_id: "B"}
    assert mem.undo(batches[0]).undone == (memory_id,)
    assert current(mem) == {memory_id: "A"}


def test_what_is_undone_can_be_restored(mem: Memory) -> None:
    """A memory that an undo forgot comes back by restore."""
    with mem.batch() as batch:
        memory_id = mem.remember("A")
    mem.undo(batch)
    assert mem.restore(memory_id)
    assert current(mem) == {memory_id: "A"}


def test_diff_tells_of_the_undo(mem: Memory, clock: FakeClock) -> None:
    """Undone memories are retracted, undone revisions revised back."""
    memory_id = mem.remember("A")
    with mem.batch() as batch:
        mem.revise(memory_id, "B")
        made = mem.remember("C")
    clock.advance(60)
    since = clock.now()
    mem.undo(batch)
    diff = mem.diff(since)
    assert [v.memory_id for v in diff.retracted] == [made]
    assert [(pair.old and pair.old.text, pair.new.text) for pair in diff.revised] == [("B", "A")]
    assert diff.learned == ()


def test_a_raised_trust_is_taken_back(mem: Memory, person: Memory, clock: FakeClock) -> None:
    """What a person said again in a batch has its old trust after the undo, outside of diff."""
    memory_id = mem.remember("A")
    with person.batch() as batch:
        person.remember("A")
    since = clock.now()
    clock.advance(1)
    person.undo(batch)
    record = mem.get(memory_id)
    assert record is not None
    assert record.trust == "observed"
    assert not mem.diff(since).revised


def test_documents_of_a_batch_leave_search(mem: Memory, opened: Callable[..., Memory]) -> None:
    """An ingest is undone: its documents are found no more, those of another stay."""
    index = Index(mem.path, embedder="none")
    try:
        kept = index.add_texts(["the harbour opens at six"])
        gone = index.add_texts(["the harbour closes at nine"])
        assert gone.batch is not None
        assert mem.undo(gone.batch).documents == tuple(gone)
        assert [hit.document_id for hit in index.search("harbour")] == list(kept)
    finally:
        index.close()


def test_bulk_inside_a_batch(mem: Memory) -> None:
    """Writes held back inside the block belong to the batch."""
    with mem.batch() as batch, mem.bulk():
        ids = [mem.remember(f"n {n}") for n in range(20)]
    assert mem.undo(batch).undone == tuple(ids)
    assert current(mem) == {}


def test_the_audit_names_the_batch(mem: Memory) -> None:
    """Every event of the batch and its undo carries the id."""
    with mem.batch() as batch:
        mem.remember("A")
    mem.undo(batch)
    assert [event.op for event in mem.audit() if event.batch == batch] == ["batch", "remember", "undo"]
    assert mem.verify() == []


def test_an_unknown_batch_is_an_error(mem: Memory) -> None:
    """A batch that does not exist is named in the error, and so is a kind."""
    with pytest.raises(NotFoundError, match="no-such"):
        mem.undo("no-such")
    with pytest.raises(InvalidInputError, match="kind"), mem.batch("holiday"):
        pass


def test_a_batch_of_another_namespace_is_not_there(opened: Callable[..., Memory]) -> None:
    """A handle cannot undo what it cannot read."""
    a, b = opened("a"), opened("b")
    with a.batch() as batch:
        a.remember("A")
    with pytest.raises(NotFoundError):
        b.undo(batch)
    assert current(a)


@pytest.mark.parametrize("trust", ["derived", "untrusted"])
def test_an_automatic_door_may_not_undo(opened: Callable[..., Memory], mem: Memory, trust: str) -> None:
    """A door below observed cannot take back what others wrote; one at observed can."""
    with mem.batch() as batch:
        mem.remember("A")
    with pytest.raises(AccessDeniedError):
        opened(door_trust=trust).undo(batch)
    assert current(mem)
    assert mem.undo(batch).undone


async def test_async_twin(mem: Memory) -> None:
    """``aundo`` does what ``undo`` does."""
    with mem.batch() as batch:
        memory_id = await mem.aremember("A")
    assert (await mem.aundo(batch)).undone == (memory_id,)


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("way", ["import", "merge"])
def test_an_import_is_taken_back(
    opened: Callable[..., Memory], tmp_path: Path, clock: FakeClock, used: bool, way: str
) -> None:
    """What an import or a merge brought, with its history, is forgotten; what was there and what was edited stays."""
    source = opened(path=tmp_path / "source.db")
    home = source.remember("lives in Osaka", subject="user", source="s1")
    source.remember("lives in Osaka", subject="user", source="s2")
    clock.advance(60)
    source.revise(home, "lives in Kobe")
    source.supersede([source.remember("A")], "B")
    target = opened()
    own = {target.remember("mine"): "mine"} if used else {}
    clock.advance(60)
    if way == "import":
        report = target.import_(source.export(tmp_path / "out.jsonl"))
    else:
        report = target.merge_from(tmp_path / "source.db")
    assert {"lives in Kobe", "B"} <= set(current(target).values())
    (edited,) = [hit.id for hit in target.recall("Kobe")]
    clock.advance(60)
    target.revise(edited, "lives in Nara")
    assert report.batch is not None
    undone = target.undo(report.batch)
    assert undone.skipped == (edited,)
    assert current(target) == own | {edited: "lives in Nara"}
    assert target.undo(report.batch).undone == ()
    assert target.verify() == []
    assert target.integrity_check() == []


def test_support_from_before_the_batch_keeps_no_restored_memory(person: Memory) -> None:
    """Forgotten before the batch and restored in it, a memory is forgotten again, whoever confirmed it long ago."""
    memory_id = person.remember("A")
    person.confirm(memory_id)
    person.forget(memory_id)
    with person.batch() as batch:
        person.restore(memory_id)
    assert person.undo(batch).skipped == ()
    assert person.get(memory_id) is None
