"""The examples run to their end, offline, with a scripted model; each shows what it promises."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

Run = Callable[[str], str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def run_one(name: str) -> str:
        import_module(name).main(tmp_path, embedder="none")
        return capsys.readouterr().out

    return run_one


def test_specialists_are_kept_apart_and_the_supervisor_sees_both(run: Run) -> None:
    said = run("support_desk")
    assert "denied: 'billing' may not read namespace 'technical'" in said
    assert "denied: 'supervisor' may not write namespace 'billing'" in said
    assert "[technical] client Aiko Tanaka cannot log in" in said
    assert "[billing] client Aiko Tanaka was charged twice" in said


def test_documents_answer_in_three_languages_and_as_they_were(run: Run) -> None:
    said = run("docs_questions")
    assert "Deploys are allowed from Monday to Thursday. (deploy.md)" in said
    assert "まず当番に電話してください" in said
    assert "retours.md: changed" in said
    assert "deploy.md: unchanged" in said
    answers = {line.split(":")[0].strip(): line for line in said.splitlines() if ": " in line}
    assert "14 jours" in answers["today"]
    assert "30 jours" in answers["yesterday"]


def test_a_second_session_knows_the_first_and_corrects_it(run: Run) -> None:
    said = run("chat")
    assert "without nuts" in said
    assert "model: Ana lives in 東京." in said
    assert "from 04 May: Ana lives in Lyon (" in said
    assert "from 08 May: Ana lives in 東京 (revise)" in said


def test_the_two_axes_of_time_give_four_answers(run: Run) -> None:
    answers = [line.strip() for line in run("time_travel").splitlines() if "(valid from" in line]
    assert [line.split()[0] for line in answers] == ["Jun", "Mika", "Jun", "Mika"]


def test_mem0s_memories_and_calls_go_on(run: Run) -> None:
    said = run("mem0_migration")
    assert "would take in 3 of 3\n    took in 3 of 3\n    took in 0 of 3" in said
    assert "UPDATE: Likes green tea -> Likes green tea, and coffee in the morning" in said
    assert "infer=False" in said
    assert "bob: ['東京に出張する']" in said


@pytest.mark.skipif(find_spec("langgraph") is None, reason="runs in the environment of the contract with LangGraph")
def test_a_graph_keeps_its_memory_between_runs(run: Run) -> None:
    said = run("langgraph_memory")
    assert "model: You told me: ['I drink only 緑茶']" in said
    assert "I drink only 緑茶 (door langgraph)\n    I drink black tea now (door langgraph)" in said


@pytest.mark.model
def test_an_example_runs_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "time_travel.py")],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
