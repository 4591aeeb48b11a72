"""``sleeper.py PATH COMMITS``: consolidate a store and die without a warning at the so-many-th commit."""

from __future__ import annotations

import os
import sys

from omoide import Memory
from omoide.testing import FakeClock

NOW = "2027-09-01T00:00:00Z"


def main(path: str, commits: int) -> None:
    """Run once; exit with status 9 at the commit that kills it, 0 when there are fewer."""
    mem = Memory(path, embedder="none", clock=FakeClock(NOW))
    left = commits

    def committing() -> bool:
        nonlocal left
        left -= 1
        if left <= 0:
            os._exit(9)
        return False

    with mem._ctx.store.writer.use() as tables:
        tables.connection.set_commit_hook(committing)
    mem.sleep()
    with mem._ctx.store.writer.use() as tables:
        tables.connection.set_commit_hook(None)
    mem.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
