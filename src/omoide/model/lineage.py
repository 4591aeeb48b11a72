"""How the edits of diverged copies of one memory become one belief: all of them replayed in one order.

An edit is stamped with its known time and a count: (time, count) is larger than every stamp that the copy it
was made in had seen for this memory, so that an edit follows what it has seen even where clocks disagree.
Every edit has a key made from what it says; a piece that an edit leaves of an older belief keeps the key of
that belief, its root. What ends a belief (forget, reject, supersede) names the roots it has seen and nothing
else, so an edit that it has not seen survives it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from omoide.model.time import Micros

Stamp = tuple[Micros, int]

KEPT: Final = "kept"
"""Cause of a piece that an edit left as it was."""
MERGE: Final = "merge"
"""Cause of a piece that a merge left of an older belief; it is made anew by every merge and never travels."""


@dataclass(frozen=True, slots=True)
class Put:
    """A belief on ``[valid_from, valid_to)`` that replaces what was believed there."""

    key: bytes
    text: str
    valid_from: Micros
    valid_to: Micros
    stamp: Stamp
    cause: str


@dataclass(frozen=True, slots=True)
class End:
    """The belief ``root`` ended on ``[valid_from, valid_to)``, which is where it was seen to hold."""

    root: bytes
    valid_from: Micros
    valid_to: Micros
    stamp: Stamp
    cause: str


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the valid time on which the belief ``root`` holds."""

    root: bytes
    text: str
    valid_from: Micros
    valid_to: Micros


def replay(puts: Iterable[Put], ends: Iterable[End]) -> list[Span]:
    """Return what is believed after all edits and endings, by valid time."""
    steps: list[tuple[Stamp, int, bytes, Put | End]] = [(put.stamp, 1, put.key, put) for put in puts]
    steps += [(end.stamp, 0, end.root, end) for end in ends]  # what one edit ends makes room for what it restores
    steps.sort(key=lambda step: step[:3])
    spans: list[Span] = []
    for *_, step in steps:
        spans = _put(spans, step) if isinstance(step, Put) else _end(spans, step)
    return sorted(spans, key=lambda span: (span.valid_from, span.root))


def _put(spans: list[Span], put: Put) -> list[Span]:
    if put.cause == "restore":
        return spans + _fill(spans, put)
    if put.cause == "confirm":
        return _confirm(spans, put)
    left = [part for span in spans for part in _outside(span, put.valid_from, put.valid_to)]
    return [*left, Span(put.key, put.text, put.valid_from, put.valid_to)]


def _fill(spans: list[Span], put: Put) -> list[Span]:
    """A restored belief comes back where nothing else is believed by now."""
    gaps = [Span(put.key, put.text, put.valid_from, put.valid_to)]
    for taken in spans:
        gaps = [part for gap in gaps for part in _outside(gap, taken.valid_from, taken.valid_to)]
    return gaps


def _confirm(spans: list[Span], put: Put) -> list[Span]:
    """A confirmation vouches for its own text and replaces no other."""
    after: list[Span] = []
    for span in spans:
        start, end = max(span.valid_from, put.valid_from), min(span.valid_to, put.valid_to)
        if span.text != put.text or start >= end:
            after.append(span)
            continue
        after += [*_outside(span, start, end), Span(put.key, put.text, start, end)]
    return after


def _end(spans: list[Span], end: End) -> list[Span]:
    after: list[Span] = []
    for span in spans:
        after += _outside(span, end.valid_from, end.valid_to) if span.root == end.root else [span]
    return after


def _outside(span: Span, start: Micros, end: Micros) -> list[Span]:
    """Return the parts of a span that lie outside ``[start, end)``."""
    if span.valid_to <= start or end <= span.valid_from:
        return [span]
    parts = [(span.valid_from, min(start, span.valid_to)), (max(end, span.valid_from), span.valid_to)]
    return [Span(span.root, span.text, first, last) for first, last in parts if first < last]
