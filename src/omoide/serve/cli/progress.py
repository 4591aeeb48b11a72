"""Work that takes a while says so: a bar or a spinner at a terminal, a line now and then for whoever reads a log."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from time import monotonic
from typing import Any, Final, Self

from omoide.serve.cli.blocks import harmless
from omoide.serve.cli.output import is_terminal, remark
from omoide.serve.messages.speech import Speech

EVERY: Final = 10.0
"""Seconds between two lines where nobody sits at a terminal; work that is shorter says nothing."""
_PATIENCE: Final = 1.0
"""Seconds for a line that nobody takes; the answer does not wait for it."""
WIDEST: Final = 60
"""Characters of a line before it is cut at a terminal."""


class Progress:
    """Says on standard error how far a piece of work is; ``quiet`` says nothing at all.

    Work of known length calls it with what is done, what there is in all, and a name. ``every`` is the least number
    of seconds between two lines outside of a terminal; 0 says every step.
    """

    def __init__(self, say: Speech, *, quiet: bool, every: float | None = None) -> None:
        self._say = say
        self._every = EVERY if every is None else every
        self._shown = None if quiet else (_AtTerminal(say) if is_terminal(sys.stderr) else self._line)
        self._step: tuple[int, int | None, str] | None = None
        self._began = monotonic()
        self._ended = Event()
        self._ticker: Thread | None = None

    def __enter__(self) -> Self:
        if isinstance(self._shown, _AtTerminal):
            self._shown.begin()
        elif self._shown is not None and self._every > 0:
            self._ticker = Thread(target=self._tick, name="omoide-progress", daemon=True)
            self._ticker.start()
        return self

    def __call__(self, done: int, total: int | None = None, name: object = "", /) -> None:
        """Say that so much is done."""
        self._step = (done, total, str(name))
        if isinstance(self._shown, _AtTerminal):
            self._shown.move(*self._step)
        elif self._shown is not None and self._every <= 0:
            self._shown()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._ticker is not None:
            self._ticker.join(_PATIENCE)
        if isinstance(self._shown, _AtTerminal):
            self._shown.end()

    def _tick(self) -> None:
        while not self._ended.wait(self._every):
            self._line()

    def _line(self) -> None:
        with suppress(OSError, ValueError):  # whoever read the log is gone, the work goes on
            remark(harmless(self._told()))

    def _told(self) -> str:
        if self._step is None:
            return self._say("progress.time", seconds=round(monotonic() - self._began))
        done, total, name = self._step
        key = "progress.steps" if total is None else "progress.part"
        return self._say(key, done=done, total=total, name=name).rstrip(": ：")


class _AtTerminal:
    """A spinner until it is known how much there is, a bar from then on."""

    def __init__(self, say: Speech) -> None:
        self._text = say("working")
        self._stop: Callable[[], None] | None = None
        self._bar: Any = None
        self._task: Any = None

    def begin(self) -> None:
        from rich.console import Console

        status = Console(stderr=True).status(self._text)
        status.start()
        self._stop = status.stop

    def move(self, done: int, total: int | None, name: str) -> None:
        from rich.markup import escape

        if self._bar is None:
            self.end()
            self._start(total)
        told = escape(harmless(f"{self._text} {name}".strip())[:WIDEST])
        self._bar.update(self._task, completed=done, total=total, description=told)

    def _start(self, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(console=Console(stderr=True), transient=True)
        self._bar.start()
        self._stop = self._bar.stop
        self._task = self._bar.add_task(self._text, total=total)

    def end(self) -> None:
        if self._stop is not None:
            self._stop()
            self._stop = None
