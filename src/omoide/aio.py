"""Async twins of blocking methods, made mechanically: ``await memory.arecall(...)``.

A twin runs its method in a worker thread with ``asyncio.to_thread``. Handles are safe to use from any
number of threads, so twins run side by side. Cancelling a twin stops the waiting, not the work.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
C = TypeVar("C", bound=type)


def twin(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """Make the async twin of a method.

    In the body of its class: ``arecall = twin(recall)``. It keeps the signature for callers and type
    checkers, and calls the method by its name, so that a subclass which overrides the method changes the
    twin too.
    """
    name = method.__name__

    @wraps(method)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        import asyncio  # a command that never waits need not load it

        bound: Callable[P, R] = getattr(self, name)
        return await asyncio.to_thread(bound, *args, **kwargs)

    run.__name__ = f"a{name}"
    run.__qualname__ = ".".join([*method.__qualname__.split(".")[:-1], run.__name__])
    run.__doc__ = f"Async twin of ``{name}``.\n\n{inspect.getdoc(method) or ''}".rstrip()
    return run


def add_async_twins(cls: C, names: Iterable[str]) -> C:
    """Give ``cls`` the twin ``a<name>`` of each method in ``names``, and return it.

    Type checkers do not see twins made this way; ``twin`` in the class body is for those.

    Raises:
        AttributeError: ``cls`` has no such method.
    """
    for name in names:
        setattr(cls, f"a{name}", twin(getattr(cls, name)))
    return cls
