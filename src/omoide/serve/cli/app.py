"""``omoide``: commands made from the table of operations, and a few of the command line's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Final

import click

from omoide.errors import ConfigurationError, OmoideError
from omoide.model.catalog.table import TABLE
from omoide.serve import codes
from omoide.serve.cli.helping import Command
from omoide.serve.cli.names import COMMANDS, HELP, command_called
from omoide.serve.cli.options import shared_options
from omoide.serve.cli.output import ReaderLeftError, prepare_streams, remark
from omoide.serve.messages.speech import Speech, language_of
from omoide.serve.settings import BY_NAME, config_file, read_config

PROGRAM: Final = "omoide"
COMPLETE: Final = "_OMOIDE_COMPLETE"
"""The variable by which a shell asks for completions."""
OWN: Final[dict[str, str]] = {
    "history": "omoide.serve.cli.history:history_command",
    "init": "omoide.serve.cli.setup:init_command",
    "config": "omoide.serve.cli.configuring:config_command",
    "doctor": "omoide.serve.cli.doctor:doctor_command",
    "setup": "omoide.capture.commands:setup_command",
    "uninstall": "omoide.capture.commands:uninstall_command",
    "hook": "omoide.capture.hook_commands:hook_command",
    "capture": "omoide.capture.hook_commands:capture_command",
    "mcp": "omoide.serve.cli.serving:mcp_command",
    "http": "omoide.serve.cli.serving:http_command",
    "completion": "omoide.serve.cli.setup:completion_command",
    HELP: "omoide.serve.cli.helping:help_command",
}
"""Commands that are no operations, and what makes each."""


class Omoide(Command, click.Group):
    """The whole command line; a command is made when it is asked for."""

    def __init__(self, say: Speech) -> None:
        super().__init__(PROGRAM, params=[*shared_options(say), _version(say)], help=say("about"), say=say)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands, those on memories first."""
        return [*COMMANDS, *OWN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None for an unknown one."""
        return command_named(cmd_name, self.say)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every command with its first line, without making any."""
        rows = [(name, summary_of(name, self.say)) for name in self.list_commands(ctx)]
        with formatter.section(self.say("section.commands")):
            formatter.write_dl(rows)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)


def command_named(name: str, say: Speech) -> click.Command | None:
    """Return the command of this name, None for an unknown one."""
    name = command_called(name)
    if name in COMMANDS:
        from omoide.serve.cli.commands import command_of

        return command_of(TABLE[COMMANDS[name]], say)
    if name in OWN:
        module, factory = OWN[name].split(":")
        make: Callable[[Speech], click.Command] = getattr(import_module(module), factory)
        return make(say)
    return None


def summary_of(name: str, say: Speech) -> str:
    """Return the line that describes a command."""
    if name in OWN:
        return say(f"cmd.{name}")
    key = f"op.{COMMANDS[name]}"
    return say(key) if say.knows(key) else TABLE[COMMANDS[name]].summary


def _version(say: Speech) -> click.Option:
    def show(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
        if value:
            from omoide import __version__

            click.echo(f"{PROGRAM} {__version__}")
            context.exit()

    return click.Option(
        ["--version", "-V"], is_flag=True, expose_value=False, is_eager=True, callback=show, help=say("opt.version")
    )


ENDINGS: Final = (
    click.exceptions.Exit,
    click.Abort,
    KeyboardInterrupt,
    EOFError,
    ReaderLeftError,
    click.ClickException,
    OmoideError,
    OSError,
    ImportError,
)
"""How a command may end other than by returning; anything else is a fault of omoide."""


def run(arguments: Sequence[str]) -> int:
    """Run a command line; return its exit status. Nothing but a fault of omoide leaves by an exception."""
    prepare_streams()
    given = [_as_utf8(word) for word in arguments]
    say = Speech(_language(given))
    if os.environ.get(COMPLETE, "").startswith("powershell"):
        from omoide.serve.cli.powershell import register

        register()
    try:
        result = Omoide(say).main(given or ["--help"], prog_name=PROGRAM, standalone_mode=False)
    except ENDINGS as error:
        return _ended(error, given, say)
    return result if isinstance(result, int) else codes.OK


def _as_utf8(word: str) -> str:
    """Return a word that a locale without its letters has torn into bytes."""
    try:
        word.encode()
    except UnicodeEncodeError:
        with suppress(UnicodeError):
            return os.fsencode(word).decode()
    return word


def _ended(error: BaseException, given: list[str], say: Speech) -> int:
    """Say why a command ended; return its exit status."""
    as_json = "--json" in given
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, ReaderLeftError):
        return codes.OK
    if isinstance(error, click.Abort | KeyboardInterrupt | EOFError):
        remark("")
        return codes.INTERRUPTED
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message())
        return codes.OK
    if isinstance(error, click.ClickException):
        return _misunderstood(error, say, as_json=as_json)
    if "--debug" in given:
        raise error
    return _failed(error, say, as_json=as_json)


def _language(arguments: list[str]) -> str:
    """Return the language of a call; a configuration that cannot be read is complained about later."""
    asked = _asked(arguments, "--lang")
    if asked is None and not os.environ.get(BY_NAME["lang"].variable):
        with suppress(ConfigurationError):
            asked = read_config(config_file()).get("lang")
    return language_of(asked)


def _asked(arguments: list[str], option: str) -> str | None:
    """Return the value of an option before the line is read as a whole: messages about it need the language."""
    for place, word in enumerate(arguments):
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
        if word == option:
            return arguments[place + 1] if place + 1 < len(arguments) else None
    return None


def _failed(error: BaseException, say: Speech, *, as_json: bool) -> int:
    message = str(error) or type(error).__name__
    told = say("error", heading=say(f"error.{codes.known_code(error)}"), message=say.sentence(message))
    _complain(codes.code_of(error), message, told, as_json=as_json)
    return codes.exit_of(error)


def _misunderstood(error: click.ClickException, say: Speech, *, as_json: bool) -> int:
    from omoide.serve.cli.usage import explained

    message = explained(error, say)
    _complain("usage", message, say("error", heading=say("error.usage"), message=message), as_json=as_json)
    context = getattr(error, "ctx", None)
    if not as_json and context is not None:
        remark(say("usage.hint", command=context.command_path), "dim")
    return codes.EXITS["invalid_input"]


def _complain(code: str, message: str, told: str, *, as_json: bool) -> None:
    """Write an error: for a program its code and the message as it was raised, for a person what is told."""
    if as_json:
        import json

        print(json.dumps({"error": {"code": code, "message": message}}), file=sys.stderr)
        return
    from omoide.serve.cli.blocks import harmless

    remark(harmless(told), "bad", color=not os.environ.get("NO_COLOR"))


def group(language: str = "en") -> click.Group:
    """Return the whole command line for a reference of it."""
    return Omoide(Speech(language))
