"""Arguments of a write, checked and made into a claim before anything is touched."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.model.ids import known_id
from omoide.model.kinds import check_importance, check_kind, confidence_value
from omoide.model.records import Claim, digest
from omoide.model.trust import lowered
from omoide.text.lookalikes import name_key, skeleton
from omoide.text.normalize import check_text, normalise
from omoide.text.tokens import analyze
from omoide.types import Trust

Moment = datetime | date | str

MAX_TEXT: Final = 64_000_000
"""Characters of the longest text that is accepted."""
_MOST: Final = 2**31 - 1  # more hits than any store has
MAX_DEPTH: Final = 100
"""Levels of nesting in metadata."""


def draft_claim(
    text: object, *, door_trust: Trust, metadata: object = None, subject: object = None, predicate: object = None,
    kind: object = "fact", abstract: object = None, tags: object = None, importance: object = "medium",
    confidence: object = None, basis: str | None = None, source: object = None, trust: str | None = None,
    project: object = None, cites: object = None, triggers: object = None,
) -> Claim:  # fmt: skip
    """Return the claim that the arguments describe.

    Raises:
        InvalidInputError: names the first argument that cannot be accepted.
    """
    told_by = draft_label(source, "source")
    return Claim(
        text=draft_text(text),
        subject=draft_label(subject, "subject"),
        predicate=draft_label(predicate, "predicate"),
        kind=check_kind(kind),
        abstract=draft_label(abstract, "abstract"),
        tags=_labels(tags, "tags"),
        importance=check_importance(importance),
        confidence=confidence_value(confidence, basis),
        basis=basis,
        metadata=draft_metadata(metadata),
        source=told_by,
        trust=lowered(door_trust, trust, told_by),
        project=draft_label(project, "project"),
        cites=_labels(cites, "cites"),
        triggers=_labels(triggers, "triggers"),
    )


def draft_text(text: object) -> str:
    """Return ``text`` exactly as given.

    Raises:
        InvalidInputError: not a text, blank, too long, or with a lone surrogate.
    """
    checked = check_text(text, "text")
    if len(checked) > MAX_TEXT:
        raise InvalidInputError(f"text has {len(checked)} characters; the limit is {MAX_TEXT}", value=len(checked))
    return checked


def draft_metadata(metadata: object) -> dict[str, Any]:
    """Return metadata as it will come back from the store.

    Raises:
        InvalidInputError: not an object of JSON values.
    """
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise InvalidInputError(f"metadata must be a dict, not {type(metadata).__name__}", value=metadata)
    _check_keys(metadata, 0)
    try:
        text = json.dumps(metadata, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"metadata must hold JSON values: {error}", value=metadata) from error
    return dict(json.loads(text)) if metadata else {}


def _check_keys(value: object, depth: int) -> None:
    """Refuse what JSON in SQLite cannot tell apart or read back: other keys than texts, NUL in keys, deep nesting."""
    if depth > MAX_DEPTH:
        raise InvalidInputError(f"metadata is nested more than {MAX_DEPTH} levels deep", value=depth)
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str) or "\0" in key:
                raise InvalidInputError(f"metadata keys must be texts without NUL, not {key!r}", value=key)
            _check_keys(inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_keys(inner, depth + 1)


def value_key(namespace: str, text: str, subject: str | None, predicate: str | None) -> bytes:
    """Return what stands for a value in a namespace: subject, predicate and text, in whatever spelling."""
    about = None if subject is None else skeleton(name_key(subject))
    return digest("value", namespace, about, None if predicate is None else skeleton(predicate), skeleton(text))


def says_the_same(one: Claim, other: Claim) -> bool:
    """Say whether two claims with one value key are a repeat of each other, white space aside."""
    return (
        one.kind == other.kind
        and one.project == other.project
        and one.metadata == other.metadata
        and (one.text == other.text or normalise(one.text) == normalise(other.text))
    )


def embedded_text(claim: Claim) -> str:
    """Return what is embedded: the text, led by what it is about when that is known."""
    about = " ".join(part for part in (claim.subject, claim.predicate) if part)
    return f"{about}: {claim.text}" if about else claim.text


def searched_text(claim: Claim) -> str:
    """Return what keyword search sees: the text and the labels that name what it is about."""
    labels = [part for part in (claim.subject, claim.predicate, claim.abstract, *claim.tags) if part]
    return "\n".join([claim.text, *labels]) if labels else claim.text


def searched_terms(claim: Claim) -> list[str]:
    """Return the keyword terms of a claim."""
    return list(analyze(searched_text(claim)))


def draft_label(value: object, name: str) -> str | None:
    """Return a short text without blanks around it, or None.

    Raises:
        InvalidInputError: not a text, or blank.
    """
    return None if value is None else check_text(value, name).strip()


def draft_confidence(confidence: object) -> float | None:
    """Return a confidence from 0 to 1, or None."""
    return None if confidence is None else confidence_value(confidence, None)


def check_k(k: object) -> int:
    """Return how many hits are asked for.

    Raises:
        InvalidInputError: not a whole number.
    """
    if isinstance(k, bool) or not isinstance(k, int):
        raise InvalidInputError(f"k must be a whole number, not {k!r}", value=k)
    return min(k, _MOST)


def check_id(id: object, name: str = "id") -> int:
    """Return a memory id.

    Raises:
        InvalidInputError: not a whole number.
    """
    if isinstance(id, bool) or not isinstance(id, int):
        raise InvalidInputError(f"{name} must be the integer id of a memory, not {id!r}", value=id)
    return known_id(id)


def check_flag(value: Any, name: str) -> bool:
    """Return a flag, refusing what is neither true nor false: ``"no"`` would count as true."""
    if value is not None and value not in (True, False):
        raise InvalidInputError(f"{name} must be True or False, not {value!r}", value=value)
    return bool(value)


def check_share(value: object, name: str, low: float = 0.0) -> float | None:
    """Return a threshold from ``low`` to 1, or None.

    Raises:
        InvalidInputError: anything else.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= 1:
        raise InvalidInputError(f"{name} must be a number from {low:g} to 1, not {value!r}", value=value)
    return float(value)


def _labels(value: object, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence | set | frozenset):
        raise InvalidInputError(f"{name} must be a list of texts, not {value!r}", value=value)
    items = sorted(value) if isinstance(value, set | frozenset) else value
    return tuple(dict.fromkeys(check_text(item, f"each of {name}").strip() for item in items))
