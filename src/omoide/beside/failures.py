"""What went wrong in a hook or its worker: kept for ``omoide doctor``, since a hook says nothing to its host."""

from __future__ import annotations

import os

from omoide.beside import lines
from omoide.beside.places import FAILURES, place, ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 256 << 10
_LONGEST = 400


def elsewhere() -> str:
    """Return where failures go when nothing can be written beside the store."""
    return os.path.join(os.path.expanduser("~"), ".omoide", FAILURES)


def failed(store: str, where: str, error: BaseException | str, at: str) -> None:
    """Write down a failure, beside the store or else in the home folder; where neither can be, nothing happens.

    The words of an error may quote what it choked on, so they are cut short.
    """
    said = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    line = {"at": at, "where": where, "error": said[:_LONGEST], "store": str(store)}
    for path in (place(store, FAILURES) if store else elsewhere(), elsewhere()):
        try:
            ready(os.path.dirname(path))
            lines.append(path, line)
            lines.shorten(path, MOST)
        except OSError:
            continue
        return


def failures(store: str) -> list[dict[str, Any]]:
    """Return the failures of a store's hooks, the latest first: ``{"at", "where", "error"}``."""
    apart = [line for line in lines.read(elsewhere()) if line.get("store") == str(store)]
    found = [*lines.read(place(store, FAILURES)), *apart]
    return sorted(found, key=lambda line: str(line.get("at", "")), reverse=True)
