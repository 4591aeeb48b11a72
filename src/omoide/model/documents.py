"""Documents as values: a text that was added, the parts it was cut into, and the rows that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from omoide.model.records import Claim, digest
from omoide.model.time import Micros
from omoide.types import Trust

KIND: Final = "reference"
"""The kind of memory that a part of a document counts as."""
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Part(NamedTuple):
    """A part of a document: ``text[char_from:char_to]`` of it, and what is shown beside an answer.

    ``metadata`` is what a hit shows and ``where`` sees; the offsets are None where the splitter altered the text.
    """

    text: str
    char_from: int | None = None
    char_to: int | None = None
    title: str | None = None
    heading: str | None = None
    line_from: int | None = None
    line_to: int | None = None
    page: int | None = None
    metadata: Mapping[str, Any] = NOTHING


class Sheet(NamedTuple):
    """A document without its text. ``root`` is the folder or file it was found by, None for a text.

    ``hash`` stands for its content, ``stat`` for the state of its file, None while that may change unseen,
    ``recipe`` tells in JSON how it was cut.
    """

    source: str | None = None
    root: str | None = None
    hash: bytes | None = None
    stat: str | None = None
    recipe: str | None = None
    title: str | None = None
    metadata: Mapping[str, Any] = NOTHING
    project: str | None = None
    trust: Trust = "observed"
    size: int | None = None
    modified_at: Micros | None = None


class DocumentRow(NamedTuple):
    """One stored document."""

    document_id: int
    uid: str
    namespace: str
    sheet: Sheet
    actor: str | None
    door: str
    batch: str | None
    added_at: Micros
    updated_at: Micros | None
    removed_at: Micros | None


class ChunkRow(NamedTuple):
    """One stored part."""

    chunk_id: int
    document_id: int
    ord: int
    position: int
    part: Part
    modified_at: Micros | None
    added_at: Micros
    removed_at: Micros | None


def deleted_document(uid: str) -> bytes:
    """Return the mark under which a deleted document is not taken in again from a copy that still has it."""
    return digest("deleted document", uid)


def purged_document(namespace: str, content: bytes) -> bytes:
    """Return the mark under which the content of a purged file is not taken into a namespace again."""
    return digest("purged document", namespace, content.hex())


def part_claim(text: str, heading: str | None, title: str | None) -> Claim:
    """Return what is searched of a part: its text led by its heading, and by keywords the title of its document."""
    return Claim(text, subject=heading or None, abstract=title or None, kind=KIND)
