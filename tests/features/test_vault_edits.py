"""What people do to the files of a vault is seen at the next call, and becomes history."""

from __future__ import annotations

import shutil

import pytest
from tests.features.vault_kit import Vault

from omoide import Memory
from omoide.errors import NotFoundError
from omoide.vault.frontmatter import parse


@pytest.fixture
def osaka(vault: Vault) -> int:
    id = vault.mem.remember("lives in Osaka", subject="user", tags=["home"], source="chat")
    vault.clock.advance(3600)
    return id


def test_a_word_typed_into_a_note_is_found_at_once_and_the_old_one_is_not(vault: Vault, osaka: int) -> None:
    vault.edit("Osaka", "Tokyo")
    assert [hit.text for hit in vault.mem.recall("Tokyo")] == ["lives in Tokyo"]
    assert not vault.mem.recall("Osaka")


def test_an_edit_is_a_revision_from_now_by_the_file(vault: Vault, osaka: int) -> None:
    vault.edit("Osaka", "Tokyo")
    kept, new = [version for version in vault.mem.why(osaka).versions if version.known_to is None]
    assert (kept.text, kept.valid_to) == ("lives in Osaka", new.valid_from)
    assert (new.text, new.cause, new.trust) == ("lives in Tokyo", "revise", "observed")
    assert (new.provenance.actor, new.provenance.door, new.source) == ("file", "vault", "chat")
    assert new.valid_from == vault.clock.now()


def test_the_past_stays_as_it_was_before_the_edit(vault: Vault, osaka: int) -> None:
    before = vault.clock.now()
    vault.clock.advance(60)
    vault.edit("Osaka", "Tokyo")
    assert vault.record(osaka, as_of=before).text == "lives in Osaka"
    assert [pair.new.text for pair in vault.mem.diff(before).revised] == ["lives in Tokyo"]


def test_an_edited_label_is_a_version_over_the_same_time(vault: Vault, osaka: int) -> None:
    start = vault.record(osaka).valid_from
    vault.edit("tags: [home]", "tags:\n  - home\n  - city\nimportance: high")
    record = vault.record(osaka)
    assert (record.tags, record.importance, record.text) == (("home", "city"), "high", "lives in Osaka")
    assert record.valid_from == start
    assert vault.mem.why(osaka).versions[-1].cause == "update"


def test_a_label_that_was_taken_out_is_gone(vault: Vault, osaka: int) -> None:
    vault.edit("tags: [home]\n", "")
    vault.edit("source: chat\n", "")
    record = vault.record(osaka)
    assert (record.tags, record.source) == ((), None)


def test_an_edited_time_is_the_time_it_holds(vault: Vault, osaka: int) -> None:
    line = next(line for line in vault.text().splitlines() if line.startswith("valid_from"))
    vault.edit(line, "valid_from: 2026-01-10\nvalid_to: 2026-12-31")
    record = vault.record(osaka)
    assert (str(record.valid_from), str(record.valid_to)) == ("2026-01-10 00:00:00+00:00", "2026-12-31 00:00:00+00:00")
    assert vault.record(osaka, valid_at="2026-03-01").text == "lives in Osaka"
    assert not vault.mem.list(valid_at="2027-03-01")


def test_what_a_person_wrote_around_an_edit_stays_in_the_file(vault: Vault, osaka: int) -> None:
    vault.edit("tags: [home]", "mood: happy # today\ntags: [home]  # mine")
    vault.edit("Osaka", "Tokyo")
    vault.mem.list()
    assert "mood: happy # today\ntags: [home]  # mine\n" in vault.text()
    vault.mem.revise(osaka, "lives in Nara")
    assert "mood: happy # today\ntags: [home]  # mine\n" in vault.text()
    assert vault.note().body == "lives in Nara"


def test_white_space_and_other_line_ends_are_no_edit(vault: Vault, osaka: int) -> None:
    file = vault.file()
    file.write_bytes(file.read_bytes().replace(b"---\nlives", b"---\n\nlives").replace(b"\n", b"\r\n") + b"\r\n\r\n")
    assert len(vault.mem.why(osaka).versions) == 1
    assert vault.record(osaka).text == "lives in Osaka"
    vault.mem.revise(osaka, "lives in Nara")
    data = file.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n")
    assert parse(data).body == "lives in Nara"


def test_a_moved_note_is_the_same_memory_and_stays_where_it_is(vault: Vault, osaka: int) -> None:
    (vault.root / "people").mkdir()
    vault.file().rename(vault.root / "people" / "where I live.md")
    assert vault.record(osaka).text == "lives in Osaka"
    assert len(vault.mem.why(osaka).versions) == 1
    vault.mem.revise(osaka, "lives in Nara")
    assert vault.notes() == ["people/where I live.md"]
    assert vault.note().body == "lives in Nara"


def test_a_note_moved_and_edited_at_once_is_the_same_memory(vault: Vault, osaka: int) -> None:
    vault.edit("Osaka", "Tokyo").rename(vault.root / "x.md")
    assert vault.record(osaka).text == "lives in Tokyo"
    assert len(vault.mem.list()) == 1


def test_a_deleted_note_is_a_forgotten_memory_with_its_past(vault: Vault, osaka: int) -> None:
    before = vault.clock.now()
    vault.clock.advance(60)
    vault.file().unlink()
    assert vault.mem.get(osaka) is None
    assert not vault.mem.recall("Osaka")
    assert vault.record(osaka, as_of=before).text == "lives in Osaka"
    assert vault.mem.audit()[-1].op == "forget"


def test_a_note_that_comes_back_brings_its_memory_back(vault: Vault, osaka: int) -> None:
    file, data = vault.file(), vault.file().read_bytes()
    file.unlink()
    assert vault.mem.get(osaka) is None
    file.write_bytes(data)
    assert vault.record(osaka).text == "lives in Osaka"
    assert vault.mem.audit()[-1].op == "restore"
    assert len(vault.notes()) == 1


def test_a_note_that_comes_back_with_another_text_brings_that(vault: Vault, osaka: int) -> None:
    file, data = vault.file(), vault.file().read_bytes()
    file.unlink()
    assert vault.mem.get(osaka) is None
    vault.clock.advance(60)
    file.write_bytes(data.replace(b"Osaka", b"Kobe"))
    assert vault.record(osaka).text == "lives in Kobe"


def test_a_forgotten_memory_goes_to_the_archive_and_comes_back_from_it(vault: Vault, osaka: int) -> None:
    (place,) = vault.notes()
    vault.mem.forget(osaka)
    assert vault.notes() == [f"archive/{place}"]
    assert vault.note().fields["status"] == "forgotten"
    vault.mem.restore(osaka)
    assert vault.notes() == [place]
    assert "status" not in vault.note().fields


def test_a_person_forgets_and_restores_by_the_line_status(vault: Vault, osaka: int) -> None:
    vault.edit("tags: [home]", "tags: [home]\nstatus: forgotten")
    assert vault.mem.get(osaka) is None
    assert vault.notes()[0].startswith("archive/")
    vault.edit("status: forgotten\n", "")
    assert vault.record(osaka).text == "lives in Osaka"
    assert not vault.notes()[0].startswith("archive/")


def test_a_person_pins_and_archives_in_the_file(vault: Vault, osaka: int) -> None:
    vault.edit("tags: [home]", "tags: [home]\npinned: true\nstatus: archived")
    assert vault.mem.list() == []
    (record,) = vault.mem.list(include_archived=True)
    assert (record.pinned, record.archived) == (True, True)
    vault.edit("pinned: true\nstatus: archived\n", "")
    (record,) = vault.mem.list()
    assert not record.pinned


def test_a_new_note_with_a_type_and_a_subject_is_a_memory(vault: Vault) -> None:
    vault.mem.list()
    vault.write("mine.md", "---\ntype: preference\nsubject: ユーザー\ntopic: エディタ\n---\nダークモードが好き\n")
    (record,) = vault.mem.list()
    assert (record.text, record.subject, record.kind, record.trust) == (
        "ダークモードが好き",
        "ユーザー",
        "preference",
        "observed",
    )
    assert record.metadata == {"topic": "エディタ"}
    fields = vault.note().fields
    assert (fields["id"], fields["uid"]) == (record.id, record.uid)
    assert vault.notes() == ["mine.md"]


def test_a_value_that_was_rejected_does_not_come_back_through_a_file(vault: Vault, osaka: int) -> None:
    person = vault.another(door_trust="stated")
    other = person.remember("lives in Kyoto", subject="user")
    person.reject(other, reason="never")
    vault.edit("Osaka", "Kyoto", osaka)
    assert vault.record(osaka).text == "lives in Osaka"
    assert list(vault.held().values()) == ["refused"]


def test_two_sides_changed_two_things_and_both_count(vault: Vault, osaka: int) -> None:
    """The file was edited after the library read it and before it wrote."""
    file = vault.file()
    written = file.read_bytes()
    store = vault.mem._ctx.store
    with store.settled():  # the library has looked at the folder
        file.write_bytes(written.replace(b"tags: [home]", b"tags: [home, japan]"))
        vault.mem.revise(osaka, "lives in Nara")
    record = vault.record(osaka)
    assert (record.text, record.tags) == ("lives in Nara", ("home", "japan"))
    note = vault.note()
    assert (note.body, note.fields["tags"]) == ("lives in Nara", ["home", "japan"])


def test_an_edit_under_a_write_is_never_written_over(vault: Vault, osaka: int) -> None:
    file = vault.file()
    with vault.mem._ctx.store.settled():
        file.write_bytes(file.read_bytes().replace(b"Osaka", b"Kobe"))
        vault.mem.revise(osaka, "lives in Nara")
    assert b"Kobe" in file.read_bytes()
    texts = {version.text for version in vault.mem.why(osaka).versions}
    assert texts == {"lives in Osaka", "lives in Nara", "lives in Kobe"}


def test_an_edit_between_the_commit_and_the_writing_of_the_note_counts_for_itself_only(
    vault: Vault, osaka: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from omoide.vault import outbox

    file, carry_out = vault.file(), outbox.carry_out

    def late(*arguments: object, **more: object) -> object:
        monkeypatch.setattr(outbox, "carry_out", carry_out)
        file.write_bytes(file.read_bytes().replace(b"tags: [home]", b"tags: [home, japan]"))
        return carry_out(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(outbox, "carry_out", late)
    vault.mem.revise(osaka, "lives in Nara")
    record = vault.record(osaka)
    assert (record.text, record.tags) == ("lives in Nara", ("home", "japan"))
    assert (vault.note().body, vault.note().fields["tags"]) == ("lives in Nara", ["home", "japan"])


def test_every_process_sees_an_edit_once(vault: Vault, osaka: int) -> None:
    first, second = vault.mem, vault.another()
    vault.edit("Osaka", "Tokyo")
    assert [handle.list()[0].text for handle in (first, second)] == ["lives in Tokyo"] * 2
    assert [event.op for event in first.audit()] == ["remember", "revise"]


def test_reading_changes_no_file(vault: Vault, osaka: int) -> None:
    vault.mem.list()
    before = {path: (vault.root / path).stat().st_mtime_ns for path in [*vault.notes(), "MEMORY.md"]}
    for _ in range(3):
        vault.mem.recall("Osaka")
        vault.mem.get(osaka)
        vault.mem.why(osaka)
    vault.mem.remember("lives in Osaka", subject="user", tags=["home"])  # seen once more
    assert {path: (vault.root / path).stat().st_mtime_ns for path in [*vault.notes(), "MEMORY.md"]} == before


def test_an_edit_of_a_forgotten_note_waits_for_a_word(vault: Vault, osaka: int) -> None:
    vault.mem.forget(osaka)
    vault.edit("Osaka", "Kobe")
    assert vault.mem.get(osaka) is None
    (held,) = vault.mem.quarantine()
    assert (held.code, "status" in held.reason) == ("refused", True)
    vault.edit("status: forgotten\n", "")
    assert vault.record(osaka).text == "lives in Kobe"
    assert not vault.mem.quarantine()


def test_an_edit_that_was_refused_counts_once_its_memory_is_restored(vault: Vault, osaka: int) -> None:
    """As it would when the index is made again."""
    vault.mem.forget(osaka)
    vault.edit("Osaka", "Kobe")
    vault.mem.list()
    assert list(vault.held().values()) == ["refused"]
    vault.mem.restore(osaka)
    assert vault.record(osaka).text == "lives in Kobe"
    assert vault.held() == {}
    before = vault.mem.audit()
    shutil.rmtree(vault.root / ".index")
    assert vault.mem.audit() == before


def test_a_memory_that_superseded_another_says_so(vault: Vault, osaka: int) -> None:
    new = vault.mem.supersede([osaka], "lives in Kobe", subject="user")
    assert vault.note(new).fields["supersedes"] == [osaka]
    assert vault.note(osaka).fields["valid_to"] == vault.note(new).fields["valid_from"]


def test_a_plan_for_the_future_is_edited_over_its_own_time(vault: Vault) -> None:
    id = vault.mem.remember("moves to Nara", subject="user", valid_from="2027-01-01")
    vault.edit("Nara", "Kobe")
    versions = [version for version in vault.mem.why(id).versions if version.known_to is None]
    assert [(version.text, version.valid_from.year) for version in versions] == [("moves to Kobe", 2027)]


def test_a_note_of_a_namespace_is_edited_whoever_looks_first(vault: Vault) -> None:
    id = vault.another(namespace="team").remember("uses Postgres", subject="app")
    default = vault.another()
    vault.edit("Postgres", "SQLite")
    assert default.list() == []
    assert [(record.id, record.text) for record in vault.another(namespace="team").list()] == [(id, "uses SQLite")]


def test_a_memory_cannot_change_its_namespace_in_a_file(vault: Vault, osaka: int) -> None:
    vault.edit("type: fact", "type: fact\nnamespace: other")
    assert vault.mem.get(osaka) is not None
    assert list(vault.held().values()) == ["invalid"]


def test_a_type_changed_in_the_file_is_the_kind(vault: Vault, osaka: int) -> None:
    vault.edit("type: fact", "type: profile")
    assert vault.record(osaka).kind == "profile"


@pytest.mark.parametrize("line, other", [
    ("type: fact", "type: preference"), ("subject: user", "subject: ann"), ("trust: observed", "trust: untrusted"),
])  # fmt: skip
def test_a_label_that_is_put_back_as_it_was_is_an_edit_too(vault: Vault, osaka: int, line: str, other: str) -> None:
    before = vault.record(osaka)
    for old, new in ((line, other), (other, line)):
        vault.clock.advance(60)
        vault.edit(old, new)
        now = vault.record(osaka)
    assert (now.kind, now.subject) == (before.kind, before.subject)
    assert len(vault.mem.why(osaka).versions) == (2 if "trust" in line else 3)  # a file raises no trust


def test_metadata_is_edited_like_all_else(vault: Vault) -> None:
    id = vault.mem.remember("x", subject="s", metadata={"a": 1, "b": [1, {"c": "é"}]})
    vault.edit('"a": 1', '"a": 2')
    assert vault.record(id).metadata == {"a": 2, "b": [1, {"c": "é"}]}
    assert [record.id for record in vault.mem.list(where={"a": 2})] == [id]


@pytest.mark.parametrize(
    "text", ["a\n", "\n\na", "a\r\nb\rc", "---\nid: 5\n---\n", "\t", "x\0y", "日本\u2028語", "😀" * 3]
)
def test_any_text_lies_in_its_note_exactly_and_survives_an_edit_beside_it(vault: Vault, text: str) -> None:
    if not text.strip():
        return
    id = vault.mem.remember(text, subject="s")
    assert parse(vault.file().read_bytes(), ours=True).body == text
    vault.edit("subject: s", "subject: t")
    record = vault.record(id)
    assert (record.text, record.subject) == (text, "t")


def test_an_edit_is_kept_when_the_index_is_thrown_away(vault: Vault, osaka: int) -> None:
    import shutil

    vault.edit("Osaka", "Tokyo")
    vault.close()
    shutil.rmtree(vault.root / ".index")
    assert vault.record(osaka).text == "lives in Tokyo"
    texts = [version.text for version in vault.mem.why(osaka).versions]
    assert "lives in Osaka" in texts


def test_a_path_that_is_gone_is_never_told(vault: Vault, osaka: int) -> None:
    place = vault.notes()[0]
    (vault.root / place).unlink()
    with pytest.raises(NotFoundError):
        vault.mem.links(place)


def test_a_second_handle_needs_no_reopening(vault: Vault, osaka: int) -> None:
    other: Memory = vault.another()
    vault.edit("Osaka", "Tokyo")
    assert other.recall("Tokyo")


def test_a_memory_restored_by_the_library_has_its_note_again(vault: Vault, osaka: int) -> None:
    place = vault.notes()
    vault.file().unlink()
    assert vault.mem.get(osaka) is None
    assert vault.mem.restore(osaka)
    assert vault.notes() == place
    assert vault.note().body == "lives in Osaka"


def test_a_note_written_over_by_another_one_is_written_elsewhere(vault: Vault, osaka: int) -> None:
    tea = vault.mem.remember("likes tea", subject="user", predicate="likes")
    vault.file(tea).replace(vault.file(osaka))
    assert sorted(record.text for record in vault.mem.list()) == ["likes tea", "lives in Osaka"]
    assert vault.note(osaka).body == "lives in Osaka"
    assert vault.note(tea).body == "likes tea"


def test_a_planned_change_is_in_the_note_when_its_day_has_come(vault: Vault, osaka: int) -> None:
    vault.mem.revise(osaka, "lives in Nara", valid_from="2026-07-01")
    assert vault.note().body == "lives in Osaka"
    vault.clock.set("2026-07-02T00:00:00Z")
    vault.mem.remember("likes tea", subject="user", predicate="likes")
    assert vault.note(osaka).body == "lives in Nara"


def test_settings_that_cannot_be_read_stop_nothing_and_are_told(vault: Vault, osaka: int) -> None:
    vault.write(".omoide/vault.toml", "[memory_md\nbudget = many")
    assert vault.held() == {".omoide/vault.toml": "invalid"}
