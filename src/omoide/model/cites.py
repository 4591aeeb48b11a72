"""What a text in ``cites`` points at, apart from which state of it and which lines."""

from __future__ import annotations

import re
from typing import Final

_LINES: Final = re.compile(r"(?:#L?\d+(?:-L?\d+)?|:\d+(?:[:-]\d+)?)$")
_COMMIT: Final = re.compile(r"@[0-9a-fA-F]{4,64}$")


def cited_place(cite: str) -> str:
    """Return the file or address that a citation names, with forward slashes.

    >>> cited_place("docs/README.md@a1b2c3"), cited_place("src/a.py:10-20")
    ('docs/README.md', 'src/a.py')
    """
    return _COMMIT.sub("", _LINES.sub("", cite.strip())).replace("\\", "/").removeprefix("./")
