"""The worker as a process: its limits, and where its failures go."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from omoide.beside.failures import failed
from omoide.capture.event import stamp
from omoide.capture.watchdog import watch

TIME: Final = 300.0
"""Seconds that a worker may take; what is left is for the next."""
MEMORY: Final = 4 << 30
"""Bytes of address space that a worker may take, on systems that can limit it."""


def main(words: Sequence[str]) -> int:
    """Run the worker of the store that is named; return the exit status."""
    if len(words) != 1:
        return 2
    store = words[0]
    _limit_memory()
    timer = watch(TIME, 1, lambda: failed(store, "worker", "it took too long", stamp()))
    try:
        from omoide.capture.working import run

        run(store)
    except Exception as error:  # noqa: BLE001 - nobody sees a worker fail; doctor shows it
        failed(store, "worker", error, stamp())
        return 1
    finally:
        timer.cancel()
    return 0


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, most))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
