from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide import Memory
from omoide.testing import FakeEmbedder

pytestmark = [
    pytest.mark.torture,
    pytest.mark.skipif(not hasattr(os, "setuid"), reason="this system has no users to change to"),
]

# Permissions do not bind root, so the child warms up (imports everything) and becomes somebody else.
AS_NOBODY = """
import os, sys, tempfile
import omoide.verbs.upkeep, omoide.verbs.history, omoide.verbs.purge  # this user can load them
from omoide import Memory
from omoide.errors import OmoideError, ReadOnlyStoreError
from omoide.testing import FakeEmbedder
with tempfile.TemporaryDirectory() as scratch, Memory(scratch + "/x.db", embedder=FakeEmbedder(16)) as warm:
    i = warm.remember("warm"); warm.recall("warm"); warm.list(); warm.stats(); warm.why(i); warm.diff("2026-01-01")
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
path = sys.argv[1]
assert not os.access(path, os.W_OK) and not os.access(os.path.dirname(path), os.W_OK)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that anybody may look into."""
    made = Path(tempfile.mkdtemp(prefix="omoide-ro-"))
    yield made
    for item in (made, *made.iterdir()):
        item.chmod(0o755)
    shutil.rmtree(made)


def lock(folder: Path) -> None:
    """Take away every right to write."""
    for item in folder.iterdir():
        item.chmod(0o444)
    folder.chmod(0o555)


def as_nobody(path: Path, body: str) -> str:
    """Run a program that may not write; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY + body, str(path)],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_read_only_store_is_opened_and_searched(folder: Path) -> None:
    """Where nothing may be written, every read works and every write is a typed error."""
    path = folder / "agents.db"
    with Memory(path, embedder=FakeEmbedder(16)) as mem:
        memory_id = mem.remember("tea at four")
    lock(folder)
    out = as_nobody(
        path,
        f"""
with Memory(path, embedder=FakeEmbedder(16)) as mem:
    print([h.id for h in mem.recall("tea")], [h.id for h in mem.recall("tea at four", use_bm25=False)])
    print(len(mem.list()), mem.stats()["default"]["count"], len(mem.why({int(memory_id)}).versions))
    for write in (lambda: mem.remember("x"), lambda: mem.forget({int(memory_id)}), lambda: mem.rebuild()):
        try:
            write()
        except ReadOnlyStoreError:
            print("refused")
""",
    )
    assert out.split() == [f"[{memory_id}]", f"[{memory_id}]", "1", "1", "1", "refused", "refused", "refused"]
    assert sorted(item.name for item in folder.iterdir()) == ["agents.db"]


def test_a_log_that_was_left_behind_is_not_overlooked(folder: Path) -> None:
    """Of a store that was copied in use, everything is answered, or the open says why not."""
    path = folder / "agents.db"
    source = folder.with_name(folder.name + "-source")
    source.mkdir()
    try:
        mem = Memory(source / "agents.db", embedder=FakeEmbedder(16))
        for n in range(5):
            mem.remember(f"note {n}")
        for item in source.iterdir():
            if not item.name.endswith("-shm"):
                shutil.copy(item, folder / item.name)
        mem.close()
        lock(folder)
        out = as_nobody(
            path,
            """
try:
    with Memory(path, embedder=FakeEmbedder(16)) as mem:
        print(mem.stats()["default"]["count"])
except OmoideError as error:
    print("refused", error.code)
""",
        )
        assert out.startswith("refused") or out.strip() == "5"
    finally:
        shutil.rmtree(source)
