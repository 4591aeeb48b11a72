"""Files that this user may not read or write: said as it is, never taken for a store that is not there."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide import Memory

if sys.platform == "win32":
    pytest.skip("modes of files are those of POSIX", allow_module_level=True)

BOUND = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""What makes modes bind for root as for anybody."""
DENIED = {"en": "this user may not read it", "fr": "n'a pas le droit de le lire", "ja": "読む権限がありません"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """A store in a folder of its own, with one memory."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may read everything")
    folder = tmp_path / "closed"
    folder.mkdir()
    with Memory(folder / "agents.db", embedder="none") as mem:
        mem.remember("lives in Osaka")
    yield folder / "agents.db"
    folder.chmod(0o755)


def bound(store: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as somebody for whom modes of files count."""
    program = [sys.executable, "-m", "omoide", "--store", str(store), *words]
    run = [*(BOUND if os.geteuid() == 0 else []), *program]
    environment = {**os.environ, "OMOIDE_EMBEDDER": "none", "HOME": str(store.parent.parent)}
    return subprocess.run(run, capture_output=True, text=True, env=environment, check=False, timeout=120)


@pytest.mark.parametrize("closed", ["file", "folder"])
@pytest.mark.parametrize("words, language", [(["recall", "Osaka"], "ja"), (["stats"], "fr"), (["remember", "x"], "en")])
def test_a_store_that_may_not_be_read_is_there(store: Path, closed: str, words: list[str], language: str) -> None:
    (store if closed == "file" else store.parent).chmod(0)
    said = bound(store, *words, "--lang", language)
    assert said.returncode != 0
    assert DENIED[language] in said.stderr
    assert said.stdout == ""


def test_doctor_goes_on_where_a_folder_may_not_be_read(store: Path) -> None:
    store.parent.chmod(0)
    said = bound(store, "doctor")
    assert DENIED["en"] in said.stdout
    assert "spool" in said.stdout


def test_a_store_that_may_be_written_again_is_written(store: Path) -> None:
    """What a reader left beside it has the rights that the file had then."""
    store.chmod(0o444)
    assert bound(store, "recall", "Osaka").returncode == 0
    store.chmod(0o644)
    said = bound(store, "remember", "works in Kobe")
    assert said.returncode == 0, said.stderr


def test_side_files_get_the_rights_of_their_file(store: Path) -> None:
    store.chmod(0o444)
    with Memory(store, embedder="none", read_only=True) as mem:
        assert mem.recall("Osaka")
    assert not stat.S_IWUSR & Path(f"{store}-shm").stat().st_mode
    store.chmod(0o640)
    with Memory(store, embedder="none") as mem:
        mem.remember("works in Kobe")
        assert stat.S_IMODE(Path(f"{store}-shm").stat().st_mode) == 0o640
