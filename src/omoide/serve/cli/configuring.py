"""``omoide config``: settings shown with where they come from, and changed in the configuration file."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import click

from omoide.errors import InvalidInputError
from omoide.serve import codes
from omoide.serve.cli.blocks import Block, Line, table, tidy
from omoide.serve.cli.commands import current_session
from omoide.serve.cli.helping import Command
from omoide.serve.cli.options import shared_options
from omoide.serve.cli.session import Session
from omoide.serve.messages.speech import Speech
from omoide.serve.settings import BY_NAME, SETTINGS, config_file, read_config, value_of

ACTIONS = ("show", "get", "set", "unset", "path")


def config_command(say: Speech) -> click.Command:
    """Return ``omoide config [show|get NAME|set NAME VALUE|unset NAME|path] [--here]``."""
    return Command(
        "config",
        params=[
            click.Argument(["action"], required=False, metavar="[show|get|set|unset|path]"),
            click.Argument(["name"], required=False, metavar="[NAME]"),
            click.Argument(["value"], required=False, metavar="[VALUE]"),
            click.Option(["--here"], is_flag=True, help=say("opt.here")),
            *shared_options(say),
        ],
        callback=partial(_config, say),
        help=say("cmd.config"),
        say=say,
    )


def _config(say: Speech, action: str | None, name: str | None, value: str | None, here: bool) -> int:
    session = current_session(say)
    if action in (None, "show"):
        _show(session)
    elif action == "path":
        session.answer({"path": str(config_file())}, [Line(tidy(str(config_file())))])
    elif action not in ACTIONS:
        raise InvalidInputError(f"config {action}: {', '.join(ACTIONS)}", value=action)
    elif name is None or name not in BY_NAME:
        raise InvalidInputError(say("config.unknown", name=name, names=", ".join(BY_NAME)), value=name)
    elif action == "get":
        session.answer({name: session.settings[name]}, [Line(tidy(session.settings[name]))])
    else:
        _change(session, name, _new_value(say, action, name, value), here=here)
    return codes.OK


def _new_value(say: Speech, action: str, name: str, value: str | None) -> Any:
    if action == "unset":
        return None
    if value is None:
        raise InvalidInputError(say("usage.missing", name="VALUE"))
    return value_of(BY_NAME[name], value, "config set")


def _show(session: Session) -> None:
    say, settings = session.say, session.settings
    rows = [(setting.name, settings[setting.name], settings.origins[setting.name]) for setting in SETTINGS]
    blocks: list[Block] = [
        table([say("col.name"), say("col.value"), say("col.origin")], rows),
        Line(str(settings.file), "dim"),
    ]
    values = {name: {"value": value, "from": origin} for name, value, origin in rows}
    session.answer({"file": str(settings.file), "settings": values}, blocks)


def _change(session: Session, name: str, value: Any, *, here: bool) -> None:
    say = session.say
    if here and session.place is None:
        raise InvalidInputError(say("config.no_project"))
    file = save(name, value, session.place.name if here and session.place else None)
    key = "config.removed" if value is None else "config.saved"
    words = Line(say(key, path=tidy(str(file)), name=name, value=tidy(value)), "good")
    session.answer({"path": str(file), name: value}, [words])


def save(name: str, value: Any, project: str | None = None) -> Path:
    """Write one setting into the configuration file, None to take it out; comments stay. Return the file.

    Raises:
        ConfigurationError: the file as it is cannot be read.
        OSError: it cannot be written.
    """
    import tomlkit

    file = config_file()
    read_config(file)
    document = tomlkit.parse(file.read_text(encoding="utf-8")) if file.exists() else tomlkit.document()
    part: Any = document
    if project is not None:
        part = document.setdefault("projects", tomlkit.table(is_super_table=True)).setdefault(project, tomlkit.table())
    if value is None:
        part.pop(name, None)
    else:
        part[name] = value
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{uuid4().hex[:8]}")
    draft.write_text(tomlkit.dumps(document), encoding="utf-8")
    os.replace(draft, file)  # noqa: PTH105 - replaces on every system
    return file
