"""States, causes, numbers and repairs are told to people in their language, and to programs as they are."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.surfaces.command_line import CommandLine


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OMOIDE_EMBEDDER", "none")
    made = tmp_path / "texts"
    made.mkdir()
    (made / "a.md").write_text("a fox", encoding="utf-8")
    (made / "b.bin").write_bytes(bytes(range(256)) * 8)
    return made


@pytest.mark.parametrize(
    "language, added, unchanged, skipped",
    [("fr", "ajouté", "inchangé", "laissé"), ("ja", "追加", "変更なし", "見送り")],
)
def test_what_became_of_files(
    cli: CommandLine, folder: Path, language: str, added: str, unchanged: str, skipped: str
) -> None:
    first = cli("add", str(folder), "--lang", language).out
    assert f"{added}\t1" in first
    assert f"\t{skipped}" in first
    assert f"{unchanged}\t1" in cli("add", str(folder), "--lang", language).out


def test_programs_read_the_states_as_they_are(cli: CommandLine, folder: Path) -> None:
    assert cli.json("add", str(folder / "a.md"), "--lang", "ja")["counts"] == {"added": 1}


@pytest.mark.parametrize("language, cause, state", [("fr", "révisé", "en vigueur"), ("ja", "改訂", "有効")])
def test_causes_and_fields_of_a_memory(cli: CommandLine, language: str, cause: str, state: str) -> None:
    cli("remember", "lives in Osaka")
    cli("revise", "1", "lives in Tokyo")
    assert f"\t{cause}\t" in cli("why", "1", "--lang", language).out
    assert f"\t{state}\n" in cli("get", "1", "--lang", language).out
    assert "status\tcurrent\n" in cli("get", "1").out


@pytest.mark.parametrize("language, name", [("fr", "nombre"), ("ja", "件数")])
def test_numbers(cli: CommandLine, language: str, name: str) -> None:
    cli("remember", "lives in Osaka")
    assert f"{name}\t1\n" in cli("stats", "--lang", language).out


@pytest.mark.parametrize(
    "language, said",
    [("fr", "Réparé : l'index version_subject a été refait"), ("ja", "索引 version_subject を作り直しました")],
)
def test_what_a_repair_did(cli: CommandLine, folder: Path, language: str, said: str) -> None:
    cli("remember", "lives in Osaka", "--subject", "ken")
    with sqlite3.connect(cli.store) as raw:
        raw.execute("DROP INDEX version_subject")
    raw.close()
    assert said in cli("repair", "--lang", language).out


def test_a_whole_number_is_told_with_all_its_digits(cli: CommandLine) -> None:
    cli("config", "set", "inject_tokens", "1500")
    assert "inject_tokens\t1500\t" in cli("config").out


def test_what_nobody_vouches_for_is_marked_in_lists_and_changes(cli: CommandLine) -> None:
    cli("remember", "the gate code is 1234", "--trust", "untrusted")
    cli("remember", "the gate is blue")
    assert "1\t[untrusted] the gate code is 1234" in cli("list").out
    assert cli("list", "--trust", "observed").out.startswith("2\tthe gate is blue")
    cli("revise", "2", "the gate is red")
    assert "2\tthe gate is blue\tthe gate is red" in cli("diff", "2025-01-01").out
    assert "\tuntrusted" in cli("diff", "2025-01-01").out
    assert cli.json("list")["results"][1]["text"] == "the gate code is 1234"


@pytest.mark.parametrize("encoding", ["cp1252", "cp932"])
@pytest.mark.parametrize("language", ["en", "fr", "ja"])
def test_a_console_of_any_encoding_stops_no_command(cli: CommandLine, encoding: str, language: str) -> None:
    """What Windows gives a program in a pipe; what the encoding lacks is shown as its number."""
    cli("remember", "東京 🦊 é", "--subject", "Ünal")
    env = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "OMOIDE_LANG": language}
    run = [sys.executable, "-m", "omoide"]
    for words in (["list"], ["get", "1"], ["--help"]):
        said = subprocess.run([*run, *words], capture_output=True, check=False, env=env)
        assert (said.returncode, b"Traceback" in said.stderr) == (0, False)
        assert said.stdout.decode(encoding)
    told = subprocess.run([*run, "get", "1", "--json"], capture_output=True, check=True, env=env)
    assert json.loads(told.stdout)["text"] == "東京 🦊 é"
