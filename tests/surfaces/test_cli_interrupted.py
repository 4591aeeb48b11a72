"""Ctrl-C in the middle of a command: no traceback, and a word on what became of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from omoide import Index

# An audit hook of the interpreter is where Ctrl-C comes: at the first opening of a file, or import of a module.
AT = """
import sys
wanted, sys.argv = sys.argv[1], ["omoide", *sys.argv[2:]]
def stop(event, given):
    if event in ("open", "import") and str(given[0]).endswith(wanted):
        raise KeyboardInterrupt
from omoide.__main__ import main
sys.addaudithook(stop)
sys.exit(main())
"""
TOLD = {"fr": "est gardé", "ja": "残っています"}


def interrupted(at: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command that Ctrl-C ends when it first touches a file or module with a name that ends so."""
    run = [sys.executable, "-X", "utf8", "-c", AT, at, *words]
    return subprocess.run(run, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120)


@pytest.mark.parametrize("language", list(TOLD))
def test_what_was_added_before_stays_and_the_command_says_so(tmp_path: Path, language: str) -> None:
    docs, store = tmp_path / "docs", str(tmp_path / "agents.db")
    docs.mkdir()
    for name in ("first.md", "second.md"):
        (docs / name).write_text(f"the {name} word", encoding="utf-8")
    done = interrupted("second.md", "add", str(docs), "--store", store, "--lang", language)
    assert done.returncode == 130
    assert TOLD[language] in done.stderr
    assert "Traceback" not in done.stderr
    with Index(store, embedder="none") as index:
        index.add_files(docs)
        assert index.stats()["default"]["documents"] == 2
        assert not index.integrity_check()


def test_ctrl_c_while_the_command_line_is_loaded_is_no_traceback(tmp_path: Path) -> None:
    done = interrupted("omoide.serve.cli.app", "recall", "Osaka", "--store", str(tmp_path / "agents.db"))
    assert (done.returncode, done.stderr) == (130, "")
