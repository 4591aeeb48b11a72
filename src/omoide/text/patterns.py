"""Regular expressions that cannot hang: matched in time linear in the text, by RE2."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, NamedTuple

from omoide.errors import InvalidInputError

_WHOLE: Final = re.compile(r"\\[AzZQ]|\(\?(?!:|P?<|i[:)])")
"""Anchors of a whole text, and flags that may turn those of a line into such."""


class Pattern(NamedTuple):
    """A compiled pattern over UTF-8; ``by_lines``: nothing in it depends on where a whole text begins or ends."""

    regex: Any
    by_lines: bool

    def may_match(self, texts: bytes) -> bool:
        """Say whether one of some texts, joined by line ends, can hold a match."""
        return not self.by_lines or self.regex.search(texts) is not None


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
    options.never_capture = True  # only places are asked for, and groups within groups cost
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
    return Pattern(regex, literal or _WHOLE.search(pattern) is None)
