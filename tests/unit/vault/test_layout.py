from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.model.records import Claim
from omoide.vault import layout
from omoide.vault.types import DEFAULTS, NoteType

AT = 1_780_000_000_000_000
UID = "0192a000-0000-7000-8000-000000000000"


def place(claim: Claim, namespace: str = "default", *, taken: set[str] | None = None, uid: str = UID) -> str:
    return layout.place(DEFAULTS[claim.kind], claim, namespace, AT, uid, lambda path: path in (taken or set()))


@pytest.mark.parametrize(
    "text, name",
    [
        ("React の選定理由", "react-の選定理由"),
        ("Été à l'hôtel", "été-à-l-hôtel"),
        ("ＡＷＳ ﾃｽﾄ", "aws-テスト"),
        ("../../etc/passwd", "etc-passwd"),
        ("a/b\\c:d*e?f", "a-b-c-d-e-f"),
        ("CON", "con-"),
        ("lpt1", "lpt1-"),
        ("  ...  ", ""),
        ("😀", ""),
        ("trailing dot. ", "trailing-dot"),
        ("ハリー\u3099", "ハリー"),
    ],
)
def test_a_name_is_readable_in_its_script_and_legal_everywhere(text: str, name: str) -> None:
    found = layout.slug(text)
    assert found == name or unicodedata.normalize("NFC", found).startswith(name)


@given(st.text(max_size=300))
def test_every_name_is_legal_on_every_file_system(text: str) -> None:
    name = layout.slug(text)
    assert not set(name) & set('<>:"/\\|?*. \0')
    assert len(name) <= 61
    assert len(name.encode("utf-8", "surrogatepass")) <= 151
    assert name == unicodedata.normalize("NFC", name)
    assert name not in ("con", "nul", "aux", "prn")


def test_two_japanese_subjects_with_one_latin_word_have_two_names() -> None:
    one = place(Claim("x", subject="React の選定理由", predicate="is"))
    other = place(Claim("x", subject="React のテスト方針", predicate="is"))
    assert one != other


def test_the_same_name_in_two_projects_never_meets() -> None:
    one = place(Claim("PostgreSQL", subject="database", predicate="is", project="a"))
    other = place(Claim("SQLite", subject="database", predicate="is", project="b"))
    assert (one, other) == ("fact/a/database-is.md", "fact/b/database-is.md")


def test_of_two_notes_with_one_name_the_second_gets_a_few_signs_of_its_uid() -> None:
    claim = Claim("x", subject="database", predicate="is")
    first = place(claim)
    second = place(claim, taken={first})
    assert second.startswith("fact/general/database-is-")
    assert len(second) == len(first) + 5
    assert second == place(claim, taken={first})
    assert second != place(claim, taken={first}, uid=UID.replace("a", "b"))


def test_a_note_goes_to_the_folder_of_its_type_and_group() -> None:
    assert place(Claim("dark", kind="preference", subject="user", metadata={"topic": "Editor"})) == (
        "preference/editor/user-dark.md"
    )
    assert place(Claim("dark", kind="preference", subject="user")) == "preference/general/user-dark.md"
    assert place(Claim("launch", kind="event", subject="product")) == "event/2026-05/product-launch.md"
    assert place(Claim("x", subject="s"), "team") == "fact/team/general/s-x.md"


def test_a_text_of_signs_only_has_a_name_all_the_same() -> None:
    assert place(Claim("😀😀")) == "fact/general/note.md"


def test_the_name_comes_from_the_key_that_the_type_declares() -> None:
    kind = NoteType("recipe", "note", key=("dish",), group=None)
    claim = Claim("Boil it.", kind="note", metadata={"dish": "Ramen 味噌"})
    assert layout.place(kind, claim, "default", AT, UID, lambda _: False) == "recipe/ramen-味噌-boil-it.md"


def test_a_path_goes_to_the_archive_and_back() -> None:
    assert layout.archived("fact/a.md") == "archive/fact/a.md"
    assert layout.archived("archive/fact/a.md") == "archive/fact/a.md"
    assert layout.unarchived("archive/fact/a.md") == "fact/a.md"


def test_names_that_a_file_system_takes_for_one_are_taken_for_one() -> None:
    assert layout.same_name("Fact/É.md") == layout.same_name("fact/e\u0301.md")
