"""Before something is destroyed: what it would be, and whether that is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from omoide.errors import OmoideError
from omoide.model.catalog.operation import Operation
from omoide.model.records import SESSION
from omoide.ops import Faces, run
from omoide.serve.cli.blocks import Block, Line, table, tidy
from omoide.serve.cli.session import Session

SHOWN: Final = 20
_LISTED: Final = 1000


class NotConfirmedError(OmoideError):
    """Something would be destroyed and nobody agreed to it."""

    code = "not_confirmed"


def needs_consent(operation: Operation, arguments: Mapping[str, Any]) -> bool:
    """Say whether a person has to agree first."""
    if operation.confirm == "selector":
        return "id" not in arguments and not arguments.get("dry_run")
    return operation.confirm == "always"


def preview(faces: Faces, operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what would be destroyed: ``ids`` and ``texts`` as far as they can be told, and ``what``."""
    if operation.name in ("forget", "purge"):
        rows = _affected(faces, operation.name, arguments)
        return {"dry_run": True, "operation": operation.name, "count": len(rows), "memories": rows}
    return {"dry_run": True, "operation": operation.name, "what": {name: arguments[name] for name in arguments}}


def _affected(faces: Faces, operation: str, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    if operation == "forget" or "source" in arguments:
        found = run(faces, "forget", {**_selectors(arguments), "dry_run": True})
        return [_row(faces, memory_id) for memory_id in found["ids"]]
    if "id" in arguments:
        return [_row(faces, arguments["id"])]
    wanted: dict[str, Any] = {"limit": _LISTED, "include_archived": True, "include_retracted": True}
    if "session" in arguments:
        wanted["where"] = {SESSION: arguments["session"]}
    if "subject" in arguments:
        wanted["subject"] = arguments["subject"]
    return [{"id": row["id"], "text": row["text"]} for row in run(faces, "list", wanted)["results"]]


def _selectors(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: arguments[name] for name in ("id", "source", "subject", "where") if name in arguments}


def _row(faces: Faces, memory_id: int) -> dict[str, Any]:
    versions = run(faces, "why", {"id": memory_id})["versions"]
    return {"id": memory_id, "text": versions[-1]["text"]}


def blocks_of_preview(session: Session, shown: Mapping[str, Any]) -> list[Block]:
    """Return the words for what would be destroyed."""
    say, name = session.say, shown["operation"]
    if "memories" not in shown:
        return [Line(say(f"preview.{name}", name=tidy(next(iter(shown["what"].values()), ""))), "warn")]
    rows = shown["memories"]
    if not rows:
        return [Line(say("nothing"), "dim")]
    blocks: list[Block] = [Line(say.count(f"preview.{name}", len(rows)), "warn")]
    blocks.append(table([say("col.id"), say("col.text")], [(row["id"], row["text"]) for row in rows[:SHOWN]]))
    if len(rows) > SHOWN:
        blocks.append(Line(say("preview.more", n=len(rows) - SHOWN), "dim"))
    return blocks


def ask(session: Session, operation: Operation, shown: Mapping[str, Any]) -> None:
    """Ask whether to go on.

    Raises:
        NotConfirmedError: the answer is no, or nobody is there to give one.
    """
    agree(session, shown, blocks_of_preview(session, shown), f"omoide {operation.doors.cli}")


def agree(session: Session, shown: Mapping[str, Any], blocks: Sequence[Block], command: str) -> None:
    """Show what would be destroyed and ask whether to go on.

    Raises:
        NotConfirmedError: the answer is no, or nobody is there to give one.
    """
    say = session.say
    if not session.interactive or session.json:
        raise NotConfirmedError(say("ask.needs_yes", command=command))
    session.answer(shown, blocks)
    yes, no = say("ask.yes"), say("ask.no")
    answer = input(f"{say('ask.continue')} [{yes}/{no.upper()}] ").strip().lower()
    if not answer.startswith((yes, "y")):
        raise NotConfirmedError(say("ask.declined"))
