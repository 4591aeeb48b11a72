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
def diverted() -> Iterator[int]:
    """Send what is printed from now on to standard error; yield the descriptor that the protocol writes to.

    A block that fails gives standard output back.
    """
    try:
        kept = os.dup(OUT)
    except OSError:  # started without a standard output
        yield OUT
        return
    try:
        _divert()
        yield kept
    except BaseException:
        _flush()
        os.dup2(kept, OUT)
        os.close(kept)
        raise


def _divert() -> None:
    os.dup2(ERR, OUT)
    _flush()


def _flush() -> None:
    with suppress(OSError, ValueError, AttributeError):  # no stream, or a closed one
        sys.stdout.flush()
