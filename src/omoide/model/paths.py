"""Paths as people write them."""

from __future__ import annotations

import os


def at_home(path: str | os.PathLike[str]) -> str:
    """Return the text of a path, a leading ``~`` replaced by the home folder where there is one."""
    name = os.fspath(path)
    return os.path.expanduser(name) if name.startswith("~") else name  # noqa: PTH111  (Path drops a slash at the end)
