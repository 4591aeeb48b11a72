"""Words and identifiers: a run of letters and digits with connectors becomes its parts and itself whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from omoide.text.normalize import fold
from omoide.text.stems import stem

MAX_TERM = 64
_MAX_PARTS = 6
_EDGES = "._-'’‐"
_OUTER = re.compile(r"[/:@\\&]+|(?<=\w)[+#]+(?=\w)")
_INNER = re.compile(r"[._\-‐]+")
_CASE = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
_LETTERS_OR_DIGITS = re.compile(r"[^\W\d_]+|\d+")
_NUMBER = re.compile(r"\d+(?:[.\-:]\d+)+")
# Connectors inside a name are spelled in many ways (getUserName, get_user_name, get-user-name); between digits
# they make the value (1.2.3, 2026-05-01).
_SPELLING = re.compile(r"(?<!\d)[._\-'‐]+|[._\-'‐]+(?!\d)")
_CLITIC = re.compile(r"'(?:s|re|ve|ll|d|m|t)?$")
_ELISION = re.compile(r"^(?:l|d|j|m|t|s|n|c|qu|jusqu|lorsqu|puisqu|dell|nell|all|dall|sull|un|quest)'(?=..)")

Term = tuple[str, str]  # the term and its kind: "word", "part" or "identifier"


def run_terms(run: str) -> Iterator[Term]:
    """Yield the terms of a run such as ``user@example.com``, ``GB/s``, ``getUserName`` or ``running``."""
    segments = [segment for segment in _OUTER.split(run) if segment.strip(_EDGES)]
    if len(segments) < 2:
        yield from _segment_terms(run)
        return
    yield fold(run.strip(_EDGES))[:MAX_TERM], "identifier"
    for segment in segments:
        for term, kind in _segment_terms(segment):
            yield term, "part" if kind == "word" else kind


def _segment_terms(segment: str) -> Iterator[Term]:
    segment = segment.strip(_EDGES)
    if segment.endswith(("++", "#")):
        yield fold(segment)[:MAX_TERM], "identifier"
        yield from ((term, "part") for term, _ in _word(segment.rstrip("+#")))
        return
    parts = list(_parts(segment))
    if len(parts) < 2:
        yield from _word(segment)
        return
    folded = fold(segment)
    number = _NUMBER.fullmatch(folded)
    yield (folded if number else stem(_SPELLING.sub("", folded)))[:MAX_TERM], "identifier"
    for part in parts:
        if not number or len(part) > 1:
            yield from ((term, "part") for term, _ in _word(part))


def _parts(segment: str) -> Iterator[str]:
    for name in filter(None, _INNER.split(segment)):
        humps = _CASE.split(name) if len(name) <= MAX_TERM else [name]
        for hump in humps if len(humps) <= _MAX_PARTS else [name]:
            pieces = _LETTERS_OR_DIGITS.findall(hump) if not hump.isalpha() else [hump]
            # Hashes and keys change between letters and digits all the time: their pieces mean nothing.
            yield from pieces if 1 < len(pieces) <= 4 and "'" not in hump else [hump]


def _word(raw: str) -> Iterator[Term]:
    folded = fold(raw)
    if "'" in folded:
        folded = _ELISION.sub("", _CLITIC.sub("", folded)).replace("'", "")
    if folded := folded.strip(_EDGES):
        yield stem(folded)[:MAX_TERM], "word"
