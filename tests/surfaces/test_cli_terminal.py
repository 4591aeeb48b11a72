"""The command line with a person at both ends: tables, colours, questions, trust."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from tests.surfaces.command_line import CommandLine

from omoide.serve.cli.blocks import Line, table
from omoide.serve.cli.output import decorated, plain_lines

pty = pytest.importorskip("pty", reason="pseudo-terminals are a thing of POSIX systems")
ANSI = re.compile(r"\x1b\[[0-9;]*[a-zA-Z]")


AT_A_TERMINAL = (
    "import fcntl, runpy, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.default_int_handler); "
    "sys.argv[0] = 'omoide'; runpy.run_module('omoide', run_name='__main__')"
)
"""The child makes the pseudo-terminal the one that Ctrl-C comes from, and heeds it: what runs in the background of a
script, as tests may, passes on that interrupts are ignored."""


class Terminal:
    """A command in a process of its own, at a pseudo-terminal; ``answers`` are typed when it asks."""

    def __init__(self, *words: str, answers: str = "", lines: int = 40) -> None:
        environment = {**os.environ, "COLUMNS": "100", "LINES": str(lines), "TERM": "xterm", "PAGER": "cat"}
        self._line, other = pty.openpty()
        child = subprocess.Popen(
            [sys.executable, "-c", AT_A_TERMINAL, *words], stdin=other, stdout=other, stderr=other, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(other)
        self.raw = self._read(answers)
        self.status = child.wait()
        os.close(self._line)
        self.said = ANSI.sub("", self.raw)

    def _read(self, answers: str) -> str:
        heard = b""
        while True:
            try:
                part = os.read(self._line, 65_536)
            except OSError:  # the other end is closed
                return heard.decode()
            if not part:
                return heard.decode()
            heard += part
            if answers and heard.rstrip().endswith(b"]"):
                for key in re.split("(?<=\x03)", answers):
                    os.write(self._line, key.encode())
                    time.sleep(0.2 if key.endswith("\x03") else 0)  # the signal comes some time after the key
                answers = ""


def test_what_a_person_types_is_stated(cli: CommandLine) -> None:
    assert Terminal("remember", "a fox").status == 0
    assert cli.json("get", "1")["trust"] == "stated"


def test_a_table_has_headings_and_no_tabs(cli: CommandLine) -> None:
    cli("remember", "東京タワーの近くに住んでいる", "--subject", "ユーザー")
    said = Terminal("list").said
    assert {"Id", "Text", "About"} <= set(said.split())
    assert "\t" not in said


@pytest.mark.parametrize("words, coloured", [((), True), (("--no-color",), False)])
def test_colours_can_be_switched_off(cli: CommandLine, words: tuple[str, ...], coloured: bool) -> None:
    assert ("\x1b[32m" in Terminal("remember", "a fox", *words).raw) is coloured


def test_the_environment_switches_colours_off(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[32m" not in Terminal("remember", "a fox").raw


@pytest.mark.parametrize(
    "language, answer, status, left",
    [("en", "y\n", 0, 0), ("en", "n\n", 16, 1), ("en", "\n", 16, 1), ("fr", "o\n", 0, 0), ("ja", "y\n", 0, 0)],
)
def test_a_person_is_asked_before_something_is_destroyed(
    cli: CommandLine, language: str, answer: str, status: int, left: int
) -> None:
    cli("remember", "a fox", "--subject", "s")
    said = Terminal("purge", "--subject", "s", "--lang", language, answers=answer)
    assert "a fox" in said.said
    assert said.status == status
    assert len(cli.json("list")["results"]) == left


def test_an_interrupted_question_destroys_nothing(cli: CommandLine) -> None:
    cli("remember", "a fox")
    # The line end is for an interrupt that comes just before Python reads: it is noticed when a line is there.
    assert Terminal("purge", "1", answers="\x03\n").status == 130
    assert len(cli.json("list")["results"]) == 1


def test_long_output_is_paged(cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        cli("remember", f"fact number {number}")
    assert "fact number 0" in Terminal("list", lines=10).said
    assert "fact number 0" in Terminal("list", "--no-pager", lines=10).said


def test_json_at_a_terminal_is_indented(cli: CommandLine) -> None:
    cli("remember", "a fox")
    assert Terminal("stats", "--json").said.startswith("{\r\n  ")


def test_json_cannot_steer_a_terminal_either(cli: CommandLine) -> None:
    cli("remember", "a\x9b2Jb\u202ec")
    raw = Terminal("get", "1", "--json").raw
    assert not {"\x9b", "\u202e"} & set(raw)
    assert "a\\u009b2Jb\\u202ec" in raw


def test_a_bar_shows_how_far_the_files_are(cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMOIDE_EMBEDDER", "none")
    (tmp_path / "[bold]x[").mkdir()
    (tmp_path / "[bold]x[" / "a.md").write_text("alpha", encoding="utf-8")
    said = Terminal("add", str(tmp_path / "[bold]x["))
    assert (said.status, "100%" in said.said) == (0, True)


TABLE: list[Any] = [(1, "日本語のとても長い文章" * 20, "s"), (2, "e\u0301te\u0301 🦊", ""), (3, "ไทย", "x")]


def test_wide_characters_stay_within_the_width() -> None:
    text = ANSI.sub("", decorated([table(["Id", "Text", "About"], TABLE)], color=True, width=60))
    assert max(cell_len(line) for line in text.splitlines()) <= 60
    assert text.replace("\n", "").count("日") == 20


def test_a_column_that_is_empty_is_left_out() -> None:
    made = table(["Id", "Text", "About"], [(1, "a", None), (2, "b", "")])
    assert made.columns == ("Id", "Text")
    assert list(plain_lines([made, Line("end")])) == ["1\ta", "2\tb", "end"]


def test_a_table_of_nothing_is_nothing() -> None:
    assert list(plain_lines([table(["Id"], [])])) == []
