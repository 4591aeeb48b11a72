"""Each call of a handle looks at the folder of its vault once, however often it reads."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, Final

_NOT_CALLS: Final = ("bulk", "close")
"""Methods that last longer than a look may, or that look at nothing."""
_BUFFERED: Final = ("remember", "remember_turn", "add_text", "add_texts")
"""Methods that inside ``bulk`` only take note of what is to be written."""


def settle(cls: type) -> None:
    """Let every public method of a class of handles look once, those that it inherits too."""
    for name, method in _methods(cls):
        setattr(cls, name, _once(method))


def _methods(cls: type) -> Iterator[tuple[str, FunctionType]]:
    for name in dir(cls):
        method = inspect.getattr_static(cls, name)
        wrapped = getattr(method, "looks_once", False)
        if name[0] == "_" or name in _NOT_CALLS or wrapped or not isinstance(method, FunctionType):
            continue
        if not inspect.iscoroutinefunction(method):
            yield name, method


def _once(method: Callable[..., Any]) -> Callable[..., Any]:
    buffered = method.__name__ in _BUFFERED

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if buffered and self._ctx.held_back is not None:
            return method(self, *args, **kwargs)
        with self._ctx.store.settled():
            return method(self, *args, **kwargs)

    run.looks_once = True  # type: ignore[attr-defined]
    return run
