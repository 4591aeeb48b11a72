from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from omoide import Memory

pytestmark = pytest.mark.torture

COUNT = 400
DEEDS = {
    "import": "mem.import_({other!r})",
    "merge": "mem.merge_from({other!r})",
    "purge": "mem.purge(source='doomed')",
    "purge all": "mem.purge(namespace='default')",
}
PROGRAM = "from omoide import Memory\nmem = Memory({path!r}, embedder='none')\nprint('go', flush=True)\n{deed}\n"


def killed_at_random(program: str, number: int) -> None:
    """Run a program and kill it some moments after it said that it begins."""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "go\n"
    time.sleep(random.Random(number).uniform(0.0, 1.0))
    child.kill()
    child.wait()
    child.stdout.close()


@pytest.mark.parametrize("deed", DEEDS)
def test_a_kill_leaves_all_or_nothing(tmp_path: Path, deed: str) -> None:
    """Killed at any moment, an import, a merge or a purge is done whole or not at all, and the store is sound."""
    other = tmp_path / "other.db"
    with Memory(other, embedder="none") as source, source.bulk():
        for n in range(COUNT):
            source.remember(f"foreign note {n} passphrase{n}")
    with Memory(other, embedder="none") as source:
        source.export(tmp_path / "other.jsonl")
    taking = deed in ("import", "merge")
    for number in range(4):
        path = tmp_path / str(number) / "agents.db"
        with Memory(path, embedder="none") as mem, mem.bulk():
            mem.remember("was here before", source="kept")
            for n in range(0 if taking else COUNT):
                mem.remember(f"doomed note {n} passphrase{n}", source="doomed")
        wanted = tmp_path / "other.jsonl" if deed == "import" else other
        killed_at_random(PROGRAM.format(path=str(path), deed=DEEDS[deed].format(other=str(wanted))), number)
        with Memory(path, embedder="none") as mem:
            assert mem.integrity_check() == []
            assert mem.verify() == []
            count = len(mem.list())
        assert count in ({1, COUNT + 1} if taking else {COUNT + 1, 1 if deed == "purge" else 0})
        if count < 2 and not taking:
            assert not any(b"passphrase" in file.read_bytes() for file in path.parent.iterdir())
