"""``omoide setup`` and ``omoide uninstall`` as commands: words read, changes shown or carried out, steps told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from omoide.capture import setup
from omoide.capture.hosts.known import NAMES, host_named
from omoide.capture.hosts.spec import PARTS, HostSpec
from omoide.capture.locating import Machine
from omoide.capture.program import Program
from omoide.capture.scheduling import write_schedule
from omoide.capture.setup import Outlook, Wish
from omoide.errors import ConfigurationError, InvalidInputError
from omoide.serve import codes
from omoide.serve.cli.blocks import Block, Line, table, tidy
from omoide.serve.cli.commands import current_session
from omoide.serve.cli.helping import Command
from omoide.serve.cli.options import shared_options
from omoide.serve.cli.session import NOWHERE, Session
from omoide.serve.messages.speech import Speech

GENERIC: Final = "generic"
AGAIN: Final = 3


@dataclass(slots=True)
class Told:
    """What became of one host. ``files``: path, state (written, removed, unchanged, kept, would) and diff of each."""

    host: str
    scope: str
    files: list[dict[str, str]] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    experimental: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    error: str | None = None


def setup_command(say: Speech) -> click.Command:
    """Return ``omoide setup HOST... [--all] [--only PART] [--without PART] [--scope S] [--dry-run] [--schedule]``."""
    own = [
        *_words(say),
        click.Option(["--scope"], default="user", show_default=True, metavar="user|project", help=say("opt.scope")),
        click.Option(["--prompts"], is_flag=True, help=say("opt.prompts")),
        click.Option(["--schedule"], is_flag=True, help=say("opt.schedule")),
    ]
    return _command("setup", own, _setup, say)


def uninstall_command(say: Speech) -> click.Command:
    """Return ``omoide uninstall HOST... [--all] [--only PART] [--without PART] [--scope S] [--dry-run]``."""
    scope = click.Option(["--scope"], metavar="user|project", help=say("opt.scope"))
    return _command("uninstall", [*_words(say), scope], _uninstall, say)


def _words(say: Speech) -> list[click.Parameter]:
    return [
        click.Argument(["hosts"], nargs=-1, metavar="[HOST]..."),
        click.Option(["--all", "every"], is_flag=True, help=say("opt.all_hosts")),
        click.Option(["--only"], multiple=True, metavar="PART", help=say("opt.only")),
        click.Option(["--without"], multiple=True, metavar="PART", help=say("opt.without")),
        click.Option(["--dry-run"], is_flag=True, help=say("opt.diff")),
    ]


def _command(name: str, own: list[click.Parameter], call: Callable[..., int], say: Speech) -> click.Command:
    return Command(
        name, params=[*own, *shared_options(say)], callback=partial(call, say), help=say(f"cmd.{name}"), say=say
    )


def machine_of(session: Session) -> Machine:
    """Return this machine, with the project of the folder that the command runs in."""
    return Machine(project=session.place.root if session.place else Path.cwd())


def program_of(session: Session) -> Program:
    """Return the command lines for the store of a call.

    Raises:
        InvalidInputError: a store in memory.
    """
    if session.path == NOWHERE:
        raise InvalidInputError(session.say("setup.memory_store"), value=session.path)
    ending = "/" if session.path.endswith(("/", "\\")) else ""
    return Program(f"{Path(session.path).absolute()}{ending}", session.namespace)


def _setup(
    say: Speech, hosts: Sequence[str], every: bool, only: Sequence[str], without: Sequence[str], dry_run: bool,
    scope: str, prompts: bool, schedule: bool,
) -> int:  # fmt: skip
    session = current_session(say)
    if schedule:
        return write_schedule(session, program_of(session), dry_run=dry_run)
    machine, program, parts = machine_of(session), program_of(session), _parts(say, only, without)
    _check_scope(say, scope)
    chosen = _chosen(say, hosts, machine.has if every else None)

    def look(host: HostSpec) -> Outlook:
        return setup.outlook(Wish(host, parts, scope, prompts), machine, program)

    told = [_carried_out(host, scope, look, dry_run=dry_run) for host in chosen]
    for host, each in zip(chosen, told, strict=True):
        if each.error is None:
            shown = [part for part in parts if part not in each.absent]
            each.experimental = setup.experimental(host, shown, machine.platform)
            each.steps = list(_steps(say, host, shown, scope, program))
    return _answer(session, told, "setup.done", dry_run=dry_run)


def _uninstall(
    say: Speech, hosts: Sequence[str], every: bool, only: Sequence[str], without: Sequence[str], dry_run: bool,
    scope: str | None,
) -> int:  # fmt: skip
    session = current_session(say)
    parts = _parts(say, only, without)
    if scope is not None:
        _check_scope(say, scope)
    scopes = setup.SCOPES if scope is None else (scope,)
    machine, program = machine_of(session), program_of(session)

    def look(host: HostSpec) -> Outlook:
        return setup.removal(host, machine, program, parts, scopes)

    chosen = _chosen(say, hosts, setup.is_set_up if every else None)
    told = [_carried_out(host, scope or "", look, dry_run=dry_run) for host in chosen]
    return _answer(session, told, "setup.taken_out", dry_run=dry_run)


def _parts(say: Speech, only: Sequence[str], without: Sequence[str]) -> tuple[str, ...]:
    unknown = next((name for name in (*only, *without) if name not in PARTS), None)
    if unknown is not None:
        raise InvalidInputError(say("setup.part", name=unknown, names=", ".join(PARTS)), value=unknown)
    return tuple(part for part in PARTS if (not only or part in only) and part not in without)


def _check_scope(say: Speech, scope: str) -> None:
    if scope not in setup.SCOPES:
        raise InvalidInputError(say("setup.scope", name=scope), value=scope)


def _chosen(say: Speech, names: Sequence[str], every: Callable[[HostSpec], bool] | None) -> list[HostSpec]:
    """Return the hosts that are meant; ``every``: those for which it holds, too."""
    found = []
    for name in names:
        host = host_named(name)
        if host is None:
            raise InvalidInputError(say("setup.unknown", name=name, names=", ".join(NAMES)), value=name)
        found.append(host)
    if every is not None:
        others = [host for name in NAMES if name != GENERIC and (host := host_named(name)) is not None]
        found += [host for host in others if host.name not in {each.name for each in found} and every(host)]
    if not found:
        key = "setup.which" if every is None else "setup.none_found"
        raise InvalidInputError(say(key, names=", ".join(NAMES)))
    return found


def _carried_out(host: HostSpec, scope: str, look: Callable[[HostSpec], Outlook], *, dry_run: bool) -> Told:
    """Do one host; what stops it is told and does not stop the others."""
    told = Told(host.name, scope)
    try:
        outlook = look(host) if dry_run else _until_still(host, look)
    except (ConfigurationError, OSError) as error:
        told.error = str(error)
        return told
    told.files = [_shown(change, dry_run=dry_run) for change in outlook.changes]
    told.absent, told.warnings = list(outlook.absent), list(outlook.warnings)
    return told


def _until_still(host: HostSpec, look: Callable[[HostSpec], Outlook]) -> Outlook:
    """Carry the changes out, looking again when the host wrote a file of its own just then."""
    for _ in range(AGAIN):
        outlook = look(host)
        with suppress(ConfigurationError):
            setup.carry_out(outlook.changes)
            return outlook
    outlook = look(host)
    setup.carry_out(outlook.changes)
    return outlook


def _shown(change: Any, *, dry_run: bool) -> dict[str, str]:
    if change.kept:
        state = "kept"
    elif not change.needed:
        state = "unchanged"
    elif dry_run:
        state = "would"
    else:
        state = "removed" if change.after is None else "written"
    return {"path": str(change.path), "state": state, "diff": change.diff() if dry_run else ""}


def _steps(say: Speech, host: HostSpec, parts: Sequence[str], scope: str, program: Program) -> Iterator[str]:
    if "mcp" in parts and find_spec("mcp") is None:
        yield say("setup.no_mcp")
    for step in host.steps:
        limit, _, key = step.rpartition(":")
        if not limit or limit == scope or limit in parts:
            command = program.line(program.hook(host.name, "EVENT"), host)
            yield say(key, host=host.title, command=command)


def _answer(session: Session, told: list[Told], done: str, *, dry_run: bool) -> int:
    blocks = [block for each in told for block in _blocks(session.say, each, done, dry_run=dry_run)]
    session.answer({"hosts": [asdict(each) for each in told], "dry_run": dry_run}, blocks)
    return codes.FINDINGS if any(each.error for each in told) else codes.OK


def _blocks(say: Speech, told: Told, done: str, *, dry_run: bool) -> Iterator[Block]:
    host = host_named(told.host)
    assert host is not None
    name = host.title
    if told.error is not None:
        yield Line(say("setup.failed", host=name, reason=tidy(told.error)), "bad")
        return
    if dry_run:
        yield from (Line(tidy(each["diff"]).rstrip("\n")) for each in told.files if each["diff"])
    if not told.files and not told.absent:
        yield Line(say("setup.nothing", host=name))
        return
    yield table([say("col.status"), say("col.name")], [(say(f"setup.{f['state']}"), f["path"]) for f in told.files])
    if told.absent:
        yield Line(say("setup.absent", host=name, scope=told.scope, parts=", ".join(told.absent)), "dim")
    if told.experimental:
        yield Line(say("setup.experimental", host=name, parts=", ".join(told.experimental)), "warn")
    yield from (Line(say("setup.warning", host=name, what=tidy(each)), "warn") for each in told.warnings)
    if not dry_run:
        yield Line(say(done, host=name), "good")
    if told.steps:
        yield Line(say("setup.steps"), "title")
        yield from (Line(f"- {tidy(step)}") for step in told.steps)
