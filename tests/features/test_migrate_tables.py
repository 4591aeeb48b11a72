"""Tables of any make, and exports of omoide itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.features import foreign

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.migrate import import_into

Opener = Callable[..., Memory]


def test_a_table_is_read_by_the_names_of_its_columns(mem: Memory, tmp_path: Path) -> None:
    """What is called like a part of a memory is it, the rest is metadata; zones and line ends inside cells are kept."""
    import_into(mem, foreign.table(tmp_path / "t.csv"))
    tea, nice = sorted(mem.list(), key=lambda record: record.id)
    assert (tea.tags, tea.metadata, str(tea.known_from)) == (("x", "y"), {"mood": "good"}, "2026-01-01 15:00:00+00:00")
    assert nice.text == "habite à Nice\n(06)"
    assert tea.provenance is not None
    assert tea.provenance.ref == "csv:a"


def test_a_mapping_says_which_column_is_what(mem: Memory, tmp_path: Path) -> None:
    """Any column can be any part; a part or column that is not there is an error that says so."""
    path = foreign.lines(
        tmp_path / "n.jsonl", {"note": "likes tea", "who": "ann", "when": 1767225600, "sure": 0.5},
        {"note": "", "who": "bob"}, ["no object"],
    )  # fmt: skip
    with pytest.raises(InvalidInputError, match="no part of a memory"):
        import_into(mem, path, "jsonl", fields={"text": "note", "colour": "who"})
    with pytest.raises(InvalidInputError, match="which column is the text"):
        import_into(mem, path, "jsonl", fields={"subject": "who"})
    report = import_into(
        mem, path, "jsonl", fields={"text": "note", "subject": "who", "at": "when", "confidence": "sure"}
    )
    (record,) = mem.list()
    assert (record.text, record.subject, record.confidence, str(record.known_from)[:10]) == (
        "likes tea", "ann", 0.5, "2026-01-01",
    )  # fmt: skip
    assert {item.ref for item in report.left_out} == {"line 3", "jsonl:row/2"}


def test_a_column_can_be_the_scope(mem: Memory, tmp_path: Path) -> None:
    """Rows of others stay out when one scope is named."""
    path = tmp_path / "t.csv"
    path.write_text("text,owner\nmine,ann\nyours,bob\n", encoding="utf-8")
    import_into(mem, path, fields={"text": "text", "scope": "owner"}, scope="ann")
    assert [record.text for record in mem.list()] == ["mine"]


def test_a_row_without_an_id_is_known_by_what_it_says(mem: Memory, tmp_path: Path) -> None:
    """A table that moved and grew adds only its new rows."""
    path = tmp_path / "t.csv"
    path.write_text("text\nfirst\n", encoding="utf-8")
    import_into(mem, path)
    moved = tmp_path / "moved.csv"
    moved.write_text("text\nzeroth\nfirst\n", encoding="utf-8")
    report = import_into(mem, moved)
    assert (len(report.added), report.known) == (1, 1)


def test_an_export_of_omoide_is_recognised(mem: Memory, opened: Opener, tmp_path: Path) -> None:
    """What export wrote is taken in as import_ does."""
    mem.remember("lives in Osaka")
    mem.export(tmp_path / "e.jsonl")
    other = opened(path=tmp_path / "other.db")
    report = import_into(other, tmp_path / "e.jsonl")
    assert (report.source, len(report.added)) == ("omoide", 1)


def test_a_row_that_ends_before_it_starts_has_no_end(mem: Memory, tmp_path: Path) -> None:
    """At the first import and at the second, which adds nothing; what is stored is sound."""
    row = {"text": "open", "id": 1, "valid_from": "2026-05-01", "valid_to": "2026-01-01"}
    path = foreign.lines(tmp_path / "n.jsonl", row)
    import_into(mem, path)
    assert import_into(mem, path).known == 1
    assert [version.valid_to for version in mem.why(1).versions] == [None]
    assert mem.integrity_check() == []


def test_a_table_in_another_encoding_is_never_guessed(mem: Memory, tmp_path: Path) -> None:
    """A row that is not UTF-8 is left out with the reason, a header that is not is an error; nothing is garbled."""
    path = tmp_path / "t.csv"
    path.write_bytes("text\n日本語のメモ\nplain\n".encode("shift_jis"))
    assert [(item.ref, "UTF-8" in item.reason) for item in import_into(mem, path).left_out] == [("csv:row/2", True)]
    assert [record.text for record in mem.list()] == ["plain"]
    for garbled in ("メモ,text\na,b\n".encode("shift_jis"), "text\nété\n".encode("utf-16")):
        path.write_bytes(garbled)
        with pytest.raises(InvalidInputError, match="UTF-8"):
            import_into(mem, path, "csv")


def test_a_graph_in_another_encoding_is_never_guessed(mem: Memory, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    lines: list[dict[str, object]] = [
        {"type": "entity", "name": name, "entityType": "x", "observations": []} for name in ("plain", "été")
    ]
    path.write_bytes("\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode("latin-1"))
    assert len(import_into(mem, path, "memory-server").left_out) == 1
    assert [record.subject for record in mem.list()] == ["plain"]


@pytest.mark.parametrize(
    "rows, known, lost",
    [
        ('"tea at four\ncoffee at five\njuice at six\n', ["coffee at five", "juice at six"], [2]),
        ('tea at four\n"coffee at five', ["tea at four"], [3]),
        ('"tea, green\ncoffee at five\n"juice, red"\nwater\n', ["coffee at five", "juice, red", "water"], [2]),
        ('"tea\nat four"\ncoffee at five\n', ["coffee at five", "tea\nat four"], []),
        ('tea "green" at four\ncoffee\n', ["coffee", 'tea "green" at four'], []),
    ],
)
def test_a_quote_that_is_not_closed_costs_its_own_row(
    mem: Memory, tmp_path: Path, rows: str, known: list[str], lost: list[int]
) -> None:
    """The rows after it come in, and the report names the one that does not."""
    file = tmp_path / "rows.csv"
    file.write_text("text\n" + rows, encoding="utf-8")
    report = import_into(mem, file, "csv")
    assert sorted(record.text for record in mem.list()) == known
    assert [each.ref for each in report.left_out] == [f"csv:row/{line}" for line in lost]
