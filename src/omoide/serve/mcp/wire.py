"""Standard output belongs to the protocol: whatever else is printed goes to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

OUT: Final = 1
ERR: Final = 2


@contextmanager
def diverted() -> Iterator[None]:
    """Send what is printed inside the block, and what waits to be printed, to standard error.

    The transport does the same while it serves; this is for before and after.
    """
    try:
        kept = os.dup(OUT)
    except OSError:  # started without a standard output
        yield
        return
    try:
        _divert()
        yield
    finally:
        _flush()
        os.dup2(kept, OUT)
        os.close(kept)


def divert_for_good() -> None:
    """Send what is still printed until the process ends to standard error."""
    with suppress(OSError):
        _divert()


def _divert() -> None:
    os.dup2(ERR, OUT)
    _flush()


def _flush() -> None:
    with suppress(OSError, ValueError, AttributeError):  # no stream, or a closed one
        sys.stdout.flush()
