"""Local-first memory for AI agents.

The one door: every public name is here and is loaded when it is first used, so that
``import omoide`` alone costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; importing typing costs more than this file
if TYPE_CHECKING:
    from typing import Any

    from omoide import errors
    from omoide.history import History
    from omoide.index import Index
    from omoide.memory import Memory
    from omoide.model.policy import Policy
    from omoide.serve.http import serve_http
    from omoide.serve.mcp import serve_mcp
    from omoide.tools import ToolSpec
    from omoide.types import (
        Chain,
        Conflict,
        Diff,
        Document,
        Event,
        Evidence,
        Forgotten,
        Hit,
        Hits,
        Ingested,
        IngestResult,
        MemoryId,
        MemoryRecord,
        Notice,
        Proposal,
        Provenance,
        Receipt,
        RepairReport,
        RevisedPair,
        Version,
    )
    from omoide.types.consolidation import Decision, PassReport, SleepReport
    from omoide.types.reports import IntakeReport, LeftOut, Refusal, SourcesReport, Subjects, UndoReport
    from omoide.verbs.opening import open_store

__version__ = "0.1.0"

_HOMES = {
    "History": "omoide.history",
    "Index": "omoide.index",
    "Memory": "omoide.memory",
    "Policy": "omoide.model.policy",
    "Decision": "omoide.types.consolidation",
    "PassReport": "omoide.types.consolidation",
    "SleepReport": "omoide.types.consolidation",
    "ToolSpec": "omoide.tools",
    "SourcesReport": "omoide.types.reports",
    "Subjects": "omoide.types.reports",
    "IntakeReport": "omoide.types.reports",
    "LeftOut": "omoide.types.reports",
    "Refusal": "omoide.types.reports",
    "UndoReport": "omoide.types.reports",
    "open_store": "omoide.verbs.opening",
    "serve_http": "omoide.serve.http",
    "serve_mcp": "omoide.serve.mcp",
} | dict.fromkeys(
    (
        "Chain",
        "Conflict",
        "Diff",
        "Document",
        "Event",
        "Evidence",
        "Forgotten",
        "Hit",
        "Hits",
        "IngestResult",
        "Ingested",
        "MemoryId",
        "MemoryRecord",
        "Notice",
        "Proposal",
        "Provenance",
        "Receipt",
        "RepairReport",
        "RevisedPair",
        "Version",
    ),
    "omoide.types",
)

__all__ = [
    "Chain",
    "Conflict",
    "Decision",
    "Diff",
    "Document",
    "Event",
    "Evidence",
    "Forgotten",
    "History",
    "Hit",
    "Hits",
    "Index",
    "IngestResult",
    "Ingested",
    "IntakeReport",
    "LeftOut",
    "Memory",
    "MemoryId",
    "MemoryRecord",
    "Notice",
    "PassReport",
    "Policy",
    "Proposal",
    "Provenance",
    "Receipt",
    "Refusal",
    "RepairReport",
    "RevisedPair",
    "SleepReport",
    "SourcesReport",
    "Subjects",
    "ToolSpec",
    "UndoReport",
    "Version",
    "__version__",
    "errors",
    "open_store",
    "serve_http",
    "serve_mcp",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "errors":
        return import_module("omoide.errors")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'omoide' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
