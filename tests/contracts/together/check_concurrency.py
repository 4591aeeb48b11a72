"""Four MCP servers, one HTTP server under load and commands on one store for a minute: no error, nothing lost."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.surfaces.crowd import crowd  # noqa: E402

SECONDS = float(os.environ.get("OMOIDE_CROWD_SECONDS", "60"))


def test_a_minute_of_everybody_at_once(tmp_path: Path) -> None:
    report = crowd(tmp_path / "agents.db", seconds=SECONDS)
    assert not report.errors
    assert report.missing == ()
    assert report.written > 100
