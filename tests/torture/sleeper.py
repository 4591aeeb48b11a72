"""``sleeper.py PATH POINT``: consolidate a store and die without a warning at the so-many-th point of writing.

A point is a commit, and in a vault every replacement of a file, link and flush of a log as well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from omoide import Memory
from omoide.testing import FakeClock

NOW = "2027-09-01T00:00:00Z"


def main(path: str, point: int) -> None:
    """Run once; exit with status 9 at the point that kills it, else say how many there were."""
    mem = Memory(path, embedder="none", clock=FakeClock(NOW))
    met = 0

    def meet() -> bool:
        nonlocal met
        met += 1
        if met >= point:
            os._exit(9)
        return False

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            meet()
            return call(*args, **kwargs)

        return run

    before = os.replace, os.fsync, os.link
    os.replace, os.fsync, os.link = (dying(call) for call in before)
    with mem._ctx.store.writer.use() as tables:
        tables.connection.set_commit_hook(meet)
    mem.sleep()
    with mem._ctx.store.writer.use() as tables:
        tables.connection.set_commit_hook(None)
    os.replace, os.fsync, os.link = before
    sys.stdout.write(f"{met}\n")
    mem.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
