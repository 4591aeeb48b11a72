from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.features.conftest import copy_store

from omoide import Memory, Policy
from omoide.errors import ForeignStoreError, InvalidInputError, StoreVersionError
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]
Pair = tuple[Memory, Memory]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Where the other copy is."""
    return tmp_path / "other" / "agents.db"


@pytest.fixture
def pair(opened: Opener, path: Path, other: Path) -> Callable[..., Pair]:
    """Close a store and open it twice, as two copies."""

    def split(mem: Memory, **options: object) -> Pair:
        mem.close()
        copy_store(path, other)
        return opened(**options), opened(path=other, **options)

    return split


def texts(mem: Memory) -> list[str]:
    """Return what is believed now."""
    return sorted(record.text for record in mem.list())


def test_both_sides_bring_what_they_learned(mem: Memory, pair: Callable[..., Pair], other: Path) -> None:
    """The union has the memories of both, found by keyword, with their uids and their own ids here."""
    mem.remember("common")
    left, right = pair(mem)
    left.remember("only left")
    right_id = right.remember("東京に住んでいる", source="s-right", metadata={"n": 1})
    record = right.get(right_id)
    assert record is not None
    report = left.merge_from(other)
    assert texts(left) == ["common", "only left", "東京に住んでいる"]
    taken = left.get(report.added[0])
    assert taken is not None
    assert (taken.uid, taken.source, taken.metadata) == (record.uid, "s-right", {"n": 1})
    assert [hit.id for hit in left.recall("東京")] == [report.added[0]]
    assert left.integrity_check() == []
    assert left.verify() == []


def test_the_later_edit_wins_and_is_listed(
    mem: Memory, pair: Callable[..., Pair], other: Path, clock: FakeClock
) -> None:
    """Of two edits of one memory the later known counts; the earlier is history; the conflict is listed."""
    memory_id = mem.remember("lives in Osaka")
    left, right = pair(mem)
    clock.advance(60)
    right.revise(memory_id, "lives in Kyoto")
    clock.advance(60)
    left.revise(memory_id, "lives in Tokyo")
    report = left.merge_from(other)
    assert texts(left) == ["lives in Tokyo"]
    assert "lives in Kyoto" in [version.text for version in left.why(memory_id).versions]
    assert report.conflicts == (memory_id,)
    assert [(found.kind, found.ids) for found in left.conflicts()] == [("merge", (memory_id,))]


def test_a_conflict_is_settled_by_the_next_edit(
    mem: Memory, pair: Callable[..., Pair], other: Path, clock: FakeClock
) -> None:
    """Once somebody has revised or confirmed what came out, the conflict is over."""
    memory_id = mem.remember("lives in Osaka")
    left, right = pair(mem)
    right.revise(memory_id, "lives in Kyoto")
    clock.advance(60)
    left.revise(memory_id, "lives in Tokyo")
    left.merge_from(other)
    assert left.conflicts() != []
    clock.advance(60)
    left.confirm(memory_id)
    assert left.conflicts() == []


def test_a_forget_ends_what_it_has_seen(mem: Memory, pair: Callable[..., Pair], other: Path, clock: FakeClock) -> None:
    """A memory forgotten in the other copy and not touched here is forgotten, and can be restored."""
    memory_id = mem.remember("likes tea")
    mem.remember("likes coffee")
    left, right = pair(mem)
    clock.advance(60)
    right.forget(memory_id)
    left.merge_from(other)
    assert texts(left) == ["likes coffee"]
    assert [version.memory_id for version in left.diff(clock.now()).retracted] == [memory_id]
    assert left.restore(memory_id)
    assert texts(left) == ["likes coffee", "likes tea"]


@pytest.mark.parametrize("edit_first", [True, False])
def test_an_edit_survives_a_forget_that_has_not_seen_it(
    mem: Memory, pair: Callable[..., Pair], other: Path, clock: FakeClock, edit_first: bool
) -> None:
    """Whether it came before or after: an edit that the forget had not seen stays, and the conflict is listed."""
    memory_id = mem.remember("meets on Monday")
    left, right = pair(mem)
    deeds: list[Callable[[], object]] = [
        lambda: right.revise(memory_id, "meets on Friday"),
        lambda: left.forget(memory_id),
    ]
    for deed in deeds if edit_first else reversed(deeds):
        clock.advance(60)
        deed()
    left.merge_from(other)
    assert texts(left) == ["meets on Friday"]
    assert [found.ids for found in left.conflicts()] == [(memory_id,)]


def test_a_forget_after_the_merge_has_seen_the_edit(
    mem: Memory, pair: Callable[..., Pair], path: Path, other: Path, clock: FakeClock
) -> None:
    """Forgotten after the edit came in, the memory is forgotten in both copies, even where clocks disagree."""
    memory_id = mem.remember("meets on Monday")
    left, right = pair(mem)
    clock.advance(3600)
    right.revise(memory_id, "meets on Friday")
    clock.advance(-1800)
    left.merge_from(other)
    left.forget(memory_id)
    right.merge_from(path)
    assert texts(left) == texts(right) == []


def test_known_from_the_merge_with_the_original_time_kept(
    mem: Memory, pair: Callable[..., Pair], other: Path, clock: FakeClock
) -> None:
    """In a namespace that was written before, nothing is known earlier than the merge."""
    mem.remember("common")
    left, right = pair(mem)
    clock.advance(60)
    said = clock.now()
    right.remember("told the other")
    clock.advance(60)
    asked = left.recall(None, as_of=said)
    (memory_id,) = left.merge_from(other).added
    (version,) = left.why(memory_id).versions
    assert version.known_from == clock.now()
    assert version.provenance.known_elsewhere == said
    assert left.recall(None, as_of=said) == asked


def test_a_rejection_comes_along(mem: Memory, pair: Callable[..., Pair], other: Path) -> None:
    """A value rejected in the other copy ends here and is refused; its neighbour stays."""
    memory_id = mem.remember("the moon is cheese")
    mem.remember("the moon is rock")
    left, right = pair(mem)
    right.reject(memory_id, reason="no")
    left.merge_from(other)
    assert texts(left) == ["the moon is rock"]
    with pytest.raises(InvalidInputError):
        left.remember("The moon is CHEESE")


def test_a_rejected_value_does_not_come_in(mem: Memory, pair: Callable[..., Pair], other: Path) -> None:
    """A value rejected here is not believed when the other copy brings it; what else it brings is."""
    mem.remember("seed")
    left, right = pair(mem)
    left.reject(left.remember("the moon is cheese"))
    right.remember("The moon is cheese")
    right.remember("the moon is rock")
    report = left.merge_from(other)
    assert texts(left) == ["seed", "the moon is rock"]
    assert [refusal.reason for refusal in report.refused] == ["rejected"]


def test_what_was_purged_does_not_come_back(
    mem: Memory, pair: Callable[..., Pair], path: Path, other: Path, clock: FakeClock
) -> None:
    """Merging with a copy made before brings a purged memory back in neither direction; its sibling stays."""
    secret = mem.remember("passphrase-xylophone", source="s")
    mem.remember("tea at four", source="s")
    left, right = pair(mem)
    clock.advance(60)
    left.purge(secret)
    report = left.merge_from(other)
    assert [refusal.reason for refusal in report.refused] == ["purged"]
    assert texts(left) == ["tea at four"]
    assert right.merge_from(path).erased == (secret,)
    assert texts(right) == ["tea at four"]
    for folder in (path.parent, other.parent):
        assert not any(b"xylophone" in file.read_bytes() for file in folder.iterdir() if file.is_file())
    assert right.verify() == []
    assert right.integrity_check() == []


def test_a_purged_value_under_another_uid_does_not_come_in(opened: Opener, other: Path, clock: FakeClock) -> None:
    """A store that learned the value by itself, before it was purged here, does not bring it in."""
    stranger = opened(path=other)
    stranger.remember("passphrase-xylophone")
    stranger.remember("tea at four")
    clock.advance(60)
    mem = opened()
    mem.purge(mem.remember("passphrase-xylophone"))
    mem.merge_from(other)
    assert texts(mem) == ["tea at four"]


def test_a_deliberate_remember_after_the_purge_travels(
    mem: Memory, pair: Callable[..., Pair], path: Path, clock: FakeClock
) -> None:
    """What a person says again after the purge is a new memory in both copies."""
    secret = mem.remember("passphrase-xylophone")
    left, right = pair(mem)
    clock.advance(60)
    left.purge(secret)
    clock.advance(60)
    left.remember("passphrase-xylophone")
    right.merge_from(path)
    assert texts(right) == ["passphrase-xylophone"]


def test_again_does_nothing(mem: Memory, pair: Callable[..., Pair], other: Path) -> None:
    """A second merge of the same copy writes nothing, not even an event."""
    mem.remember("common")
    left, right = pair(mem)
    right.remember("other")
    left.merge_from(other)
    head = left.head()
    report = left.merge_from(other)
    assert (report.batch, report.added, report.changed) == (None, (), ())
    assert left.head() == head


def test_a_dry_run_only_says(mem: Memory, pair: Callable[..., Pair], other: Path) -> None:
    """With ``dry_run`` the report is that of the merge and the store stays as it is."""
    mem.remember("common")
    left, right = pair(mem)
    right.remember("other")
    head = left.head()
    report = left.merge_from(other, dry_run=True)
    assert (len(report.added), report.batch, report.dry_run) == (1, None, True)
    assert left.head() == head
    assert texts(left) == ["common"]


def test_undo_takes_a_merge_back(mem: Memory, pair: Callable[..., Pair], other: Path, clock: FakeClock) -> None:
    """The batch of a merge undone, the store believes what it did before."""
    memory_id = mem.remember("lives in Osaka")
    left, right = pair(mem)
    clock.advance(60)
    right.revise(memory_id, "lives in Kyoto")
    right.remember("new there")
    report = left.merge_from(other)
    assert texts(left) == ["lives in Kyoto", "new there"]
    clock.advance(60)
    assert report.batch is not None
    left.undo(report.batch)
    assert texts(left) == ["lives in Osaka"]


def test_links_evidence_and_marks_come_along(
    mem: Memory, pair: Callable[..., Pair], other: Path, clock: FakeClock
) -> None:
    """What was superseded, who supports it, and whether it is disputed travel with a memory."""
    memory_id = mem.remember("uses Postgres", source="s1")
    left, right = pair(mem)
    clock.advance(60)
    right.remember("uses Postgres", source="s2")
    right.dispute(memory_id, reason="who says so?")
    newer = right.supersede([memory_id], "uses SQLite")
    left.merge_from(other)
    chain = left.why(memory_id)
    assert [left.why(id).versions[0].text for id in chain.superseded_by] == [right.why(newer).versions[0].text]
    assert [item.source for item in chain.evidence] == ["s2"]
    assert [found.kind for found in left.conflicts() if found.ids == (memory_id,)] == ["disputed"]
    assert texts(left) == ["uses SQLite"]


def test_a_mark_after_a_merge_counts_at_the_same_instant_too(
    mem: Memory, pair: Callable[..., Pair], other: Path
) -> None:
    """What is done after a merge has seen what came with it, also where the clock stands still."""
    memory_id = mem.remember("uses Postgres")
    left, right = pair(mem)
    right.dispute(memory_id, reason="who says so?")
    left.merge_from(other)
    left.dispute(memory_id, reason="it was tried")
    left.merge_from(other)
    (conflict,) = left.conflicts()
    assert conflict.reason == "it was tried"


def test_only_open_namespaces_are_merged(opened: Opener, other: Path) -> None:
    """Namespaces that the policy does not open are left out and named; with a grant they come along."""
    opened("mine", path=other).remember("mine there")
    opened("theirs", path=other).remember("not for me")
    mem = opened("mine")
    report = mem.merge_from(other)
    assert (report.namespaces, report.skipped) == (("mine",), ("theirs",))
    assert texts(mem) == ["mine there"]
    wide = opened("mine", policy=Policy.open())
    assert wide.merge_from(other).skipped == ()
    assert texts(opened("theirs")) == ["not for me"]


def test_another_model_leaves_vectors_pending(opened: Opener, other: Path) -> None:
    """Vectors of one model come along; those of another are made anew, and keywords answer meanwhile."""
    same = FakeEmbedder(16)
    opened(path=other, embedder=same).remember("tea at four")
    mem = opened(embedder=same)
    mem.remember("seed")
    mem.merge_from(other)
    assert mem.stats()["default"]["pending_vectors"] == 0
    stranger = opened(path=other.with_name("third.db"), embedder=FakeEmbedder(8, model_name="another"))
    stranger.remember("coffee at ten")
    mem.merge_from(other.with_name("third.db"))
    assert [hit.text for hit in mem.recall("coffee", use_vectors=False)] == ["coffee at ten"]
    assert mem.integrity_check() == []


def test_the_other_store_in_use_is_read_whole(mem: Memory, opened: Opener, other: Path) -> None:
    """What the other store has only in its log comes along; the other file is not changed."""
    mem.remember("here")
    busy = opened(path=other)
    busy.remember("still in the log")
    before = other.read_bytes()
    mem.merge_from(other)
    assert "still in the log" in texts(mem)
    assert other.read_bytes() == before


def test_wrong_files_are_refused(mem: Memory, path: Path, tmp_path: Path) -> None:
    """Nothing, oneself, a newer store and other databases are each refused for what they are."""
    import sqlite3

    with pytest.raises(InvalidInputError, match="no store file"):
        mem.merge_from(tmp_path / "nowhere.db")
    with pytest.raises(InvalidInputError, match="itself"):
        mem.merge_from(path)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE notes(text)")
    connection.close()
    with pytest.raises(ForeignStoreError):
        mem.merge_from(foreign)
    newer = tmp_path / "newer.db"
    mem.backup(newer)
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreVersionError, match="Upgrade"):
        mem.merge_from(newer)


def test_names_of_a_purged_subject_come_back_in_neither_direction(
    mem: Memory, pair: Callable[..., Pair], path: Path, other: Path, clock: FakeClock
) -> None:
    """Merging with a copy made before a purge erases the names there too, and another subject keeps its own."""
    mem.remember("lives in Osaka", subject="quetzal")
    mem.alias_subject("xylophone", of="quetzal")
    mem.remember("stays", subject="tea")
    mem.alias_subject("cha", of="tea")
    left, right = pair(mem)
    clock.advance(60)
    left.purge(subject="quetzal")
    left.merge_from(other)
    right.merge_from(path)
    for side in (left, right):
        assert side.timeline("cha")
        side.close()
    for folder in (path.parent, other.parent):
        assert not any(b"xylophone" in file.read_bytes() for file in folder.iterdir() if file.is_file())
