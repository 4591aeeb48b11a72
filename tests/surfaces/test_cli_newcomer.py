"""What goes wrong for a person at first: no traceback, a text that helps, the right status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.command_line import CommandLine

TEXT = "Elle habite à Paris, 大阪にも家がある 🦊"
BEYOND = 2**63


def omoide(*words: str, shell: str = "", **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own; ``shell`` is what follows it on the line of a POSIX shell."""
    command: Any = [sys.executable, "-m", "omoide", *words]
    if shell:
        command = ["/bin/sh", "-c", f'"$@" {shell}', "sh", *command]
    environment = {**os.environ, "OMOIDE_EMBEDDER": "none", **options.pop("env", {})}
    return subprocess.run(command, capture_output=True, check=False, env=environment, timeout=120, **options)


def helped(done: subprocess.CompletedProcess[bytes], status: int) -> None:
    assert b"Traceback" not in done.stderr, done.stderr
    assert done.returncode == status, done.stderr


@pytest.mark.skipif(not Path("/bin/sh").exists(), reason="streams are closed by a POSIX shell here")
@pytest.mark.parametrize(
    "words, shell, status",
    [
        (("list",), ">&-", 0),
        (("list", "--json"), ">&-", 0),
        (("list",), ">&- 2>&-", 0),
        (("remember", "a fox"), "<&-", 0),
        (("remember", "-"), "<&-", 2),
        (("remember", "-"), "<&- >&- 2>&-", 2),
        (("purge", "1"), "<&-", 16),
        (("nonsense",), "2>&-", 2),
        (("list",), "| true", 0),
        (("--help",), "| true", 0),
    ],
)
def test_a_closed_stream_stops_no_command(
    cli: CommandLine, words: tuple[str, ...], shell: str, status: int, tmp_path: Path
) -> None:
    cli("remember", "there before")
    helped(omoide(*words, shell=shell), status)
    assert "there before" in {row["text"] for row in cli.json("list")["results"]}
    assert cli("check").status == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("words", [("list",), ("list", "--json"), ("--help",)])
def test_an_output_that_takes_no_more_is_said(cli: CommandLine, words: tuple[str, ...]) -> None:
    cli("remember", "a fox")
    done = omoide(*words, shell=">/dev/full")  # noqa: S604 - a word of this file
    helped(done, 70)
    assert b"No space left" in done.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "cp932", "OMOIDE_LANG": "ja"},
        {"PYTHONIOENCODING": "ascii", "OMOIDE_LANG": "fr"},
    ],
    ids=["C", "bare C", "cp1252", "cp932", "ascii"],
)
def test_a_terminal_without_the_letters_loses_nothing(cli: CommandLine, environment: dict[str, str]) -> None:
    helped(omoide("remember", TEXT, env=environment), 0)
    assert [row["text"] for row in cli.json("list")["results"]] == [TEXT]
    listed = omoide("list", env=environment)
    helped(listed, 0)
    assert b"Elle habite" in listed.stdout
    helped(omoide("recal", "Paris", env=environment), 2)


@pytest.mark.parametrize("width", ["1", "0", "wide"])
def test_no_width_of_the_terminal_stops_a_command(cli: CommandLine, width: str) -> None:
    helped(omoide("recall", "--help", env={"COLUMNS": width}), 0)
    helped(omoide("list", env={"COLUMNS": width}), 0)


@pytest.mark.parametrize("command", ["get", "why", "read", "trace", "restore", "confirm", "dispute"])
def test_an_id_that_no_store_can_hold_is_named_as_it_was_given(cli: CommandLine, command: str) -> None:
    cli("remember", "a fox")
    for id in (BEYOND, 10**25):
        assert str(id) in cli(command, str(id), status=3).err


def test_what_is_forgotten_or_revised_is_named_as_it_was_given(cli: CommandLine) -> None:
    cli("remember", "a fox")
    assert str(BEYOND) in cli("forget", str(BEYOND), "--yes", status=3).err
    assert str(BEYOND) in cli("revise", str(BEYOND), "a hare", status=3).err
    assert f"{10**3000:#x}"[:30] in cli("forget", str(10**3000), "--yes", status=3).err


@pytest.mark.parametrize("words", [("list",), ("remember", "x"), ("recall", "x"), ("doctor",)])
def test_a_kind_of_store_that_there_is_not_is_said_to_be_none(cli: CommandLine, words: tuple[str, ...]) -> None:
    said = cli(*words, "--store", "postgresql://host/base", status=None)
    assert "postgresql:// are not supported" in said.out + said.err


def test_a_file_that_is_no_store_is_left_alone(cli: CommandLine, tmp_path: Path) -> None:
    wrong = tmp_path / "letter.txt"
    wrong.write_text("Dear all,", encoding="utf-8")
    for words in (("list",), ("remember", "x"), ("repair", "--yes"), ("check",)):
        assert cli(*words, "--store", str(wrong), status=11).err
    assert wrong.read_text(encoding="utf-8") == "Dear all,"


def test_a_command_of_commands_alone_shows_them(cli: CommandLine) -> None:
    said = cli("history")
    assert "grep" in said.out
    assert not said.err


@pytest.mark.parametrize("language", ["en", "fr", "ja"])
@pytest.mark.parametrize(
    "words, status",
    [
        (("recal", "x"), 2), (("get", "999"), 3), (("check", "--store", "nowhere.db"), 3), (("remember",), 2),
        (("recall", "x", "--as-of", "tomorrowish"), 2), (("purge", "1"), 16), (("import", "nowhere.jsonl"), 3),
        (("list", "--namespace", " "), 2), (("config", "set", "store"), 2), (("undo", "nothing", "--yes"), 3),
    ],
)  # fmt: skip
def test_a_mistake_is_explained_in_every_language(
    cli: CommandLine, words: tuple[str, ...], status: int, language: str
) -> None:
    cli("remember", "a fox")
    said = cli(*words, "--lang", language, status=status)
    assert said.err.strip()
    assert "Traceback" not in said.err


class TestPowerShell:
    """Completion where click offers none."""

    def asked(self, words: str, incomplete: str) -> list[str]:
        environment = {"_OMOIDE_COMPLETE": "powershell_complete", "COMP_WORDS": words, "COMP_CWORD": incomplete}
        done = omoide(env=environment)
        helped(done, 0)
        return done.stdout.decode().splitlines()

    def test_the_script_asks_omoide(self, cli: CommandLine) -> None:
        script = cli("completion", "powershell").out
        assert "Register-ArgumentCompleter -Native -CommandName omoide" in script
        assert "$env:_OMOIDE_COMPLETE" in script
        assert "%(" not in script

    def test_commands_are_completed_with_what_they_do(self) -> None:
        (line,) = self.asked("omoide", "remember-m")
        value, about = line.split("\t")
        assert (value, bool(about)) == ("remember-many", True)

    def test_options_are_completed(self) -> None:
        assert any(line.startswith("--as-of\t") for line in self.asked("omoide\nrecall", "--as"))


def test_a_question_makes_no_vault_of_an_empty_folder(cli: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "nothing yet"
    folder.mkdir()
    assert cli("list", "--store", str(folder)).status == 0
    assert list(folder.iterdir()) == []
    cli("remember", "a fox", "--store", str(folder))
    assert [row["text"] for row in cli.json("list", "--store", str(folder))["results"]] == ["a fox"]
