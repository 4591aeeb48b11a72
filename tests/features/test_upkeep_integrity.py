from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.features.conftest import database

from omoide import Memory
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]
MODEL = FakeEmbedder(16)


def filled(opened: Opener, clock: FakeClock) -> Memory:
    """Open a store with a bit of everything: revised, forgotten, purged, pinned, disputed, of a project."""
    mem = opened(embedder=MODEL, namespace="work")
    ids = [mem.remember(f"note {n} on tea", subject="user", project="garden") for n in range(12)]
    clock.advance(60)
    mem.revise(ids[0], "note 0 on coffee")
    mem.forget(ids[1])
    mem.purge(ids[2])
    mem.remember("pinned note", pinned=True)
    mem.dispute(ids[3], "doubtful")
    mem.remember("note 4 on tea", subject="user", project="garden")
    return mem


def run(path: Path, *statements: str) -> None:
    """Change the file behind the library's back."""
    connection = apsw.Connection(str(database(path)))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_store_of_everything_is_sound(opened: Opener, clock: FakeClock) -> None:
    assert filled(opened, clock).integrity_check() == []


def test_an_empty_store_is_sound(mem: Memory) -> None:
    assert mem.integrity_check() == []


def test_a_store_in_memory_can_be_looked_over(opened: Opener) -> None:
    mem = opened(path=":memory:", embedder=MODEL)
    mem.remember("tea at four")
    assert mem.integrity_check() == []
    assert mem.rebuild() == 1
    assert [hit.text for hit in mem.recall("tea at four")] == ["tea at four"]


class Life:
    """A handle on which a random verb is called at a random memory of its own, step after step."""

    def __init__(self, mem: Memory, chance: random.Random) -> None:
        self.mem, self.chance = mem, chance
        self.ids: list[int] = [mem.remember("the first note on tea")]

    def step(self, number: int) -> None:
        memory_id = self.chance.choice(self.ids)
        record = self.mem.get(memory_id)
        verbs = [self._remember, self._remember, self._restore, self._update, self._forget, self._purge]
        if record is not None:
            verbs += [self._revise, self._repeat, self._dispute]
        self.chance.choice(verbs)(memory_id, number)

    def _remember(self, _: int, number: int) -> None:
        end = self.chance.choice([None, "2030-01-01"])
        self.ids.append(self.mem.remember(f"note {number} on tea", valid_to=end, kind="event"))

    def _restore(self, memory_id: int, _: int) -> None:
        self.mem.restore(memory_id)

    def _update(self, memory_id: int, number: int) -> None:
        self.mem.update(memory_id, text=f"note {number} on coffee")

    def _forget(self, memory_id: int, _: int) -> None:
        self.mem.forget(memory_id)

    def _purge(self, memory_id: int, _: int) -> None:
        if len(self.ids) > 20:
            self.ids.remove(memory_id)
            self.mem.purge(memory_id)

    def _revise(self, memory_id: int, number: int) -> None:
        self.mem.revise(memory_id, f"note {number} revised", valid_from="2026-03-01")

    def _repeat(self, memory_id: int, _: int) -> None:
        record = self.mem.get(memory_id)
        assert record is not None
        self.mem.remember(record.text, kind=record.kind)

    def _dispute(self, memory_id: int, _: int) -> None:
        self.mem.dispute(memory_id, "doubtful")


@pytest.mark.parametrize("seed", range(6))
def test_sound_after_any_history(opened: Opener, clock: FakeClock, seed: int) -> None:
    chance = random.Random(seed)
    agent = Life(opened(embedder=MODEL), chance)
    person = Life(opened("other", embedder=MODEL, door_trust="stated"), chance)
    for number in range(120):
        clock.advance(chance.choice([0, 1, 3600]))
        chance.choice([agent, person]).step(number)
    assert agent.mem.integrity_check() == []


def test_pending_vectors_are_no_finding(opened: Opener) -> None:
    opened(embedder=MODEL).remember("tea at four")
    plain = opened()
    plain.remember("coffee at ten")
    assert plain.stats()["default"]["pending_vectors"] == 1
    assert plain.integrity_check() == []


DAMAGES = {
    "UPDATE version SET known_to = known_from + 1 WHERE version_id = 5": "version 5 .* differ in known_to",
    "UPDATE version SET valid_from = valid_from - 1 WHERE version_id = 5": "version 5 .* differ in valid_from",
    "UPDATE memory SET pinned = 1 WHERE id = 5": "version 5 .* differ in flags",
    "UPDATE version SET project = 'cellar' WHERE version_id = 5": "project 'cellar'",
    "DELETE FROM entry WHERE ord = 4": "version 5 has no entry",
    "UPDATE entry SET slot = 7 WHERE ord = 4": "slot .* another entry",
    "UPDATE entry SET length = 1 WHERE ord = 4": "another length|total_length",
    "DELETE FROM term WHERE term_id = 1": "term 1 does not exist",
    "DELETE FROM posting WHERE id >> 32 = 1": "term 1 has no postings",
    "DELETE FROM block WHERE (id >> 28) & 15 = 0": "block is missing",
    "DELETE FROM block WHERE (id >> 28) & 15 = 1": "block is missing",
    "UPDATE block SET data = zeroblob(length(data)) WHERE (id >> 28) & 15 = 1": "slot .* another entry",
    "UPDATE space SET documents = 99": "documents is said to be 99",
    "UPDATE space SET live = 99": "live is said to be 99",
    "UPDATE space SET pending = 99": "pending is said to be 99",
    "DELETE FROM space": "there is none",
    "DELETE FROM content WHERE content_id = 5": "version 5 of memory 5 has no text",
    "INSERT INTO content(hash, text) VALUES (x'00', 'stray')": "belongs to nothing",
    "UPDATE content SET text = 'note 4 on milk' WHERE content_id = 5": "text 5 is not what was written",
    "DELETE FROM memory WHERE id = 5": "memory 5 has versions and no row",
    "DELETE FROM version WHERE version_id = 5": "memory 5 has no version",
    "UPDATE version SET ord = 3 WHERE version_id = 5": "version 5 has the ordinal of another",
    "UPDATE version SET kind = 'rumour' WHERE version_id = 5": "version 5 is of a kind",
    "UPDATE version SET trust = 'blind' WHERE version_id = 5": "version 5 has a trust",
    "UPDATE version SET same = zeroblob(16) WHERE version_id = 5": "version 5 has no key",
    "UPDATE sqlite_sequence SET seq = 3 WHERE name = 'memory'": "ids of table memory",
    "DELETE FROM namespace": "namespace 1 is used and has no name",
    "DELETE FROM event WHERE seq = 4": "events 4 to 4 are missing",
    "DELETE FROM event WHERE seq > 9": "later events were removed",
    "DROP INDEX version_memory": "index version_memory is missing",
    "ALTER TABLE version RENAME COLUMN tags TO labels": "version.tags: the column is missing",
    "ALTER TABLE version DROP COLUMN abstract": "version.abstract: the column is missing",
    "ALTER TABLE memory DROP COLUMN seen": "memory.seen: the column is missing",
    "ALTER TABLE version DROP COLUMN confidence": "version.confidence: the column is missing",
    "ALTER TABLE evidence RENAME TO proofs": "evidence: the table is missing",
    "DROP TABLE alias": "alias: the table is missing",
    "DROP TABLE block": "block: the table is missing",
}


TAKES_THE_FIFTH = {
    "UPDATE version SET known_to = known_from + 1 WHERE version_id = 5",
    "DELETE FROM content WHERE content_id = 5",
    "DELETE FROM version WHERE version_id = 5",
}


@pytest.mark.file_only("damages rows of the file; those of a vault come again from its logs")
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_named_and_repaired(opened: Opener, clock: FakeClock, path: Path, damage: str) -> None:
    """One line names what is wrong, says what to do, and quotes no text; after the repair none is left."""
    mem = filled(opened, clock)
    before = {record.id for record in mem.list()}
    run(path, damage)
    findings = mem.integrity_check()
    assert any(re.search(DAMAGES[damage], line) for line in findings), findings
    assert all("repair" in line or "audit chain" in line for line in findings)
    assert not any("tea" in line or "milk" in line for line in findings)
    report = mem.repair()
    assert set(findings) <= set(report.findings)
    assert report.remaining == ()
    assert mem.integrity_check() == []
    after = opened("recovered-1" if damage == "DELETE FROM namespace" else "work", embedder=MODEL)
    assert before - {record.id for record in after.list()} <= ({5} if damage in TAKES_THE_FIFTH else set())
    for n in range(3):
        after.remember(f"written after the repair {n}")
    assert mem.integrity_check() == []


@pytest.mark.file_only("no repair brings the rows of a file back; those of a vault come again from its logs")
def test_an_edited_event_stays_a_finding(opened: Opener, clock: FakeClock, path: Path) -> None:
    """No repair makes a forged event a true one."""
    mem = filled(opened, clock)
    run(path, "UPDATE event SET actor = 'somebody' WHERE seq = 4")
    assert ["event 4 is not what was written" in line for line in mem.integrity_check()] == [True]
    assert len(mem.repair().remaining) == 1
    assert len(mem.integrity_check()) == 1


def test_a_column_more_disturbs_nobody(opened: Opener, clock: FakeClock, path: Path) -> None:
    filled(opened, clock).close()
    run(path, "ALTER TABLE memory ADD COLUMN colour TEXT")
    mem = opened("work", embedder=MODEL)
    assert mem.remember("tea at four")
    assert mem.integrity_check() == []


def test_a_keyword_index_of_another_text_analysis_is_told_and_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    with Memory(path, embedder="none") as mem:
        mem.remember("tea at four")
    connection = apsw.Connection(str(database(path)))
    connection.execute("UPDATE setting SET value = '0' WHERE key = 'analyzer'")
    connection.close()
    with Memory(path, embedder="none") as mem:
        assert [finding for finding in mem.integrity_check() if "text analysis 0" in finding]
        mem.rebuild()
        assert mem.integrity_check() == []
