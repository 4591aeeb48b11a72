"""Secrets out of texts: found by their shape, masked before anything is stored.

A mark says what kind stood there: ``[masked:github-token]``. It is legal inside a JSON string, so that raw lines stay
what they were. Git hashes, UUIDs, checksums and base64 pictures are no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, NamedTuple

from omoide.text.secret_rules import LONG_RUN, RULES, TOKEN_RULES, Rule

MAX_KEY_LENGTH: Final = 20_000

_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/=\s\\:,-]*")


class Found(NamedTuple):
    """A secret's kind, and where its mark stands in the masked text, in characters."""

    kind: str
    start: int
    end: int


class Span(NamedTuple):
    """A secret's kind, and where it stands in the text as it was, in characters."""

    kind: str
    start: int
    end: int


Detector = Callable[[str], Iterable[Span]]


def mask(text: str, *, allow: Collection[str] = (), detector: Detector | None = None) -> tuple[str, list[Found]]:
    """Return the text with a mark in place of each secret, and the marks in their order.

    ``allow`` holds secrets that are none (a test's key), compared as a whole. ``detector`` finds more of them, such
    as ``omoide.text.secret_detector.installed()``.
    """
    spans = _merged(span for span in _spans(text, detector) if text[span.start : span.end] not in allow)
    pieces: list[str] = []
    found: list[Found] = []
    place = length = 0
    for span in spans:
        mark = f"[masked:{span.kind}]"
        pieces += (text[place : span.start], mark)
        length += span.start - place + len(mark)
        found.append(Found(span.kind, length - len(mark), length))
        place = span.end
    return "".join((*pieces, text[place:])), found


def mask_bytes(
    raw: bytes, *, allow: Collection[str] = (), detector: Detector | None = None
) -> tuple[bytes, list[Found]]:
    """Return bytes with their secrets masked; what is not UTF-8 comes back as it was. Places are in characters."""
    masked, found = mask(raw.decode("utf-8", "surrogateescape"), allow=allow, detector=detector)
    return (masked.encode("utf-8", "surrogateescape"), found) if found else (raw, found)


def _spans(text: str, detector: Detector | None) -> Iterator[Span]:
    lowered = text.lower()
    if "private key" in lowered:
        yield from _private_keys(text)
    runs = " ".join([word for word in lowered.split() if len(word) >= LONG_RUN])
    folded = lowered if len(lowered) == len(text) else "".join(map(_lower, text))
    for rules, where in ((RULES, lowered), (TOKEN_RULES, runs)):
        for rule in rules if where else ():
            for hint in rule.hints:
                if hint in where:
                    yield from _of_rule(rule, text, folded if rule.folded else text)
                    break
    if detector is not None:
        yield from detector(text)


def _lower(letter: str) -> str:
    """Return a letter in lower case where that is one letter too."""
    lower = letter.lower()
    return lower if len(lower) == 1 else letter


def _of_rule(rule: Rule, text: str, searched: str) -> Iterator[Span]:
    for match in rule.pattern.finditer(searched):
        start, end = match.span(match.lastindex or 0)
        if rule.check is None or rule.check(text[start:end]):
            yield Span(rule.kind, start, end)


def _private_keys(text: str) -> Iterator[Span]:
    """Yield private keys with their first and last line; one that is cut, as far as it looks like a key."""
    place, ends = 0, _KEY_END.search(text)
    while (begin := _KEY_BEGIN.search(text, place)) is not None:
        if ends is not None and ends.start() < begin.end():
            ends = _KEY_END.search(text, begin.end())
        if ends is not None and ends.end() - begin.start() <= MAX_KEY_LENGTH:
            place = ends.end()
        else:
            body = _KEY_BODY.match(text, begin.end())
            place = body.end() if body is not None else begin.end()
        yield Span("private-key", begin.start(), place)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans that do not overlap, in order; of overlapping ones the first that begins names the whole."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, span.end))
        elif span.end > span.start:
            merged.append(span)
    return merged
