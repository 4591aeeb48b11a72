"""Texts cut into pieces for search: `cut` for any kind of text, and a function per kind for plain strings.

Nothing is lost or altered: without overlap the pieces of `cut` and of `split_text` give the text back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from omoide.errors import InvalidInputError
from omoide.text.chunking.kinds import CustomSplitter, kind_of, splitter_of
from omoide.text.chunking.lines import LineCounter
from omoide.text.chunking.measure import Measure, Ruler
from omoide.text.chunking.packing import Reserve, Span, pack
from omoide.text.chunking.pieces import CRUMB, Piece
from omoide.text.chunking.room import Room, Splitter

DEFAULT_SIZE = 800
DEFAULT_OVERLAP = 150

Crumbs = Callable[[tuple[str, ...]], str]


def cut(
    text: str,
    splitter: str | CustomSplitter = "auto",
    *,
    size: int = DEFAULT_SIZE,
    overlap: int = DEFAULT_OVERLAP,
    measure: Measure = "chars",
    path: str | None = None,
    pages: Sequence[int] | None = None,
) -> list[Piece]:
    """Return the pieces of a text in order; a blank text has none.

    splitter: a name of `SPLITTERS`, a language such as "go", "code" (by the suffix of ``path``), "auto" (by suffix,
    then content), or a callable (text, size, overlap) -> list[str]. size and overlap: characters, or with
    ``measure="tokens"`` estimated tokens; what is repeated never takes more than half a piece, and nothing is
    repeated across a heading or a definition. pages: where each page begins, ascending.

    Raises `InvalidInputError` for an unknown splitter or measure and for an overlap that is not below the size.
    """
    _check(size, overlap, measure)
    if not text.strip():
        return []
    if callable(splitter):
        return _custom(text, splitter, size, overlap, pages)
    ruler = Ruler(text, measure)
    sections = splitter_of(kind_of(text, splitter, path))(text, Room(ruler, size))
    return list(_pieces(text, pack(sections, ruler, size=size, overlap=overlap), pages))


def split_text(text: str, chunk_size: int = DEFAULT_SIZE, chunk_overlap: int = DEFAULT_OVERLAP) -> list[str]:
    """Return running text in chunks, cut at paragraphs, lines, sentences (also 。！？), clauses or words."""
    return [piece.text for piece in cut(text, "text", size=chunk_size, overlap=chunk_overlap)]


def split_markdown(text: str, chunk_size: int = DEFAULT_SIZE, chunk_overlap: int = DEFAULT_OVERLAP) -> list[str]:
    """Return Markdown in chunks, a section each or parts of one, led by the headings above: ``# A > ## B``."""
    return _led(text, "markdown", chunk_size, chunk_overlap, _markdown_crumbs)


def split_python(text: str, chunk_size: int = DEFAULT_SIZE, chunk_overlap: int = DEFAULT_OVERLAP) -> list[str]:
    """Return Python in chunks, a definition each or parts of one, led by ``# class A > def b``."""
    return _led(text, "python", chunk_size, chunk_overlap, lambda path: f"# {CRUMB.join(path)}\n")


def split_json(text: str, chunk_size: int = DEFAULT_SIZE, chunk_overlap: int = DEFAULT_OVERLAP) -> list[str]:
    """Return JSON in chunks, an entry each or parts of one, led by its path: ``# 'key' > [0]``."""
    return _led(text, "entries", chunk_size, chunk_overlap, _json_crumbs)


def split_rst(text: str, chunk_size: int = DEFAULT_SIZE, chunk_overlap: int = DEFAULT_OVERLAP) -> list[str]:
    """Return reStructuredText in chunks, a section each or parts of one."""
    return [piece.text for piece in cut(text, "rst", size=chunk_size, overlap=chunk_overlap)]


markdown = split_markdown
python = split_python
json = split_json
rst = split_rst


def _check(size: int, overlap: int, measure: object) -> None:
    if not isinstance(measure, str) or measure not in {"chars", "tokens"}:
        raise InvalidInputError("measure is 'chars' or 'tokens'", value=measure)
    if size < 1:
        raise InvalidInputError("chunk size must be at least 1", value=size)
    if not 0 <= overlap < size:
        raise InvalidInputError("chunk overlap must be at least 0 and smaller than the chunk size", value=overlap)


def _pieces(text: str, spans: Iterator[Span], pages: Sequence[int] | None) -> Iterator[Piece]:
    lines = LineCounter(text)
    for start, end, section in spans:
        yield Piece(
            text[start:end],
            start,
            end,
            lines.line_of(start),
            lines.line_of(end - 1),
            CRUMB.join(section.heading),
            lines.page_of(start, pages),
            section.metadata,
        )


def _custom(text: str, splitter: CustomSplitter, size: int, overlap: int, pages: Sequence[int] | None) -> list[Piece]:
    """Return what a splitter of the caller gives; a part that is not in the text stands where the last one ended."""
    lines = LineCounter(text)
    pieces: list[Piece] = []
    start = end = 0
    for part in splitter(text, size, overlap):
        if not isinstance(part, str):
            raise InvalidInputError("a splitter returns a list of str", value=type(part).__name__)
        if not part.strip():
            continue
        found = text.find(part, start + (1 if pieces else 0))
        start, end = (found, found + len(part)) if found >= 0 else (end, end)
        line, last = lines.line_of(start), lines.line_of(max(start, end - 1))
        pieces.append(Piece(part, start, end, line, last, "", lines.page_of(start, pages)))
    return pieces


def _led(text: str, kind: str, size: int, overlap: int, crumbs: Crumbs) -> list[str]:
    _check(size, overlap, "chars")
    if not text.strip():
        return []
    ruler = Ruler(text, "chars")
    split: Splitter = splitter_of(kind)
    reserve: Reserve = lambda path: len(crumbs(path)) if path else 0  # noqa: E731
    sections = split(text, Room(ruler, size))
    chunks = []
    for start, end, section in pack(sections, ruler, size=size, overlap=overlap, reserve=reserve):
        chunks.append(_lead(section.heading, text[start:end], size, crumbs))
    return chunks


def _lead(path: tuple[str, ...], body: str, size: int, crumbs: Crumbs) -> str:
    """Return a chunk with as many of its innermost headings before it as fit."""
    if crumbs is _markdown_crumbs:
        return _lead_markdown(path, body, size)
    while path and len(crumbs(path)) + len(body) > size:
        path = path[1:]
    return crumbs(path) + body if path else body


def _lead_markdown(path: tuple[str, ...], body: str, size: int) -> str:
    own = body.lstrip("\r\n").split("\n", 1)[0]
    depth = next((number for number, title in enumerate(path) if own.startswith("#") and title in own), len(path))
    lead = CRUMB.join(f"{'#' * min(6, number + 1)} {title}" for number, title in enumerate(path[:depth]))
    lead += "" if not lead else CRUMB if depth < len(path) else "\n\n"
    return lead + body.lstrip("\r\n") if lead and len(lead) + len(body) <= size else body


def _markdown_crumbs(path: tuple[str, ...]) -> str:
    return CRUMB.join(f"{'#' * min(6, number + 1)} {title}" for number, title in enumerate(path)) + "\n\n"


def _json_crumbs(path: tuple[str, ...]) -> str:
    return f"# {CRUMB.join(key if key.startswith('[') else repr(key) for key in path)}\n"
