"""``omoide hook``, as the command line describes it, and ``omoide capture``."""

from __future__ import annotations

from functools import partial

import click

from omoide.capture import hook
from omoide.serve import codes
from omoide.serve.cli.blocks import Block, Line
from omoide.serve.cli.commands import current_session
from omoide.serve.cli.helping import Command
from omoide.serve.cli.options import shared_options
from omoide.serve.messages.speech import Speech


def hook_command(say: Speech) -> click.Command:
    """Return ``omoide hook HOST EVENT``; ``__main__`` runs it without coming here."""
    words = click.Argument(["words"], nargs=-1, metavar="HOST EVENT")
    params: list[click.Parameter] = [words, *shared_options(say)]
    return Command("hook", params=params, callback=hook.main, help=say("cmd.hook"), say=say)


def capture_command(say: Speech) -> click.Command:
    """Return ``omoide capture``."""
    return Command(
        "capture", params=shared_options(say), callback=partial(_capture, say), help=say("cmd.capture"), say=say
    )


def _capture(say: Speech) -> int:
    from omoide.capture.working import run

    session = current_session(say)
    settled = run(session.path)
    blocks: list[Block] = [Line(say.count("hook.captured", settled), "good")]
    session.answer({"captured": settled}, blocks)
    return codes.OK
