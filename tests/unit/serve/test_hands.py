"""Threads behind an event loop, and the time that a step may take."""

from __future__ import annotations

import asyncio
import threading

import pytest

from omoide.serve.deadlines import Deadlines
from omoide.serve.hands import Hands


def test_what_a_thread_makes_comes_back() -> None:
    hands = Hands(2, "hands")

    async def ask() -> tuple[int, str]:
        return await hands.do(max, 3, 5), await hands.do(lambda: threading.current_thread().name)

    assert asyncio.run(ask()) == (5, "hands")


@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit(3), KeyError("x")])
def test_what_ends_the_work_is_raised_where_it_is_waited_for(error: BaseException) -> None:
    hands = Hands(1, "hands")

    def fail() -> None:
        raise error

    async def ask() -> BaseException:
        try:
            await hands.do(fail)
        except (ValueError, SystemExit, KeyError) as caught:
            return caught
        raise AssertionError

    assert asyncio.run(ask()) is error


def test_as_many_are_at_work_as_there_are_threads_and_no_more() -> None:
    hands = Hands(3, "hands")
    barrier = threading.Barrier(3, timeout=30)
    at_work, most = 0, 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        barrier.wait()
        with lock:
            at_work -= 1

    async def ask() -> None:
        await asyncio.gather(*(hands.do(work) for _ in range(9)))

    asyncio.run(ask())
    assert most == 3


def test_a_call_that_nobody_waits_for_is_not_begun() -> None:
    hands, free = Hands(1, "hands"), threading.Event()
    begun: list[int] = []

    async def ask() -> None:
        first = asyncio.ensure_future(hands.do(free.wait, 30))
        second = asyncio.ensure_future(hands.do(begun.append, 2))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        free.set()
        await first
        await hands.do(begun.append, 3)

    asyncio.run(ask())
    assert begun == [3]


def test_finishing_waits_for_what_has_begun_and_drops_the_rest() -> None:
    hands, free, running = Hands(1, "hands"), threading.Event(), threading.Event()
    done: list[int] = []

    def work() -> None:
        running.set()
        free.wait(30)
        done.append(1)

    async def ask() -> None:
        first = asyncio.ensure_future(hands.do(work))
        second = asyncio.ensure_future(hands.do(done.append, 2))
        await asyncio.to_thread(running.wait, 30)
        finishing = asyncio.ensure_future(asyncio.to_thread(hands.finish))
        with pytest.raises(asyncio.CancelledError):
            await second
        assert not finishing.done()
        free.set()
        await asyncio.gather(finishing, first)
        assert done == [1]
        assert await hands.do(max, 1, 2) == 2

    asyncio.run(ask())


def test_a_step_that_takes_too_long_is_ended() -> None:
    async def ask() -> None:
        with Deadlines(0.01).turn():
            await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        asyncio.run(ask())


def test_a_step_in_time_is_left_alone_and_those_after_it_too() -> None:
    deadlines = Deadlines(0.05)

    async def ask() -> int:
        for _ in range(10):
            with deadlines.turn():
                await asyncio.sleep(0.01)
        return 1

    assert asyncio.run(ask()) == 1
    assert asyncio.run(ask()) == 1


def test_each_of_many_steps_has_a_time_of_its_own() -> None:
    deadlines = Deadlines(0.2)
    ends: list[str] = []

    async def step(name: str, seconds: float) -> None:
        try:
            with deadlines.turn():
                await asyncio.sleep(seconds)
        except TimeoutError:
            ends.append(f"{name} late")
        else:
            ends.append(f"{name} done")

    async def ask() -> None:
        await asyncio.gather(step("a", 60), step("b", 0), step("c", 60))

    asyncio.run(ask())
    assert sorted(ends) == ["a late", "b done", "c late"]


def test_a_step_that_is_cancelled_by_somebody_else_stays_cancelled() -> None:
    async def step() -> None:
        with Deadlines(30).turn():
            await asyncio.sleep(60)

    async def ask() -> None:
        task = asyncio.ensure_future(step())
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(ask())
