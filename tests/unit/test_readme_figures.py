from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIGURES = README.split("<!-- figures: begin -->")[1].split("<!-- figures: end -->")[0]


@pytest.fixture(params=["quality_table", "speed_table"])
def maker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    spec = importlib.util.spec_from_file_location(f"omoide_{request.param}", ROOT / "bench" / f"{request.param}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_table_is_what_was_measured(maker: Any) -> None:
    """Every figure of the table stands in the result file."""
    results = json.loads(maker.RESULTS.read_text(encoding="utf-8"))
    assert README.split(maker.BEGIN)[1].split(maker.END)[0] == maker.table(results)


def test_every_result_file_named_is_there() -> None:
    """A figure has a result file, with the command that made it."""
    named = set(re.findall(r"bench/results/[\w.-]+\.json", FIGURES))
    assert named
    for name in named:
        assert json.loads((ROOT / name).read_text(encoding="utf-8"))["command"]


def test_every_table_of_figures_names_its_file() -> None:
    """No table stands in the figures without a result file named in the words before it."""
    for before in re.split(r"\n(?:\|.*\n)+", FIGURES)[:-1]:
        assert "bench/results/" in before
