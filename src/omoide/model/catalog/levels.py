"""Operations for reading a little first and more when it is worth it, and for writing many at a time."""

from __future__ import annotations

from typing import Final

from omoide.model.catalog import parameters as p
from omoide.model.catalog.operation import Doors, Operation, Parameter, Route
from omoide.model.shape import later

Levelled, Outcome, Traced = later("omoide.types.levels", "Levelled", "Outcome", "Traced")

LEVELS: Final = ("abstract", "outline", "section", "full")

OPERATIONS: Final = (
    Operation(
        "read",
        "Read one memory as far as needed: a line, its outline, one section, or all of it.",
        "read",
        parameters=(
            p.ID,
            p.choice("level", "How much. Default full.", LEVELS, level=1),
            p.text("section", "With the level section: an anchor of the outline, or a heading.", level=1),
            p.at(p.MAX_TOKENS, 1),
            p.AS_OF,
        ),
        result=Levelled,
        idempotent=True,
        doors=Doors("read", mcp_full=True, http=(Route("GET", "/memories/{id}/read"),)),
    ),
    Operation(
        "trace",
        "Show the words a memory came from: turns of a session, saved segments, lines of documents.",
        "read",
        parameters=(p.ID, p.MAX_TOKENS),
        result={"results": [Traced]},
        rows="results",
        idempotent=True,
        doors=Doors("trace", mcp_full=True, http=(Route("GET", "/memories/{id}/trace"),)),
    ),
    Operation(
        "feedback",
        "Say that a memory was of use or was not; what is shown unasked follows.",
        "write",
        parameters=(
            p.ID,
            p.choice("direction", "Which.", ("boost", "penalize"), level=0, required=True, positional=True),
        ),
        result={"id": int, "value": float},
        doors=Doors("feedback", mcp_full=True, http=(Route("POST", "/memories/{id}/feedback"),)),
    ),
    Operation(
        "remember_many",
        "Remember many statements in one call; one that is refused stops no other.",
        "write",
        parameters=(
            Parameter(
                "items",
                {
                    "type": ["string", "array"],
                    "items": {"type": "object"},
                    "description": "Objects with the arguments of remember, or lines of JSON; - reads them.",
                },
                required=True,
                level=0,
                positional=True,
            ),
        ),
        result={"results": [Outcome], "saved": int, "refused": int},
        rows="results",
        doors=Doors("remember-many", mcp_full=True, http=(Route("POST", "/memories/batch"),)),
    ),
)
