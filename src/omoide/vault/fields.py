"""A memory as the front matter of its note, and front matter as what a memory says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.model.kinds import check_importance, confidence_value
from omoide.model.records import Row, State
from omoide.model.time import ALWAYS, FOREVER, Micros, to_datetime, to_micros
from omoide.model.trust import check_trust
from omoide.vault.types import NoteType, Problem, Types

ENDED: Final = {"forget": "forgotten", "reject": "rejected", "supersede": "superseded", "undo": "forgotten"}
"""The status that a note shows for a memory that ended, by what ended it."""

LABELS: Final = ("subject", "predicate", "project", "abstract", "source")
LISTS: Final = ("tags", "cites", "triggers")
TIMES: Final = ("valid_from", "valid_to")
STATE: Final = ("pinned", "status")


@dataclass(frozen=True, slots=True)
class Read:
    """Front matter as values: ``claim`` holds what can be given for a claim, by name; ``problems`` one a field."""

    claim: dict[str, Any]
    valid_from: Micros | None = None
    valid_to: Micros | None = None
    pinned: bool = False
    status: str | None = None
    problems: tuple[Problem, ...] = field(default=())


def shown(row: Row, state: State, kind: NoteType, *, supersedes: Sequence[int] = ()) -> dict[str, Any]:
    """Return the fields that the note of a memory shows for one of its versions, in the order they are written.

    Numbers that change by use (seen, access, value) are left out, so that reading changes no file.
    """
    claim = row.claim
    own = {name: claim.metadata[name] for name in kind.own if _promotable(claim.metadata.get(name))}
    hidden = {*own, *(("type",) if kind.name != claim.kind else ())}
    return {
        "id": state.id,
        "uid": state.uid,
        "was": [],
        "type": kind.name,
        "namespace": None if row.namespace == "default" else row.namespace,
        "subject": claim.subject,
        "predicate": claim.predicate,
        "project": claim.project,
        **{name: own.get(name) for name in kind.own},
        "abstract": claim.abstract,
        "tags": list(claim.tags),
        "importance": None if claim.importance == "medium" else claim.importance,
        "confidence": None if claim.confidence == 1.0 else claim.confidence,
        "basis": claim.basis,
        "valid_from": time_text(row.valid_from),
        "valid_to": time_text(row.valid_to),
        "source": claim.source,
        "trust": claim.trust,
        "cites": list(claim.cites),
        "triggers": list(claim.triggers),
        "metadata": {name: value for name, value in claim.metadata.items() if name not in hidden},
        "pinned": True if state.pinned else None,
        "status": status_of(state),
        "supersedes": list(supersedes),
    }


def status_of(state: State) -> str | None:
    """Return what a note says about the state of its memory, None for a current one."""
    if state.ended is not None:
        return ENDED.get(state.ended, state.ended)
    if state.archived:
        return "archived"
    return "disputed" if state.disputed is not None else None


def time_text(at: Micros) -> str | None:
    """Return a time in UTC as a note shows it, None for an open end."""
    if at in (FOREVER, ALWAYS):
        return None
    moment = to_datetime(at)
    form = "microseconds" if moment.microsecond else "seconds"
    return moment.isoformat(timespec=form).replace("+00:00", "Z")


def read_fields(fields: Mapping[str, Any], types: Types, *, promoted: Sequence[str] = ()) -> Read:
    """Return what front matter says, with one problem for each field that cannot be taken.

    ``promoted`` are names of metadata that the note may give as fields of their own.
    """
    problems: list[Problem] = []
    kind = types.named(fields.get("type"))
    if kind is None:
        problems.append(Problem("type", f"must be one of {', '.join(types.by_name)}, not {fields.get('type')!r}"))
    claim = _labels(fields, problems) | _lists(fields, problems) | _weights(fields, problems)
    claim["metadata"] = _metadata(fields, kind, promoted, problems)
    if kind is not None:
        claim["kind"] = kind.kind
        problems += [
            Problem(name, f"is required by the type {kind.name}")
            for name in kind.required
            if not claim.get(name) and not claim["metadata"].get(name)
        ]
    start, end = (_time(fields, name, problems) for name in TIMES)
    if start is not None and end is not None and end <= start:
        problems.append(Problem("valid_to", "must be later than valid_from"))
    status = fields.get("status")
    return Read(
        claim, start, end, fields.get("pinned") is True, status if isinstance(status, str) else None, tuple(problems)
    )


def validate(fields: Mapping[str, Any], types: Types) -> tuple[Problem, ...]:
    """Return what is wrong with front matter, one problem a field."""
    return read_fields(fields, types).problems


def _promotable(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def _labels(fields: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in LABELS:
        value = fields.get(name)
        if value is not None and not isinstance(value, str | int | float):
            problems.append(Problem(name, f"must be one text, not {_kind_of(value)}"))
        elif value is not None and str(value).strip():
            found[name] = _worded(value).strip()
    return found


def _worded(value: str | float) -> str:
    """A label that YAML takes for a number or a truth value is a text here all the same."""
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _lists(fields: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in LISTS:
        value = fields.get(name)
        items = [value] if isinstance(value, str | int | float) else value
        if items is None:
            continue
        if not isinstance(items, list) or not all(isinstance(item, str | int | float) for item in items):
            problems.append(Problem(name, f"must be a list of texts, not {_kind_of(value)}"))
            continue
        words = [_worded(item).strip() for item in items]
        found[name] = [word.lstrip("#") if name == "tags" else word for word in words if word]
    return found


def _weights(fields: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, check in _CHECKS.items():
        if fields.get(name) is not None:
            try:
                found[name] = check(fields[name])
            except InvalidInputError as error:
                problems.append(Problem(name, error.message.removeprefix(f"{name} ")))
    return found


def _basis(value: Any) -> str:
    basis = str(value)
    confidence_value(None, basis)
    return basis


_CHECKS: Final[dict[str, Callable[[Any], Any]]] = {
    "importance": check_importance,
    "trust": check_trust,
    "confidence": lambda value: confidence_value(value, None),
    "basis": _basis,
}


def _metadata(
    fields: Mapping[str, Any], kind: NoteType | None, promoted: Sequence[str], problems: list[Problem]
) -> dict[str, Any]:
    value = fields.get("metadata")
    if value is not None and not isinstance(value, dict):
        problems.append(Problem("metadata", f"must be a list of names and values, not {_kind_of(value)}"))
        value = None
    found = dict(value or {})
    for name in dict.fromkeys((*(kind.own if kind else ()), *promoted)):
        if fields.get(name) is not None and name not in found:
            found[name] = fields[name]
    if kind is not None and kind.name != kind.kind:
        found["type"] = kind.name
    return found


def _time(fields: Mapping[str, Any], name: str, problems: list[Problem]) -> Micros | None:
    value = fields.get(name)
    if value is None:
        return None
    try:
        return to_micros(value, name) if isinstance(value, str) else to_micros(str(value), name)
    except InvalidInputError as error:
        problems.append(Problem(name, error.message.removeprefix(f"{name} ")))
        return None


def _kind_of(value: Any) -> str:
    return {dict: "a mapping", list: "a list", bool: "true or false"}.get(type(value), repr(value))
