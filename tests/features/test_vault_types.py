"""Types are files that people edit: they name the notes, place them, and say what a note must have."""

from __future__ import annotations

import pytest
from tests.features.vault_kit import Vault

from omoide.errors import InvalidInputError

RECIPE = 'description = "How a dish is cooked"\nkind = "procedure"\nkey = ["dish"]\ngroup = "cuisine"\n'


def test_a_vault_has_a_file_for_each_type(vault: Vault) -> None:
    vault.mem.list()
    names = sorted(path.stem for path in (vault.root / ".omoide" / "types").glob("*.toml"))
    assert names == ["decision", "entity", "event", "experience", "fact", "note", "preference", "procedure", "profile",
                     "reference"]  # fmt: skip


def test_a_type_of_ones_own_places_and_names_its_notes(vault: Vault) -> None:
    vault.mem.list()
    vault.write(".omoide/types/recipe.toml", RECIPE)
    id = vault.mem.remember(
        "Boil the noodles.", kind="procedure", metadata={"type": "recipe", "dish": "味噌ラーメン", "cuisine": "Japan"}
    )
    assert vault.notes() == ["recipe/japan/味噌ラーメン-boil-the-noodles.md"]
    fields = vault.note(id).fields
    assert (fields["type"], fields["dish"], fields["cuisine"], fields.get("metadata")) == (
        "recipe", "味噌ラーメン", "Japan", None,
    )  # fmt: skip
    assert vault.record(id).metadata == {"type": "recipe", "dish": "味噌ラーメン", "cuisine": "Japan"}


def test_a_note_of_a_type_of_ones_own_is_taken_in(vault: Vault) -> None:
    vault.mem.list()
    vault.write(".omoide/types/recipe.toml", RECIPE)
    vault.write("new.md", "---\ntype: recipe\nsubject: soup\ndish: Pho\n---\nSimmer.\n")
    (record,) = vault.mem.list()
    assert (record.kind, record.metadata) == ("procedure", {"type": "recipe", "dish": "Pho"})


def test_a_field_of_a_type_is_edited_on_its_own_line(vault: Vault) -> None:
    id = vault.mem.remember("dark mode", subject="user", kind="preference", metadata={"topic": "editor", "x": 1})
    assert "topic: editor\n" in vault.text()
    vault.edit("topic: editor", "topic: terminal")
    assert vault.record(id).metadata == {"topic": "terminal", "x": 1}


def test_a_schema_that_changes_takes_nothing_out_of_memories(vault: Vault) -> None:
    id = vault.mem.remember("dark mode", subject="user", kind="preference", metadata={"topic": "editor"})
    vault.write(".omoide/types/preference.toml", 'key = ["subject"]\n')
    vault.edit("dark mode", "light mode")
    record = vault.record(id)
    assert (record.text, record.metadata) == ("light mode", {"topic": "editor"})


def test_a_required_field_is_asked_for_and_nothing_is_half_written(vault: Vault) -> None:
    vault.mem.list()
    vault.write(".omoide/types/decision.toml", 'key = ["subject"]\nrequired = ["subject", "team"]\n')
    with pytest.raises(InvalidInputError, match="subject is required; team is required"):
        vault.mem.remember("use Postgres", kind="decision")
    assert vault.mem.list() == []
    assert vault.notes() == []
    vault.mem.remember("use Postgres", kind="decision", subject="db", metadata={"team": "core"})


def test_a_note_with_wrong_fields_is_held_with_a_sentence_for_each(vault: Vault) -> None:
    id = vault.mem.remember("lives in Osaka", subject="user")
    vault.edit("type: fact", "type: fact\nimportance: enormous\ntags: {a: 1}\nvalid_to: someday")
    assert vault.record(id).text == "lives in Osaka"
    (held,) = vault.mem.quarantine()
    assert held.code == "invalid"
    for name in ("importance", "tags", "valid_to"):
        assert name in held.reason
    vault.edit("importance: enormous\ntags: {a: 1}\nvalid_to: someday", "importance: high")
    assert vault.record(id).importance == "high"
    assert not vault.held()


def test_a_type_that_cannot_be_read_is_told_and_the_default_holds(vault: Vault) -> None:
    vault.mem.list()
    vault.write(".omoide/types/fact.toml", "key = [")
    vault.mem.remember("x", subject="database", predicate="is", project="a")
    assert vault.notes() == ["fact/a/database-is.md"]
    assert vault.held() == {".omoide/types/fact.toml": "invalid"}


UPSERT = 'kind = "procedure"\nkey = ["dish"]\nmode = "upsert"\n'
ADD_ONLY = 'kind = "event"\nkey = ["date", "subject"]\ngroup = "date"\nmode = "add_only"\n'


def test_a_second_memory_with_the_key_of_an_upsert_type_revises_the_first(vault: Vault) -> None:
    vault.mem.list()
    vault.write(".omoide/types/recipe.toml", UPSERT)
    dish = {"type": "recipe", "dish": "ラーメン"}
    first = vault.mem.remember("boil for two minutes", kind="procedure", metadata=dish)
    vault.clock.advance(60)
    again = vault.mem.remember("boil for three minutes", kind="procedure", metadata=dish)
    assert again == first
    assert [notice.code for notice in again.notices] == ["updated"]
    assert [version.text for version in vault.mem.why(first).versions if version.known_to is None][-1:] == [
        "boil for three minutes"
    ]
    assert vault.notes() == ["recipe/ラーメン.md"]
    assert vault.record(first, as_of="2026-06-01T12:00:30Z").text == "boil for two minutes"
    other = vault.mem.remember("fry", kind="procedure", metadata={**dish, "dish": "ラーメン 2"})
    assert other != first
    vault.mem.forget(first)
    assert vault.mem.remember("boil for four minutes", kind="procedure", metadata=dish) not in (first, other)


def test_what_may_not_replace_what_has_its_key_is_kept_beside_it(vault: Vault) -> None:
    vault.mem.list()
    vault.write(".omoide/types/recipe.toml", UPSERT)
    dish = {"type": "recipe", "dish": "soup"}
    first = vault.mem.remember("simmer", kind="procedure", metadata=dish)
    other = vault.mem.remember("burn", kind="procedure", metadata=dish, trust="untrusted")
    assert other != first
    assert vault.record(first).text == "simmer"
    assert [set(conflict.ids) for conflict in vault.mem.conflicts()] == [{first, other}]


def test_memories_of_an_add_only_type_are_added_and_never_changed(vault: Vault) -> None:
    vault.mem.list()
    vault.write(".omoide/types/event.toml", ADD_ONLY)
    id = vault.mem.remember("the bridge opened", subject="bridge", kind="event", valid_from="2026-05-01")
    for change in (
        lambda: vault.mem.revise(id, "the bridge closed"),
        lambda: vault.mem.update(id, text="the bridge closed"),
    ):
        with pytest.raises(InvalidInputError, match="add_only"):
            change()
    vault.edit("opened", "closed")
    assert vault.record(id).text == "the bridge opened"
    assert list(vault.held().values()) == ["refused"]
    assert len(vault.mem.why(id).versions) == 1
    vault.edit("closed", "opened")
    assert vault.held() == {}
    other = vault.mem.remember("the bridge opened again", subject="bridge", kind="event", valid_from="2026-05-02")
    assert other != id
    vault.mem.forget(id)
    assert [record.id for record in vault.mem.list()] == [other]
