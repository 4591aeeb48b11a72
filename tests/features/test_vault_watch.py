"""A vault that is asked to watch takes edits in by itself; every call looks at the folder as it always does."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from omoide import Memory
from omoide.testing import FakeClock
from omoide.vault import watching
from omoide.vault.peek import edited

from .vaults import open_vault, texts


def asked(root: Path) -> None:
    file = root / ".omoide" / "vault.toml"
    file.write_text("watch = true\n", encoding="utf-8")


def edit(root: Path, old: str, new: str) -> None:
    (note,) = [file for file in (root / "fact").rglob("*.md") if old in file.read_text(encoding="utf-8")]
    note.write_text(note.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def becomes(said: Callable[[], bool]) -> bool:
    """Wait until something is so, half a minute at most."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if said():
            return True
        time.sleep(0.05)
    return said()


def watching_now() -> bool:
    return any(thread.name == "omoide watch" for thread in threading.enumerate())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A vault with one memory, asked to watch, in a folder with a name like one of those that hide."""
    made = tmp_path / ".omoide" / "notes"
    made.parent.mkdir()
    with open_vault(made) as mem:
        mem.remember("lives in Osaka", subject="user")
    asked(made)
    return made


@pytest.fixture
def watched(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    pytest.importorskip("watchfiles")
    monkeypatch.setattr(watching, "PAUSE", 0.0)
    with open_vault(root) as mem:
        yield mem


def test_an_edit_is_taken_in_without_a_call(watched: Memory, root: Path) -> None:
    edit(root, "lives in Osaka", "lives in Kobe")
    assert becomes(lambda: edited(str(root)) == 0)
    edit(root, "lives in Kobe", "神戸に住んでいる")
    assert becomes(lambda: edited(str(root)) == 0)
    assert texts(watched) == ["神戸に住んでいる"]
    known = {version.text for version in watched.why(1).versions}
    assert known == {"lives in Osaka", "lives in Kobe", "神戸に住んでいる"}


def test_a_new_note_in_a_new_folder_too(watched: Memory, root: Path) -> None:
    (root / "fact" / "new").mkdir(parents=True)
    (root / "fact" / "new" / "tea.md").write_text("---\ntype: fact\nsubject: user\n---\nlikes tea\n", encoding="utf-8")
    assert becomes(lambda: edited(str(root)) == 0)
    assert texts(watched) == ["likes tea", "lives in Osaka"]


def test_a_closed_handle_watches_no_more(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("watchfiles")
    monkeypatch.setattr(watching, "PAUSE", 0.0)
    with open_vault(root):
        assert watching_now()
    assert not watching_now()


def test_writes_of_the_handle_itself_are_no_edits(watched: Memory, root: Path) -> None:
    for number in range(20):
        watched.revise(1, f"lives in place {number}")
    time.sleep(0.8)
    assert [event.op for event in watched.audit()] == ["remember", *["revise"] * 20]
    assert edited(str(root)) == 0


def test_nobody_watches_unless_asked(tmp_path: Path, clock: FakeClock) -> None:
    with open_vault(tmp_path / "notes", clock):
        assert not watching_now()


def test_without_the_extra_calls_look_and_the_lack_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "PACKAGE", "a_package_that_nobody_made")
    with open_vault(root) as mem:
        edit(root, "lives in Osaka", "lives in Kobe")
        assert texts(mem) == ["lives in Kobe"]
        (held,) = mem.quarantine()
        assert "omoide[watch]" in held.reason


def test_a_setting_that_is_no_answer_is_told(root: Path) -> None:
    (root / ".omoide" / "vault.toml").write_text('watch = "perhaps"\n', encoding="utf-8")
    with open_vault(root) as mem:
        (held,) = mem.quarantine()
        assert "watch" in held.reason
        assert texts(mem) == ["lives in Osaka"]


def test_the_extra_is_loaded_by_nobody_who_did_not_ask(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys; from omoide import Memory\n"
        "with Memory(sys.argv[1] + '/', embedder='none') as mem:\n"
        "    mem.remember('x'), mem.recall('x')\n"
        "print('watchfiles' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
