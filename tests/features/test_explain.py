from __future__ import annotations

import json
from collections.abc import Callable

from omoide import Memory
from omoide.testing import FakeEmbedder


def test_a_score_has_parts_with_names(opened: Callable[..., Memory]) -> None:
    """``explain`` gives the parts of a score by name, fit for JSON."""
    mem = opened(embedder=FakeEmbedder(16))
    mem.remember("tea at four", importance="high")
    parts = mem.recall("tea at four")[0].explain()
    assert parts
    assert all(isinstance(name, str) for name in parts)
    assert json.loads(json.dumps(parts)) == parts


def test_importance_is_among_them(mem: Memory) -> None:
    """Two hits that differ in importance alone are explained differently."""
    mem.remember("tea is at four", subject="one", importance="critical")
    mem.remember("tea is at four", subject="two", importance="low")
    first, second = mem.recall("tea at four")
    assert (first.importance, second.importance) == ("critical", "low")
    assert first.explain() != second.explain()


def test_a_score_is_absolute(opened: Callable[..., Memory]) -> None:
    """The best hit of a good question scores higher than the best hit of a bad one."""
    mem = opened(embedder=FakeEmbedder(64))
    for text in ("the cat is called Mochi", "the deploy runs on Fridays", "the office moved to Kyoto"):
        mem.remember(text)
    good = mem.recall("the cat is called Mochi")[0].score
    bad = max((hit.score for hit in mem.recall("the zebra of grandmother")), default=0.0)
    assert good > bad
