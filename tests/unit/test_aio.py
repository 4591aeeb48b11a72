"""Async twins: same name with an a, same signature, same answer."""

from __future__ import annotations

import asyncio
import inspect
import threading
from contextvars import ContextVar

import pytest

from omoide.aio import add_async_twins, twin

REQUEST: ContextVar[str] = ContextVar("REQUEST", default="none")


class Shelf:
    """Some class with blocking methods."""

    def find(self, title: str, /, *, k: int = 5) -> list[str]:
        """Find books.

        The best first.
        """
        return [title] * k

    def where(self) -> tuple[int, str]:
        return threading.get_ident(), REQUEST.get()

    def burn(self) -> None:
        raise LookupError("no such book")

    def meet(self, barrier: threading.Barrier) -> None:
        barrier.wait(timeout=10)

    afind = twin(find)
    ameet = twin(meet)


add_async_twins(Shelf, ["where", "burn"])


class TallShelf(Shelf):
    """A class that overrides a method and leaves its twin alone."""

    def find(self, title: str, /, *, k: int = 5) -> list[str]:
        return [title.upper()] * k


class TestTwin:
    async def test_returns_what_the_method_returns(self) -> None:
        assert await Shelf().afind("x", k=2) == ["x", "x"]

    async def test_raises_what_the_method_raises(self) -> None:
        with pytest.raises(LookupError, match="no such book"):
            await Shelf().aburn()  # type: ignore[attr-defined]

    async def test_runs_in_another_thread_with_the_callers_context(self) -> None:
        REQUEST.set("r1")
        thread, request = await Shelf().awhere()  # type: ignore[attr-defined]
        assert thread != threading.get_ident()
        assert request == "r1"

    async def test_runs_beside_other_twins_of_one_handle(self) -> None:
        shelf, barrier = Shelf(), threading.Barrier(2)
        await asyncio.gather(shelf.ameet(barrier), shelf.ameet(barrier))

    async def test_follows_a_method_that_a_subclass_overrides(self) -> None:
        assert await TallShelf().afind("x", k=1) == ["X"]

    def test_carries_the_name_signature_and_documentation(self) -> None:
        assert Shelf.afind.__name__ == "afind"
        assert Shelf.afind.__qualname__ == "Shelf.afind"
        assert inspect.signature(Shelf.afind) == inspect.signature(Shelf.find)
        assert inspect.unwrap(Shelf.afind) is Shelf.find
        assert inspect.iscoroutinefunction(Shelf.afind)
        assert str(Shelf.afind.__doc__).startswith("Async twin of ``find``.\n\nFind books.\n\nThe best first.")

    def test_of_a_method_that_does_not_exist_is_an_error(self) -> None:
        with pytest.raises(AttributeError, match="nothing"):
            add_async_twins(Shelf, ["nothing"])
