"""RLM for Claude Code: a folder of insights (JSON) and parts of conversations (Markdown, compressed when archived)."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.migrate.json_file import document
from omoide.migrate.reading import labels, local_moment, plain
from omoide.migrate.source import Source
from omoide.migrate.values import Brought, Edit, said
from omoide.model.history import SegmentRow
from omoide.model.kinds import IMPORTANCE, KINDS
from omoide.model.segments import SEGMENT_KINDS
from omoide.text.summary import cut, plain_line
from omoide.types.reports import LeftOut

INSIGHTS: Final = "session_memory.json"
INDEX: Final = "index.json"
_LARGEST: Final = 64_000_000
_SORTS: Final = {
    "rule": "procedure",
    "workflow": "procedure",
    "insight": "fact",
    "finding": "fact",
    "lesson": "experience",
}


def is_context(path: Path) -> bool:
    """Say whether a folder is one that RLM keeps its context in."""
    return (path / INSIGHTS).is_file() or (path / INDEX).is_file()


class Rlm(Source):
    """An RLM folder. Times without a zone are taken to be of this machine's."""

    name = "rlm"

    def __init__(self, path: Path) -> None:
        super().__init__(path if is_context(path) else path / "context")
        if not is_context(self.path):
            raise InvalidInputError(f"{path} is no folder of RLM: it has no {INSIGHTS} and no {INDEX}", value=str(path))

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield its insights."""
        file = self.path / INSIGHTS
        for item in document(file).get("insights", ()) if file.is_file() else ():
            ref = f"rlm:insight/{item.get('id') if isinstance(item, dict) else '?'}"
            try:
                yield self._insight(item, ref)
            except (InvalidInputError, KeyError, TypeError, AttributeError) as error:
                yield LeftOut(ref, str(error))

    def _insight(self, item: dict[str, Any], ref: str) -> Brought:
        category, importance = str(item.get("category") or "general"), str(item.get("importance") or "medium")
        kind = category if category in KINDS else _SORTS.get(category, "fact")
        claim = said(
            item["content"], kind=kind, tags=labels(item.get("tags")), source=ref, metadata={"category": category},
            importance=importance if importance in IMPORTANCE else "medium",
        )  # fmt: skip
        return Brought(
            (str(item["id"]), str(item.get("created_at"))), (Edit(local_moment(item.get("created_at")), claim, ref),)
        )

    def segments(self) -> Iterator[tuple[SegmentRow, str] | LeftOut]:
        """Yield its chunks, archived ones too."""
        for name, key, archived in ((INDEX, "chunks", False), ("archive_index.json", "archives", True)):
            file = self.path / name
            for entry in document(file).get(key, ()) if file.is_file() else ():
                id = str(entry.get("id")) if isinstance(entry, dict) else "?"
                try:
                    yield _segment(entry, archived), self._text(id, archived=archived)
                except (InvalidInputError, OSError, KeyError, TypeError, AttributeError, EOFError, ValueError) as error:
                    yield LeftOut(f"rlm:chunk/{id}", str(error) or type(error).__name__)

    def _text(self, id: str, *, archived: bool) -> str:
        """Return a chunk without its header.

        Raises:
            InvalidInputError: an id that leads out of the folder, or a file that is too large.
        """
        folder, ending = (self.path / "archive", ".md.gz") if archived else (self.path / "chunks", ".md")
        file = folder / f"{id}{ending}"
        if file.resolve().parent != folder.resolve() or file.is_symlink():
            raise InvalidInputError("its file lies outside of the folder", value=id)
        with gzip.open(file) if archived else file.open("rb") as opened:
            data = opened.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise InvalidInputError(f"its file holds more than {_LARGEST} bytes", value=id)
        text = data.decode("utf-8", "replace")
        body = text.split("\n---\n", 1)[1] if text.startswith("---\n") and "\n---\n" in text else text
        body = body.removeprefix("\n")
        if not body.strip():
            raise InvalidInputError("it has no text", value=id)
        return body


def _segment(entry: dict[str, Any], archived: bool) -> SegmentRow:
    kind = str(entry.get("chunk_type") or "session")
    entities = {
        str(sort): tuple(labels(found)) for sort, found in (entry.get("entities") or {}).items() if labels(found)
    }
    metadata = {
        name: plain(entry[name])
        for name in ("ticket", "session_id", "transcript_path", "access_count")
        if entry.get(name)
    }
    at = local_moment(entry.get("created_at")) or 0
    summary = cut(plain_line(" ".join(str(entry.get("summary") or "").split())))
    return SegmentRow(
        number=0, namespace="", segment_id=str(entry["id"]), session_id=None, ord=0,
        kind=kind if kind in SEGMENT_KINDS else "session", summary=summary, tags=tuple(labels(entry.get("tags"))),
        project=str(entry["project"]).strip() or None if entry.get("project") else None,
        domain=str(entry["domain"]).strip() or None if entry.get("domain") else None, entities=entities, importance=5,
        lines=1, archived=archived, archived_at=local_moment(entry.get("archived_at")) if archived else None,
        restored_at=None, replaced_by=None, uses=0.0, used_at=None, metadata=metadata, actor=None, door="import",
        trust="observed", batch=None, at=at,
    )  # fmt: skip
