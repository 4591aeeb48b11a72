"""How a document is cut into parts, and its text put together again."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.model.documents import ChunkRow, Part
from omoide.text.chunking.pieces import Piece

CUSTOM: Final = "custom"
"""What a recipe calls a splitter of the caller's."""

Splitter = str | Callable[[str, int, int], list[str]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How texts are read and cut: splitter, size and overlap of parts, what these are measured in, encoding."""

    splitter: Splitter = "text"
    size: int = 800
    overlap: int = 150
    measure: str = "chars"
    encoding: str | None = None

    @property
    def stored(self) -> str:
        """The recipe as it is kept beside a document."""
        name = self.splitter if isinstance(self.splitter, str) else CUSTOM
        return json.dumps({**asdict(self), "splitter": name}, sort_keys=True)


def recipe_of(
    splitter: object, chunk_size: object, chunk_overlap: object, measure: object, encoding: object = None
) -> Recipe:
    """Return the recipe that the arguments describe.

    Raises:
        InvalidInputError: names the first argument that cannot be accepted.
    """
    from omoide.text.chunkers import cut

    if not isinstance(splitter, str) and not callable(splitter):
        raise InvalidInputError(f"splitter must be a name or a callable, not {splitter!r}", value=splitter)
    for name, value in (("chunk_size", chunk_size), ("chunk_overlap", chunk_overlap)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidInputError(f"{name} must be a whole number, not {value!r}", value=value)
    named = splitter if isinstance(splitter, str) else "text"
    cut("-", named, size=chunk_size, overlap=chunk_overlap, measure=measure)  # type: ignore[arg-type]
    if encoding is not None and not _is_encoding(encoding):
        raise InvalidInputError(f"encoding must be the name of a text encoding, not {encoding!r}", value=encoding)
    return Recipe(splitter, chunk_size, chunk_overlap, str(measure), encoding)  # type: ignore[arg-type]


def _is_encoding(name: object) -> bool:
    try:
        return isinstance(name, str) and bool(codecs.lookup(name))
    except (LookupError, ValueError):  # a NUL or half a character in the name
        return False


def stored_recipe(text: str | None) -> Recipe:
    """Return the recipe that was kept beside a document; a splitter of a caller is not there any more."""
    found = json.loads(text) if text else {}
    recipe = Recipe(**found)
    return replace(recipe, splitter="text") if recipe.splitter == CUSTOM else recipe


def parts_of(
    text: str, recipe: Recipe, metadata: Mapping[str, Any], *, title: str | None = None, path: str | None = None,
    pages: Sequence[int] | None = None, placed: bool = False, lines: bool = True,
) -> list[Part]:  # fmt: skip
    """Return the parts of a text; with ``placed`` their metadata tell pages and, with ``lines``, lines.

    Raises:
        InvalidInputError: the caller's splitter returned something else than texts.
    """
    if recipe.splitter == "text" and len(text) <= recipe.size and not placed and recipe.measure == "chars":
        return [Part(text, 0, len(text), title, None, 1, text.count("\n") + 1, None, metadata)]
    from omoide.text.chunkers import cut

    pieces = cut(
        text, recipe.splitter, size=recipe.size, overlap=recipe.overlap, measure=recipe.measure, path=path,  # type: ignore[arg-type]
        pages=pages,
    )  # fmt: skip
    return [_part(piece, text, metadata, title, placed=placed, lines=lines) for piece in _worded(pieces, text)]


def _worded(pieces: Sequence[Piece], text: str) -> list[Piece]:
    """Return the pieces without those of white space only, which the next one takes in, else the last."""
    found: list[Piece] = []
    blank: Piece | None = None
    for piece in pieces:
        if not piece.text.strip():
            blank = piece if blank is None else _joined(blank, piece, text)
            continue
        found.append(piece if blank is None else _joined(blank, piece, text))
        blank = None
    if blank is not None and found:
        found[-1] = _joined(found[-1], blank, text)
    return found


def _joined(one: Piece, other: Piece, text: str) -> Piece:
    worded = other if other.text.strip() else one
    return replace(
        worded, text=text[one.start : other.end], start=one.start, end=other.end, line_from=one.line_from,
        line_to=other.line_to,
    )  # fmt: skip


def _part(
    piece: Piece, text: str, metadata: Mapping[str, Any], title: str | None, *, placed: bool, lines: bool
) -> Part:
    exact = text[piece.start : piece.end] == piece.text
    first, last = (piece.line_from, piece.line_to) if lines else (None, None)
    shown = {**piece.metadata, **place_of(piece.heading, piece.page, first, last, placed=placed)}
    return Part(
        piece.text, piece.start if exact else None, piece.end if exact else None, title, piece.heading or None,
        first, last, piece.page, {**shown, **metadata},
    )  # fmt: skip


def place_of(
    heading: str | None, page: int | None, line_from: int | None, line_to: int | None, *, placed: bool
) -> dict[str, Any]:
    """Return what metadata tell of where a part stands; the caller's own keys come before these."""
    found: dict[str, Any] = {"heading": heading} if heading else {}
    if placed and page is not None:
        found["page"] = page
    if placed and line_from is not None:
        found["lines"] = [line_from, line_to]
    return found


def stitched(chunks: Sequence[ChunkRow]) -> str:
    """Return the text of a document; what a splitter of the caller altered or left out is a line end."""
    ordered = sorted(chunks, key=lambda chunk: chunk.position)
    if any(chunk.part.char_from is None for chunk in ordered):
        return "\n".join(chunk.part.text for chunk in ordered)
    pieces: list[str] = []
    length = 0
    for chunk in ordered:
        start, end = chunk.part.char_from or 0, chunk.part.char_to or 0
        if end > length:
            gap = "\n" if start > length else ""
            pieces.append(gap + chunk.part.text[max(length - start, 0) :])
            length = end
    return "".join(pieces)
