from __future__ import annotations

import configparser
import json
import plistlib
import re
import shlex
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from omoide.capture.schedule import KINDS, Recipe, recipe, usual_kind, words_of

AWKWARD = ("/home/Zoé Müller/思い出 & co/100% $HOME/agents.db", 'C:\\Users\\A "B"\\agents.db')


def made(kind: str, store: str, tmp_path: Path) -> Recipe:
    return recipe(kind, words_of(store, "team"), hour=4, minute=5, home=str(tmp_path))


def words_in(found: Recipe) -> list[str]:
    """Read the command back as the scheduler would."""
    text = next(iter(found.files.values()))
    if found.kind == "cron":
        assert re.match(r"5 4 \* \* \* ", text)
        command = text.split(" ", 5)[5].partition(" >/dev/null")[0].replace("\\%", "%")
        return shlex.split(command)
    if found.kind == "systemd":
        line = configured(text)["Service"]["ExecStart"]
        return [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line)]
    if found.kind == "launchd":
        return list(plistlib.loads(text.encode())["ProgramArguments"])
    space = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    action = ET.fromstring(text).find(f"{space}Actions/{space}Exec")  # noqa: S314 - our own text
    assert action is not None
    return [str(action.findtext(f"{space}Command")), *windows_words(str(action.findtext(f"{space}Arguments")))]


def configured(text: str) -> Any:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser


def windows_words(line: str) -> list[str]:
    """Split a line by the rules of Microsoft's C runtime."""
    words: list[str] = []
    word, quoted, at = "", False, 0
    while at < len(line):
        slashes = len(line[at:]) - len(line[at:].lstrip("\\"))
        if slashes:
            at += slashes
            if line[at : at + 1] == '"':
                word += "\\" * (slashes // 2) + ('"' if slashes % 2 else "")
                at, quoted = at + 1, quoted if slashes % 2 else not quoted
            else:
                word += "\\" * slashes
        elif line[at] == '"':
            quoted, at = not quoted, at + 1
        elif line[at] == " " and not quoted:
            words, word, at = [*words, word], "", at + 1
        else:
            word, at = word + line[at], at + 1
    return [*words, word]


@pytest.mark.parametrize("store", AWKWARD)
@pytest.mark.parametrize("kind", KINDS)
def test_the_command_comes_through_as_it_is(kind: str, store: str, tmp_path: Path) -> None:
    assert words_in(made(kind, store, tmp_path)) == words_of(store, "team")


def test_a_run_by_the_clock_does_nothing_unless_it_is_due() -> None:
    words = words_of()
    assert words[:4] == [sys.executable, "-m", "omoide", "sleep"]
    assert "--only-when-due" in words


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_switched_on_can_be_switched_off(kind: str, tmp_path: Path) -> None:
    found = made(kind, AWKWARD[0], tmp_path)
    assert found.on
    assert found.off
    assert all(path.startswith(str(tmp_path)) for path in found.files)


def test_a_timer_catches_up_on_what_a_sleeping_machine_missed(tmp_path: Path) -> None:
    timer = configured(list(made("systemd", "s.db", tmp_path).files.values())[1])
    assert (timer["Timer"]["OnCalendar"], timer["Timer"]["Persistent"]) == ("*-*-* 04:05:00", "true")
    assert timer["Install"]["WantedBy"] == "timers.target"


def test_every_system_has_a_scheduler() -> None:
    assert usual_kind("win32") == "task-scheduler"
    assert usual_kind("darwin") == "launchd"
    assert usual_kind("linux") in ("systemd", "cron")


@pytest.mark.parametrize("kind,hour", [("at", 3), ("cron", 24)])
def test_what_makes_no_sense_is_refused(kind: str, hour: int) -> None:
    with pytest.raises(ValueError, match=r"kind|no 24"):
        recipe(kind, ["x"], hour=hour)


@pytest.mark.parametrize("dry", [False, True])
def test_setup_writes_the_recipe_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], dry: bool
) -> None:
    from omoide.serve.cli.app import run

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    store = str(tmp_path / "s.db")
    status = run(["setup", "--schedule", "--store", store, "--json", *(["--dry-run"] if dry else [])])
    told = json.loads(capsys.readouterr().out)
    assert status == 0
    assert told["kind"] == usual_kind()
    assert store in next(iter(told["files"].values()))
    assert all(Path(path).exists() is not dry for path in told["files"])
