"""``omoide history ...``: conversations at the command line, told to people in their language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.surfaces.command_line import CommandLine

from omoide import History
from omoide.serve.codes import EXITS


def line(number: int, text: str) -> str:
    return json.dumps({
        "type": "user", "uuid": f"u-{number}", "sessionId": "s-1", "parentUuid": None, "cwd": "/nowhere/app",
        "timestamp": "2026-05-01T09:00:00.000Z", "version": "2.0.0", "isSidechain": False, "userType": "external",
        "message": {"role": "user", "content": text},
    }) + "\n"  # fmt: skip


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    file = tmp_path / "s-1.jsonl"
    file.write_text(line(1, "rotate the tokens") + line(2, "password: hunter2"), encoding="utf-8")
    return file


def test_what_is_saved_is_listed_found_and_read(cli: CommandLine) -> None:
    said = cli("history", "save", "Moved the token check.\nIt is in the gateway now.", "--tags", "auth")
    name = said.out.removeprefix("Saved as ").rstrip(".\n")
    assert name in cli("history", "list").out
    assert "Moved the token check." in cli("history", "search", "token").out
    assert f"{name}:2" in cli("history", "grep", "gateway").out
    assert cli("history", "read", name).out.startswith(f"{name}  lines 1-2 of 2\nMoved the token check.")


def test_a_text_saved_twice_is_said_to_be_known(cli: CommandLine) -> None:
    cli("history", "save", "Moved the token check.")
    assert cli("history", "save", "Moved the token check.").out.startswith("Saved before as ")


def test_more_matches_than_are_shown_are_announced(cli: CommandLine) -> None:
    cli("history", "save", "\n".join(["hit"] * 9))
    assert "2 of 9 shown." in cli("history", "grep", "hit", "-n", "2").out
    assert "1 texts were searched" in cli("history", "grep", "nowhere").out


def test_a_part_says_how_to_go_on(cli: CommandLine) -> None:
    name = cli.json("history", "save", "one\ntwo\nthree")["id"]
    said = cli("history", "read", name, "--start", "1", "--end", "2").out
    assert "lines 1-2 of 3" in said
    assert f"omoide history read {name} --start 3" in said


def test_a_folder_is_taken_in_shown_and_taken_back(cli: CommandLine, transcript: Path) -> None:
    said = cli("history", "ingest", str(transcript)).out
    assert "2 new records, 2 of them searchable; 0 were known." in said
    assert "password 1" in said
    assert "s-1" in cli("history", "sessions").out
    batch = said.split("omoide undo ")[1].split()[0]
    cli("undo", batch, "--yes")
    assert "s-1" not in cli("history", "sessions").out


def test_what_failed_is_said_and_stays_in_the_status(cli: CommandLine, transcript: Path) -> None:
    (transcript.parent / "state.db").write_bytes(b"SQLite format 3\x00" + b"x" * 4000)
    said = cli("history", "ingest", str(transcript.parent)).out
    assert "2 new records" in said
    assert "state.db" in said.split("Could not be taken in:")[1]
    assert "state.db" in cli("history", "status").out


def test_an_archived_segment_is_marked_and_comes_back(cli: CommandLine) -> None:
    name = cli.json("history", "save", "Moved the token check.")["id"]
    assert "stays searchable" in cli("history", "retention", "archive", name).out
    found = cli("history", "search", "token").out
    assert "[archived]" in found
    assert "omoide history retention restore ID" in found
    assert "It is back." in cli("history", "retention", "restore", name).out
    assert "[archived]" not in cli("history", "search", "token").out


def test_retention_shows_what_it_would_do(cli: CommandLine) -> None:
    with History(cli.store, embedder="none") as his:
        his.save("new")
    assert cli.json("history", "retention", "preview")["dry_run"] is True
    assert cli.json("history", "retention", "run")["archived"] == []


def test_erasing_asks_first_and_old_segments_are_erased_by_people_only(cli: CommandLine) -> None:
    name = cli.json("history", "save", "Moved the token check.")["id"]
    assert cli("history", "retention", "erase", name, status=None).status == EXITS["not_confirmed"]
    said = cli("history", "retention", "erase-old", "--yes", status=None)
    assert said.status == EXITS["access_denied"]
    assert "only a person erases" in said.err
    cli("history", "retention", "erase", name, "--yes")
    assert cli.json("history", "list")["results"] == []


def test_a_project_can_be_given_its_domains(cli: CommandLine) -> None:
    cli("--project", "omoide", "history", "choose-domains", "auth", "search")
    assert cli("--project", "omoide", "history", "save", "x", "--domain", "cooking", status=None).status != 0
    cli("--project", "omoide", "history", "save", "x", "--domain", "auth")
    rows = cli.json("--project", "omoide", "history", "domains")["results"]
    assert rows == [{"domain": "auth", "count": 1}, {"domain": "search", "count": 0}]


@pytest.mark.parametrize("language,word", [("fr", "Gardé sous"), ("ja", "として残しました")])
def test_every_language_is_spoken(cli: CommandLine, language: str, word: str) -> None:
    assert word in cli("--lang", language, "history", "save", "déplacé le contrôle 認証").out
    assert "認証" in cli("--lang", language, "history", "search", "認証").out


def test_every_command_below_history_has_help(cli: CommandLine) -> None:
    from omoide.serve.cli.history import COMMANDS, RETENTION

    for name in COMMANDS:
        assert cli("history", name, "--help").out.startswith(f"Usage: omoide history {name}")
    for name in (*RETENTION, "erase-old"):
        assert cli("history", "retention", name, "--help").out.startswith(f"Usage: omoide history retention {name}")
