"""Degradation is visible: no silent empty answer, no swallowed exception."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import omoide
from omoide import Memory
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]
SOURCE = Path(omoide.__file__).parent


class Moody:
    """An embedder that fails, or answers with nonsense, when told to."""

    model_name = "moody"

    def __init__(self) -> None:
        self.mood = "good"

    def embed(self, texts: list[str], /) -> list[list[float]]:
        """Return one vector a text, or what the mood says."""
        if self.mood == "raises":
            raise RuntimeError("out of memory")
        if self.mood == "too few":
            return []
        if self.mood == "other size":
            return [[1.0] for _ in texts]
        if self.mood == "not numbers":
            return [[float("nan"), 1.0] for _ in texts]
        return [[1.0, float(len(text))] for text in texts]


@pytest.mark.parametrize("mood", ["raises", "too few", "other size", "not numbers"])
def test_a_failing_embedder_shows_in_the_answer(opened: Opener, mood: str) -> None:
    """Whatever an embedder does wrong with a question, keywords answer and the answer gives the reason."""
    embedder = Moody()
    mem = opened(embedder=embedder)
    mem.remember("tea at four")
    embedder.mood = mood
    hits = mem.recall("tea")
    assert [hit.text for hit in hits] == ["tea at four"]
    assert hits.degraded
    assert any(hits.reasons)


@pytest.mark.parametrize("mood", ["raises", "too few", "other size", "not numbers"])
def test_a_failing_embedder_shows_after_a_write(opened: Opener, mood: str) -> None:
    """Whatever an embedder does wrong with a memory, the memory is kept and the lack of a vector shows."""
    embedder = Moody()
    mem = opened(embedder=embedder)
    mem.remember("coffee at ten")
    embedder.mood = mood
    mem.remember("tea at four")
    embedder.mood = "good"
    hits = mem.recall("tea at four")
    assert "tea at four" in [hit.text for hit in hits]
    if not hits.degraded:
        vectors = mem.recall("tea at four", use_bm25=False)
        assert "tea at four" in [hit.text for hit in vectors]


def test_no_leg_that_could_answer_is_silent(opened: Opener) -> None:
    """Asked for vectors alone where there are none, the empty answer says that it is degraded."""
    mem = opened(embedder="none")
    mem.remember("tea at four")
    hits = mem.recall("tea at four", use_bm25=False)
    assert hits == []
    assert hits.degraded


def test_a_whole_answer_is_not_called_degraded(opened: Opener) -> None:
    """With every leg at work, ``degraded`` is false and gives no reasons."""
    mem = opened(embedder=FakeEmbedder(16))
    mem.remember("tea at four")
    hits = mem.recall("tea")
    assert not hits.degraded
    assert hits.reasons == ()


def broad_handlers(file: Path) -> list[str]:
    """Return the places of a file that catch everything without raising again."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ExceptHandler):
            continue
        names = [n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)] if node.type else [""]
        broad = {"", "Exception", "BaseException"} & set(names)
        raised = any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
        if broad and not raised and not (is_of_hooks(file) and is_put_down(node)):
            found.append(f"{file.relative_to(SOURCE)}:{node.lineno}")
    return found


def is_of_hooks(file: Path) -> bool:
    """Say whether a file is the end of a hook or its worker, which may not break the host whatever fails."""
    return file.relative_to(SOURCE).as_posix() in ("capture/hook.py", "capture/worker.py")


def is_put_down(node: ast.ExceptHandler) -> bool:
    """Say whether a handler writes the failure where ``omoide doctor`` reads it."""
    calls = (inner for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id in ("failed", "_fail") for call in calls)


def broad_suppressions(file: Path) -> list[str]:
    """Return the places of a file that suppress every exception."""
    return [
        f"{file.relative_to(SOURCE)}:{node.lineno}"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress")
        if {"Exception", "BaseException"} & {ast.unparse(argument) for argument in node.args}
    ]


def test_no_exception_is_swallowed() -> None:
    """Nothing in the library catches or suppresses every exception without raising it again."""
    files = sorted(SOURCE.rglob("*.py"))
    assert [place for file in files for place in broad_suppressions(file)] == []
    broad = [place for file in files for place in broad_handlers(file)]
    allowed = {"embed", "verbs", "search"}  # a user's embedder may raise anything; it becomes a reason
    assert [place for place in broad if Path(place).parts[0] not in allowed] == []


def test_without_the_default_model_every_answer_says_so(tmp_path: Path) -> None:
    """Where the default model is not installed, keywords answer and the answer tells what is missing."""
    program = f"""
import sys
sys.modules["omoide_e5_small"] = None
from omoide import Memory
with Memory({str(tmp_path / "agents.db")!r}) as mem:
    mem.remember("tea at four")
    hits = mem.recall("tea")
    assert [hit.text for hit in hits] == ["tea at four"]
    assert hits.degraded and any(hits.reasons), hits.reasons
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
