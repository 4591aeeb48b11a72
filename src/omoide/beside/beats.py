"""When a host's hooks last ran: one small file a host, by which an installed hook that never fires shows."""

from __future__ import annotations

import json
import os

from omoide.beside import lines
from omoide.beside.places import BEATS, place, ready, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def beat(store: str, host: str, event: str, at: str, installed: str, namespace: str) -> None:
    """Write that a hook of a host ran; ``installed`` is whose settings started it.

    Raises:
        OSError: it cannot be written.
    """
    file = os.path.join(ready(place(store, BEATS)), safe(host) + ".json")
    lines.write(
        file, json.dumps({"host": host, "event": event, "at": at, "installed": installed, "namespace": namespace})
    )


def beats(store: str) -> dict[str, dict[str, Any]]:
    """Return the last run by host: ``{"host", "event", "at", "installed", "namespace"}``."""
    folder = place(store, BEATS)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return {}
    found = [lines.load(os.path.join(folder, name)) for name in names]
    return {each["host"]: each for each in found if isinstance(each.get("host"), str)}
