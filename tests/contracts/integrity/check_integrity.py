"""agent-memory-integrity: nine edits of a store at rest, each of which ``verify`` has to tell."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EDITS = 9


def test_every_edit_at_rest_is_reported() -> None:
    command = Path(sys.executable).with_name("agmi-check")
    run = subprocess.run(
        [command, "--adapter", "omoide_adapter:OmoideAdapter"],
        cwd=HERE, env={"PYTHONPATH": str(HERE)}, capture_output=True, text=True, check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("REPORTED") == EDITS, run.stdout
