"""Cutting texts: what stays together, where a cut falls, what is said around it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from omoide.errors import InvalidInputError
from omoide.text.chunkers import (
    cut,
    json,
    markdown,
    python,
    rst,
    split_json,
    split_markdown,
    split_python,
    split_rst,
    split_text,
)


def headings(text: str, splitter: str, **how: object) -> list[str]:
    return [piece.heading for piece in cut(text, splitter, **how)]  # type: ignore[arg-type]


class TestText:
    def test_full_stops_are_kept(self) -> None:
        text = "One sentence here. " * 200
        assert "".join(split_text(text, 800, 0)) == text
        assert all(chunk.rstrip().endswith(".") for chunk in split_text(text))

    def test_a_paragraph_ends_a_piece_before_a_sentence_does(self) -> None:
        first, second = "First. Sentence. " * 5, "Second. One. " * 12
        assert split_text(f"{first}\n\n{second}", 200, 0)[0] == f"{first}\n\n"

    def test_japanese_is_cut_after_its_full_stops(self) -> None:
        text = "これは日本語の文です。次の文はもう少し長いです！本当ですか？" * 70
        chunks = split_text(text)
        assert all(chunk[-1] in "。！？" for chunk in chunks)
        assert min(map(len, chunks[:-1])) > 400

    def test_a_closing_bracket_stays_with_its_sentence(self) -> None:
        text = "「これは文です。」" * 30
        assert all(chunk.endswith("」") for chunk in split_text(text, 100, 0))

    def test_french_text_is_cut_after_its_sentences(self) -> None:
        text = "Où est l’hôtel ? Il est là, à gauche. « Très bien ! » " * 40
        assert all(chunk.rstrip()[-1] in "?.!»" for chunk in split_text(text, 300, 0))

    def test_overlap_repeats_whole_sentences(self) -> None:
        text = " ".join(f"Sentence number {number} is here." for number in range(100))
        chunks = split_text(text, 300, 80)
        assert all(chunk.startswith("Sentence") for chunk in chunks)
        assert all(before.rstrip().endswith(after[:30]) or after[:20] in before for before, after in pairwise(chunks))

    def test_overlap_takes_at_most_half_a_piece(self) -> None:
        assert len(split_text("word " * 1_000, 100, 99)) < 150

    def test_a_word_longer_than_a_piece_is_cut_hard(self) -> None:
        assert split_text("x" * 2_000, 800, 0) == ["x" * 800, "x" * 800, "x" * 400]

    @pytest.mark.parametrize("split", [split_text, markdown, python, json, rst])
    def test_a_blank_text_has_no_pieces(self, split: object) -> None:
        assert split(" \n\t ") == []  # type: ignore[operator]

    def test_white_space_alone_is_no_piece_of_its_own(self) -> None:
        assert split_text("0123456789" + " " * 8, 10, 0) != []
        assert all(chunk.strip() for chunk in split_text("some words here" + "\n" * 8, 16, 0))

    @pytest.mark.parametrize("size, overlap", [(0, 0), (10, 10), (10, -1), (10, 11)])
    def test_sizes_that_cannot_be_are_refused(self, size: int, overlap: int) -> None:
        with pytest.raises(ValueError, match="chunk"):
            split_text("text", size, overlap)


class TestMarkdown:
    def test_the_headings_above_lead_every_chunk(self) -> None:
        text = "# Guide\n\nIntro.\n\n## Install\n\nRun it.\n\n### Linux\n\nUse apt.\n"
        assert markdown(text) == [
            "# Guide\n\nIntro.\n\n",
            "# Guide > ## Install\n\nRun it.\n\n",
            "# Guide > ## Install > ### Linux\n\nUse apt.\n",
        ]

    def test_a_comment_in_a_fence_is_no_heading(self) -> None:
        text = "# Setup\n\n```sh\n# not a heading\nmake\n```\n\nDone.\n"
        assert cut(text, "markdown")[0].text == text
        assert headings(text, "markdown") == ["Setup"]

    def test_a_longer_fence_holds_a_shorter_one(self) -> None:
        text = "# A\n\n````\n```\n# x\n```\n# y\n````\n\n# B\n\ntext\n"
        assert headings(text, "markdown") == ["A", "B"]

    def test_a_fence_that_fits_is_not_cut(self) -> None:
        fence = "```python\n" + "x = 1\n\n" * 20 + "```\n"
        text = "# T\n\n" + "Words of prose. " * 10 + "\n\n" + fence + "\n" + "More words. " * 20
        assert any(fence in chunk for chunk in markdown(text, 250, 0))

    def test_a_heading_without_a_body_is_kept_with_its_first_child(self) -> None:
        assert headings("# A\n\n## B\n\nbody\n", "markdown") == ["A > B"]
        assert "".join(piece.text for piece in cut("# A\n## B\nb\n# C\n", "markdown")) == "# A\n## B\nb\n# C\n"
        assert headings("# A\n\n# B\n", "markdown") == ["A", "B"]

    def test_underlined_headings_count(self) -> None:
        assert headings("Title\n=====\n\ntext\n\nSub\n---\n\nmore\n", "markdown") == ["Title", "Title > Sub"]

    def test_a_rule_after_a_paragraph_or_a_list_is_no_heading(self) -> None:
        assert headings("# A\n\n- item\n---\n\ntext\n", "markdown") == ["A"]

    def test_front_matter_is_no_heading(self) -> None:
        assert headings("---\ntitle: x\n# comment\n---\n# A\n\ntext\n", "markdown") == ["", "A"]

    def test_headings_lose_their_marks_in_the_breadcrumb(self) -> None:
        assert headings("# The **bold** [link](http://x) `code` #\n\ntext\n", "markdown") == ["The bold link code"]

    def test_line_numbers_are_those_of_the_file(self) -> None:
        pieces = cut("# A\r\n\r\none\r\n\r\n# B\r\n\r\ntwo\r\n", "markdown")
        assert [(piece.line_from, piece.line_to) for piece in pieces] == [(1, 4), (5, 7)]


class TestPython:
    SOURCE = '''import os


# About f.
@cache
def f(a):
    """Doc.

def not_one
"""
    return a


class C:
    x = 1

    def m(self):
        return (
1
        )
'''

    def test_a_definition_is_a_chunk_and_newlines_stay(self) -> None:
        chunks = python(self.SOURCE)
        assert [chunk.split("\n", 1)[0] for chunk in chunks] == ["# def f", "# class C"]
        assert chunks[1] == "# class C\n" + self.SOURCE[self.SOURCE.index("class C") :]

    def test_a_long_definition_keeps_its_lines(self) -> None:
        body = "".join(f"    value_{number} = compute({number})\n" for number in range(100))
        chunks = python(f"def long():\n{body}", 800, 0)
        assert "".join(chunk.split("\n", 1)[1] for chunk in chunks) == f"def long():\n{body}"
        assert all(chunk.endswith("\n") for chunk in chunks)

    def test_a_long_class_is_cut_at_its_methods(self) -> None:
        methods = "".join(f"    def m{number}(self):\n        return {number}\n\n" for number in range(9))
        found = headings(f"class C:\n{methods}", "python", size=90, overlap=0)
        assert found[:2] == ["class C > def m0", "class C > def m1"]

    def test_decorators_and_comments_above_belong_to_a_definition(self) -> None:
        piece = next(piece for piece in cut(self.SOURCE, "python", size=60, overlap=0) if piece.heading == "def f")
        assert piece.text.startswith("# About f.\n@cache\ndef f")

    def test_a_syntax_error_and_old_python_stop_nothing(self) -> None:
        source = "print 'old'\n\ndef f(:\n    pass (\n\ndef g():\n    exec 'x'\n"
        assert headings(source, "python") == ["def f", "def g"]


class TestData:
    def test_json_entries_are_named_by_their_path(self) -> None:
        text = '{"server": {"ports": [1, 2], "name": "alpha"}, "client": {"retry": 3}}'
        assert headings(text, "json", size=30, overlap=0)[:2] == ["server > ports", "server > name"]
        assert json('{"a": {"x": 1}, "b": [2]}') == ['# \'a\'\n{"a": {"x": 1},', "# 'b'\n \"b\": [2]}"]

    def test_small_json_entries_share_a_piece(self) -> None:
        text = "[" + ",".join(f'{{"id": {number}}}' for number in range(100)) + "]"
        assert len(cut(text, "json", size=200, overlap=0)) < 15

    def test_what_is_not_json_is_cut_as_lines(self) -> None:
        assert "".join(json("{not json\nat all", 10, 0)) == "{not json\nat all"

    def test_yaml_and_toml_keys_lead_to_a_piece(self) -> None:
        assert headings("a:\n  b: 1\n  c:\n    - x: 1\nd: |\n  e: text\n", "yaml", size=22, overlap=0) == [
            "a > b", "a > c", "d"
        ]  # fmt: skip
        assert headings('[tool.a]\nx = """\n[no]\n"""\n[tool.b]\ny = 2\n', "toml", size=30, overlap=0) == [
            "tool.a",
            "tool.b",
        ]

    def test_a_csv_record_is_not_cut_inside_quotes(self) -> None:
        text = 'id,name\n1,"two\nlines"\n2,c\n3,d\n'
        pieces = cut(text, "csv", size=20, overlap=0)
        assert [piece.text for piece in pieces] == ["id,name\n", '1,"two\nlines"\n2,c\n', "3,d\n"]
        assert {piece.heading for piece in pieces} == {"id, name"}

    def test_json_lines_are_cut_at_lines(self) -> None:
        assert [piece.text for piece in cut('{"a":1}\n{"b":2}\n', "jsonl", size=9, overlap=0)] == [
            '{"a":1}\n',
            '{"b":2}\n',
        ]


class TestRst:
    def test_levels_follow_the_order_of_the_signs(self) -> None:
        text = "Intro.\n\n=====\nTitle\n=====\n\ntext\n\nSub\n---\nmore\n\nNext\n----\nend\n"
        assert headings(text, "rst") == ["", "Title", "Title > Sub", "Title > Next"]

    def test_a_japanese_title_is_as_wide_as_two_columns_a_character(self) -> None:
        assert headings("見出し\n======\n\n本文\n", "rst") == ["見出し"]

    def test_a_table_rule_is_no_title(self) -> None:
        assert headings("T\n=\n\n==== ====\na    b\n==== ====\n1    2\n==== ====\n", "rst") == ["T"]


class TestHtmlSource:
    def test_heading_elements_cut_and_scripts_do_not(self) -> None:
        text = "<h1>A &amp; B</h1><p>x</p><script>'<h2>no</h2>'</script><!-- <h2>no</h2> --><h2>C</h2><p>y</p>"
        assert headings(text, "html") == ["A & B", "A & B > C"]


class TestChoice:
    def test_the_suffix_chooses_then_the_content(self) -> None:
        code = "def f():\n    pass\n"
        assert headings(code, "auto", path="a/b.PY") == ["def f"]
        assert headings("# A\n\ntext\n", "auto") == ["A"]
        assert headings('{"a": {"b": 1}}', "auto", size=9, overlap=0)[-1].startswith("a")

    def test_a_callable_is_called_with_text_size_and_overlap(self) -> None:
        pieces = cut("one\ntwo\none\n", lambda text, *_: text.split("\n"), size=5, overlap=1)
        assert [(piece.text, piece.start, piece.line_from) for piece in pieces] == [
            ("one", 0, 1),
            ("two", 4, 2),
            ("one", 8, 3),
        ]

    def test_an_unknown_splitter_names_those_there_are(self) -> None:
        with pytest.raises(InvalidInputError, match="markdown"):
            cut("text", "klingon")

    def test_pages_are_numbered_from_one(self) -> None:
        pieces = cut("one one\n\ntwo two\n\n", size=9, overlap=0, pages=(0, 9))
        assert [piece.page for piece in pieces] == [1, 2]

    def test_the_names_of_rmbr_and_the_short_ones_are_the_same_functions(self) -> None:
        assert (split_markdown, split_python, split_json, split_rst) == (markdown, python, json, rst)


def test_an_overlap_leaves_room_for_a_character_that_cannot_be_cut() -> None:
    assert [piece.text for piece in cut("# Heading\n\r\n", "auto", size=2, overlap=1)][-1] == "\r\n"
