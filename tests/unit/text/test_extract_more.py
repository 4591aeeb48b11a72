"""Slides, OpenDocuments, books, messages and RTF: what is kept of each, and the reason where nothing can be."""

from __future__ import annotations

import io
import random
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from omoide import Index
from omoide.errors import ExtractError
from omoide.text.extract import read_document
from omoide.text.extracting import docx, odf, pptx

DRAWING = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://x/p"'
OPEN = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:t" xmlns:table="urn:tb"'
    ' xmlns:draw="urn:d"'
)


def packed(**parts: str) -> bytes:
    """Return a ZIP of parts by name, / written as __ and . as _dot_."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), text)
    return made.getvalue()


def shape(kind: str, *paragraphs: str) -> str:
    said = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    return f'<p:sp><p:nvPr><p:ph type="{kind}"/></p:nvPr><p:txBody>{said}</p:txBody></p:sp>'


def slide(*shapes: str) -> str:
    return f"<p:sld {DRAWING}>{''.join(shapes)}</p:sld>"


def slides() -> bytes:
    row = "".join(f"<a:tc><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:tc>" for cell in ("Osaka", "3"))
    table = f"<p:graphicFrame><a:tbl><a:tr>{row}</a:tr></a:tbl></p:graphicFrame>"
    return packed(
        ppt__presentation_dot_xml="<p/>",
        ppt__slides__slide10_dot_xml=slide(shape("body", "last words")),
        ppt__slides__slide2_dot_xml=slide(
            shape("title", "Déploiement"), shape("body", "one", "東京"), table, shape("sldNum", "2")
        ),
        ppt__notesSlides__notesSlide2_dot_xml=slide(shape("body", "say it slowly")),
    )


def odt(body: str) -> bytes:
    content = f"<office:document-content {OPEN}><office:body>{body}</office:body></office:document-content>"
    return packed(content_dot_xml=content, **{"META-INF__manifest_dot_xml": "<m/>"})


def epub(second: str = "<h1>Deux</h1><p>fin</p>") -> bytes:
    book = (
        "<package><metadata><title>Le livre</title></metadata><manifest>"
        '<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="a" href="text/one%201.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="c" href="cover.png" media-type="image/png"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    return packed(
        mimetype="application/epub+zip",
        OPS__book_dot_opf=book,
        OPS__two_dot_xhtml=f"<!DOCTYPE html><html><body>{second}</body></html>",
        **{
            "META-INF__container_dot_xml": '<c><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></c>',
            "OPS__text__one 1_dot_xhtml": "<html><body><h1>Un</h1><script>no()</script><p>始まり</p></body></html>",
        },
    )


MAIL = (
    b"From: Aiko <aiko@example.com>\r\nTo: team@example.com\r\nDate: Mon, 01 Jun 2026 10:00:00 +0900\r\n"
    b"Subject: =?utf-8?b?5p2x5Lqs?= plan\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain; charset=iso-8859-1\r\n"
    b"Content-Transfer-Encoding: quoted-printable\r\n\r\nR=E9union =E0 midi\r\n--x\r\n"
    b"Content-Type: application/pdf; name=plan.pdf\r\nContent-Disposition: attachment; filename=plan.pdf\r\n"
    b"\r\nJVBERi0=\r\n--x--\r\n"
)
RTF = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil Arial;}{\f1\fnil\fcharset128 MS Gothic;}}"
    rb"{\*\generator nobody;}{\info{\title hidden}}Caf\'e9 \u26481?\u20140?\par "
    rb"{\f1\'93\'fa\'96\'7b}\par a\tab b\par {\pict\bin5 }}}}}}end\{x\}}"
)
CASES = [
    (
        "a.pptx", slides(),
        "# Déploiement\n\none\n\n東京\n\nOsaka\t3\n\nNotes:\n\nsay it slowly\n\n# Slide 2\n\nlast words\n",
    ),
    (
        "a.odt",
        odt('<text:h text:outline-level="2">Plan</text:h><text:p>a<text:tab/>b <text:span>c</text:span></text:p>'
            "<text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>"),
        "## Plan\n\na\tb c\n\n- item\n",
    ),
    (
        "a.ods",
        odt('<table:table table:name="Prix"><table:table-row><table:table-cell><text:p>茶</text:p></table:table-cell>'
            '<table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>4</text:p>'
            "</table:table-cell></table:table-row></table:table>"),
        "# Prix\n\n茶\t\t\t4\n",
    ),
    ("a.epub", epub(), "# Un\n\n始まり\n\n# Deux\n\nfin\n"),
    (
        "a.eml", MAIL,
        (
            "From: Aiko <aiko@example.com>\nTo: team@example.com\nDate: Mon, 01 Jun 2026 10:00:00 +0900\n"
            "Subject: 東京 plan\n\nRéunion à midi\n"
        ),
    ),
    ("a.rtf", RTF, "Café 東京\n\n日本\n\na\tb\n\nend{x}\n"),
]  # fmt: skip


@pytest.mark.parametrize("name, data, text", CASES, ids=[name for name, *_ in CASES])
def test_what_people_read_in_it_is_its_text(tmp_path: Path, name: str, data: bytes, text: str) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    assert read_document(file).text == text


def test_a_title_is_known(tmp_path: Path) -> None:
    found = {}
    for name, data, _ in CASES:
        (tmp_path / name).write_bytes(data)
        found[name] = read_document(tmp_path / name).title
    assert found == {
        "a.pptx": "Déploiement", "a.odt": "Plan", "a.ods": None, "a.epub": "Le livre", "a.eml": "東京 plan",
        "a.rtf": None,
    }  # fmt: skip


def test_a_message_says_what_was_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a.eml"
    file.write_bytes(MAIL)
    assert read_document(file).notes == ("attachments were left out: plan.pdf",)


EMPTY = f"<p:sld {DRAWING}></p:sld>"
BAD = {
    "damaged slides": ("a.pptx", packed(ppt__presentation_dot_xml="", ppt__slides__slide1_dot_xml="<a"), "damaged"),
    "no words at all": ("a.odt", odt(""), "empty"),
    "no slides": ("a.pptx", packed(ppt__presentation_dot_xml="", ppt__slides__slide1_dot_xml=EMPTY), "empty"),
    "no book": ("a.epub", packed(**{"META-INF__container_dot_xml": "<c/>"}), "damaged"),
    "a book that is gone": (
        "a.epub", packed(**{"META-INF__container_dot_xml": '<c><rootfile full-path="x.opf"/></c>'}), "damaged",
    ),
    "a document type": (
        "a.odt",
        packed(content_dot_xml='<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', **{"META-INF__manifest_dot_xml": ""}),
        "damaged",
    ),
    "no words": ("a.rtf", rb"{\rtf1{\fonttbl{\f0 Arial;}}}", "empty"),
    "groups without end": ("a.rtf", rb"{\rtf1" + b"{" * 20_000, "damaged"),
}  # fmt: skip


@pytest.mark.parametrize("case", list(BAD))
def test_what_cannot_be_read_has_a_reason(tmp_path: Path, case: str) -> None:
    name, data, reason = BAD[case]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ExtractError) as caught:
        read_document(tmp_path / name)
    assert caught.value.reason == reason


def test_more_text_than_is_read_is_said_to_be_too_big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (docx, odf, pptx):
        monkeypatch.setattr(module, "MAX_TEXT", 100)
    said = slide(shape("body", "a" * 101))
    body = f"<w:p><w:r><w:t>{'a' * 101}</w:t></w:r></w:p>"
    for name, data in {
        "a.pptx": packed(ppt__presentation_dot_xml="", ppt__slides__slide1_dot_xml=said),
        "a.odt": odt(f"<text:p>{'a' * 101}</text:p>"),
        "a.docx": packed(word__document_dot_xml=f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>'),
    }.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ExtractError) as caught:
            read_document(tmp_path / name)
        assert caught.value.reason == "too_big"


def test_a_picture_in_a_text_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_bytes(rb"{\rtf1 before {\pict 89504e47" + b"0" * 100_000 + rb"} after}")
    assert read_document(tmp_path / "a.rtf").text == "before  after\n"


@pytest.mark.parametrize("name, data, text", CASES, ids=[name for name, *_ in CASES])
def test_bytes_lost_or_changed_anywhere_are_a_reason_at_most(tmp_path: Path, name: str, data: bytes, text: str) -> None:
    """Cut, overwritten or with bytes gone, a file is read or refused, never anything else."""
    chance = random.Random(7)
    file = tmp_path / name
    for turn in range(60):
        place, damaged = chance.randrange(len(data)), bytearray(data)
        if turn % 3 == 0:
            del damaged[place:]
        elif turn % 3 == 1:
            damaged[place] = chance.randrange(256)
        else:
            del damaged[place : place + chance.randrange(1, 30)]
        file.write_bytes(bytes(damaged))
        with suppress(ExtractError):
            read_document(file)


def test_a_folder_of_them_is_searched(tmp_path: Path) -> None:
    folder = tmp_path / "office"
    folder.mkdir()
    for name, data, _ in CASES:
        (folder / name).write_bytes(data)
    with Index(tmp_path / "agents.db", embedder="none") as index:
        assert index.add_files(folder).counts == {"added": 6}
        assert index.add_files(folder).counts == {"unchanged": 6}
        assert Path(index.search("Réunion à midi")[0].source or "").name == "a.eml"
        assert index.search("始まり", k=1)[0].text.strip().endswith("始まり")


def test_a_bracket_that_is_opened_for_ever_is_cut_at_lines_and_said(tmp_path: Path) -> None:
    file = tmp_path / "A.java"
    file.write_text("A<" * 60_000, encoding="utf-8")
    found = read_document(file)
    assert found.splitter == "lines"
    assert "brackets" in found.notes[0]
