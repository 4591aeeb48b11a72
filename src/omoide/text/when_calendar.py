"""The calendar behind time words: what was said, as parts, becomes a span of local time.

Weeks begin on Monday. Seasons are those of the northern hemisphere by whole months. A month, day or weekday without a
year is the latest that has begun, or with ``ahead`` the next that has not ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

Parts = Mapping[str, Any]


class Span(NamedTuple):
    """A half-open stretch of local time without a zone; None is open on that side."""

    start: datetime | None
    end: datetime | None


DAY: Final = timedelta(days=1)
FEW: Final = -1
"""The number that "a few" stands for: anything from one to six."""
_FEW_MOST: Final = 6
_WEEKEND: Final = 5  # Saturday
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_HOURS: Final = {"morning": (4, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}
_MONTHS: Final = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
_SHORT: Final = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}


def resolve(parts: Parts, now: datetime) -> Span | None:
    """Return the span that the parts name as seen from ``now``, None for a day that no calendar has."""
    given = dict(parts)
    if "yearturn" in given:
        given["year"] = now.year + given["yearturn"]
    for keys, handler in _HANDLERS:
        if keys <= given.keys():
            try:
                return handler(given, now)
            except (ValueError, OverflowError, LookupError):
                return None
    return None


def beside(span: Span, unit: str, side: str) -> Span:
    """Return the unit of time right ``before`` or ``after`` a span, or the one it begins ``in``.

    Days, months and years are those of the calendar, a week is seven days, a weekend the nearest whole one.
    """
    if span.start is None or span.end is None:
        return span
    if side == "in":
        return period(span.start, unit)
    if unit == "week":
        return Span(span.start - 7 * DAY, span.start) if side == "before" else Span(span.end, span.end + 7 * DAY)
    if unit == "weekend":
        moment = span.start - 7 * DAY if side == "before" else span.end + 6 * DAY
        return period(moment, unit)
    return period(shifted(span.start, unit, -1) if side == "before" else span.end, unit)


def through_today(span: Span, now: datetime) -> Span:
    """Return the span from its start to its own end or that of today, to no end when it has not begun."""
    if span.start is None or span.end is None or span.start > now or now.date() == date.max:
        return Span(span.start, None)
    return Span(span.start, max(_midnight(now) + DAY, span.end))


def third(span: Span, which: str) -> Span:
    """Return the ``early``, ``mid`` or ``late`` third of a span with two ends."""
    if span.start is None or span.end is None:
        return span
    cuts = [span.start + at * (span.end - span.start) / 3 for at in range(4)]
    if span.end - span.start > 3 * DAY:
        cuts = [_midnight(cut) for cut in cuts]
    at = ("early", "mid", "late").index(which)
    return Span(cuts[at], cuts[at + 1])


def period(moment: datetime, unit: str) -> Span:
    """Return the calendar unit that holds a moment."""
    day = _midnight(moment)
    if unit == "day":
        return Span(day, day + DAY)
    if unit in {"week", "weekend"}:
        monday = day - day.weekday() * DAY
        return Span(monday + (_WEEKEND if unit == "weekend" else 0) * DAY, monday + 7 * DAY)
    if unit in _SHORT:
        start = moment.replace(minute=0, second=0, microsecond=0)
        return Span(start, start + _SHORT["hour"])
    size = _MONTHS[unit]
    first = (day.year * 12 + day.month - 1) // size * size
    return Span(_month(first), _month(first + size))


def shifted(moment: datetime, unit: str, count: int) -> datetime:
    """Return the moment that many units later; a day that the month lacks becomes its last."""
    if unit in _SHORT:
        return moment + count * _SHORT[unit]
    if unit in {"day", "week", "weekend"}:
        return moment + count * (1 if unit == "day" else 7) * DAY
    first = _month(moment.year * 12 + moment.month - 1 + count * _MONTHS[unit])
    last = _month(first.year * 12 + first.month) - DAY
    return moment.replace(year=first.year, month=first.month, day=min(moment.day, last.day))


def _turn(given: Parts, now: datetime) -> Span:
    return period(shifted(now, given["unit"], given["turn"]), given["unit"])


def _away(given: Parts, now: datetime) -> Span:
    """So many units ago or ahead: the day, seven days around it, the month, the year."""
    count, unit, sign = given["n"], given["unit"], given["sign"]
    if count == FEW:
        ends = shifted(now, unit, sign), shifted(now, unit, sign * _FEW_MOST)
        return Span(_midnight(min(ends)), _midnight(max(ends)) + DAY)
    moment = shifted(now, unit, sign * count)
    if unit in {"week", "weekend"}:
        return Span(_midnight(moment) - 3 * DAY, _midnight(moment) + 4 * DAY)
    return period(moment, unit)


def _rolling(given: Parts, now: datetime) -> Span:
    """The last or the next so many units, today included."""
    count = _FEW_MOST if given["n"] == FEW else given["n"]
    other = shifted(now, given["unit"], given["roll"] * count)
    if given["unit"] in _SHORT:
        return Span(min(other, now), max(other, now) + timedelta(microseconds=1))
    return Span(_midnight(min(other, now)), _midnight(max(other, now)) + DAY)


def _weekday(given: Parts, now: datetime) -> Span:
    today, wanted = _midnight(now), given["weekday"]
    if given.get("unit") == "week" and "turn" in given:
        monday = today - today.weekday() * DAY + 7 * given["turn"] * DAY
        return period(monday + wanted * DAY, "day")
    if "n" in given:  # "the Wednesday two months ago"
        centre = _midnight(shifted(now, given["unit"], given["sign"] * given["n"]))
        return period(centre + ((wanted - centre.weekday() + 3) % 7 - 3) * DAY, "day")
    back = (today.weekday() - wanted) % 7
    turn = given.get("turn")
    if turn == 0:
        return period(today - today.weekday() * DAY + wanted * DAY, "day")
    if turn == 1 or (turn is None and given.get("ahead") and back):
        return period(today + (7 - back) * DAY, "day")
    return period(today - (7 if turn == -1 and back == 0 else back) * DAY, "day")


def _dated(given: Parts, now: datetime) -> Span:
    """A month or a day of it, in a year that is named, turned to or guessed."""
    month, day = given["month"], given.get("day")

    def of(year: int) -> Span:
        if day is not None:
            return period(datetime(year, month, day), "day")  # noqa: DTZ001  # local time until the zone is known
        return period(datetime(year, month, 1), "month")  # noqa: DTZ001

    return _of_year(of, given, now)


def _season(given: Parts, now: datetime) -> Span:
    month = _SEASONS[given["season"]]

    def of(year: int) -> Span:
        return Span(_month(year * 12 + month - 1), _month(year * 12 + month + 2))

    return _of_year(of, given, now)


def _of_year(of: Callable[[int], Span], given: Parts, now: datetime) -> Span:
    if "year" in given:
        return of(given["year"])
    turn = given.get("turn")
    if turn == 0:
        return of(now.year)
    spans = [span for year in range(now.year - 8, now.year + 9) if (span := _maybe(of, year)) is not None]
    started = [span for span in spans if span.start is not None and span.start <= now]
    over = [span for span in started if span.end is not None and span.end <= now]
    coming = [span for span in spans if span not in started]
    if turn == -1:
        return over[-1]
    if turn == 1:
        return coming[0]
    return ([span for span in spans if span not in over] if given.get("ahead") else list(reversed(started)))[0]


def _maybe(of: Callable[[int], Span], year: int) -> Span | None:
    try:
        return of(year)
    except ValueError:  # the 29th of February
        return None


def _quarter(given: Parts, now: datetime) -> Span:
    def of(year: int) -> Span:
        first = year * 12 + 3 * (given["quarter"] - 1)
        return Span(_month(first), _month(first + 3))

    return _of_year(of, given, now)


def _year(given: Parts, _now: datetime) -> Span:
    return period(datetime(given["year"], 1, 1), "year")  # noqa: DTZ001


def _decade(given: Parts, now: datetime) -> Span:
    decade = given["decade"]
    if decade < 100:
        decade += 1900 if decade > now.year % 100 else 2000
    return Span(_month(decade * 12), _month((decade + 10) * 12))


def _part(given: Parts, now: datetime) -> Span:
    """A part of a day, ``turn`` days from today or on the weekday that is named."""
    if "weekday" in given:
        day = _weekday({**given, "turn": given.get("turn")}, now).start
        assert day is not None
    else:
        day = _midnight(now) + given.get("turn", 0) * DAY
    first, last = _HOURS[given["part"]]
    return Span(day + timedelta(hours=first), day + timedelta(hours=last))


_HANDLERS: Final[tuple[tuple[set[str], Callable[[Parts, datetime], Span]], ...]] = (
    ({"part"}, _part),
    ({"weekday"}, _weekday),
    ({"n", "unit", "sign"}, _away),
    ({"n", "unit", "roll"}, _rolling),
    ({"quarter"}, _quarter),
    ({"season"}, _season),
    ({"month"}, _dated),
    ({"decade"}, _decade),
    ({"turn", "unit"}, _turn),
    ({"year"}, _year),
)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _month(index: int) -> datetime:
    """Return the first of a month that is counted from year 0."""
    return datetime(index // 12, index % 12 + 1, 1)  # noqa: DTZ001
