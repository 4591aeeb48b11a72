"""Operations that keep a namespace tidy: names, exclusive properties, sources, batches."""

from __future__ import annotations

from typing import Final

from omoide.model.catalog import parameters as p
from omoide.model.catalog.operation import Doors, Operation, Route
from omoide.model.shape import later

SourcesReport, UndoReport = later("omoide.types.reports", "SourcesReport", "UndoReport")

OPERATIONS: Final = (
    Operation(
        "rename_subject",
        "Give a subject another name.",
        "write",
        parameters=(
            p.text("old", "The name so far.", required=True, positional=True),
            p.text("new", "The name from now on.", required=True, positional=True),
        ),
        result={"old": str, "new": str, "count": int},
        doors=Doors("rename-subject", mcp_full=True, http=(Route("POST", "/subjects/rename"),)),
    ),
    Operation(
        "alias_subject",
        "Let two names mean one subject.",
        "write",
        parameters=(
            p.text("name", "The other name.", required=True, positional=True),
            p.text("of", "The subject.", required=True, positional=True),
        ),
        result={"name": str, "of": str},
        idempotent=True,
        doors=Doors("alias-subject", mcp_full=True, http=(Route("POST", "/subjects/alias"),)),
    ),
    Operation(
        "unalias_subject",
        "Let a name that stood for a subject stand for itself again.",
        "write",
        parameters=(p.text("name", "The other name.", required=True, positional=True),),
        result={"changed": bool},
        idempotent=True,
        doors=Doors("unalias-subject", mcp_full=True, http=(Route("POST", "/subjects/unalias"),)),
    ),
    Operation(
        "exclusive",
        "Declare that a property has one value of a subject at a time; breaches show in conflicts.",
        "write",
        parameters=(p.text("predicate", "The property, such as city.", required=True, positional=True),),
        result={"predicate": str},
        idempotent=True,
        doors=Doors("exclusive", mcp_full=True, http=(Route("POST", "/exclusive"),)),
    ),
    Operation(
        "check_sources",
        "Compare what memories cite with what is there now, and mark what is stale.",
        "write",
        parameters=(
            p.text("root", "Where cited paths start. Default the current folder."),
            p.text("project", "The project that is looked at; memories of others are left alone."),
        ),
        result=SourcesReport,
        idempotent=True,
        doors=Doors("check-sources"),
    ),
    Operation(
        "undo",
        "Take back one ingest, import, session or pass, leaving out what was edited since.",
        "destroy",
        parameters=(p.text("batch", "The id of the batch.", required=True, positional=True),),
        result=UndoReport,
        confirm="always",
        doors=Doors("undo", mcp_full=True, http=(Route("POST", "/undo"),)),
    ),
)
