from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from omoide import Memory
from omoide.embed.minilm import MAX_LENGTH, MiniLMEmbedder
from omoide.embed.resolve import resolve
from omoide.errors import EmbedderUnavailableError

MODEL = Path(__file__).resolve().parents[3] / "models" / "minilm"


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    pytest.importorskip("omoide_minilm")
    return MiniLMEmbedder()


# The vectors of the same weights in float32, computed with numpy.
REFERENCE: dict[str, list[float]] = json.loads(
    Path(__file__).with_name("golden_minilm.json").read_text(encoding="utf-8")
)["vectors"]


@pytest.mark.model
@pytest.mark.parametrize("text", REFERENCE)
def test_a_vector_is_near_the_one_of_the_float32_model(minilm: MiniLMEmbedder, text: str) -> None:
    assert float(minilm.embed([text])[0] @ np.array(REFERENCE[text])) > 0.995


@pytest.mark.model
def test_a_vector_does_not_depend_on_the_batch(minilm: MiniLMEmbedder) -> None:
    texts = ["short", "A somewhat longer text about a cat that sleeps on the piano.", "def f(): pass"] * 3
    alone = [minilm.embed([text])[0] for text in texts]
    assert np.array_equal(np.stack(minilm.embed(texts)), np.stack(alone))


@pytest.mark.model
@pytest.mark.parametrize("text", ["", " ", "\x00", "🙂", "\ud800", "word " * 20_000, "字" * 100_000])
def test_any_text_has_a_finite_vector(minilm: MiniLMEmbedder, text: str) -> None:
    assert np.isfinite(minilm.embed([text])[0]).all()


@pytest.mark.model
def test_no_window_is_cut_by_the_model(minilm: MiniLMEmbedder) -> None:
    tokens = minilm._loader.wait().tokens
    windows = minilm.split("All work and no play. " * 300)
    assert len(windows) > 2
    assert max(map(tokens.count, windows)) <= MAX_LENGTH - 2


@pytest.mark.model
def test_every_byte_of_the_installed_data_is_the_pinned_one() -> None:
    assert pytest.importorskip("omoide_minilm").check(full=True) == []


@pytest.mark.model
def test_its_name_is_one_word_and_a_store_remembers_it(minilm: MiniLMEmbedder, tmp_path: Path) -> None:
    with Memory(tmp_path / "agents.db", embedder="minilm") as mem:
        mem.remember("the two cats are called Mochi and Tama")
        mem.remember("the server is rebooted every Sunday night")
        assert "cats" in mem.recall("what are the names of the kittens?", use_bm25=False)[0].text
    with Memory(tmp_path / "agents.db") as again:
        assert again.embedder_name == minilm.model_name
        assert not again.recall("kittens").degraded


def test_a_missing_distribution_is_told_by_the_name_of_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "omoide_minilm", None)
    with pytest.raises(EmbedderUnavailableError, match=r"omoide\[minilm\]"):
        resolve("minilm")


def test_no_weights_are_part_of_the_sources() -> None:
    sources = [path for path in (MODEL / "minilm_builder").rglob("*") if "__pycache__" not in path.parts]
    assert all(path.stat().st_size < 64_000 for path in sources if path.is_file())
