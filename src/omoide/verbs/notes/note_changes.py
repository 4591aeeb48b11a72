"""What a person changed in the note of a memory: the file against what it said when it was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from omoide.model.records import Claim, Row
from omoide.model.time import FOREVER, Micros
from omoide.model.trust import lowered
from omoide.vault.damage import DamagedNoteError
from omoide.vault.fields import ENDED, LABELS, LISTS, Read, read_fields
from omoide.vault.frontmatter import Note, same_body
from omoide.vault.types import Types

_WITHOUT: Final[dict[str, Any]] = {"importance": "medium", "confidence": 1.0, "basis": None}
FORGOTTEN: Final = frozenset((*ENDED.values(), "retracted"))
"""What the line ``status`` says of a memory that is not believed any more."""


@dataclass(frozen=True, slots=True)
class Change:
    """What differs; a part that is None was left alone.

    ``claim`` is what the memory says now, None when that is the same. ``valid_from`` and ``valid_to`` were edited
    when not None. ``ending`` is ``"forget"``, ``"restore"`` or None. ``raised``: the note asks for more trust than a
    file can give.
    """

    claim: Claim | None = None
    text: bool = False
    valid_from: Micros | None = None
    valid_to: Micros | None = None
    pinned: bool | None = None
    archived: bool | None = None
    ending: str | None = None
    raised: bool = False

    @property
    def says(self) -> bool:
        """Whether the memory gets a new version."""
        return self.claim is not None or self.valid_from is not None or self.valid_to is not None


def change_of(note: Note, shown: Mapping[str, Any], base: Row, current: Row, types: Types) -> Change:
    """Return what a note changes of its memory.

    ``shown`` are the fields that it had when it said ``base``; ``current`` is what is believed now. What was changed
    on one side only is kept from both; where both changed the same, the note's word counts.

    Raises:
        DamagedNoteError: a field cannot be taken; the message has a sentence for each.
    """
    own = [name for name in base.claim.metadata if name in note.fields and name not in shown]
    read = read_fields(note.fields, types, promoted=own)
    changed = {name for name in {*shown, *_own_names(note, types)} if _differs(note.fields.get(name), shown.get(name))}
    _check(read, changed)
    if read.valid_from == base.valid_from:
        changed.discard("valid_from")  # the same time in other words
    if read.valid_to == base.valid_to:
        changed.discard("valid_to")
    text = not same_body(note.body, base.claim.text)
    claim = _claim(read, changed, current.claim, note.body if text else None)
    return Change(
        claim=None if claim == current.claim else claim,
        text=text,
        valid_from=read.valid_from if "valid_from" in changed else None,
        valid_to=(FOREVER if read.valid_to is None else read.valid_to) if "valid_to" in changed else None,
        pinned=read.pinned if "pinned" in changed else None,
        raised="trust" in changed and read.claim.get("trust") not in (None, claim.trust),
        **_standing(read, shown, changed),
    )


def _own_names(note: Note, types: Types) -> tuple[str, ...]:
    kind = types.named(note.fields.get("type"))
    return kind.own if kind is not None else ()


def _differs(one: Any, other: Any) -> bool:
    if not one and not other and not isinstance(one, bool | int | float):
        return False
    return bool(_plain(one) != _plain(other))


def _plain(value: Any) -> Any:
    """A list of one and its item, a number and its text are the same to who writes YAML by hand."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return value if isinstance(value, bool) or value is None else str(value).strip()


def _check(read: Read, changed: set[str]) -> None:
    problems = [f"{each.field} {each.message}" for each in read.problems]
    if "namespace" in changed:
        problems.append("namespace cannot be changed in a file; remember it there instead")
    if problems:
        raise DamagedNoteError("invalid", "; ".join(problems))


def _claim(read: Read, changed: set[str], old: Claim, body: str | None) -> Claim:
    new: dict[str, Any] = {}
    if "type" in changed:
        new["kind"] = read.claim["kind"]
    for name in changed:
        if name in LABELS:
            new[name] = read.claim.get(name)
        elif name in LISTS:
            new[name] = tuple(dict.fromkeys(read.claim.get(name, ())))
        elif name in _WITHOUT:
            new[name] = read.claim.get(name, _WITHOUT[name])
    if changed - {*LABELS, *LISTS, *_WITHOUT, *_MANAGED}:
        new["metadata"] = read.claim["metadata"]
    if body is not None:
        new["text"] = body.strip("\r\n")
    if "basis" in new and "confidence" not in changed and old.basis != new["basis"]:
        new["confidence"] = _WITHOUT["confidence"]
    claim = replace(old, **new)
    asked = read.claim.get("trust") if "trust" in changed else None
    if claim == old and asked is None:
        return claim
    return replace(claim, trust=lowered(lowered("observed", old.trust), asked))


_MANAGED: Final = frozenset((
    "id", "uid", "was", "namespace", "valid_from", "valid_to", "trust", "pinned", "status", "supersedes",
))  # fmt: skip


def _standing(read: Read, shown: Mapping[str, Any], changed: set[str]) -> dict[str, Any]:
    """Return what an edit of the line ``status`` asks for."""
    if "status" not in changed:
        return {}
    before, now = shown.get("status"), read.status
    if now not in (None, "current", "archived", "disputed", *FORGOTTEN):
        raise DamagedNoteError("invalid", f"status must be forgotten, archived or left out, not {now!r}")
    found: dict[str, Any] = {}
    if before in FORGOTTEN and now not in FORGOTTEN:
        found["ending"] = "restore"
    elif now in FORGOTTEN and before not in FORGOTTEN:
        found["ending"] = "forget"
    if (before == "archived") is not (now == "archived"):
        found["archived"] = now == "archived"
    return found
