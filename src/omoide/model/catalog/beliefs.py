"""Operations on beliefs: remembered, corrected, ended, brought back, judged, erased."""

from __future__ import annotations

from typing import Final

from omoide.model.catalog import parameters as p
from omoide.model.catalog.operation import Doors, Operation, Parameter, Route
from omoide.model.shape import Optional, later

Notice, Receipt, Version = later("omoide.types", "Notice", "Receipt", "Version")

ABOUT: Final = (
    p.SUBJECT,
    p.PREDICATE,
    p.KIND,
    p.SOURCE,
    p.OBSERVED_AT,
    p.VALID_FROM,
    p.VALID_TO,
    p.CONFIDENCE,
    p.BASIS,
    p.IMPORTANCE_OF,
    p.TAGS,
    p.texts("cites", "What it rests on, such as README.md@a1b2c3."),
    p.texts("triggers", "Paths or words at which it should come up, such as src/billing/*."),
    p.PROJECT,
    p.text("abstract", "A shorter form of the text."),
    p.METADATA,
    p.flag("pinned", "Keep it even when old memories are cleared away.", level=0),
    p.TRUST,
)
SAVED: Final = {"saved": bool, "spooled": bool}
"""A write that waits for a busy store is not saved but spooled."""
REMEMBERED: Final = {"id": Optional(int), **SAVED, "notices": [Notice]}
IDS: Final = {"type": "array", "items": {"type": "integer"}}

OPERATIONS: Final = (
    Operation(
        "remember",
        "Keep a fact, preference or decision for later conversations. Returns its id.",
        "write",
        parameters=(
            p.TEXT,
            *ABOUT,
            p.number(
                "dedupe_threshold",
                "A new text at least this close in meaning to a memory replaces it.",
                minimum=0,
                maximum=1,
            ),
            p.KEY,
        ),
        result=REMEMBERED,
        doors=Doors("remember", mcp_core=True, mcp_full=True, http=(Route("POST", "/memories", 201),), tool=True),
    ),
    Operation(
        "revise",
        "Replace what a memory says, from a time on; what held before stays on record.",
        "write",
        parameters=(
            p.ID,
            p.text("text", "What holds instead.", level=0, required=True, positional=True),
            p.moment("valid_from", "From when the new text holds. Default now.", level=1),
            p.VALID_TO,
            p.SOURCE,
            p.OBSERVED_AT,
            p.CONFIDENCE,
            p.KEY,
        ),
        result={"id": int, **SAVED, "version": Optional(Version)},
        doors=Doors("revise", mcp_core=True, mcp_full=True, http=(Route("POST", "/memories/{id}/revise"),)),
    ),
    Operation(
        "update",
        "Correct the text or the metadata of a memory for all the time it holds.",
        "write",
        parameters=(
            p.ID,
            p.text("text", "The corrected text.", level=1),
            p.anything("metadata", "The metadata instead of those it has.", level=1),
        ),
        result={"id": int, "updated": bool},
        doors=Doors("update", mcp_full=True, http=(Route("PATCH", "/memories/{id}"),)),
    ),
    Operation(
        "supersede",
        "Put one new memory in the place of several from its start on.",
        "write",
        parameters=(
            Parameter(
                "ids", {**IDS, "description": "The memories to replace."}, required=True, level=1, positional=True
            ),
            p.TEXT,
            *ABOUT,
            p.KEY,
        ),
        result=REMEMBERED,
        doors=Doors("supersede", mcp_full=True, http=(Route("POST", "/memories/supersede", 201),)),
    ),
    Operation(
        "forget",
        "End memories, by id or by source, subject or where. The past keeps them; restore brings them back.",
        "destroy",
        parameters=(
            Parameter("id", p.ID.schema, level=0, positional=True),
            p.text("source", "All that rests on this source alone.", level=1),
            p.text("subject", "All about this subject.", level=1),
            p.at(p.WHERE, 2),
            p.DRY_RUN,
            p.KEY,
        ),
        result={"ids": [int], "kept": [int], "dry_run": bool, **SAVED},
        confirm="selector",
        idempotent=True,
        doors=Doors(
            "forget",
            mcp_core=True,
            mcp_full=True,
            http=(Route("DELETE", "/memories/{id}", 204), Route("POST", "/memories/forget")),
        ),
    ),
    Operation(
        "restore",
        "Bring back what a forget ended, known from now.",
        "write",
        parameters=(p.ID,),
        result={"id": int, "changed": bool},
        idempotent=True,
        doors=Doors("restore", mcp_full=True, http=(Route("POST", "/memories/{id}/restore"),)),
    ),
    Operation(
        "reject",
        "Refuse the value of a memory from now on, whoever says it again.",
        "destroy",
        parameters=(p.ID, p.text("reason", "Why.", level=1)),
        result={"ids": [int]},
        idempotent=True,
        doors=Doors("reject", mcp_full=True, http=(Route("POST", "/memories/{id}/reject"),)),
    ),
    Operation(
        "unreject",
        "Let a rejected value in again.",
        "write",
        parameters=(
            p.text("text", "The value.", required=True, positional=True),
            p.text("subject", "The subject that it was rejected for."),
            p.text("predicate", "The property that it was rejected for."),
        ),
        result={"changed": bool},
        idempotent=True,
        doors=Doors("unreject", http=(Route("POST", "/memories/unreject"),)),
    ),
    Operation(
        "confirm",
        "Vouch for a memory: a person's word raises its trust, an agent's is evidence.",
        "write",
        parameters=(p.ID, p.SOURCE),
        result=Version,
        doors=Doors("confirm", mcp_full=True, http=(Route("POST", "/memories/{id}/confirm"),)),
    ),
    Operation(
        "dispute",
        "Mark a memory as disputed; answers say so and rank it lower.",
        "write",
        parameters=(p.ID, p.text("reason", "Why.", level=1)),
        result={"id": int},
        doors=Doors("dispute", mcp_full=True, http=(Route("POST", "/memories/{id}/dispute"),)),
    ),
    Operation(
        "purge",
        "Erase memories for good, past and all, by id, source, subject or session, or everything.",
        "destroy",
        parameters=(
            Parameter("id", p.ID.schema, level=0, positional=True),
            p.text("source", "All that came from this source."),
            p.text("subject", "All about this subject."),
            p.text("session", "All of this session."),
            p.flag("everything", "All that this namespace holds."),
        ),
        result=Receipt,
        confirm="always",
        idempotent=True,
        doors=Doors("purge", mcp_full=True, http=(Route("POST", "/memories/purge"),)),
    ),
)
