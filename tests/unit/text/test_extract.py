"""Files to text: what is kept of each format, and the reason given where nothing can be."""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.errors import ExtractError, OmoideError
from omoide.text.chunkers import cut
from omoide.text.extract import extract_docx, extract_pdf, read_document

Write = Callable[[str, "str | bytes"], Path]

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"


def docx(body: str, *, space: str = WORD, **parts: str) -> bytes:
    """Return a DOCX with a body and further parts by name ("word/comments.xml" as word_comments)."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
        for name, text in parts.items():
            archive.writestr(name.replace("_", "/") + ".xml", text)
    return packed.getvalue()


def paragraph(text: str, style: str = "") -> str:
    mark = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{mark}<w:r><w:t>{text}</w:t></w:r></w:p>"


_FONT = "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"


def pdf(*pages: str, title: str = "") -> bytes:
    """Return a PDF with a line of text a page."""
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        number = len(bodies) + 1
        kids.append(f"{number} 0 R")
        bodies += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R /Resources {_FONT} >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    bodies[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    bodies.append(f"<< /Title ({title}) >>")
    whole, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(whole))
        whole += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    last = len(bodies)
    end = f"xref\n0 {last + 1}\n0000000000 65535 f \n{table}trailer\n"
    end += f"<< /Size {last + 1} /Root 1 0 R /Info {last} 0 R >>\nstartxref\n{len(whole)}\n%%EOF\n"
    return whole + end.encode()


def reason(path: Path, **how: object) -> str:
    with pytest.raises(ExtractError) as caught:
        read_document(path, **how)  # type: ignore[arg-type]
    assert str(caught.value)
    return caught.value.reason


@pytest.fixture
def file(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


class TestText:
    def test_a_text_file_is_returned_as_it_is(self, file: Write) -> None:
        found = read_document(file("note.md", "# A\r\n\r\ntext\r\n"))
        assert (found.text, found.splitter, found.encoding) == ("# A\r\n\r\ntext\r\n", "markdown", "utf-8")

    def test_an_unknown_suffix_is_read_when_it_holds_text(self, file: Write) -> None:
        assert read_document(file("Makefile", "all:\n\techo\n")).splitter == "text"

    def test_a_japanese_csv_in_an_old_encoding_is_read(self, file: Write) -> None:
        found = read_document(file("名簿.csv", "名前,年齢\n佐藤太郎,30\n".encode("cp932")))
        assert (found.text, found.splitter) == ("名前,年齢\n佐藤太郎,30\n", "csv")

    def test_code_without_its_grammar_says_how_it_is_cut(self, file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        from omoide.text.chunking import syntax

        monkeypatch.setitem(sys.modules, "tree_sitter", None)
        syntax._parser.cache_clear()
        found = read_document(file("a.go", "package a\n"))
        syntax._parser.cache_clear()
        assert found.splitter == "lines"
        assert "omoide[code]" in found.notes[0]


class TestReasons:
    @pytest.mark.parametrize(
        "name, content, expected",
        [
            ("a.txt", b"", "empty"),
            ("a.txt", b" \n\t\n", "empty"),
            ("a.txt", b"\x00\x01\x02" * 50, "binary"),
            ("a.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "unsupported"),
            ("a.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "unsupported"),
            ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
            ("a.docx", b"PK\x03\x04 not a zip", "damaged"),
            ("a.docx", b"no zip at all", "damaged"),
            ("a.pdf", b"no PDF at all", "damaged"),
            ("a.pdf", b"%PDF-1.7\n" + b"junk" * 50, "damaged"),
            ("a.ipynb", b"{not json", "damaged"),
            ("a.ipynb", b"[" * 50_000, "damaged"),
            ("a.ipynb", b'{"a": 1}', "damaged"),
            ("a.ipynb", b'{"nbformat": 4, "cells": []}', "empty"),
            ("a.html", b"<html><script>x</script></html>", "empty"),
        ],
    )
    def test_what_cannot_be_read_has_a_reason(self, file: Write, name: str, content: bytes, expected: str) -> None:
        assert reason(file(name, content)) == expected

    def test_a_file_over_the_limit_is_not_read(self, file: Write) -> None:
        assert reason(file("a.txt", "x" * 101), max_bytes=100) == "too_big"

    def test_a_missing_file_and_a_folder_have_a_reason(self, tmp_path: Path) -> None:
        assert reason(tmp_path / "nothing.txt") == "no_access"
        assert reason(tmp_path) == "not_a_file"

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.txt")
        assert reason(tmp_path / "pipe.txt") == "not_a_file"

    def test_the_error_is_typed_and_survives_pickling(self) -> None:
        error = pickle.loads(pickle.dumps(ExtractError("no", reason="binary", value="x")))  # noqa: S301
        assert issubclass(ExtractError, OmoideError | ValueError)
        assert (error.reason, error.value, error.code) == ("binary", "x", "unreadable_document")


class TestDocx:
    def test_headings_paragraphs_and_tables_are_kept_in_order(self, file: Write) -> None:
        table = (
            f"<w:tbl><w:tr><w:tc>{paragraph('a')}</w:tc><w:tc>{paragraph('b')}{paragraph('c')}</w:tc></w:tr></w:tbl>"
        )
        path = file("a.docx", docx(paragraph("Title", "Heading1") + paragraph("Words.") + table + paragraph("End.")))
        assert extract_docx(path) == "# Title\n\nWords.\n\na\tb c\n\nEnd.\n"
        assert cut(read_document(path).text, "markdown")[0].heading == "Title"

    def test_strict_files_without_any_other_part_are_read(self, file: Write) -> None:
        assert extract_docx(file("a.docx", docx(paragraph("été 日本"), space=STRICT))) == "été 日本\n"

    def test_a_style_says_which_level_its_paragraphs_have(self, file: Write) -> None:
        styles = f'<w:styles xmlns:w="{WORD}"><w:style w:styleId="X7"><w:name w:val="heading 2"/></w:style></w:styles>'
        assert extract_docx(file("a.docx", docx(paragraph("T", "X7"), word_styles=styles))) == "## T\n"

    def test_comments_and_footnotes_are_kept(self, file: Write) -> None:
        comments = f'<w:comments xmlns:w="{WORD}"><w:comment>{paragraph("Why?")}</w:comment></w:comments>'
        notes = f'<w:footnotes xmlns:w="{WORD}"><w:footnote>{paragraph("See p. 3")}</w:footnote></w:footnotes>'
        text = extract_docx(file("a.docx", docx(paragraph("Body"), word_comments=comments, word_footnotes=notes)))
        assert text == "Body\n\n# Comments\n\nWhy?\n\n# Footnotes\n\nSee p. 3\n"

    def test_nested_tables_equations_and_text_boxes_lose_nothing(self, file: Write) -> None:
        inner = f"<w:tbl><w:tr><w:tc>{paragraph('deep')}</w:tc></w:tr></w:tbl>"
        outer = f"<w:tbl><w:tr><w:tc>{paragraph('top')}{inner}{paragraph('')}</w:tc></w:tr></w:tbl>"
        math = '<w:p><m:oMath xmlns:m="m"><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p>'
        box = f"<w:p><w:r><w:t>out</w:t></w:r><w:txbxContent>{paragraph('boxed')}</w:txbxContent></w:p>"
        text = extract_docx(file("a.docx", docx(outer + math + box)))
        assert all(word in text for word in ("top", "deep", "x=1", "out", "boxed"))

    def test_deleted_words_and_the_second_choice_are_left_out(self, file: Write) -> None:
        body = (
            "<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>"
            '<mc:AlternateContent xmlns:mc="mc"><mc:Choice><w:r><w:t> once</w:t></w:r></mc:Choice>'
            "<mc:Fallback><w:r><w:t> twice</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>"
        )
        assert extract_docx(file("a.docx", docx(body))) == "new once\n"

    def test_a_zip_bomb_is_refused(self, file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("omoide.text.extracting.zipped.MAX_PART", 1_000_000)
        assert reason(file("a.docx", docx(paragraph(" " * 3_000_000)))) == "too_big"

    def test_entities_are_refused_before_they_grow(self, file: Write) -> None:
        bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
        assert reason(file("a.docx", docx(paragraph("x"), word_comments=bomb))) == "damaged"

    def test_deep_nesting_is_refused(self, file: Write) -> None:
        assert reason(file("a.docx", docx("<w:r>" * 9_000 + "</w:r>" * 9_000))) == "damaged"


class TestXlsx:
    def test_sheets_and_rows_are_kept(self, file: Write) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("xl/workbook.xml", '<workbook><sheets><sheet name="会員"/></sheets></workbook>')
            archive.writestr(
                "xl/sharedStrings.xml", "<sst><si><t>name</t></si><si><r><t>Zo</t></r><r><t>é</t></r></si></sst>"
            )
            rows = (
                '<row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>age</t></is></c></row>'
                '<row><c r="A2" t="s"><v>1</v></c><c r="C2"><v>30</v></c></row>'
            )
            archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{rows}</sheetData></worksheet>")
        found = read_document(file("a.xlsx", packed.getvalue()))
        assert found.text == "# 会員\n\nname\t\tage\nZoé\t\t30\n"


class TestPdf:
    def test_pages_are_told_apart(self, file: Write) -> None:
        found = read_document(file("a.pdf", pdf("First page.", "Second page.", title="A title")))
        assert found.title == "A title"
        assert found.pages is not None
        assert [found.text[at:].split("\n")[0] for at in found.pages] == ["First page.", "Second page."]
        assert [piece.page for piece in cut(found.text, size=15, overlap=0, pages=found.pages)] == [1, 2]

    def test_the_text_alone_is_one_call(self, file: Write) -> None:
        assert extract_pdf(file("a.pdf", pdf("One", "Two"))) == "One\n\nTwo\n\n"

    def test_pages_without_text_are_reported(self, file: Write) -> None:
        assert reason(file("a.pdf", pdf(""))) == "empty"

    def test_a_slow_file_is_given_up(self, file: Write) -> None:
        assert reason(file("a.pdf", pdf("text")), max_seconds=0.001) == "too_slow"

    def test_a_missing_extra_is_named(self, file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("omoide.text.extracting.pdf.find_spec", lambda _: None)
        path = file("a.pdf", pdf("text"))
        assert reason(path) == "extra_missing"
        with pytest.raises(ImportError, match=r"omoide\[pdf\]"):
            extract_pdf(path)

    def test_a_module_in_the_working_folder_is_not_run(
        self, file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = file("a.pdf", pdf("text"))
        (tmp_path / "json.py").write_text("raise SystemExit(3)", encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        assert extract_pdf(path) == "text\n\n"


class TestHtml:
    def test_headings_lead_to_breadcrumbs_and_scripts_are_dropped(self, file: Write) -> None:
        page = (
            "<html><head><title>Guide &amp; more</title><style>p{}</style></head>"
            "<body><h1>A</h1><p>One <b>bold</b>\nword."
            "<h2>B</h2><script>x()</script><ul><li>first<li><p>second</ul><pre>code\n  kept</pre>"
            "<table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>"
        )
        found = read_document(file("a.html", page))
        assert found.title == "Guide & more"
        assert found.text == (
            "# A\n\nOne bold word.\n\n## B\n\n- first\n- second\n\n```\ncode\n  kept\n```\n\nk | v\n1 | 2\n"
        )
        assert [piece.heading for piece in cut(found.text, found.splitter)] == ["A", "A > B"]

    def test_broken_pages_give_what_they_have(self, file: Write) -> None:
        for page in ("<p>one <a href='x>two", "<div><p>one</div></p>two</b>", "one < two <3", "<!-- x -->one<!-- two"):
            assert "one" in read_document(file("a.html", page)).text

    def test_a_declared_encoding_is_used(self, file: Write) -> None:
        page = '<html><meta charset="euc-jp"><p>日本語の文</p>'.encode("euc-jp")
        assert read_document(file("a.html", page)).text == "日本語の文\n"


class TestNotebook:
    def test_cells_become_text_and_fences(self, file: Write) -> None:
        cells = [
            {"cell_type": "markdown", "source": ["# T\n", "text"]},
            {
                "cell_type": "code",
                "source": "1 + 1",
                "outputs": [{"output_type": "execute_result", "data": {"text/plain": "2"}}],
            },
        ]
        found = read_document(file("a.ipynb", json.dumps({"nbformat": 4, "cells": cells, "metadata": {"title": "N"}})))
        assert found.text == "# T\ntext\n\n```python\n1 + 1\n```\n\n```text\n2\n```\n"
        assert (found.splitter, found.title) == ("markdown", "N")

    def test_version_three_has_worksheets_and_heading_cells(self, file: Write) -> None:
        cells = [
            {"cell_type": "heading", "level": 2, "source": "H"},
            {
                "cell_type": "code",
                "language": "r",
                "input": ["x <- 1"],
                "outputs": [{"output_type": "pyerr", "ename": "E", "evalue": "v"}],
            },
        ]
        found = read_document(file("a.ipynb", json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}, 5]})))
        assert found.text == "## H\n\n```r\nx <- 1\n```\n\n```text\nE: v\n```\n"

    def test_long_outputs_are_cut_and_noted(self, file: Write) -> None:
        output = {"output_type": "stream", "text": ["line\n"] * 9_000}
        book = {"nbformat": 4, "cells": [{"cell_type": "code", "source": "f()", "outputs": [output]}]}
        found = read_document(file("a.ipynb", json.dumps(book)))
        assert len(found.text) < 2_200
        assert "cut" in found.notes[0]

    def test_what_breaks_the_format_is_left_out_and_noted(self, file: Write) -> None:
        book = {
            "nbformat": 4,
            "cells": [7, {"cell_type": "odd", "source": "kept"}, {"cell_type": "code"}],
            "metadata": 3,
        }
        found = read_document(file("a.ipynb", json.dumps(book)))
        assert found.text == "kept\n"
        assert len(found.notes) == 2
