"""Four MCP servers, one HTTP server under load and commands on one store for a minute: no error, nothing lost."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.surfaces.crowd import crowd

SECONDS = float(os.environ.get("OMOIDE_CROWD_SECONDS", "60"))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_minute_of_everybody_at_once(tmp_path: Path, workers: int) -> None:
    """``workers``: processes of the HTTP server."""
    report = crowd(tmp_path / "agents.db", seconds=SECONDS, http_workers=workers)
    assert not report.errors
    assert report.missing == ()
    assert report.written > 100
