"""claude-mem: observations and summaries that a model wrote of coding sessions, in a SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.migrate.reading import json_value, labels, moment
from omoide.migrate.source import Source
from omoide.migrate.sqlite_file import Database, Row, file_in
from omoide.migrate.values import Brought, Edit, said
from omoide.types.reports import LeftOut

FILE: Final = "claude-mem.db"
_OBSERVATION: Final = (
    "id", "memory_session_id", "sdk_session_id", "project", "merged_into_project", "text", "type", "title", "subtitle",
    "facts", "narrative", "concepts", "files_read", "files_modified", "prompt_number", "created_at", "created_at_epoch",
)  # fmt: skip
_SUMMARY: Final = (
    "id", "memory_session_id", "sdk_session_id", "project", "merged_into_project", "request", "investigated", "learned",
    "completed", "next_steps", "notes", "prompt_number", "created_at", "created_at_epoch",
)  # fmt: skip
_PARTS: Final = ("request", "investigated", "learned", "completed", "next_steps", "notes")
_PROMPT: Final = ("id", "content_session_id", "claude_session_id", "prompt_number", "prompt_text", "created_at",
                  "created_at_epoch")  # fmt: skip
_SORTS: Final = {"decision": "decision", "discovery": "experience", "bugfix": "experience", "feature": "event",
                 "refactor": "event", "change": "event"}  # fmt: skip


class ClaudeMem(Source):
    """Its database, or the folder that it lies in. A model wrote most of it: that is derived, prompts are observed."""

    name = "claude-mem"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = Database(file_in(path, FILE))
        self._file.need(self.name, "sdk_sessions", "observations")

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield its observations, its summaries of sessions and what the user asked for."""
        makers = (("observations", _OBSERVATION, _observed), ("session_summaries", _SUMMARY, _summed),
                  ("user_prompts", _PROMPT, _asked))  # fmt: skip
        for table, columns, make in makers:
            if table not in self._file.tables:
                continue
            for row in self._file.stream(table, columns):
                ref = f"claude-mem:{table}/{row['id']}"
                try:
                    yield make(row, ref)
                except InvalidInputError as error:
                    yield LeftOut(ref, error.message)


def _observed(row: Row, ref: str) -> Brought:
    facts = labels_of(row["facts"])
    head = " — ".join(part for part in (_text(row["title"]), _text(row["subtitle"])) if part)
    body = [_text(row["narrative"]) or _text(row["text"]), *(f"- {fact}" for fact in facts)]
    text = "\n\n".join(part for part in (head, "\n".join(part for part in body if part)) if part)
    files = {name: found for name in ("files_read", "files_modified") if (found := labels_of(row[name]))}
    claim = said(
        text, trust="derived", kind=_SORTS.get(str(row["type"]), "fact"), abstract=head or None,
        tags=labels_of(row["concepts"]), source=_session(row), project=row["merged_into_project"] or row["project"],
        metadata={"type": _text(row["type"]), **_prompt(row), **files},
    )  # fmt: skip
    return _brought("observation", row, claim, ref, row["title"] or row["text"])


def _summed(row: Row, ref: str) -> Brought:
    said_parts = [f"{name.replace('_', ' ')}: {_text(row[name])}" for name in _PARTS if _text(row[name])]
    claim = said(
        "\n".join(said_parts), trust="derived", kind="event", source=_session(row), metadata=_prompt(row),
        abstract=_text(row["request"]) or None, project=row["merged_into_project"] or row["project"],
        tags=["session summary"],
    )  # fmt: skip
    return _brought("summary", row, claim, ref, row["request"])


def _asked(row: Row, ref: str) -> Brought:
    session = row["content_session_id"] or row["claude_session_id"]
    claim = said(row["prompt_text"], kind="event", source=session, tags=["prompt"], metadata=_prompt(row))
    return _brought("prompt", row, claim, ref, session)


def _brought(sort: str, row: Row, claim: Any, ref: str, name: object) -> Brought:
    at = moment(row["created_at_epoch"] if row["created_at_epoch"] is not None else row["created_at"])
    return Brought((sort, str(row["id"]), str(row["created_at_epoch"]), str(name)), (Edit(at, claim, ref),), live=True)


def _session(row: Row) -> str | None:
    return _text(row["memory_session_id"] or row["sdk_session_id"]) or None


def _prompt(row: Row) -> dict[str, Any]:
    return {} if row["prompt_number"] is None else {"prompt_number": row["prompt_number"]}


def _text(value: object) -> str:
    return str(value).strip() if value is not None else ""


def labels_of(value: object) -> list[str]:
    """Return a list of a field that should hold one as JSON; a field that is damaged is one text."""
    try:
        return labels(json_value(value))
    except InvalidInputError:
        return labels([value])
