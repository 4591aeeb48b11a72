"""Operations on notes that agents keep in files of their own: CLAUDE.md, AGENTS.md, GEMINI.md and the like."""

from __future__ import annotations

from typing import Final

from omoide.model.catalog import parameters as p
from omoide.model.catalog.operation import Doors, Operation, Parameter
from omoide.model.shape import Optional

NOTE: Final = {
    "path": str, "source": str, "new": int, "added": [int], "revised": [int], "forgotten": [int], "same": int,
    "left_out": [{"line": int, "reason": str}],
}  # fmt: skip

OPERATIONS: Final = (
    Operation(
        "native_import",
        "Take in what CLAUDE.md, AGENTS.md and the like say; edits since are revisions, lines that are gone end.",
        "write",
        face="native",
        parameters=(
            p.texts("paths", "Files or folders of notes. Default: those of this project and person.", positional=True),
            p.text("root", "The folder of the project. Default the current one."),
            p.PROJECT,
            p.TRUST,
            p.DRY_RUN,
        ),
        result={"batch": Optional(str), "files": [NOTE], "dry_run": bool},
        rows="files",
        idempotent=True,
        doors=Doors("native-import"),
    ),
    Operation(
        "native_write",
        "Put what is most important into a marked part of a file such as CLAUDE.md; the rest of it stays.",
        "write",
        face="native",
        parameters=(
            p.PATH,
            Parameter(
                "subject",
                {
                    "type": ["string", "array"],
                    "items": {"type": "string"},
                    "description": "Only what is about this subject, or one of these.",
                },
                level=1,
            ),
            p.whole("budget", "About how many tokens it may take. Default 1500.", level=1, minimum=1),
            p.PROJECT,
            p.flag("remove", "Take the marked part out again."),
            p.DRY_RUN,
        ),
        result={"path": str, "changed": bool, "memories": [int], "truncated": bool, "dry_run": bool},
        idempotent=True,
        doors=Doors("native-write"),
    ),
)
