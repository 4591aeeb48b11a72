"""Long commands say how far they are: a line now and then on standard error where nobody sits at a terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from threading import Event

import pytest
from tests.surfaces.command_line import CommandLine

from omoide.serve.cli import progress
from omoide.serve.cli.progress import Progress
from omoide.serve.messages.speech import Speech


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OMOIDE_EMBEDDER", "none")
    made = tmp_path / "texts"
    made.mkdir()
    for number in range(3):
        (made / f"{number}.md").write_text(f"note {number}", encoding="utf-8")
    return made


@pytest.fixture
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step is worth a line."""
    monkeypatch.setattr(progress, "EVERY", 0.0)


@pytest.mark.usefixtures("talkative")
class TestEveryStep:
    """With no time between two lines."""

    @pytest.mark.parametrize(
        "language, first",
        [("en", "Working, 1 of 3: "), ("fr", "En cours, 1 sur 3 : "), ("ja", "処理中、1/3：")],
    )
    def test_files_are_counted_on_standard_error(
        self, cli: CommandLine, folder: Path, language: str, first: str
    ) -> None:
        said = cli("add", str(folder), "--lang", language)
        assert said.err.splitlines()[0] == f"{first}{folder / '0.md'}"
        assert len(said.err.splitlines()) == 3

    def test_transcripts_are_counted(self, cli: CommandLine, folder: Path) -> None:
        (folder / "chat.jsonl").write_text('{"role": "user", "content": "hello there"}\n' * 2, encoding="utf-8")
        said = cli("ingest", str(folder / "chat.jsonl"))
        assert said.err.splitlines() == [f"Working, 1 of 1: {folder / 'chat.jsonl'}"]

    @pytest.mark.parametrize("option", ["--quiet", "-q", "--json"])
    def test_who_wants_none_gets_none(self, cli: CommandLine, folder: Path, option: str) -> None:
        assert cli("add", str(folder), option).err == ""

    def test_a_name_cannot_steer_a_terminal(self, capsys: pytest.CaptureFixture[str]) -> None:
        with Progress(Speech("en"), quiet=False) as told:
            told(1, 2, "a\x1b[2Jb")
        assert capsys.readouterr().err == "Working, 1 of 2: a\\x1b[2Jb\n"

    def test_work_of_unknown_length_is_counted_too(self, capsys: pytest.CaptureFixture[str]) -> None:
        with Progress(Speech("en"), quiet=False) as told:
            told(7)
        assert capsys.readouterr().err == "Working, 7 done\n"


def test_short_work_says_nothing(cli: CommandLine, folder: Path) -> None:
    assert cli("add", str(folder)).err == ""


class Heard(io.StringIO):
    """Standard error that tells when something was written."""

    def __init__(self, fault: type[Exception] | None = None) -> None:
        super().__init__()
        self.told = Event()
        self.fault = fault

    def write(self, text: str) -> int:
        self.told.set()
        if self.fault is not None:
            raise self.fault
        return super().write(text)


def test_work_that_counts_nothing_says_that_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard()
    monkeypatch.setattr(sys, "stderr", heard)
    with Progress(Speech("en"), quiet=False, every=0.001):
        assert heard.told.wait(60)
    assert heard.getvalue().startswith("Working, for 0 s\n")


def test_a_log_that_nobody_reads_any_more_does_not_stop_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard(BrokenPipeError)
    monkeypatch.setattr(sys, "stderr", heard)
    with Progress(Speech("en"), quiet=False, every=0.001) as told:
        assert heard.told.wait(60)
        told(1, 2, "still here")
