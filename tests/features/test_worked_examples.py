from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["time.md", "curation.md"])
def test_the_examples_are_right(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of the page gives what the page says, on every date."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert result.attempted > 30
    assert result.failed == 0
