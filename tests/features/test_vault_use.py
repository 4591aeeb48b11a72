"""What use, time and projects do to the memories of a vault: little, by the clock, and each in its place."""

from __future__ import annotations

import os

from tests.features.vault_kit import Vault

from omoide.testing import count_statements


def test_a_memory_that_is_looked_up_often_does_not_outrank_an_exact_match(vault: Vault) -> None:
    loved = vault.mem.remember("coffee beans come from the shop in Kobe", subject="user")
    exact = vault.mem.remember("the router password is on the fridge", subject="user")
    for _ in range(30):
        vault.mem.recall("coffee beans")
        vault.mem.get(loved)
        vault.mem.remember("coffee beans come from the shop in Kobe", subject="user")
    assert vault.mem.recall("router password fridge coffee")[0].id == exact


def test_forgetting_goes_by_the_clock_and_never_touches_what_is_pinned(vault: Vault) -> None:
    old = vault.mem.remember("an old fact", subject="a")
    pinned = vault.mem.remember("an old rule", subject="b", pinned=True)
    for _ in range(10):  # however often somebody asks
        assert vault.mem.forget_older_than(30 * 86_400) == 0
    vault.clock.advance(40 * 86_400)
    assert vault.mem.forget_older_than(30 * 86_400) == 1
    assert [record.id for record in vault.mem.list()] == [pinned]
    assert vault.note(old).fields["status"] == "archived"
    assert vault.mem.restore(old)
    assert "status" not in vault.note(old).fields


def test_another_project_sees_its_own_memories_and_those_of_none(vault: Vault) -> None:
    vault.mem.remember("uses Postgres", subject="database", project="a")
    vault.mem.remember("uses SQLite", subject="database", project="b")
    vault.mem.remember("prefers short answers", subject="user")
    found = {hit.text for hit in vault.mem.recall("which database, short answers", project="b")}
    assert found == {"uses SQLite", "prefers short answers"}
    vault.close()
    text = (vault.root / "MEMORY.md").read_text(encoding="utf-8")
    general, _, projects = text.partition("## ")
    assert "prefers short answers" in general
    assert "Postgres" not in general
    assert "Postgres" in projects


def test_a_note_of_eighty_parts_does_not_crowd_out_the_others(vault: Vault) -> None:
    parts = (f"## Part {number}\n\nwords about ramen, again and again\n\n" for number in range(80))
    vault.write("long.md", "".join(parts))
    vault.write("short.md", "# Ramen\n\nramen\n")
    vault.mem.remember("ramen on Fridays", subject="user")
    hits = vault.mem.recall("ramen", k=5, include=["memories", "documents"])
    assert {"memory", "document"} <= {hit.origin for hit in hits}


def test_files_that_were_touched_cost_the_next_call_only(vault: Vault) -> None:
    """A hundred files with another date are looked at and written down once; after that a list costs as before."""

    def steps() -> int:
        with count_statements(vault.mem) as work:
            assert vault.mem.list(limit=1)
        return work.steps

    with vault.mem.bulk():
        for n in range(100):
            vault.mem.remember(f"note {n}")
    usual = min(steps() for _ in range(3))
    for note in vault.root.rglob("*.md"):
        os.utime(note, (1_700_000_000, 1_700_000_000))
    steps()
    assert steps() <= usual + 20
