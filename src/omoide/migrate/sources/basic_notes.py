"""One note of basic-memory: its text, its observations and its relations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from omoide.migrate.front import Note
from omoide.migrate.reading import labels

_OBSERVATION: Final = re.compile(r"\s*[-*]\s+\[([^\[\]()]{1,100})\]\s+(.+)")
_RELATION: Final = re.compile(r"\s*[-*]\s+([^\[\]]{0,200}?)\s*\[\[([^\[\]]+)\]\]\s*(?:\((.*)\))?\s*$")
_CONTEXT: Final = re.compile(r"\s\(([^()]*)\)\s*$")
_TAG: Final = re.compile(r"(?<!\S)#([\w/-]+)")
_CHECKBOX: Final = frozenset({" ", "x", "X", "-"})
_FENCE: Final = re.compile(r"\s*(```|~~~)")


class Observation(NamedTuple):
    """A line about the note: ``- [category] text #tag (context)``."""

    category: str
    text: str
    tags: tuple[str, ...]
    context: str | None


class Relation(NamedTuple):
    """A line that leads to another note: ``- kind [[target]] (context)``."""

    kind: str
    target: str
    context: str | None


def title_of(note: Note, stem: str) -> str:
    """Return the title of a note, else the name of its file."""
    return str(note.fields.get("title") or stem).strip()


def tags_of(note: Note) -> list[str]:
    """Return the tags in the front matter."""
    return [tag.lstrip("#") for tag in labels(note.fields.get("tags"))]


def observations(note: Note) -> Iterator[Observation]:
    """Yield the observations of a note."""
    for line in _lines(note.body):
        match = _OBSERVATION.fullmatch(line)
        if match is None or match[1] in _CHECKBOX:
            continue
        text, context = match[2].strip(), _CONTEXT.search(match[2])
        if context is not None:
            text = text[: context.start()].strip()
        yield Observation(match[1].strip(), text, tuple(dict.fromkeys(_TAG.findall(text))), context and context[1])


def relations(note: Note) -> Iterator[Relation]:
    """Yield the relations of a note."""
    for line in _lines(note.body):
        match = _RELATION.fullmatch(line)
        if match is not None and not _OBSERVATION.fullmatch(line):
            yield Relation(match[1].strip() or "relates_to", match[2].split("|")[0].strip(), match[3])


def _lines(body: str) -> Iterator[str]:
    """Yield the lines outside of code."""
    fenced = False
    for line in body.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield line


def fields_beside(note: Note, *own: str) -> dict[str, Any]:
    """Return the fields of a front matter beside those that have a meaning here."""
    return {name: value for name, value in note.fields.items() if name not in own and value is not None}
