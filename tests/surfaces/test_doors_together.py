"""All doors at once on one store; a minute-long version is in tests/contracts/together."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.surfaces.crowd import crowd


@pytest.mark.slow
def test_all_doors_at_once_lose_nothing(tmp_path: Path) -> None:
    report = crowd(tmp_path / "agents.db", seconds=5, mcp_servers=2, http_clients=2)
    assert report.errors == []
    assert report.missing == ()
    assert report.findings == ()
    assert report.written >= 5
