from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.testing import FakeEmbedder

pytestmark = pytest.mark.torture
Lines = Callable[[int], list[list[str]]]


def kill_at_random(start: Any, first_line: Callable[[int], None], number: int, *arguments: object) -> None:
    """Start a child, let it work for a moment that nobody chose, and kill it without a warning."""
    child = start(*arguments)
    first_line(number)
    time.sleep(random.Random(f"{arguments}{number}").uniform(0.02, 0.5))
    assert child.poll() is None, "the child ended by itself"
    child.kill()
    child.wait()


def acknowledged(lines: list[list[str]]) -> dict[int, str]:
    """Return the last acknowledged text of every memory."""
    return {int(words[1]): words[2].rstrip("\n") for words in lines if words[0] == "ack"}


def in_flight(lines: list[list[str]]) -> dict[int, str]:
    """Return the change that was begun and not acknowledged, if any."""
    last = lines[-1]
    return {int(last[1]): last[2].rstrip("\n")} if last[0] == "try" else {}


def check_found(mem: Memory, memory_id: int, text: str) -> None:
    """A memory is there with its text, found by keyword and by vector, and in the audit."""
    record = mem.get(memory_id)
    assert record is not None
    assert record.text == text
    assert memory_id in [hit.id for hit in mem.recall(text, k=3, use_vectors=False)]
    assert memory_id in [hit.id for hit in mem.recall(text, k=3, use_bm25=False)]


@pytest.mark.parametrize("mode", ["write", "bulk"])
def test_kill_loses_nothing_acknowledged(
    start: Any, lines: Lines, first_line: Callable[[int], None], path: Path, mode: str
) -> None:
    """Killed at five random points, a writer's every acknowledged note is there and searchable."""
    expected: dict[int, str] = {}
    for number in range(5):
        kill_at_random(start, first_line, number, mode, path, f"w{number}", 0 if mode == "write" else 20)
        expected |= acknowledged(lines(number))
        with Memory(path, embedder=FakeEmbedder(16)) as mem:
            assert mem.integrity_check() == []
            texts = {record.id: record.text for record in mem.list()}
            assert expected.items() <= texts.items()
            for memory_id in random.Random(number).sample(sorted(expected), min(5, len(expected))):
                check_found(mem, memory_id, expected[memory_id])
            audited = {target for event in mem.audit() for target in event.targets}
            assert expected.keys() <= audited


def test_kill_amid_changes_leaves_whole_changes(
    start: Any, lines: Lines, first_line: Callable[[int], None], path: Path
) -> None:
    """Killed amid revisions and forgets, every memory is as last acknowledged or as just begun."""
    for number in range(5):
        kill_at_random(start, first_line, number, "mixed", path, f"m{number}", number)
        said = lines(number)
        begun = in_flight(said)
        with Memory(path, embedder=FakeEmbedder(16)) as mem:
            assert mem.integrity_check() == []
            for memory_id, text in acknowledged(said).items():
                record = mem.get(memory_id)
                found = "-" if record is None else record.text
                assert found in {text, begun.get(memory_id, text)}
                open_now = [v for v in mem.why(memory_id).versions if v.known_to is None]
                current = [v for v in open_now if v.valid_to is None]
                assert len(current) == (0 if found == "-" else 1)


def test_kill_before_the_first_write_leaves_a_store_that_opens(start: Any, path: Path) -> None:
    """Killed while it creates the store, a process leaves nothing that cannot be opened."""
    for number in range(6):
        child = start("write", path, f"w{number}", 0)
        time.sleep(0.25 + 0.05 * number)
        child.kill()
        child.wait()
        with Memory(path, embedder=FakeEmbedder(16)) as mem:
            mem.remember(f"after {number}")
            assert mem.integrity_check() == []
