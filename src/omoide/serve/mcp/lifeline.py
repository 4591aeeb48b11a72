"""No orphans: a server on standard input and output ends with the client that started it."""

from __future__ import annotations

import os
import time
from threading import Thread, main_thread
from typing import Final

POLL_SECONDS: Final = 2.0
GRACE_SECONDS: Final = 3.0
"""How long work that was begun may go on after the client left; what was acknowledged is on disk."""


def watch_parent() -> None:
    """End this process when its parent is gone, which closed pipes do not tell when others inherited them."""
    parent = os.getppid()
    while parent > 1 and os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    if parent > 1:
        time.sleep(GRACE_SECONDS)
        os._exit(0)


def leave_with_the_main_thread() -> None:
    """End this process soon after its main thread did, whatever threads still do, such as loading a model."""
    Thread(target=_leave, name="omoide-mcp-leave", daemon=True).start()


def _leave() -> None:
    main_thread().join()
    time.sleep(GRACE_SECONDS)
    os._exit(0)
