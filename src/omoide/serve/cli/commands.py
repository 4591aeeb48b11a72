"""A command for every operation: read the line, ask where something is destroyed, run, tell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import click

from omoide import ops
from omoide.errors import MissingPathError, StoreBusyError
from omoide.model.catalog.operation import Operation
from omoide.model.shape import plain
from omoide.serve import codes, spool
from omoide.serve.cli import confirming
from omoide.serve.cli.helping import Command
from omoide.serve.cli.names import also_called
from omoide.serve.cli.options import SHARED, STDIN, arguments_of, from_stdin, parameters_of, shared_options
from omoide.serve.cli.output import remark
from omoide.serve.cli.progress import Progress
from omoide.serve.cli.session import Session
from omoide.serve.cli.views import blocks_of
from omoide.serve.messages.speech import Speech

FINDING: Final = frozenset({"check", "verify"})
"""Operations whose answer is what is wrong."""
LONG: Final = frozenset(
    {
        "rebuild", "repair", "backup", "convert", "export", "import", "merge", "dump", "check", "verify", "undo",
        "ingest", "sleep", "purge", "native_import", "retention_run",
    }
)  # fmt: skip
"""Operations that say that they are at work."""
COUNTED: Final = frozenset({"add_files", "ingest"})
"""Those that say how far they are."""
TELLING: Final = frozenset({"sleep"})
"""Operations whose view tells itself what was left out and why."""
WORDS_ONLY: Final = "the model was not waited for; --wait searches by meaning too"


def command_of(operation: Operation, say: Speech) -> click.Command:
    """Return the command for an operation."""
    key = f"op.{operation.name}"
    return Command(
        operation.doors.cli,
        params=[*parameters_of(operation, say), *shared_options(say)],
        callback=partial(execute, operation, say),
        help=say(key) if say.knows(key) else operation.summary,
        epilog=_also(operation, say),
        say=say,
    )


def _also(operation: Operation, say: Speech) -> str | None:
    """Say by which other names the command is known, those of the library first of all."""
    others = also_called(operation.doors.cli or "")
    return say("also", names=", ".join(f"omoide {name}" for name in others)) if others else None


def current_session(say: Speech) -> Session:
    """Return the session of the command that runs."""
    return Session(click.get_current_context().meta.get(SHARED, {}), say)


def execute(operation: Operation, say: Speech, /, **values: Any) -> int:
    """Carry a command out; return its exit status."""
    session = current_session(say)
    arguments = _filed(session, operation, arguments_of(operation, values))
    arguments = ops.checked(operation.name, arguments)
    with session.faces(operation, arguments) as faces:
        if values.get("dry_run") and _shown_first(session, operation):
            shown = confirming.preview(faces, operation, arguments)
            session.answer(shown, confirming.blocks_of_preview(session, shown))
            return codes.OK
        if confirming.needs_consent(operation, arguments) and not session.yes:
            confirming.ask(session, operation, confirming.preview(faces, operation, arguments))
        result = _carried_out(session, faces, operation, arguments)
    return _told(session, operation, arguments, result)


def _shown_first(session: Session, operation: Operation) -> bool:
    """Say whether a trial shows the memories themselves rather than what the verb answers to one."""
    tries_itself = "dry_run" in operation.checked["properties"]
    return not tries_itself or (operation.name == "forget" and not session.json)


def _filed(session: Session, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    """File what is written, and narrow what is asked, by the project."""
    takes_one = any(parameter.name == "project" for parameter in operation.parameters)
    knows_better = operation.name == "check_sources" and session.settings.origins["project"] == "default"
    if session.project is None or knows_better or not takes_one:
        return arguments
    return {"project": session.project, **arguments}


def _carried_out(session: Session, faces: ops.Faces, operation: Operation, arguments: dict[str, Any]) -> Any:
    try:
        if operation.name == "add_files":
            return _add(session, faces, arguments)
        if operation.name == "repair":
            return _repair(session)
        with Progress(session.say, quiet=session.quiet or operation.name not in LONG) as progress:
            extras = {"progress": progress} if operation.name in COUNTED else {}
            return ops.run(faces, operation.name, arguments, **extras)
    except StoreBusyError:
        if not spool.can_wait(operation.name) or arguments.get("dry_run"):
            raise
        return session.keep(operation, arguments)
    except KeyboardInterrupt:
        if operation.effect != "read" and not session.json:
            remark(f"\n{session.say('interrupted')}", "warn", color=session.color)
        raise


def _repair(session: Session) -> Any:
    """A store that cannot be opened is repaired from outside."""
    from omoide.maintenance import repair

    with Progress(session.say, quiet=session.quiet):
        return plain(repair(session.path, session.settings["embedder"]))


def _add(session: Session, faces: ops.Faces, arguments: dict[str, Any]) -> Any:
    if arguments["paths"] == [STDIN]:
        given = {name: arguments[name] for name in ("metadata",) if name in arguments}
        return ops.run(faces, "add", {"text": from_stdin(), **given})
    try:
        with Progress(session.say, quiet=session.quiet) as progress:
            return ops.run(faces, "add_files", arguments, progress=progress)
    except MissingPathError:
        if not session.quiet:
            session.tell(session.say("add.text"), "dim")
        raise


def _told(session: Session, operation: Operation, arguments: Mapping[str, Any], result: Any) -> int:
    words_only = session.by_words_only(operation, arguments)
    if words_only:
        result = {**result, "degraded": True, "reasons": [*result["reasons"], WORDS_ONLY]}
    session.answer(result, blocks_of(operation.name, result, session.say))
    if isinstance(result, Mapping) and not session.json:
        _remark(session, result if operation.name not in TELLING else {**result, "reasons": ()}, words_only)
    return codes.FINDINGS if operation.name in FINDING and result["findings"] else codes.OK


def _remark(session: Session, result: Mapping[str, Any], words_only: bool) -> None:
    say = session.say
    for reason in result.get("reasons", ()):
        if reason != WORDS_ONLY:
            session.tell(say("degraded", reason=say.sentence(reason)), "warn")
    if words_only:
        session.tell(say("keywords_only"), "dim")
    if result.get("truncated") and "timings" in result:
        session.tell(say("truncated"), "dim")
    if result.get("below_threshold"):
        session.tell(say("below", n=result["below_threshold"]), "dim")
