"""Operations on the notes of a vault as files: their links, their names, what is set aside."""

from __future__ import annotations

from typing import Final

from omoide.model.catalog import parameters as p
from omoide.model.catalog.operation import Doors, Operation, Parameter
from omoide.model.shape import Optional, later

HeldNote, NoteLink, Rename = later("omoide.types.notes", "HeldNote", "NoteLink", "Rename")

NOTE: Final = Parameter(
    "note",
    {"type": ["string", "integer"], "description": "The id of a memory, or the path or name of a note."},
    required=True,
    level=0,
    positional=True,
)

OPERATIONS: Final = (
    Operation(
        "inspect",
        "Show what is not in order with the notes of a vault: set aside, linked to nothing.",
        "read",
        result={"vault": bool, "held": [HeldNote], "dangling": [NoteLink]},
        idempotent=True,
        doors=Doors("inspect", mcp_full=True),
    ),
    Operation(
        "links",
        "Show what a note of a vault leads to, what leads to it, and its neighbours.",
        "read",
        parameters=(NOTE,),
        result={
            "path": str,
            "memory_id": Optional(int),
            "links": [NoteLink],
            "backlinks": [NoteLink],
            "neighbours": [str],
        },
        idempotent=True,
        doors=Doors("links", mcp_full=True),
    ),
    Operation(
        "rename_note",
        "Give a note of a vault another path and rewrite the links to it; first only shown.",
        "write",
        parameters=(
            NOTE,
            p.text("new", "The new path inside the vault.", level=0, required=True, positional=True),
            p.flag("go", "Do it, not only show it."),
        ),
        result=Rename,
        doors=Doors("rename-note"),
    ),
    Operation(
        "adopt_note",
        "Make a memory of a note that omoide did not write.",
        "write",
        parameters=(
            NOTE,
            p.text("kind", "A type of this vault. Default note.", level=1),
            p.text("subject", "Who or what it is about. Default its title.", level=1),
        ),
        result={"id": int},
        doors=Doors("adopt-note"),
    ),
)
