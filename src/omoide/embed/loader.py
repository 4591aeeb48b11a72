"""Loading a model in the background: once per process, again after a fork, never left behind at exit."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from omoide.errors import EmbedderUnavailableError, OmoideError

T = TypeVar("T")

PATIENCE: Final = 120.0
"""Seconds that a caller waits for a model."""
AT_EXIT: Final = 10.0
"""Seconds that the end of the interpreter waits for one that is loading."""

_FAILURES: Final = (OmoideError, ImportError, OSError, MemoryError, RuntimeError, ValueError)


class Loader(Generic[T]):
    """Calls ``load`` in one daemon thread at the first demand and hands its result to everybody.

    ``load`` is given a function to call between its stages: it raises once the interpreter is ending, so
    that exit waits for one stage and not for all. ``close`` is called with the value at exit; threads of
    the interpreter must not be inside native code when it ends.
    """

    def __init__(self, load: Callable[[Callable[[], None]], T], close: Callable[[T], None]) -> None:
        self._load = load
        self._close = close
        self._thread: threading.Thread | None = None
        self._value: T | None = None
        self._error: BaseException | None = None
        self._reset()

    @property
    def ready(self) -> bool:
        """Whether the value is there."""
        return self._value is not None

    @property
    def failed(self) -> bool:
        """Whether loading ended without a value."""
        return self._done.is_set() and self._value is None

    def start(self) -> None:
        """Begin loading, unless that was done before."""
        if self._thread is not None:
            return
        with self._lock:
            if self._thread is None:
                _refuse_at_exit()
                thread = threading.Thread(target=self._run, name="omoide-model", daemon=True)
                _start(thread)
                self._thread = thread

    def wait(self, timeout: float = PATIENCE) -> T:
        """Return the value, loading it if need be.

        Raises:
            EmbedderUnavailableError: loading failed, or took longer than ``timeout`` seconds.
        """
        if self._value is not None:
            return self._value
        self.start()
        if not self._done.wait(timeout):
            raise EmbedderUnavailableError(f"the model was not loaded within {timeout:g} seconds")
        return self._loaded()

    def finish(self) -> None:
        """Let the thread end and the value close; for the end of the interpreter."""
        if self._thread is not None:
            self._thread.join(AT_EXIT)
        if self._value is not None:
            self._close(self._value)

    def forget(self) -> None:
        """Start over in a forked child: the thread is gone, and the value may be in any state."""
        if self._value is not None:
            _abandoned.append(self._value)
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread = self._value = self._error = None

    def _loaded(self) -> T:
        if self._value is None:
            raise EmbedderUnavailableError(f"the model could not be loaded: {self._error}") from self._error
        return self._value

    def _run(self) -> None:
        try:
            with _loading:
                self._value = self._load(_refuse_at_exit)
        except _FAILURES as error:
            self._error = error
        finally:
            self._done.set()


class Loading:
    """What an embedder says of a model that loads in the background."""

    _loader: Loader[Any]

    @property
    def ready(self) -> bool:
        """Whether ``embed`` answers without waiting for the model."""
        return self._loader.ready

    @property
    def failed(self) -> bool:
        """Whether the model could not be loaded; ``embed`` says why."""
        return self._loader.failed

    def load(self) -> None:
        """Begin to load in the background; return at once."""
        self._loader.start()


def shared(key: str, load: Callable[[Callable[[], None]], T], close: Callable[[T], None]) -> Loader[T]:
    """Return the one loader of this process for a model."""
    return _loaders.setdefault(key, Loader(load, close))


_loaders: dict[str, Loader[Any]] = {}
_loading = threading.Lock()
_ending = threading.Event()
# Taking apart what belongs to threads that a fork did not copy can hang, so it is kept.
_abandoned: list[object] = []


def _refuse_at_exit() -> None:
    if _ending.is_set():
        raise EmbedderUnavailableError("the interpreter is ending")


def _start(thread: threading.Thread) -> None:
    try:
        thread.start()
    except RuntimeError as error:  # at the end of the interpreter, or when the system has no more threads
        raise EmbedderUnavailableError(f"the model cannot be loaded now: {error}") from error


def _finish_all() -> None:
    _ending.set()
    for loader in _loaders.values():
        loader.finish()


def _before_fork() -> None:
    """Let a load in progress end: the child would inherit half an import, and its lock for ever."""
    _fork.held = _loading.acquire(timeout=PATIENCE)


def _after_fork() -> None:
    if _fork.held:
        _loading.release()


def _in_child() -> None:
    _after_fork()
    for loader in _loaders.values():
        loader.forget()


_fork = threading.local()
atexit.register(_finish_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
