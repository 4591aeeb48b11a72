from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.vault.damage import DamagedNoteError
from omoide.vault.frontmatter import parse, render, same_body
from omoide.vault.yaml_values import YamlError, dump, read, read_simple

WRITTEN_BY_A_PERSON = """\
---   
# about me
aliases: [ foo,  'bar' ]   # keep
id:   12
tags:
  - a
  - b
# after the tags
subject: user # the person
empty:
long: |
  # not a comment
  text

cssclass: wide
---
Body
"""  # noqa: W291


def ours(**fields: Any) -> dict[str, Any]:
    return {"id": None, "subject": None, "tags": None, "source": None, **fields}


def test_a_note_that_says_the_same_keeps_its_bytes() -> None:
    data = WRITTEN_BY_A_PERSON.encode()
    assert render(parse(data), ours(id=12, subject="user", tags=["a", "b"]), "Body") == data


def test_a_changed_field_changes_its_own_line_only() -> None:
    note = parse(WRITTEN_BY_A_PERSON.encode())
    changed = render(note, ours(id=12, subject="me: myself", tags=["a", "b"]), "Body").decode()
    assert changed == WRITTEN_BY_A_PERSON.replace("subject: user #", 'subject: "me: myself" #')


def test_comments_order_and_unknown_names_survive_a_change_of_everything_of_ours() -> None:
    note = parse(WRITTEN_BY_A_PERSON.encode())
    changed = render(note, ours(id=1, subject="x", tags=["z"], source="s"), "new\ntext").decode()
    assert changed.endswith("---\nnew\ntext\n")
    for kept in (
        "# about me",
        "aliases: [ foo,  'bar' ]   # keep",
        "# after the tags",
        "  # not a comment",
        "cssclass: wide",
    ):
        assert kept in changed
    assert parse(changed.encode()).fields == {
        **note.fields, "id": 1, "subject": "x", "tags": ["z"], "source": "s",
    }  # fmt: skip


def test_a_field_that_goes_takes_its_lines_along_and_leaves_the_comment_behind_it() -> None:
    changed = render(parse(WRITTEN_BY_A_PERSON.encode()), ours(id=12, subject="user"), "Body").decode()
    assert changed == WRITTEN_BY_A_PERSON.replace("tags:\n  - a\n  - b\n", "")


def test_windows_line_ends_and_a_byte_order_mark_stay() -> None:
    data = b"\xef\xbb\xbf" + WRITTEN_BY_A_PERSON.replace("\n", "\r\n").encode()
    note = parse(data)
    assert note.body == "Body"
    changed = render(note, ours(id=13, subject="user", tags=["a", "b"]), "Body")
    assert changed == data.replace(b"id:   12", b"id: 13")


@pytest.mark.parametrize(
    "head",
    [
        "a: [1]\nid:\n", "id:\nb: 1\n", "id: \n# c\nb: 1\n", "{a: 1, id: 3}\n", "  id: 1\n  b: 2\n", '"id" : 1\nb: 2\n',
        "id: &a 5\nb: *a\n", "b: 1\nid: >\n  folded\n  text\n", 'b: 1\nid: "multi\n  line"\n', "id:\n- 1\n- 2\nb: 1\n",
        "? id\n: 5\nb: 1\n", "b: {x: [1, {y: 2}]}\n", "",
    ],
)  # fmt: skip
def test_a_value_can_be_changed_whatever_the_way_in_which_it_is_written(head: str) -> None:
    note = parse(f"---\n{head}---\ntext\n".encode())
    changed = parse(render(note, {"id": 7, "new": "v"}, "text"))
    others = {name: value for name, value in note.fields.items() if name != "id"}
    assert changed.fields == {**others, "id": 7, "new": "v"}
    assert parse(render(note, {"id": None}, "text")).fields.get("id") is None


@pytest.mark.parametrize(
    "data, code, words",
    [
        (b"---\nid: [1\n---\nx\n", "front_matter", "line 3"),
        (b"---\nid: 1\nid: 2\n---\nx\n", "front_matter", "twice"),
        (b"---\n- a\n---\nx\n", "front_matter", "names and values"),
        (b"---\nid: 1\nnever closed\n", "unclosed", "close it"),
        ("---\nid: 1\n---\n日本".encode("shift-jis"), "encoding", "UTF-8"),
        ("---\nid: 1\n---\nx".encode("utf-16"), "encoding", "UTF-16"),
        (b"---\nid: 1\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> theirs\n---\nx\n", "conflict", "'HEAD' and 'theirs'"),
        (b"---\nid: 1\n---\n<<<<<<< ours\na\n=======\nb\n>>>>>>> b1\n", "conflict", "line 4"),
        (b"---\na: &x [1, 2]\nb: *x\n---\n", "front_matter", "alias"),
        (b"---\na: " + b"[" * 100_000 + b"\n---\n", "front_matter", "nesting"),
    ],
)
def test_a_damaged_note_is_refused_with_the_reason(data: bytes, code: str, words: str) -> None:
    with pytest.raises(DamagedNoteError) as refused:
        parse(data)
    assert refused.value.code == code
    assert words in refused.value.message


def test_a_text_about_merge_conflicts_is_no_conflict() -> None:
    text = "Use <<<<<<< to find them, and ======= too"
    assert parse(text.encode()).body == text


def test_a_note_without_front_matter_gets_one_and_keeps_its_text() -> None:
    assert render(parse(b"# Title\n\nText\n"), {"id": 1}, "# Title\n\nText") == b"---\nid: 1\n---\n# Title\n\nText\n"


@pytest.mark.parametrize(
    "plain, value",
    [("yes", "yes"), ("true", True), ("null", None), ("~", None), ("0x1F", "0x1F"), ("1e3", 1000.0), ("012", 12),
     ("2026-01-10", "2026-01-10"), ("1:30", "1:30"), ("'12'", "12"), (".5", 0.5), ("a#b", "a#b"), ("東京", "東京")],
)  # fmt: skip
def test_words_that_other_readers_take_for_something_else_stay_words(plain: str, value: Any) -> None:
    assert read(f"a: {plain}\n").values == {"a": value}


scalars = st.one_of(
    st.text(), st.integers(-(2**62), 2**62), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), values, max_size=4))
def test_what_is_written_is_read_back_by_both_readers(fields: dict[str, Any]) -> None:
    head = "".join(f"{name}: {dump(value)}\n" for name, value in fields.items())
    if "\\ud" in json.dumps(fields):
        return  # half of a character is no text
    assert read(head).values == fields
    simple = read_simple(head)
    assert simple is None or simple.values == fields


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_is_read_back_exactly(text: str) -> None:
    assert parse(render(None, {"id": 1}, text), ours=True).body == text


@given(st.text(alphabet=st.sampled_from(list("ab:#-[]{},&*!|>'\"%@` \n\t\\é日")), max_size=40))
def test_the_quick_reader_never_disagrees_with_the_library(head: str) -> None:
    quick = read_simple(head)
    if quick is None:
        return
    try:
        assert read(head).values == quick.values
    except YamlError:
        raise AssertionError(f"only the quick reader takes {head!r}") from None


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("a\r\nb", "a\nb", True),
        ("\n\na\n\n", "a", True),
        ("a  \nb", "a\nb", True),
        ("a\n\nb", "a\nb", False),
        ("a", "b", False),
    ],
)
def test_white_space_at_the_ends_makes_no_other_text(one: str, other: str, same: bool) -> None:
    assert same_body(one, other) is same
