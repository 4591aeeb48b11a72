from __future__ import annotations

import threading

import pytest

from omoide.embed import parallel
from omoide.embed.parallel import in_parallel


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    assert in_parallel(lambda n: n * n, range(count)) == [n * n for n in range(count)]


def test_no_more_than_two_work_at_once() -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def work(_: int) -> None:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        threading.Event().wait(0.001)
        with lock:
            at_once -= 1

    in_parallel(work, range(50))
    assert most <= parallel.WORKERS


def test_an_error_is_raised_and_ends_the_rest() -> None:
    done: list[int] = []

    def work(n: int) -> None:
        if n == 3:
            raise KeyError(n)
        done.append(n)

    with pytest.raises(KeyError):
        in_parallel(work, range(100_000))
    assert len(done) < 100_000 - 1


def test_no_thread_outlives_the_call() -> None:
    in_parallel(str, range(20))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("omoide-embed")]
