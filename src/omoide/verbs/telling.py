"""A diff told to people, in English, French or Japanese."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from omoide.errors import InvalidInputError
from omoide.types import Diff, RevisedPair, Version

PHRASES: Final[dict[str, dict[str, str]]] = {
    "en": {
        "head": "What changed from {since} to {until}",
        "none": "nothing",
        "learned": "Learned ({count})",
        "revised": "Revised ({count})",
        "retracted": "Retracted ({count})",
        "from": "from {start}",
        "span": "from {start} to {end}",
        "source": "source: {source}",
        "unknown": "unknown",
        "colon": ": ",
    },
    "fr": {
        "head": "Ce qui a changé du {since} au {until}",
        "none": "rien",
        "learned": "Appris ({count})",
        "revised": "Révisé ({count})",
        "retracted": "Retiré ({count})",
        "from": "à partir du {start}",
        "span": "du {start} au {end}",
        "source": "source : {source}",
        "unknown": "inconnu",
        "colon": " : ",
    },
    "ja": {
        "head": "{since} から {until} までの変化",
        "none": "なし",
        "learned": "新しく知ったこと（{count}）",
        "revised": "改めたこと（{count}）",
        "retracted": "取り消したこと（{count}）",
        "from": "{start} から",
        "span": "{start} から {end} まで",
        "source": "出典: {source}",
        "unknown": "不明",
        "colon": "：",
    },
}
"""What is said, by language."""


def tell(diff: Diff, language: object) -> str:
    """Return a diff as lines for people.

    ``+`` marks what was learned, ``~`` what was revised with old and new, ``-`` what was retracted.

    Raises:
        InvalidInputError: a language that there are no phrases for.
    """
    phrases = PHRASES.get(language) if isinstance(language, str) else None
    if phrases is None:
        raise InvalidInputError(f"language must be one of {', '.join(PHRASES)}, not {language!r}", value=language)
    lines = [phrases["head"].format(since=_moment(diff.since), until=_moment(diff.until))]
    lines += _part("learned", [_line("+", version, phrases) for version in diff.learned], phrases)
    lines += _part("revised", [_pair(pair, phrases) for pair in diff.revised], phrases)
    lines += _part("retracted", [_line("-", version, phrases) for version in diff.retracted], phrases)
    return "\n".join(lines)


def _part(name: str, entries: list[str], phrases: dict[str, str]) -> list[str]:
    return ["", phrases[name].format(count=len(entries)), *(entries or [f"  {phrases['none']}"])]


def _pair(pair: RevisedPair, phrases: dict[str, str]) -> str:
    old = phrases["unknown"] if pair.old is None else _said(pair.old, phrases)
    return f"  ~ #{pair.new.memory_id} {old}\n    → {_said(pair.new, phrases)}{_details(pair.new, phrases)}"


def _line(mark: str, version: Version, phrases: dict[str, str]) -> str:
    return f"  {mark} #{version.memory_id} {_said(version, phrases)}{_details(version, phrases)}"


def _said(version: Version, phrases: dict[str, str]) -> str:
    """Return the text on one line, led by what it is about, and by a mark where nobody vouches for it."""
    mark = "[untrusted] " if version.trust == "untrusted" else ""
    about = mark + " ".join(part for part in (version.subject, version.predicate) if part)
    text = " ".join(version.text.split())
    return f"{about}{phrases['colon']}{text}" if about != mark else f"{mark}{text}"


def _details(version: Version, phrases: dict[str, str]) -> str:
    start = _moment(version.valid_from)
    told = [
        phrases["from"].format(start=start)
        if version.valid_to is None
        else phrases["span"].format(start=start, end=_moment(version.valid_to))
    ]
    if version.source is not None:
        told.append(phrases["source"].format(source=" ".join(version.source.split())))
    return f" ({'; '.join(told)})"


def _moment(moment: datetime) -> str:
    """Return a time as short as it can be told: a midnight by its date, else to the second that began."""
    if (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0):
        return moment.date().isoformat()
    return moment.replace(microsecond=0).isoformat().replace("+00:00", "Z")
