"""The command line as such: languages, mistakes, help, hostile input, completion, the console script."""

from __future__ import annotations

import json
import os
import sqlite3
import string
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path

import click
import pytest
from tests.surfaces.command_line import CommandLine

import omoide
from omoide import errors
from omoide.model.catalog.parameters import TIME
from omoide.model.catalog.table import TABLE
from omoide.serve import codes
from omoide.serve.cli.app import OWN, group
from omoide.serve.cli.names import COMMANDS
from omoide.serve.cli.options import EVERYWHERE
from omoide.serve.messages.speech import LANGUAGES, Speech, language_of, messages_in


class TestLanguages:
    """Messages are said in English, French and Japanese."""

    @pytest.mark.parametrize(
        "language, said",
        [("en", "Remembered as 1.\n"), ("fr", "Retenu sous le numéro 1.\n"), ("ja", "1 番として覚えました。\n")],
    )
    def test_a_command_answers_in_the_language_asked_for(self, cli: CommandLine, language: str, said: str) -> None:
        assert cli("remember", "a fox", "--lang", language).out == said

    def test_the_environment_chooses(self, cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMOIDE_LANG", "fr_FR.UTF-8")
        assert cli("get", "x", status=2).err.startswith("Impossible : ")
        monkeypatch.delenv("OMOIDE_LANG")
        monkeypatch.setenv("LANG", "ja_JP.UTF-8")
        assert cli("get", "x", status=2).err.startswith("できません: ")

    def test_the_configuration_chooses(self, cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
        cli("config", "set", "lang", "ja")
        monkeypatch.delenv("OMOIDE_LANG")
        assert cli("list").out == "ありません。\n"

    @pytest.mark.parametrize("asked, language", [("FR", "fr"), ("ja-JP", "ja"), ("de", "en"), ("C", "en")])
    def test_an_unknown_language_is_english(self, asked: str, language: str) -> None:
        assert language_of(asked) == language

    @pytest.mark.parametrize("language", LANGUAGES[1:])
    def test_every_message_is_there_with_the_same_places(self, language: str) -> None:
        english, other = messages_in("en"), messages_in(language)
        assert not english.keys() - other.keys()
        assert {key for key in other.keys() - english.keys() if not key.startswith("op.")} == set()
        for key, text in english.items():
            assert places(other[key]) == places(text), key

    @pytest.mark.parametrize("language", LANGUAGES[1:])
    def test_every_command_is_described(self, language: str) -> None:
        say = Speech(language)
        assert {name for name in TABLE if not say.knows(f"op.{name}")} == set()

    @pytest.mark.parametrize("language", LANGUAGES[1:])
    def test_every_argument_is_described(self, language: str) -> None:
        told = import_module(f"omoide.serve.messages.arguments_{language}").ARGUMENTS
        words = {
            str(parameter.schema["description"]).removesuffix(TIME).rstrip()
            for operation in TABLE.values()
            if operation.doors.cli
            for parameter in operation.parameters
            if parameter.name not in EVERYWHERE
        }
        assert words == told.keys()

    @pytest.mark.parametrize(
        "language, said",
        [
            ("en", "Not found: there is no memory 999 here\n"),
            ("fr", "Introuvable : il n'y a pas de souvenir 999 ici\n"),
            ("ja", "見つかりません: 記憶 999 はここにありません\n"),
        ],
    )
    def test_an_error_is_said_whole_in_the_language_asked_for(self, cli: CommandLine, language: str, said: str) -> None:
        assert cli("forget", "999", "--lang", language, status=3).err == said

    def test_a_program_reads_an_error_in_english_whatever_the_language(self, cli: CommandLine) -> None:
        told = cli("--json", "--lang", "fr", "forget", "999", status=3).err
        assert json.loads(told)["error"]["message"] == "there is no memory 999 here"

    def test_what_a_check_finds_is_said_in_the_language_asked_for(self, cli: CommandLine) -> None:
        cli("remember", "the office is in Osaka")
        with closing(sqlite3.connect(cli.store)) as connection:
            connection.execute("DROP INDEX version_source")
        found = cli("check", "--lang", "ja", status=1).out
        assert "索引 version_source がありません。omoide repair を実行してください" in found

    def test_a_notice_is_said_in_the_language_asked_for(self, cli: CommandLine) -> None:
        cli("remember", "the office is in Osaka")
        said = cli("remember", "the office is in Osaka", "--subject", "office", "--lang", "fr")
        assert "le souvenir 1 dit presque la même chose" in said.out

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_kind_of_error_has_a_heading(self, language: str) -> None:
        assert {code for code in codes.EXITS if not Speech(language).knows(f"error.{code}")} == set()

    @pytest.mark.parametrize("language, usage", [("en", "Usage: "), ("fr", "Usage : "), ("ja", "使い方: ")])
    def test_help_speaks_the_language(self, cli: CommandLine, language: str, usage: str) -> None:
        said = cli("recall", "--help", "--lang", language).out
        assert said.startswith(usage)
        assert Speech(language)("opt.help") in said


def places(text: str) -> set[str]:
    """Return the names that a message leaves open."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


class TestMistakes:
    """A user's mistake gets a sentence and a status, never a traceback."""

    @pytest.mark.parametrize(
        "words, said",
        [
            (("recal", "x"), "there is no command recal; did you mean recall?"),
            (("recall", "--limt", "3"), "there is no option --limt"),
            (("get",), "ID is missing"),
            (("get", "1", "2"), "too many arguments: 2"),
            (("recall", "x", "-k"), "the option -k needs a value"),
            (("recall", "x", "--json=yes"), "the option --json takes no value"),
            (("recall", "x", "-k", "many"), "k must be an integer"),
            (("recall", "x", "-k", "0"), "k must be at least 1"),
            (("recall", "x", "--as-of", "2026-02-30"), "as_of is not a time that exists"),
            (("recall", "x", "--where", "nonsense"), "where takes key=value or a JSON object"),
            (("recall", "x", "--kind", "poem"), "kinds[0] must be one of"),
            (("remember", "  "), "text"),
            (("remember", "x", "--trust", "divine"), "trust must be one of"),
            (("forget",), "forget needs an id"),
            (("update", "1"), "update needs a text or metadata"),
            (("purge", "--everything", "--subject", "x", "--yes"), "not both"),
            (("config", "set", "color", "red"), "there is no setting color"),
            (("completion", "cmd"), "bash, zsh, fish, powershell"),
            (("http", "--port", "99999999"), "a port is a number from 0 to 65535, not 99999999"),
            (("mcp", "--port", "a"), "a port is a number from 0 to 65535, not a"),
        ],
    )
    def test_it_is_explained(self, cli: CommandLine, words: tuple[str, ...], said: str) -> None:
        heard = cli(*words, status=2)
        assert said in heard.err
        assert heard.out == ""
        assert "Traceback" not in heard.err

    def test_usage_mistakes_are_json_too(self, cli: CommandLine) -> None:
        assert json.loads(cli("--json", "recal", status=2).err)["error"]["code"] == "usage"

    @pytest.mark.parametrize("option, status", [("--namespace", 2), ("--store", 13)])
    def test_a_blank_store_or_namespace_is_not_the_usual_one(self, cli: CommandLine, option: str, status: int) -> None:
        """A variable that is empty in a script does not write where nobody asked for it."""
        assert "is blank" in cli("remember", "a fox", option, "", status=status).err
        assert not cli.store.exists()

    def test_a_store_that_is_none_is_refused(self, cli: CommandLine, tmp_path: Path) -> None:
        (tmp_path / "noise.db").write_bytes(bytes(range(256)) * 64)
        said = cli("list", "--store", str(tmp_path / "noise.db"), status=None)
        assert said.status in (codes.EXITS["foreign_store"], codes.EXITS["store_damaged"])
        assert "Traceback" not in said.err

    def test_a_kind_of_store_that_is_not_there_yet(self, cli: CommandLine) -> None:
        assert "postgresql" in cli("remember", "x", "--store", "postgresql://x", status=13).err

    def test_a_broken_configuration_is_named(self, cli: CommandLine) -> None:
        cli.config.write_text("store = [", encoding="utf-8")
        assert str(cli.config) in cli("list", status=13).err
        cli.config.write_text("store = 5", encoding="utf-8")
        assert "store must be a text, not 5" in cli("list", status=13).err

    def test_debug_shows_where_an_error_comes_from(self, cli: CommandLine) -> None:
        with pytest.raises(errors.NotFoundError):
            cli("revise", "9", "x", "--debug")

    @pytest.mark.parametrize("kind", [each for each in vars(errors).values() if isinstance(each, type)])
    def test_every_kind_of_error_has_a_status_of_its_own_kind(self, kind: type) -> None:
        if issubclass(kind, errors.OmoideError):
            assert kind.code in codes.EXITS


class TestHostileInput:
    """Nothing typed or piped in stops the command line."""

    WORDS = (
        "",
        " ",
        "\x00",
        "\x1b[2J",
        "\ud800",
        "'; DROP TABLE memory; --",
        "%s{0}{x}",
        "a" * 200_000,
        "\u202e\ufeff",
    )

    @pytest.mark.parametrize("word", WORDS, ids=range(len(WORDS)))
    @pytest.mark.parametrize("command", ["remember", "recall", "timeline", "search", "get", "diff", "forget"])
    def test_a_word_of_any_kind(self, cli: CommandLine, command: str, word: str) -> None:
        said = cli(command, "--", word, status=None)
        assert said.status in (0, 2, 3)
        assert "Traceback" not in said.err

    @pytest.mark.parametrize("option", ["--where", "--metadata", "--tags", "--valid-from", "--importance", "--source"])
    def test_a_value_of_any_kind(self, cli: CommandLine, option: str) -> None:
        for word in (*self.WORDS, "{" * 5_000, '{"a":' * 2_000, "[]", "=", "a=\x00"):
            said = cli("remember", "a fox", f"{option}={word}", status=None)
            assert said.status in (0, 2)

    def test_bytes_of_any_kind(self, cli: CommandLine) -> None:
        for stdin in (b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", "\ufeff東京".encode()):
            assert cli("remember", "-", stdin=stdin, status=None).status in (0, 2)


class TestCommands:
    """The commands and what they are made of."""

    def test_every_operation_with_a_command_has_one(self) -> None:
        assert set(COMMANDS.values()) == {name for name, operation in TABLE.items() if operation.doors.cli}
        assert not set(COMMANDS) & set(OWN)

    @pytest.mark.parametrize("name", [*COMMANDS, *OWN])
    def test_every_command_has_help(self, cli: CommandLine, name: str) -> None:
        assert cli(name, "--help").out.startswith(f"Usage: omoide {name}")

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_argument_of_the_operation_can_be_given(self, name: str) -> None:
        whole = group()
        command = whole.get_command(click.Context(whole), name)
        assert command is not None
        given = {parameter.name for parameter in command.params}
        wanted = {parameter.name for parameter in TABLE[COMMANDS[name]].parameters}
        assert wanted - given <= {"project"}

    def test_without_words_the_commands_are_listed(self, cli: CommandLine) -> None:
        said = cli().out
        assert all(f"  {name}" in said for name in (*COMMANDS, *OWN))

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
    def test_shells_can_complete(self, cli: CommandLine, shell: str) -> None:
        assert "_OMOIDE_COMPLETE" in cli("completion", shell).out


class TestProcess:
    """The command line as a process of its own."""

    def test_the_version(self) -> None:
        said = subprocess.run([sys.executable, "-m", "omoide", "--version"], capture_output=True, check=True, text=True)
        assert said.stdout == f"omoide {omoide.__version__}\n"

    def test_the_version_loads_nothing_heavy(self) -> None:
        code = (
            "import sys, runpy; sys.argv = ['omoide', '--version']\n"
            "try: runpy.run_module('omoide', run_name='__main__')\n"
            "except SystemExit: print(sorted({'click', 'rich', 'numpy', 'apsw', 'argparse'} & set(sys.modules)))"
        )
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
        assert said.stdout.splitlines()[-1] == "[]"

    def test_a_pipe_that_closes_early_is_no_error(self, cli: CommandLine) -> None:
        for number in range(3):
            cli("remember", f"fact {number} " + "x" * 60_000)
        child = subprocess.Popen(
            [sys.executable, "-m", "omoide", "list"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ.copy(),
        )
        assert child.stdout is not None
        child.stdout.read(10)
        child.stdout.close()
        assert child.stderr is not None
        complaint = child.stderr.read()
        child.stderr.close()
        assert (child.wait(), complaint) == (0, b"")

    def test_utf8_words_and_output_in_a_plain_locale(self, cli: CommandLine) -> None:
        env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        said = subprocess.run(
            [sys.executable, "-m", "omoide", "remember", "-", "--json"], input="東京".encode(), capture_output=True,
            check=True, env=env,
        )  # fmt: skip
        assert json.loads(said.stdout)["saved"] is True
        listed = subprocess.run(
            [sys.executable, "-m", "omoide", "get", "1", "--json"], capture_output=True, check=True, env=env
        )
        assert json.loads(listed.stdout)["text"] == "東京"
