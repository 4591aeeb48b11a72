"""What a caller over the network may ask for at most."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final, Self

KIB: Final = 1024
MIB: Final = 1024 * KIB
MOST_WORKERS: Final = 64
"""Processes that may serve one store at one address."""
KNOWN_CALLERS: Final = 10_000
"""Callers whose rate is kept in mind; the one not seen for longest is dropped first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one server; seconds, bytes, requests per second and caller.

    ``depth``: levels of nesting in a JSON body. ``body_seconds``: how long a body, or a head, may take to arrive.
    ``seconds``: how long an answer may take. ``in_flight``: requests at work or waiting at one time.
    ``rate`` None is without limit; ``burst`` requests may come at once. ``head``: of the request line and headers.
    """

    body: int = 8 * MIB
    depth: int = 64
    body_seconds: float = 15.0
    seconds: float = 60.0
    in_flight: int = 256
    rate: float | None = None
    burst: float = 200.0
    failures: float = 10.0
    head: int = 64 * KIB

    def shared_out(self, processes: int) -> Self:
        """Return the share of one of several processes of what is counted over callers and requests."""
        rate = None if self.rate is None else self.rate / processes
        return replace(
            self, in_flight=max(1, self.in_flight // processes), rate=rate, burst=self.burst / processes,
            failures=max(1.0, self.failures / processes),
        )  # fmt: skip


class Buckets:
    """Token buckets, one a caller: ``burst`` at once, ``rate`` a second."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, max(1.0, burst)
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Take one request; return 0.0 when it may go ahead, else the seconds until the next one may."""
        now = time.monotonic()
        level, seen = self._levels.pop(caller, (self._burst, now))
        level = min(self._burst, level + (now - seen) * self._rate)
        allowed = level >= 1.0
        self._levels[caller] = (level - 1.0 if allowed else level, now)
        if len(self._levels) > KNOWN_CALLERS:
            self._levels.popitem(last=False)
        return 0.0 if allowed else (1.0 - level) / self._rate
