from __future__ import annotations

from pathlib import Path

import pytest

from omoide.vault.fields import read_fields, validate
from omoide.vault.types import DEFAULTS, TypeBook, Types, described, load, write_defaults


def test_what_is_written_at_first_is_what_holds_without_files(tmp_path: Path) -> None:
    assert len(write_defaults(tmp_path / "types")) == 10
    found = load(tmp_path / "types")
    assert dict(found.by_name) == dict(DEFAULTS)
    assert not found.problems
    assert write_defaults(tmp_path / "types") == []


def test_a_changed_file_counts_at_the_next_look(tmp_path: Path) -> None:
    write_defaults(tmp_path)
    book = TypeBook(tmp_path)
    assert book.current().by_name["fact"].group == "project"
    (tmp_path / "fact.toml").write_text('key = ["subject"]\ngroup = "team"\nrequired = ["team"]\n', encoding="utf-8")
    assert book.current().by_name["fact"].group == "team"


def test_a_type_of_ones_own(tmp_path: Path) -> None:
    write_defaults(tmp_path)
    (tmp_path / "recipe.toml").write_text('kind = "note"\nkey = ["dish"]\nmode = "upsert"\n', encoding="utf-8")
    types = load(tmp_path)
    assert types.of("note", {"type": "recipe"}).name == "recipe"
    assert types.of("fact", {"type": "recipe"}).name == "fact"
    assert types.by_name["recipe"].own == ("dish",)


@pytest.mark.parametrize(
    "text, words",
    [
        ("key = [", "cannot be read"), ('kind = "thing"', "kind must be one of"), ('mode = "often"', "mode must be"),
        ('key = ["uid"]', "every note has"), ('colour = "red"', "'colour' is not known"), ("key = 5", "list of names"),
        ("description = 5", "must be a text"), ('group = "tags"', "group cannot be"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_understood_leaves_the_default_in_force(tmp_path: Path, text: str, words: str) -> None:
    write_defaults(tmp_path)
    (tmp_path / "fact.toml").write_text(text, encoding="utf-8")
    found = load(tmp_path)
    assert found.by_name["fact"] == DEFAULTS["fact"]
    assert [problem.field for problem in found.problems] == ["types/fact.toml"]
    assert words in found.problems[0].message


def test_a_type_describes_itself_as_it_is_read(tmp_path: Path) -> None:
    for each in DEFAULTS.values():
        (tmp_path / f"{each.name}.toml").write_text(described(each), encoding="utf-8")
    assert dict(load(tmp_path).by_name) == dict(DEFAULTS)


def test_every_field_that_is_wrong_has_a_message_of_its_own() -> None:
    problems = validate(
        {"type": "thing", "importance": "huge", "confidence": 3, "trust": "total", "tags": {"a": 1},
         "valid_from": "soon", "metadata": [1], "subject": ["x"]},
        Types(),
    )  # fmt: skip
    assert sorted(problem.field for problem in problems) == [
        "confidence", "importance", "metadata", "subject", "tags", "trust", "type", "valid_from",
    ]  # fmt: skip


def test_a_time_that_ends_before_it_starts_is_refused() -> None:
    (problem,) = validate({"type": "fact", "valid_from": "2026-05-02", "valid_to": "2026-05-01"}, Types())
    assert problem.field == "valid_to"


def test_a_required_field_is_asked_for_by_name(tmp_path: Path) -> None:
    (tmp_path / "fact.toml").write_text('key = ["subject"]\nrequired = ["subject", "team"]\n', encoding="utf-8")
    types = load(tmp_path)
    assert [each.field for each in validate({"type": "fact"}, types)] == ["subject", "team"]
    assert not validate({"type": "fact", "subject": "x", "team": "core"}, types)


def test_words_of_people_are_taken_as_they_mean_them() -> None:
    fields = {"type": "preference", "topic": "editor", "subject": 2026, "tags": "#home", "valid_from": "2026-05-01"}
    read = read_fields(fields, Types())
    assert read.claim == {
        "subject": "2026", "tags": ["home"], "metadata": {"topic": "editor"}, "kind": "preference",
    }  # fmt: skip
    assert not read.problems
