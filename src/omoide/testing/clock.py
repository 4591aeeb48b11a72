"""A clock that a test sets."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from omoide.errors import InvalidInputError
from omoide.model.forks import ForkLock
from omoide.model.time import to_datetime, to_micros


class FakeClock:
    """Stands still until it is told otherwise; safe to share between threads and handles.

    >>> clock = FakeClock()
    >>> clock.advance(90)
    >>> clock.now().isoformat()
    '2026-01-01T00:01:30+00:00'
    """

    def __init__(self, start: datetime | date | str = "2026-01-01T00:00:00Z") -> None:
        self._micros = to_micros(start, "start")
        self._lock = ForkLock()

    def now(self) -> datetime:
        """Return the time it stands at, in UTC."""
        with self._lock:
            return to_datetime(self._micros)

    def set(self, moment: datetime | date | str) -> None:
        """Move to ``moment``, which may lie in the past; without an offset it is UTC."""
        micros = to_micros(moment, "moment")
        with self._lock:
            self._micros = micros

    def advance(self, seconds: float | timedelta) -> None:
        """Move on by ``seconds``, rounded to microseconds; negative seconds move back.

        Raises:
            InvalidInputError: not a finite number, or a step out of the years 1 to 9999.
        """
        try:
            step = seconds if isinstance(seconds, timedelta) else timedelta(seconds=seconds)
            with self._lock:
                self._micros = to_micros(to_datetime(self._micros) + step)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidInputError(f"a clock cannot advance by {seconds!r}: {error}", value=seconds) from error

    def __repr__(self) -> str:
        return f"FakeClock({self.now().isoformat()!r})"
