"""A maintained detector of secrets, where it is installed: Kingfisher, several hundred rules in linear time."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from omoide.text.secrets import Detector, Span

MODULE = "kingfisher_sdk"


def installed() -> Detector | None:
    """Return the detector, or None without the extra ``omoide[secrets]``.

    Its rules are compiled at the first text (seconds, once a machine; well under a second from its cache), so it is
    for passes over whole transcripts and not for hooks. It makes no network call.
    """
    return _spans if find_spec(MODULE) is not None else None


@cache
def _scanner() -> Any:
    from kingfisher_sdk import Scanner

    return Scanner(base64=False)


def _spans(text: str) -> list[Span]:
    data = text.encode("utf-8", "surrogateescape")
    return [
        Span(str(finding.rule_id).rpartition(".")[2], *_characters(data, finding.location))
        for finding in _scanner().scan(data)
        if finding.visible
    ]


def _characters(data: bytes, location: dict[str, int]) -> tuple[int, int]:
    """Return a place in characters for one in bytes."""
    start = len(data[: location["start_offset"]].decode("utf-8", "surrogateescape"))
    found = data[location["start_offset"] : location["end_offset"]]
    return start, start + len(found.decode("utf-8", "surrogateescape"))
