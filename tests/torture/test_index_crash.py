"""An ingest that is killed, at a moment nobody chose, or that runs twice at once."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from omoide import Index
from omoide.testing import FakeEmbedder

pytestmark = pytest.mark.torture

FILES = 400
CHILD = """
import sys
from omoide import Index
from omoide.testing import FakeEmbedder

index = Index(sys.argv[1], embedder=FakeEmbedder(16))
print("go", flush=True)
index.add_files(sys.argv[2])
index.close()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four hundred files of a few parts each."""
    root = tmp_path / "docs"
    for number in range(FILES):
        path = root / f"{number % 7}" / f"{number:03}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# File {number}\n\n" + f"Line about subject {number}. " * 80, encoding="utf-8")
    return root


def begin(store: Path, folder: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(store), str(folder)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "go\n"
    return child


def check_exact(store: Path, folder: Path) -> None:
    """Every file is there once, with its text, and nothing else."""
    with Index(store, embedder=FakeEmbedder(16)) as index:
        assert index.integrity_check() == []
        listed = index.list()
        assert sorted(str(document.source) for document in listed) == sorted(map(str, folder.rglob("*.md")))
        for document in listed[::40]:
            found = index.get(document.id)
            assert found is not None
            assert found.text == Path(str(document.source)).read_text(encoding="utf-8")
        assert index.stats()["default"]["pending_vectors"] == 0


def test_a_killed_ingest_goes_on_where_it_stopped(tmp_path: Path, folder: Path) -> None:
    store = tmp_path / "agents.db"
    chance = random.Random(11)
    before = 0
    for _ in range(4):
        child = begin(store, folder)
        time.sleep(chance.uniform(0.05, 0.6))
        child.kill()
        child.communicate()
        with Index(store, embedder=FakeEmbedder(16)) as index:
            assert index.integrity_check() == []
            now = len(index.list())
        assert now >= before
        before = now
    with Index(store, embedder=FakeEmbedder(16)) as index:
        result = index.add_files(folder)
        assert result.counts.get("unchanged", 0) == before
        assert result.counts.get("added", 0) == FILES - before
    check_exact(store, folder)


def test_two_processes_that_add_one_folder_add_it_once(tmp_path: Path, folder: Path) -> None:
    store = tmp_path / "agents.db"
    Index(store, embedder=FakeEmbedder(16)).close()
    children = [begin(store, folder) for _ in range(3)]
    for child in children:
        child.communicate()
        assert child.returncode == 0
    check_exact(store, folder)
