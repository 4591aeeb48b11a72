"""Help texts in the language spoken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from omoide.serve.messages.speech import Speech


class Command(click.Command):
    """A command whose help speaks the language of the call; shared options stand apart."""

    def __init__(self, *args: Any, say: Speech, **more: Any) -> None:
        self.say = say
        super().__init__(*args, **more)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return ``--help`` in the language spoken."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = self.say("opt.help")
        return option

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage line."""
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix=self.say("usage"))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what comes last, as wide as the rest."""
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text(self.epilog)

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the words that the command takes."""
        words = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Argument)]
        self._section("section.words", words, ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of every command last."""
        options = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Option)]
        own = [option for option in options if not getattr(option, "shared", False)]
        self._section("section.options", own, ctx, formatter)
        self._section("section.shared", [option for option in options if option not in own], ctx, formatter)

    def _section(
        self, key: str, parameters: Sequence[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        records = [record for each in parameters if (record := each.get_help_record(ctx)) is not None]
        if records:
            with formatter.section(self.say(key)):
                formatter.write_dl(records)


def help_command(say: Speech) -> click.Command:
    """Return ``omoide help``, which shows what ``--help`` after a command shows."""
    words = click.Argument(["names"], nargs=-1, metavar="[COMMAND]", help=say("arg.command"))
    return Command(
        "help", params=[words], callback=_show_help, help=say("cmd.help"), say=say,
    )  # fmt: skip


def _show_help(names: tuple[str, ...]) -> None:
    context = click.get_current_context().parent
    assert context is not None
    command: click.Command = context.command
    for name in names:
        inner = command.get_command(context, name) if isinstance(command, click.Group) else None
        if inner is None:
            raise click.UsageError(f"No such command {name!r}.", ctx=context)
        context, command = click.Context(inner, parent=context, info_name=inner.name), inner
    click.echo(command.get_help(context))
