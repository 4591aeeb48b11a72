"""What commands are called: names of the library and of other doors work too, and help leads to them."""

from __future__ import annotations

import pytest
from tests.surfaces.command_line import CommandLine

from omoide.model.catalog.table import TABLE
from omoide.serve.cli.app import OWN
from omoide.serve.cli.names import ALIASES, COMMANDS, MEANT, command_called


@pytest.mark.parametrize(
    "name, command",
    [
        ("merge-from", "merge"), ("merge_from", "merge"), ("integrity_check", "check"), ("integrity-check", "check"),
        ("add_files", "add"), ("import_", "import"), ("history_search", "history-search"), ("grep", "history-grep"),
        ("save", "history-save"), ("rename_subject", "rename-subject"), ("explain_proposal", "explain"),
    ],
)  # fmt: skip
def test_the_name_in_the_library_works_at_the_command_line(cli: CommandLine, name: str, command: str) -> None:
    assert command_called(name) == command
    assert cli(name, "--help").out.partition("\n")[2] == cli(command, "--help").out.partition("\n")[2]


def test_every_operation_with_a_command_is_reached_by_its_name_in_the_table() -> None:
    assert [name for name in COMMANDS.values() if command_called(name) != TABLE[name].doors.cli] == []


def test_no_other_name_hides_a_command() -> None:
    assert not set(ALIASES) & {*COMMANDS, *OWN}
    assert set(ALIASES.values()) <= set(COMMANDS)


def test_what_is_suggested_is_there() -> None:
    assert {name for names in MEANT.values() for name in names} <= {*COMMANDS, *OWN, *ALIASES}
    assert not set(MEANT) & {*COMMANDS, *OWN, *ALIASES}


@pytest.mark.parametrize("language, said", [("en", "Also: "), ("fr", "Aussi : "), ("ja", "別名：")])
def test_help_tells_the_other_names(cli: CommandLine, language: str, said: str) -> None:
    assert f"{said}omoide merge-from" in cli("merge", "--help", "--lang", language).out


@pytest.mark.parametrize(
    "words, first",
    [
        ((), "Usage: omoide [OPTIONS] COMMAND"), (("merge_from",), "Usage: omoide merge "),
        (("history", "grep"), "Usage: omoide history grep "), (("doctor",), "Usage: omoide doctor "),
    ],
)  # fmt: skip
def test_help_shows_a_command(cli: CommandLine, words: tuple[str, ...], first: str) -> None:
    assert cli("help", *words).out.startswith(first)


def test_help_shows_the_same_as_the_option(cli: CommandLine) -> None:
    assert cli("help", "recall").out == cli("recall", "--help").out


@pytest.mark.parametrize(
    "words, said",
    [
        (("help", "recal"), "there is no command recal; did you mean recall?"),
        (("help", "merge", "x"), "there is no command x"),
        (("merge_form", "x"), "did you mean merge?"),
        (("delete", "1"), "did you mean delete-document, forget, purge?"),
        (("find", "x"), "did you mean recall, search?"),
        (("status",), "did you mean doctor, history-status, stats?"),
    ],
)
def test_an_unknown_name_leads_to_the_right_one(cli: CommandLine, words: tuple[str, ...], said: str) -> None:
    assert said in cli(*words, status=2).err


def test_below_history_underscores_do_as_well(cli: CommandLine) -> None:
    assert cli("history", "choose_domains", "--help").out.startswith("Usage: omoide history choose_domains ")


@pytest.mark.parametrize("language, said", [("en", "omoide add -"), ("fr", "omoide add -"), ("ja", "omoide add -")])
def test_a_text_given_to_add_is_told_where_it_goes(cli: CommandLine, language: str, said: str) -> None:
    assert said in cli("add", "lives in Osaka", "--lang", language, status=3).err
    assert said not in cli("--json", "add", "lives in Osaka", status=3).err
