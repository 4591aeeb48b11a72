"""agent-memory: a folder of Markdown files, one memory each, with an archive of sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.migrate.front import Note, read_note
from omoide.migrate.json_file import lines_of
from omoide.migrate.reading import labels, moment
from omoide.migrate.source import Source
from omoide.migrate.values import Brought, Edit, Tie, said
from omoide.model.history import SegmentRow
from omoide.model.kinds import KINDS
from omoide.model.time import FOREVER
from omoide.text.summary import summarise
from omoide.types.reports import LeftOut

_REQUIRED: Final = ("name", "type", "created")
_OWN: Final = frozenset({"name", "abstract", "type", "created", "updated", "valid_from", "invalid_at", "superseded_by",
                         "weight", "author", "links", "provenance", "status", "subject", "project"})  # fmt: skip
_APART: Final = frozenset({"archive", "schemas", "dream-reports"})
_DEFAULTS: Final = frozenset({"default", "general"})


class AgentMemory(Source):
    """An agent-memory store. Its files keep one state of each memory; ended ones keep when they held."""

    name = "agent-memory"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        if not path.is_dir():
            raise InvalidInputError(f"{path} is no folder", value=str(path))

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield its memories, ended ones too."""
        for file in self._files():
            ref = f"agent-memory:{file.relative_to(self.path).as_posix()}"
            try:
                yield _memory(read_note(file), ref)
            except InvalidInputError as error:
                yield LeftOut(ref, error.message)

    def ties(self) -> Iterator[Tie]:
        """Yield its links, and which memory took another's place."""
        notes = list(self._notes())
        keys = {str(note.fields["name"]): _key(note) for note in notes}
        for note in notes:
            own = _key(note)
            successor = keys.get(str(note.fields.get("superseded_by")))
            if successor is not None and successor != own:
                yield Tie("supersedes", successor, own, moment(note.fields.get("invalid_at")))
            for name in labels(note.fields.get("links")):
                if keys.get(name, own) != own:
                    yield Tie("related", own, keys[name], None)

    def segments(self) -> Iterator[tuple[SegmentRow, str] | LeftOut]:
        """Yield its archived sessions."""
        folder = self.path / "archive" / "sessions"
        for file in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
            found = _session(file)
            if found is not None:
                yield found

    def _notes(self) -> Iterator[Note]:
        for file in self._files():
            try:
                note = read_note(file)
            except InvalidInputError:
                continue
            if all(note.fields.get(name) for name in _REQUIRED):
                yield note

    def _files(self) -> Iterator[Path]:
        for file in sorted(self.path.rglob("*.md")):
            parts = file.relative_to(self.path).parts
            apart = len(parts) < 2 or parts[0] in _APART or any(part.startswith(".") for part in parts)
            if not apart and file.is_file() and not file.is_symlink():
                yield file


def _memory(note: Note, ref: str) -> Brought:
    fields = note.fields
    lacking = [name for name in _REQUIRED if not fields.get(name)]
    if lacking:
        raise InvalidInputError(f"its front matter has no {lacking[0]}")
    abstract, body = str(fields.get("abstract") or "").strip(), note.body.strip()
    kind, project = str(fields["type"]), fields.get("project")
    ended = moment(fields.get("invalid_at")) or (moment(fields.get("updated")) if _retired(fields) else None)
    evidence = labels(fields.get("provenance"))
    claim = said(
        body or abstract, abstract=abstract if body else None, subject=fields.get("subject") or fields.get("user"),
        kind=kind if kind in KINDS else "fact", source=evidence[0] if evidence else ref, metadata=_metadata(note, kind),
        project=None if project in _DEFAULTS else project,
    )  # fmt: skip
    made = moment(fields.get("created"))
    edit = Edit(
        moment(fields.get("updated")) or made, claim, ref, valid_from=moment(fields.get("valid_from")) or made,
        valid_to=FOREVER if ended is None else ended, actor=fields.get("author"),
    )  # fmt: skip
    return Brought(_key(note), (edit,), live=True)


def _metadata(note: Note, kind: str) -> dict[str, Any]:
    found = {name: value for name, value in note.fields.items() if name not in _OWN and value is not None}
    found["name"] = note.fields["name"]
    weight = str(note.fields.get("weight") or "1.0")
    evidence = labels(note.fields.get("provenance"))
    return {
        **found,
        **({"weight": float(weight)} if weight.replace(".", "", 1).isdigit() and float(weight) != 1.0 else {}),
        **({"provenance": evidence} if len(evidence) > 1 else {}),
        **({} if kind in KINDS else {"type": kind}),
    }


def _retired(fields: dict[str, Any]) -> bool:
    return fields.get("status") in ("invalid", "retired")


def _key(note: Note) -> tuple[str, ...]:
    return (str(note.fields["name"]), str(note.fields["created"]))


def _session(file: Path) -> tuple[SegmentRow, str] | None:
    lines, first = list[str](), None
    for _, item in lines_of(file):
        if not isinstance(item, LeftOut) and str(item.get("text") or "").strip():
            lines.append(f"{item.get('role') or 'unknown'}: {item['text']}")
            first = first if first is not None else moment(item.get("at"))
    if not lines:
        return None
    text = "\n\n".join(lines)
    at = file.stat().st_mtime_ns // 1000 if first is None else first
    row = SegmentRow(
        number=0, namespace="", segment_id=file.stem, session_id=None, ord=0, kind="session", summary=summarise(text),
        tags=(), project=None, domain=None, entities={}, importance=5, lines=1, archived=False, archived_at=None,
        restored_at=None, replaced_by=None, uses=0.0, used_at=None, metadata={}, actor=None, door="import",
        trust="observed", batch=None, at=at,
    )  # fmt: skip
    return row, text
