"""A part of a text that omoide keeps between two marks, and nothing outside of them."""

from __future__ import annotations

import re
from typing import Final

from omoide.errors import InvalidInputError

_NAME: Final = re.compile(r"[a-z][a-z-]*")


def opening(name: str) -> str:
    """Return the line that a part begins with."""
    return f"<!-- omoide:{name}:begin -->"


def closing(name: str) -> str:
    """Return the line that a part ends with."""
    return f"<!-- omoide:{name}:end -->"


def part_of(text: str, name: str) -> tuple[int, int] | None:
    """Return where a part starts and ends, its marks included; None where there is none.

    Raises:
        InvalidInputError: one mark stands without the other, or a mark stands twice; the message has the line.
    """
    assert _NAME.fullmatch(name)
    starts = [match.start() for match in re.finditer(re.escape(opening(name)), text)]
    ends = [match.end() for match in re.finditer(re.escape(closing(name)), text)]
    if not starts and not ends:
        return None
    if len(starts) == len(ends) == 1 and starts[0] < ends[0]:
        return starts[0], ends[0]
    line = text.count("\n", 0, min([*starts, *ends])) + 1
    raise InvalidInputError(
        f"line {line}: the marks of omoide:{name} do not pair; leave one begin and one end, or none", value=name
    )


def with_part(text: str, name: str, content: str) -> str:
    """Return the text with a part of this content: where it was, else at the end after a blank line."""
    newline = "\r\n" if "\r\n" in text else "\n"
    body = newline.join([opening(name), *content.strip("\n").split("\n"), closing(name)])
    found = part_of(text, name)
    if found is not None:
        return text[: found[0]] + body + text[found[1] :]
    if not text.strip():
        return text + body + newline
    return f"{text}{_gap(text, newline)}{body}{newline}"


def _gap(text: str, newline: str) -> str:
    if text.endswith(newline * 2):
        return ""
    return newline if text.endswith("\n") else newline * 2


def without_part(text: str, name: str) -> str:
    """Return the text without a part; the blank line that set it off goes too."""
    found = part_of(text, name)
    if found is None:
        return text
    before, after = text[: found[0]], text[found[1] :]
    after = after.removeprefix("\r\n") if after.startswith("\r\n") else after.removeprefix("\n")
    if not after.strip():
        newline = "\r\n" if before.endswith("\r\n") else "\n"
        return (before.removesuffix(newline) if before.endswith(newline * 2) else before) + after
    return before + after


def inside(text: str, name: str) -> str | None:
    """Return what stands between the marks of a part, None where there is none."""
    found = part_of(text, name)
    if found is None:
        return None
    part = text[found[0] + len(opening(name)) : found[1] - len(closing(name))]
    return part.replace("\r\n", "\n").strip("\n")
