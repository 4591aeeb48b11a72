"""Paths as people write them."""

from __future__ import annotations

import os
import re
from typing import Final

from omoide.errors import InvalidInputError

LONGEST: Final = 255
"""Characters that a name in a folder has at most, on the file systems of every system that omoide runs on."""
_BETWEEN: Final = "[" + re.escape(os.sep + (os.altsep or "")) + "]"


def at_home(path: str | os.PathLike[str]) -> str:
    """Return the text of a path, a leading ``~`` replaced by the home folder where there is one."""
    name = os.fspath(path)
    return os.path.expanduser(name) if name.startswith("~") else name  # noqa: PTH111  (Path drops a slash at the end)


def check_path(path: object, name: str = "path") -> str:
    """Return the text of a path that a file can have, a leading ``~`` replaced.

    Raises:
        InvalidInputError: neither a text nor a path, blank, or no path on any system.
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else path
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError(f"{name} must be the path of a file or folder, not {path!r}", value=path)
    try:
        sound = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        sound = False
    found = at_home(text)
    if not sound or any(len(part) > LONGEST for part in re.split(_BETWEEN, found)):
        raise InvalidInputError(f"{name} can be no path: {text[:80]!r}", value=path)
    return found
