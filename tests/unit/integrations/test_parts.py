"""The small parts that adapters are made of."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.errors import InvalidInputError, StoreBusyError
from omoide.integrations.diverse import diverse
from omoide.integrations.file_tree import size_of, spot
from omoide.integrations.langgraph_gather import Gathering
from omoide.integrations.langgraph_labels import Labels
from omoide.integrations.sweeper import Sweeper
from omoide.integrations.threads import whole
from omoide.model.namespaces import check_namespace

LABEL = st.text(min_size=1, max_size=12).filter(lambda label: not any("\ud800" <= char <= "\udfff" for char in label))


@pytest.mark.parametrize("separator", [".", "/", "::"])
@settings(deadline=None)
@given(labels=st.lists(LABEL, min_size=1, max_size=4).map(tuple))
def test_labels_come_back_from_a_name_that_a_namespace_may_have(separator: str, labels: tuple[str, ...]) -> None:
    made = Labels(separator)
    name = made.name(labels)
    assert made.labels(name) == labels
    assert check_namespace(name) == name


@pytest.mark.parametrize(
    "path, place",
    [
        ("/memories", "/memories"), ("/memories/", "/memories"), ("/memories/a/../b//c/.", "/memories/b/c"),
        ("/memories/..", None), ("/memories/a/../../b", None), ("/memoriesx", None), ("memories", None),
        ("/memories/été/寿司.md", "/memories/été/寿司.md"),
    ],
)  # fmt: skip
def test_a_path_stays_below_its_root(path: str, place: str | None) -> None:
    assert spot(path) == place


@pytest.mark.parametrize("size, said", [(0, "0B"), (1023, "1023B"), (1024, "1K"), (1536, "1.5K"), (5 * 2**20, "5M")])
def test_a_size_has_the_largest_unit_that_it_fills(size: int, said: str) -> None:
    assert size_of(size) == said


def test_what_repeats_comes_last() -> None:
    vectors = [np.array(each, np.float32) for each in ([1, 0], [0.99, 0.14], [0, 1])]
    assert diverse(vectors[0], vectors, 3, 1.0) == [0, 1, 2]
    assert diverse(vectors[0], [*vectors, None], 2, 0.3) == [0, 2]
    assert diverse(vectors[0], [], 2, 0.5) == []


async def test_a_cancelled_caller_waits_for_the_end_of_its_call() -> None:
    ended: list[str] = []

    def call() -> None:
        time.sleep(0.05)
        ended.append("call")

    task = asyncio.create_task(whole(call))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["call"]


async def test_an_error_of_a_call_reaches_its_caller() -> None:
    def call() -> None:
        raise InvalidInputError("no")

    with pytest.raises(InvalidInputError):
        await whole(call)


async def test_callers_of_one_turn_share_a_batch_unless_they_write_to_one_place() -> None:
    batches: list[list[str]] = []

    def batch(operations: list[str]) -> list[str]:
        batches.append(operations)
        if "bad" in operations:
            raise InvalidInputError("bad")
        return [operation.upper() for operation in operations]

    gathering = Gathering(batch, lambda operation: operation if operation.startswith("w") else None)
    asked = [gathering.ask(operations) for operations in (["a", "w1"], ["b"], ["w1"], ["w2"])]
    assert await asyncio.gather(*asked) == [["A", "W1"], ["B"], ["W1"], ["W2"]]
    assert batches == [["a", "w1", "b"], ["w1", "w2"]]
    mixed: list[Any] = await asyncio.gather(gathering.ask(["bad"]), gathering.ask(["c"]), return_exceptions=True)
    assert isinstance(mixed[0], InvalidInputError)
    assert mixed[1] == ["C"]


async def test_what_a_cancelled_caller_asked_for_is_left_out() -> None:
    batches: list[list[str]] = []

    def batch(operations: list[str]) -> list[str]:
        batches.append(operations)
        return operations

    gathering = Gathering(batch, lambda _: None)
    tasks = [asyncio.create_task(gathering.ask([name])) for name in "abc"]
    await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert batches == [["a", "c"]]


def test_a_busy_store_is_swept_the_next_time_and_another_error_ends_it() -> None:
    swept = threading.Event()
    errors = [StoreBusyError("busy"), None, InvalidInputError("over")]

    def sweep() -> None:
        error = errors.pop(0)
        if error is not None:
            raise error
        swept.set()

    sweeper = Sweeper(sweep, 0.001)
    assert swept.wait(10)
    with pytest.raises(InvalidInputError, match="over"):
        sweeper.over.result(timeout=10)
    assert sweeper.stop(timeout=10)


def test_a_sweeper_that_is_stopped_is_done() -> None:
    sweeper = Sweeper(lambda: None, 3600)
    assert sweeper.alive
    assert sweeper.stop(timeout=10)
    assert sweeper.over.result(timeout=1) is None
