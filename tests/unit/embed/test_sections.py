"""Parts of a text that have vectors of their own."""

from __future__ import annotations

from pathlib import Path

from omoide import Memory
from omoide.embed.windows import SECTION, sections
from omoide.testing import FakeEmbedder


def test_a_text_without_sections_is_left_as_it_is() -> None:
    assert sections("  green tea\n") == ["  green tea\n"]
    assert sections(f"{SECTION}green tea") == [f"{SECTION}green tea"]


def test_a_text_with_sections_is_cut_at_them() -> None:
    assert sections(f"緑茶\n{SECTION}thé\n{SECTION}  ") == ["緑茶", "thé"]
    assert sections(f"緑茶\n{SECTION}thé") == ["緑茶", "thé"]


def test_the_nearest_section_counts(tmp_path: Path) -> None:
    """A question that is one section finds it as if the others were not there, also after a rebuild."""
    embedder = FakeEmbedder()
    with Memory(tmp_path / "a.db", embedder=embedder) as memory:
        memory.remember(f"xxx\n{SECTION}yyy\n{SECTION}zzz")
        (before,) = memory.recall("yyy", use_bm25=False)
        memory.rebuild()
        (after,) = memory.recall("yyy", use_bm25=False)
    assert before.vector_score is not None
    assert after.vector_score is not None
    assert min(before.vector_score, after.vector_score) > 0.99
