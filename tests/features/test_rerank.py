"""A reranker of the user's own decides the order of the best hits."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError


class Longest:
    """Prefers long texts."""

    def score(self, query: str, texts: list[str], /) -> list[float]:
        return [float(len(text)) for text in texts]


@pytest.fixture
def mem(tmp_path: Path) -> Memory:
    mem = Memory(tmp_path / "agents.db", embedder="none", reranker=Longest())
    for text in ("tea", "tea leaf", "tea in a tall pot"):
        mem.remember(text)
    return mem


def test_the_reranker_orders_the_hits(mem: Memory) -> None:
    assert [hit.text for hit in mem.recall("tea", rerank=True)] == ["tea in a tall pot", "tea leaf", "tea"]


def test_its_value_is_the_score(mem: Memory) -> None:
    assert [hit.score for hit in mem.recall("tea", rerank=True, k=1)] == [17.0]


def test_its_time_is_told(mem: Memory) -> None:
    assert "rerank_ms" in mem.recall("tea", rerank=True).timings


def test_without_one_asking_for_it_is_an_error(tmp_path: Path) -> None:
    with Memory(tmp_path / "agents.db", embedder="none") as mem, pytest.raises(InvalidInputError, match="reranker"):
        mem.recall("tea", rerank=True)


def test_repeats_do_not_use_up_the_answers(tmp_path: Path) -> None:
    """Three hundred equal turns answer once and leave room for the other answers."""
    with Memory(tmp_path / "agents.db", embedder="none") as mem:
        with mem.bulk():
            for _ in range(300):
                mem.remember_turn("user", "yes please")
            for n in range(4):
                mem.remember(f"please keep in mind the longer and weaker remark number {n}")
        assert len(mem.recall("yes please", k=5)) == 5
