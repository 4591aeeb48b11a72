"""Words and identifiers: a run of letters and digits with connectors becomes its parts and itself whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from omoide.text.normalize import fold
from omoide.text.stems import stem, without_particles

MAX_TERM = 64
_MAX_PARTS = 6
_EDGES = "._-'‐"
_OUTER = re.compile(r"[/:@\\&]+|(?<=\w)[+#]+(?=\w)")
# Connectors inside a name are spelled in many ways (getUserName, get_user_name, get-user-name); between digits
# they make the value (1.2.3, 2026-05-01).
_SPELLING = re.compile(r"(?<!\d)[._\-'‐]+|[._\-'‐]+(?!\d)|_+")
_INNER = re.compile(r"(?<!\d)[._\-‐]+|[._\-‐]+(?!\d)|_+")
_DOT = re.compile(r"(?<!\d)\.+|\.+(?!\d)")
_CASE = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER = re.compile(r"\d+(?:[.\-‐]\d+)+")
_LETTERS_OR_NUMBER = re.compile(r"\d+(?:[.\-‐]\d+)*|[^\d.\-‐]+")
_DIGIT = re.compile(r"\d")
_CLITIC = re.compile(r"'(?:s|re|ve|ll|d|m|t)?$")
_ELISION = re.compile(r"^(?:l|d|j|m|t|s|n|c|qu|jusqu|lorsqu|puisqu|dell|nell|all|dall|sull|un|quest)'(?=..)")

Term = tuple[str, str]
"""A term and its kind: word, part or identifier."""


def run_terms(run: str) -> tuple[Term, ...]:
    """Return the terms of a run such as ``user@example.com``, ``GB/s``, ``getUserName`` or ``running``."""
    return _cached_run(run) if len(run) <= MAX_TERM else _found(run)


@lru_cache(8192)
def _cached_run(run: str) -> tuple[Term, ...]:
    return _found(run)


def _found(run: str) -> tuple[Term, ...]:
    return tuple(term for term in _run(run) if term[0])


def _run(run: str) -> Iterator[Term]:
    segments = [segment for segment in _OUTER.split(run) if segment.strip(_EDGES)]
    if len(segments) < 2:
        yield from _segment(run)
        return
    yield fold(run.strip(_EDGES))[:MAX_TERM], "identifier"
    for segment in segments:
        for term, kind in _segment(segment):
            yield term, "part" if kind == "word" else kind


def _segment(segment: str) -> Iterator[Term]:
    segment = segment.strip(_EDGES)
    if segment.endswith(("++", "#")):
        yield fold(segment)[:MAX_TERM], "identifier"
        yield word(segment.rstrip("+#")), "part"
        return
    names = {name: list(_parts(name)) for name in _DOT.split(segment) if name}
    parts = sum(map(len, names.values()))
    if parts < 2:
        term = word(segment)
        yield term, "word"
        yield from ((bare, "part") for bare in without_particles(term))
        return
    yield _whole(segment), "identifier"
    for name, own in names.items():
        # A method's or a file's own name is asked for without its object or extension.
        if 1 < len(own) < parts:
            yield _whole(name), "identifier"
        yield from ((word(part), "part") for part in own if part != segment)


def _whole(segment: str) -> str:
    folded = fold(segment[: 4 * MAX_TERM])
    return stem(_SPELLING.sub("", folded))[:MAX_TERM]


def _parts(segment: str) -> Iterator[str]:
    for name in filter(None, _INNER.split(segment)):
        humps = _CASE.split(name) if len(name) <= MAX_TERM else [name]
        for hump in humps if len(humps) <= _MAX_PARTS else [name]:
            yield from _letters_and_numbers(hump)


def _letters_and_numbers(hump: str) -> Iterator[str]:
    if "'" in hump or hump.isalpha() or not _DIGIT.search(hump):
        yield hump
        return
    pieces = _LETTERS_OR_NUMBER.findall(hump)
    # Hashes and keys change between letters and digits all the time: their pieces mean nothing.
    for piece in pieces if len(pieces) <= 4 else [hump]:
        yield piece
        if _NUMBER.fullmatch(piece):
            yield from (digits for digits in re.split(r"[.\-‐]", piece) if len(digits) > 1)


@lru_cache(8192)
def word(raw: str) -> str:
    """Return the term of one word: folded, without elided articles and possessive endings, stemmed."""
    folded = fold(raw)
    if "'" in folded:
        folded = _ELISION.sub("", _CLITIC.sub("", folded)).replace("'", "")
    return stem(folded.strip(_EDGES))[:MAX_TERM]
