"""The example with LangGraph runs to its end: the graph of its second run knows what the first was told."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_a_graph_keeps_its_memory_between_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    import_module("langgraph_memory").main(tmp_path, embedder="none")
    said = capsys.readouterr().out
    assert "model: You told me: ['I drink only 緑茶']" in said
    assert "I drink only 緑茶 (door langgraph)" in said
    assert "I drink black tea now (door langgraph)" in said
