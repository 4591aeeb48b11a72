"""The table of formats: each name once, each described where users look."""

from __future__ import annotations

import re
from pathlib import Path

from omoide.transcripts.formats import EXPERIMENTAL, FORMATS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "transcripts.md"


def test_every_format_has_a_name_of_its_own() -> None:
    names = [known.name for known in FORMATS]
    assert len(names) == len(set(names))


def test_the_page_names_every_format_and_its_state() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| (tried|experimental) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for name, _ in rows} == {known.name for known in FORMATS}
    assert {name for name, state in rows if state == "experimental"} == EXPERIMENTAL
