from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from omoide.embed.e5 import MAX_LENGTH, E5Embedder
from omoide.embed.loader import Loader
from omoide.embed.packaged import load_model
from omoide.errors import EmbedderUnavailableError

data = pytest.importorskip("omoide_e5_small")
pytestmark = pytest.mark.model

# The vectors of the same weights in float32, computed with numpy.
REFERENCE: dict[str, list[float]] = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))[
    "vectors"
]
TEXTS = ["short", "A somewhat longer text about a cat that sleeps on the piano.", "猫", "def f(): pass"] * 3


@pytest.fixture(scope="module")
def e5() -> E5Embedder:
    return E5Embedder()


def run(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)


def test_its_name_and_dimension_are_those_of_the_data(e5: E5Embedder) -> None:
    assert (e5.model_name, e5.dimension) == (data.MODEL_NAME, data.DIMENSION)


def test_a_vector_does_not_depend_on_the_batch(e5: E5Embedder) -> None:
    together = e5.embed(TEXTS)
    alone = [e5.embed([text])[0] for text in TEXTS]
    assert np.array_equal(np.stack(together), np.stack(alone))


def test_vectors_have_unit_length(e5: E5Embedder) -> None:
    assert np.linalg.norm(np.stack(e5.embed(TEXTS)), axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


@pytest.mark.parametrize("text", REFERENCE)
def test_a_vector_is_near_the_one_of_the_float32_model(e5: E5Embedder, text: str) -> None:
    side, body = text.split(": ", 1)
    embed = e5.embed if side == "passage" else e5.embed_queries
    assert float(embed([body])[0] @ np.array(REFERENCE[text])) > 0.996


def test_no_texts_are_no_vectors(e5: E5Embedder) -> None:
    assert len(e5.embed([])) == 0


@pytest.mark.parametrize("text", ["", " ", "\x00", "🙂", "\ud800", "word " * 20_000, "字" * 100_000])
def test_any_text_has_a_finite_vector(e5: E5Embedder, text: str) -> None:
    assert np.isfinite(e5.embed([text])[0]).all()


def test_what_lies_beyond_the_length_of_the_model_is_not_read(e5: E5Embedder) -> None:
    head = "word " * MAX_LENGTH
    assert np.array_equal(e5.embed([head + "one end"])[0], e5.embed([head + "another end"])[0])


def test_a_short_text_is_its_own_window(e5: E5Embedder) -> None:
    assert e5.split("a short text") == ["a short text"]


@pytest.mark.parametrize("text", ["All work and no play. " * 300, "吾輩は猫である。名前はまだ無い。" * 150])
def test_no_window_is_cut_by_the_model(e5: E5Embedder, text: str) -> None:
    tokens = e5._loader.wait().tokens
    windows = e5.split(text)
    assert len(windows) > 2
    assert max(tokens.count(f"passage: {window}") for window in windows) <= MAX_LENGTH - 2


def test_loading_happens_in_the_background() -> None:
    done = run(
        """
        import time
        from omoide.embed.e5 import E5Embedder
        first, second = E5Embedder(), E5Embedder()
        assert not first.ready
        first.load()
        while not first.ready:
            time.sleep(0.01)
        assert second.ready and not first.failed
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_embeds_the_same() -> None:
    done = run(
        """
        import os
        from omoide.embed.e5 import E5Embedder
        e5 = E5Embedder()
        before = [vector.tolist() for vector in e5.embed(["one", "two", "three"])]
        pid = os.fork()
        after = [vector.tolist() for vector in e5.embed(["one", "two", "three"])]
        if pid == 0:
            os._exit(0 if after == before else 1)
        assert os.waitpid(pid, 0)[1] == 0 and after == before
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("wait", ["", "e5.embed(['once'])"], ids=["while loading", "while embedding"])
def test_the_interpreter_ends_cleanly_with_threads_at_work(wait: str) -> None:
    done = run(
        f"""
        import threading
        from omoide.embed.e5 import E5Embedder
        from omoide.errors import EmbedderError
        e5 = E5Embedder()
        e5.load()
        {wait}

        def work():
            try:
                while True:
                    e5.embed(["some text", "and another"] * 10)
            except EmbedderError:
                pass

        threading.Thread(target=work, daemon=True).start()
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_damaged_data_files_are_a_stated_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "omoide_e5_small"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_bytes(Path(str(data.__file__)).read_bytes())
    (package / "data" / "model.onnx").write_bytes(b"half of it")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "omoide_e5_small")
    with pytest.raises(
        EmbedderUnavailableError, match=r"install omoide-e5-small again: .*10 bytes.*, weights.bin is missing"
    ):
        E5Embedder()


def test_a_missing_distribution_is_a_stated_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "omoide_e5_small", None)
    with pytest.raises(EmbedderUnavailableError, match="omoide-e5-small is not installed"):
        E5Embedder()


def test_nothing_heavy_is_imported_before_the_model_is_loaded() -> None:
    done = run(
        """
        import sys
        from omoide.embed.resolve import resolve
        assert resolve().embedder is not None
        assert "onnxruntime" not in sys.modules
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def nearest(e5: E5Embedder, question: str, texts: list[str]) -> Any:
    return texts[int(np.argmax(np.stack(e5.embed(texts)) @ e5.embed_queries([question])[0]))]


@pytest.mark.parametrize(
    "question,answer",
    [
        ("Où habite ma sœur ?", "My sister lives in Lyon."),
        ("猫の名前は何ですか", "The two cats are called Mike and Tama."),
        ("¿Cómo deshago un commit?", "git reset --soft HEAD~1 takes the last commit back."),
        ("Wann wird der Server neu gestartet?", "The server is rebooted every Sunday night."),
    ],
)
def test_a_question_finds_its_answer_in_another_language(e5: E5Embedder, question: str, answer: str) -> None:
    texts = [
        "My sister lives in Lyon.",
        "The two cats are called Mike and Tama.",
        "git reset --soft HEAD~1 takes the last commit back.",
        "The server is rebooted every Sunday night.",
        "Shares fell by three percent on Monday.",
        "Pasta needs more time on a mountain.",
    ]
    assert nearest(e5, question, texts) == answer


def test_a_model_file_that_onnxruntime_refuses_is_a_stated_reason(tmp_path: Path) -> None:
    for name in data.FILES:
        (tmp_path / name).write_bytes((data.path() / name).read_bytes() if name != "model.onnx" else b"no model")
    loader = Loader(lambda _: load_model(tmp_path, E5Embedder.read_tokens, lambda: None), lambda _: None)
    with pytest.raises(EmbedderUnavailableError, match="onnxruntime cannot run"):
        loader.wait()
