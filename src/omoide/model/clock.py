"""The clock of the machine, and how a store reads any clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from omoide.model.time import Micros, to_micros
from omoide.ports import Clock


class SystemClock:
    """Wall-clock time in UTC, microseconds."""

    def now(self) -> datetime:
        """Return the current time."""
        return datetime.now(UTC)


def micros_of(clock: Clock | None) -> Micros:
    """Return the reading of ``clock``, of the machine's when None, in microseconds."""
    return time.time_ns() // 1000 if clock is None else to_micros(clock.now(), "clock")
