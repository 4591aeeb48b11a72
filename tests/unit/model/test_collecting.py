"""The cyclic collector during a large write."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

from omoide import Index, Memory
from omoide.model.collecting import collected, uncollected
from omoide.testing import FakeEmbedder


@pytest.fixture(autouse=True)
def _on_again() -> Iterator[None]:
    yield
    gc.enable()


def test_it_is_off_inside_and_on_after_the_outermost_block() -> None:
    """Nested blocks turn the collector on once, at the end."""
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_turns_it_on_again() -> None:
    """A block that raises leaves the collector as it was."""
    with pytest.raises(ValueError, match="inside"), uncollected():
        raise ValueError("inside")
    assert gc.isenabled()


def test_a_program_that_turned_it_off_finds_it_off() -> None:
    """What the host decided stays."""
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_of_a_fork_collects() -> None:
    """A child that was forked while a block ran has the collector on."""
    with uncollected():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_splitter_of_the_caller_runs_with_the_collector_as_it_was() -> None:
    """Code that is not ours is not touched by it."""
    seen: list[bool] = []

    def split(text: str, _size: int, _overlap: int) -> list[str]:
        seen.append(gc.isenabled())
        return [text]

    index = Index(":memory:", embedder="none")
    index.add_texts(["one", "two"], splitter=split)
    index.close()
    assert seen == [True, True]
    assert gc.isenabled()


def test_what_is_not_ours_leaves_every_block_for_as_long() -> None:
    """Inside of nested blocks the collector is on where it is asked for, and off again after."""
    with uncollected(), uncollected():
        with collected():
            assert gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_without_a_block_there_is_nothing_to_leave() -> None:
    """A program that turned the collector off finds it off, also in there."""
    gc.disable()
    with collected():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_an_embedder_runs_with_the_collector_as_it_was() -> None:
    """Vectors of texts and of memories in bulk are made by code that is not ours."""
    seen: list[bool] = []

    class Seeing(FakeEmbedder):
        def embed(self, texts: list[str]) -> list[list[float]]:
            seen.append(gc.isenabled())
            return super().embed(texts)

    index = Index(":memory:", embedder=Seeing())
    index.add_texts(["one", "two"])
    index.close()
    memory = Memory(":memory:", embedder=Seeing())
    with memory.bulk():
        memory.remember("three")
        memory.remember("four")
    memory.close()
    assert len(seen) >= 2
    assert all(seen)
    assert gc.isenabled()
