"""The demo of the README runs as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


def test_the_demo_runs_to_its_end(tmp_path: Path) -> None:
    """A newcomer's first command ends well, says what it shows, and leaves nothing behind."""
    environment = os.environ | {"TMPDIR": str(tmp_path), "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, str(DEMO)], capture_output=True, encoding="utf-8", env=environment, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    for shown in ("denied", "as_of", "another process"):
        assert shown.lower() in done.stdout.lower(), done.stdout
    believed, known = "決済障害の原因は、DNSの設定ミスだった", "決済障害の原因は、サイト証明書の期限切れだった"
    assert 0 < done.stdout.index(believed) < done.stdout.index(known), done.stdout
    for answer in ("沖縄と離島への送料は八百円", "lives in Nagoya", "within 60 days", "AccessDeniedError"):
        assert answer in done.stdout, done.stdout
