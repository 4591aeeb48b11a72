"""Regular expressions that cannot hang: matched in time linear in the text, by RE2."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, NamedTuple

from omoide.errors import InvalidInputError

_PLAIN: Final = re.compile(r"[\w\s\-_/,:;=@#%&!\"'<>~`]+")
_SHORTEST: Final = 3


class Pattern(NamedTuple):
    """A compiled pattern over UTF-8; ``needle``, lower-case ASCII, is in all that it matches, None if unknown."""

    regex: Any
    needle: bytes | None
    case: bool

    def may_match(self, data: bytes) -> bool:
        """Say whether a text can hold a match, at a fraction of the price of looking for it."""
        if self.needle is None:
            return True
        return self.needle in (data if self.case else data.lower())


@lru_cache(128)
def compiled(pattern: str, *, literal: bool = False, case: bool = False) -> Pattern:
    """Return a pattern compiled; ``^`` and ``$`` mean lines, letters match in either case unless ``case``.

    Raises:
        InvalidInputError: not a regular expression that RE2 knows; back-references and look-around are none.
        ImportError: RE2 is not installed.
    """
    try:
        import re2
    except ImportError as error:
        raise ImportError("grep needs RE2; install omoide with its dependencies: google-re2", name="re2") from error
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case
    text = re2.escape(pattern) if literal else pattern
    try:
        regex = re2.compile(f"(?m:{text})", options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if error.args and isinstance(error.args[0], bytes) else error
        raise InvalidInputError(
            f"pattern is no regular expression of RE2 ({reason}); it has neither back-references nor look-around;"
            " literal=True looks for the text as it is",
            value=pattern,
        ) from error
    needle = pattern if literal else needed(pattern)
    usable = needle is not None and len(needle) >= _SHORTEST and needle.isascii() and (case or not _folds(needle))
    return (
        Pattern(regex, (needle or "").encode() if case else (needle or "").lower().encode(), case)
        if usable
        else (Pattern(regex, None, case))
    )


def _folds(needle: str) -> bool:
    """Say whether other letters than ASCII match one of these in either case: the signs for kelvin and long s."""
    return bool(set(needle.lower()) & {"k", "s"})


def needed(pattern: str) -> str | None:
    """Return a text that everything matched by an expression contains, None where that is not plain to see."""
    if "|" in pattern or "(" in pattern or "\\" in pattern or "[" in pattern:
        return pattern if _PLAIN.fullmatch(pattern) else None
    runs: list[str] = [""]
    for char in pattern:
        if _PLAIN.fullmatch(char):
            runs[-1] += char
            continue
        if char in "?*{":
            runs[-1] = runs[-1][:-1]
        runs.append("")
        if char == "{":
            return max(runs, key=len) or None
    return max(runs, key=len) or None
