"""How a store reads the time, from the clock of the machine or one it was given."""

from __future__ import annotations

import time

from omoide.model.time import Micros, to_micros
from omoide.ports import Clock


def micros_of(clock: Clock | None) -> Micros:
    """Return the reading of ``clock``, of the machine's when None, in microseconds."""
    return time.time_ns() // 1000 if clock is None else to_micros(clock.now(), "clock")
