"""``omoide history ...``: the operations on conversations under the names that belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from omoide.model.catalog.table import TABLE
from omoide.model.shape import plain
from omoide.serve import codes
from omoide.serve.cli.blocks import Line
from omoide.serve.cli.commands import command_of, current_session
from omoide.serve.cli.confirming import agree
from omoide.serve.cli.helping import Command
from omoide.serve.cli.history_views import retained_view
from omoide.serve.cli.options import shared_options
from omoide.serve.messages.speech import Speech

if TYPE_CHECKING:
    from omoide.history import History

COMMANDS: Final[Mapping[str, str]] = {
    "list": "history_list",
    "sessions": "sessions",
    "search": "history_search",
    "grep": "history_grep",
    "read": "history_read",
    "save": "history_save",
    "ingest": "ingest",
    "status": "history_status",
    "domains": "domains",
    "choose-domains": "choose_domains",
}
"""Operations by the name of their command below ``omoide history``."""
RETENTION: Final[Mapping[str, str]] = {
    "preview": "retention_preview",
    "run": "retention_run",
    "restore": "unarchive",
    "archive": "history_archive",
    "erase": "history_erase",
}
"""The same below ``omoide history retention``."""
NESTED: Final = "retention"


class Named(Command, click.Group):
    """A group of operations; a command is made when it is asked for."""

    def __init__(
        self, name: str, operations: Mapping[str, str], groups: tuple[click.Command, ...], say: Speech
    ) -> None:
        key = "cmd.history" if name != NESTED else f"cmd.history.{NESTED}"
        super().__init__(name, params=shared_options(say), help=say(key), say=say)
        self._operations, self._groups = operations, {group.name or "": group for group in groups}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of its commands."""
        return [*self._operations, *self._groups]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None for an unknown one."""
        if cmd_name in self._groups:
            return self._groups[cmd_name]
        cmd_name = cmd_name.replace("_", "-")
        if cmd_name not in self._operations:
            return None
        made = command_of(TABLE[self._operations[cmd_name]], self.say)
        made.name = cmd_name
        return made

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every command with its first line."""
        rows = [(name, self._summary(name)) for name in self.list_commands(ctx)]
        with formatter.section(self.say("section.commands")):
            formatter.write_dl(rows)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)

    def _summary(self, name: str) -> str:
        if name in self._groups:
            return self._groups[name].help or ""
        operation = TABLE[self._operations[name]]
        key = f"op.{operation.name}"
        return self.say(key) if self.say.knows(key) else operation.summary


def _erasing(say: Speech) -> click.Command:
    return Command(
        "erase-old", params=shared_options(say), callback=partial(_erase_old, say), help=say("cmd.history.erase_old"),
        say=say,
    )  # fmt: skip


def _erase_old(say: Speech) -> int:
    session = current_session(say)
    with session.faces(TABLE["retention_run"], {}) as faces:
        history: History = faces("history")
        shown = plain(replace(history.retention_preview(), archived=()))
        blocks = [Line(say("history.erase_old"), "warn"), *retained_view(shown, say)]
        if shown["erased"] and not session.yes:
            agree(session, shown, blocks, "omoide history retention erase-old")
        done = plain(history.retention_run(archive=False, erase=True))
    session.answer(done, retained_view(done, say))
    return codes.OK


def history_command(say: Speech) -> click.Command:
    """Return ``omoide history`` with what lies below it."""
    return Named("history", COMMANDS, (Named(NESTED, RETENTION, (_erasing(say),), say),), say)
