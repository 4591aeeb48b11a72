"""Markdown: a note for each subject, its memories as lines that basic-memory reads as observations."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from omoide.migrate.sources.memory_server import RELATION
from omoide.types import MemoryRecord

_UNFIT: Final = re.compile(r"[^\w.-]+")
_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))}
)
_LONGEST: Final = 80
NOBODY: Final = "notes"


def pieces(records: Iterable[MemoryRecord]) -> Iterator[str]:
    """Yield one document with a section for each subject."""
    for at, (title, group) in enumerate(_by_subject(records).items()):
        yield ("" if at == 0 else "\n") + f"# {_line(title)}\n\n" + "".join(map(_item, group))


def notes(records: Iterable[MemoryRecord]) -> Iterator[tuple[str, str]]:
    """Yield (file name, text) of a note for each subject; names are safe on every system and unlike in any case."""
    taken: set[str] = set()
    for title, group in _by_subject(records).items():
        name = _name(title, taken)
        head = f"---\ntitle: {_quoted(title)}\ntype: note\npermalink: {_quoted(name)}\n---\n\n"
        yield f"{name}.md", head + f"# {_line(title)}\n\n" + "".join(map(_item, group))


def _by_subject(records: Iterable[MemoryRecord]) -> dict[str, list[MemoryRecord]]:
    found: dict[str, list[MemoryRecord]] = {}
    for record in records:
        found.setdefault(record.subject or NOBODY, []).append(record)
    return found


def _item(record: MemoryRecord) -> str:
    """Return a memory as an item; the lines of a long text are indented below its first."""
    end = record.metadata.get(RELATION)
    if isinstance(end, str) and end and not set(end) & set("[]\n"):
        return f"- {_line(record.predicate or 'relates_to')} [[{end}]]\n"
    first, *rest = record.text.strip().replace("\r\n", "\n").split("\n")
    tags = "".join(f" #{_UNFIT.sub('-', tag)}" for tag in record.tags if f"#{tag}" not in first)
    since = f" (since {record.valid_from.date().isoformat()})" if record.valid_from is not None else ""
    head = f"- [{_line(record.predicate or record.kind)}] {first}{tags}{since}\n"
    return head + "".join(f"  {line}\n" if line.strip() else "\n" for line in rest)


def _line(text: str) -> str:
    return " ".join(text.split()).replace("[", "(").replace("]", ")")


def _quoted(text: str) -> str:
    escaped = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _name(title: str, taken: set[str]) -> str:
    stem = _UNFIT.sub("-", unicodedata.normalize("NFC", title)).strip("-.") or "note"
    short = stem[:_LONGEST]
    if short != stem or short.casefold() in taken or short.casefold().split(".")[0] in _RESERVED:
        short = f"{short}-{hashlib.sha256(title.encode('utf-8', 'replace')).hexdigest()[:8]}"
    taken.add(short.casefold())
    return short
