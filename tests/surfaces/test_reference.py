"""The reference pages say what the program does."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.serve import codes
from omoide.serve.cli.app import OWN
from omoide.serve.cli.names import COMMANDS
from omoide.serve.reference import PAGES, main

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_current(name: str) -> None:
    """``python -m omoide.serve.reference docs`` makes it so."""
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name]()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_does_not_depend_on_the_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = PAGES[name]()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("OMOIDE_LANG", "ja")
    assert PAGES[name]() == expected


def test_every_command_is_on_the_page() -> None:
    page = PAGES["cli.md"]()
    assert all(f"## omoide {name}\n" in page for name in (*COMMANDS, *OWN))


def test_every_code_is_on_the_page() -> None:
    page = PAGES["errors.md"]()
    assert all(f"| `{code}` |" in page for code in codes.EXITS)


def test_the_pages_are_written_where_one_says(tmp_path: Path) -> None:
    main(str(tmp_path))
    assert {file.name for file in tmp_path.iterdir()} == set(PAGES)
