"""A command line that makes no sense, explained in the language spoken."""

from __future__ import annotations

import click

from omoide.serve.messages.speech import Speech


def explained(error: click.ClickException, say: Speech) -> str:
    """Return what is wrong with a command line, and what was meant if that can be guessed."""
    if isinstance(error, click.NoSuchOption):
        return _with_guesses(say("usage.no_option", name=error.option_name), error.possibilities, say)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return say("usage.missing", name=error.param.make_metavar(click.Context(click.Command(None))))
    if isinstance(error, click.BadOptionUsage):
        option = error.option_name
        flag = "does not take" in error.message
        return say("usage.flag" if flag else "usage.value", name=option)
    if isinstance(error, click.UsageError):
        return _by_message(error, say)
    return error.format_message()


def _by_message(error: click.UsageError, say: Speech) -> str:
    message = error.format_message()
    if message.startswith("No such command"):
        name = message.split("'")[1] if "'" in message else ""
        return _with_guesses(say("usage.no_command", name=name), _meant(name), say)
    if "unexpected extra argument" in message:
        names = message.partition("(")[2].rpartition(")")[0]
        return say("usage.extra", names=names)
    return message


def _meant(name: str) -> list[str]:
    from omoide.serve.cli.app import OWN
    from omoide.serve.cli.names import meant_by

    return meant_by(name, OWN)


def _with_guesses(text: str, guesses: list[str] | None, say: Speech) -> str:
    return f"{text}; {say('usage.maybe', names=', '.join(sorted(guesses)))}" if guesses else text
