"""An end to a hook or a worker that takes too long, on every system: the process stops, whatever it waits for."""

from __future__ import annotations

import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def watch(seconds: float, status: int, before: Callable[[], object] | None = None) -> threading.Timer:
    """End this process after ``seconds`` with ``status``; ``before`` is called first. Cancel what is returned."""

    def end() -> None:
        try:
            if before is not None:
                before()
        finally:
            os._exit(status)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    return timer
