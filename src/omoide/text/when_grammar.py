"""A language's table compiled: where a text speaks of time, and what it means."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from omoide.text.when_calendar import Span, beside, resolve, third, through_today
from omoide.text.when_words import Words

_DEFAULTS: Final = {"day": r"\d{1,2}(?!\d)", "year": r"(?:19|20)\d\d(?!\d)"}
_SPACED: Final = {"n": r"\d{1,3}"}
_UNSPACED: Final = {
    "n": r"\d{1,3}|[一二三四五六七八九十]{1,3}", "month": r"\d{1,2}|[一二三四五六七八九十]{1,3}",
    "day": r"\d{1,2}|[一二三四五六七八九十]{1,3}", "quarter": "[1-4一二三四]",
}  # fmt: skip
_COMMON: Final = r"""
(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?:t\d\d:\d\d\S*)?
(?P<year>(?:19|20)\d\d)/(?P<month>\d\d?)/(?P<day>\d\d?)
(?<!version )(?<!v)(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>(?:19|20)\d\d)
(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])
"""
_LEFT: Final = r"(?<![\w./-])"
_RIGHT: Final = r"(?!\w|[./-]\w)"
_BEFORE_DIGIT: Final = r"(?<!\d)"
_ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925}
_DIGITS: Final = dict(zip("一二三四五六七八九", range(1, 10), strict=True))
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_LOOKBEHIND: Final = re.compile(r"(\(\?<!.*?\))")
_THIRDS: Final = frozenset({"early", "mid", "late"})
_LOOKED_AT: Final = 12
"""Expressions of one text that are looked at."""
_WRAPPED: Final = 2
"""Connectors around one expression: "since early March"."""


class Found(NamedTuple):
    """An expression of time at ``[start, end)`` of the text; a ``weak`` one does not count alone."""

    start: int
    end: int
    span: Span
    weak: bool
    parts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Pattern:
    regex: re.Pattern[str]
    parts: Mapping[str, Any]
    weak: bool


class Grammar:
    """All patterns of one language."""

    def __init__(self, words: Words) -> None:
        self._names = words.names
        self._spaced = words.spaced
        self._ahead = re.compile(words.ahead) if words.ahead else None
        self._patterns = [self._compiled(line) for line in (words.patterns + _COMMON).splitlines() if line.strip()]
        gap = r"\s+" if words.spaced else r"\s*"
        left = r"(?<!\w)" if words.spaced else ""
        # "mi-mars", "l'ete": some connectors need no blank behind them.
        self._before = [
            (op, re.compile(f"{left}(?:{_blanks(text)})(?:{gap}|(?<=['-])(?:the\\s+)?)$"))
            for op, text in words.before.items()
        ]
        self._behind = [(op, re.compile(rf"\s*(?:{text})")) for op, text in words.behind.items()]
        tight = r"\s*"
        self._ranges = [
            (
                re.compile(f"{left}(?:{_blanks(first)}){gap}$") if first else None,
                re.compile(f"{tight}(?:{_blanks(between)}){tight}"),
                re.compile(f"{tight}(?:{last})") if last else None,
            )
            for first, between, last in words.ranges
        ]

    def find(self, text: str, now: datetime) -> list[Found]:
        """Return the expressions of a folded text from left to right; none overlaps another."""
        ahead = self._ahead is not None and self._ahead.search(text) is not None
        found = _longest(self._raw(text, now, ahead=ahead), len(text))[:_LOOKED_AT]
        joined = [each for each in self._joined(text, found, now) if not each.weak]
        # "last weekend before May 3": what a connector has taken in does not count by itself.
        return [each for each in joined if not any(_covers(other, each) for other in joined if other is not each)]

    def _raw(self, text: str, now: datetime, *, ahead: bool) -> Iterator[Found]:
        for pattern in self._patterns:
            for match in pattern.regex.finditer(text):
                parts = {**pattern.parts, "ahead": ahead}
                parts |= self._said(match)
                _count_eras(parts)
                if "span" in parts:
                    parts["unit"] = parts.pop("span")
                span = resolve(parts, now)
                if span is not None:
                    span = third(span, parts["third"]) if "third" in parts else span
                    yield Found(match.start(), match.end(), span, pattern.weak, parts)

    def _joined(self, text: str, found: list[Found], now: datetime) -> Iterator[Found]:
        """Put the two ends of a range together, and connectors to what they stand at."""
        at = 0
        while at < len(found):
            this = found[at]
            pair = self._range(text, this, found[at + 1]) if at + 1 < len(found) else None
            at += 1 if pair is None else 2
            yield self._connected(text, this, now) if pair is None else pair

    def _range(self, text: str, first: Found, second: Found) -> Found | None:
        for before, between, behind in self._ranges:
            if between.fullmatch(text, first.end, second.start) is None:
                continue
            opened = before.search(text[: first.start]) if before is not None else None
            closed = behind.match(text, second.end) if behind is not None else None
            if before is not None and opened is None and closed is None:
                continue
            span = _between(first, second)
            if span is not None:
                start = first.start if opened is None else opened.start()
                return Found(start, second.end if closed is None else closed.end(), span, False, {})
        return None

    def _connected(self, text: str, found: Found, now: datetime) -> Found:
        for _ in range(_WRAPPED):
            wrapped = self._wrapped(text, found, now)
            if wrapped is None:
                break
            found = wrapped
        return found

    def _wrapped(self, text: str, found: Found, now: datetime) -> Found | None:
        for op, behind in self._behind:
            match = behind.match(text, found.end)
            if match is not None:
                return _applied(op, found, now, found.start, match.end())
        head = text[: found.start]
        for op, before in self._before:
            match = before.search(head)
            if match is not None:
                return _applied(op, found, now, match.start(), found.end)
        return None

    def _compiled(self, line: str) -> _Pattern:
        template, _, fixed = line.partition("=>")
        weak = template.startswith("? ")
        body = _numbered(_PLACEHOLDER.sub(lambda name: self._group(name[1]), _blanks(template[2 * weak :].strip())))
        left, right = (_LEFT, _RIGHT) if self._spaced else (_BEFORE_DIGIT, "")
        parts = dict(part.split("=") for part in fixed.split())
        return _Pattern(
            re.compile(f"{left}(?:{body}){right}"),
            {name: self._value(name, said) for name, said in parts.items()},
            weak,
        )

    def _said(self, match: re.Match[str]) -> dict[str, Any]:
        said = ((name.partition("__")[0], text) for name, text in match.groupdict().items() if text is not None)
        return {name: self._value(name, text) for name, text in said}

    def _group(self, name: str) -> str:
        numbers = (_SPACED if self._spaced else _UNSPACED | {"year": _DEFAULTS["year"]}).get(name, _DEFAULTS.get(name))
        words = sorted(self._names.get(name, ()), key=len, reverse=True)
        said = [re.escape(word).replace(r"\ ", r"\s+") for word in words]
        return f"(?P<{name}>{'|'.join([*said, *([numbers] if numbers else [])])})"

    def _value(self, name: str, said: str) -> Any:
        table = self._names.get(name, {})
        known = table.get(" ".join(said.split()))
        if known is not None or name in {"unit", "part", "season", "era", "third"}:
            return said if known is None else known
        return _number(said)


def _numbered(body: str) -> str:
    """Number the groups, since one pattern may have the same one on two branches."""
    count = itertools.count()
    return re.sub(r"\(\?P<(\w+)>", lambda found: f"(?P<{found[1]}__{next(count)}>", body)


def _count_eras(parts: dict[str, Any]) -> None:
    if "era" in parts:
        parts["year"] = _ERAS[parts.pop("era")] + parts.pop("erayear")


def _blanks(template: str) -> str:
    """Let any white space stand for a blank; one character of it where the engine wants a fixed width."""
    parts = _LOOKBEHIND.split(template)
    return "".join(re.sub(" +", r"\\s" if place % 2 else r"\\s+", part) for place, part in enumerate(parts))


def _number(said: str) -> int:
    """Return a number written in digits or in Chinese numerals up to 99."""
    if said.lstrip("-").isdecimal():
        return int(said)
    if said == "元":
        return 1
    tens, ten, ones = said.rpartition("十")
    if not ten:
        return _DIGITS.get(said, 0)
    return 10 * _DIGITS.get(tens, 1) + _DIGITS.get(ones, 0)


def _longest(found: Iterator[Found], size: int) -> list[Found]:
    """Keep what does not overlap in a text: longer before shorter, strong before weak, left before right."""
    kept: list[Found] = []
    taken = bytearray(size)
    for each in sorted(found, key=lambda one: (one.start - one.end, one.weak, one.start)):
        if taken.find(1, each.start, each.end) < 0:
            taken[each.start : each.end] = b"\1" * (each.end - each.start)
            kept.append(each)
    return sorted(kept)


def _covers(whole: Found, part: Found) -> bool:
    return whole.start <= part.start and part.end <= whole.end


def _applied(op: str, found: Found, now: datetime, start: int, end: int) -> Found | None:
    span = found.span
    if op in _THIRDS:
        return None if found.parts.get("connected") else Found(start, end, third(span, op), False, found.parts)
    if span.start is None or span.end is None:
        return None
    unit, _, side = op.partition("-")
    if side:
        return Found(start, end, beside(span, unit, side), False, found.parts)
    spans = {
        "since": through_today(span, now),
        "after": Span(span.end, None),
        "before": Span(None, span.start),
        "until": Span(None, span.end),
    }
    return Found(start, end, spans[op], False, {**found.parts, "connected": True})


def _between(first: Found, second: Found) -> Span | None:
    """Return from the start of one to the end of the other; an end without a year takes it from the other."""
    for early, late in (
        (first, second),
        (_with_year_of(second, first), second),
        (first, _later(first, second)),
    ):
        start, end = early.span.start, late.span.end
        if start is not None and end is not None and start < end:
            return Span(start, end)
    return None


def _with_year_of(named: Found, other: Found) -> Found:
    """Read ``other`` as the latest that begins before ``named`` ends."""
    if "year" in other.parts or named.span.start is None:
        return other
    span = resolve({**other.parts, "ahead": False}, named.span.start)
    return other if span is None else other._replace(span=span)


def _later(first: Found, second: Found) -> Found:
    if "year" in second.parts or first.span.start is None:
        return second
    span = resolve({**second.parts, "ahead": True}, first.span.start)
    return second if span is None else second._replace(span=span)
