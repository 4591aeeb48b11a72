"""``omoide init`` and ``omoide completion``."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from omoide.errors import InvalidInputError
from omoide.ops import Faces
from omoide.serve import codes
from omoide.serve.cli.blocks import Block, Line, tidy
from omoide.serve.cli.commands import current_session
from omoide.serve.cli.configuring import save
from omoide.serve.cli.helping import Command
from omoide.serve.cli.options import shared_options
from omoide.serve.cli.session import DOOR
from omoide.serve.messages.speech import Speech
from omoide.vault.files import HIDDEN

NOTES = "notes"
"""The folder that becomes a vault when none is named."""
SHELLS = ("bash", "zsh", "fish", "powershell")


def init_command(say: Speech) -> click.Command:
    """Return ``omoide init [PATH] [--here] [--vault]``: make a store and have the configuration name it."""
    path = click.Argument(["path"], required=False, metavar="[PATH]")
    here = click.Option(["--here"], is_flag=True, help=say("opt.here"))
    vault = click.Option(["--vault"], is_flag=True, help=say("opt.vault"))
    params = [path, here, vault, *shared_options(say)]
    return Command("init", params=params, callback=partial(_init, say), help=say("cmd.init"), say=say)


def _init(say: Speech, path: str | None, here: bool, vault: bool) -> int:
    session = current_session(say)
    if vault:
        path = f"{(path or NOTES).rstrip('/')}/"
    if path is not None:
        where = str(Path(path).expanduser().absolute())
        session.path = f"{where}/" if path.endswith(("/", "\\")) else where
    existed = session.exists and (Path(session.path).is_file() or Path(session.path, HIDDEN).is_dir())
    with Faces(session.path, session.namespace, embedder="none", door=DOOR, door_trust=session.trust) as faces:
        faces("memory")
    if path is not None or here:
        if here and session.place is None:
            raise InvalidInputError(say("config.no_project"))
        save("store", session.path, session.place.name if here and session.place else None)
    blocks: list[Block] = [
        Line(say("init.there" if existed else "init.made", path=tidy(session.path)), "good"),
        Line(say("init.next"), "dim"),
    ]
    session.answer({"path": session.path, "made": not existed, "namespace": session.namespace}, blocks)
    return codes.OK


def completion_command(say: Speech) -> click.Command:
    """Return ``omoide completion SHELL``."""
    shell = click.Argument(["shell"], metavar="|".join(SHELLS))
    return Command(
        "completion",
        params=[shell, *shared_options(say)],
        callback=partial(_completion, say),
        help=say("cmd.completion"),
        say=say,
    )


def _completion(say: Speech, shell: str) -> int:
    from click.shell_completion import get_completion_class

    from omoide.serve.cli.app import COMPLETE, PROGRAM, Omoide
    from omoide.serve.cli.powershell import register

    register()
    kind = get_completion_class(shell)
    if kind is None or shell not in SHELLS:
        raise InvalidInputError(f"{shell}: {', '.join(SHELLS)}", value=shell)
    made = kind(Omoide(say), {}, PROGRAM, COMPLETE)
    variables = {**made.source_vars(), "complete_var": COMPLETE}
    click.echo(made.source_template % variables)
    return codes.OK
