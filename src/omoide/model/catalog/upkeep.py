"""Operations on the whole store: looked over, repaired, copied, carried elsewhere, audited."""

from __future__ import annotations

from typing import Final

from omoide.model.catalog import parameters as p
from omoide.model.catalog.operation import Doors, Operation, Route
from omoide.model.shape import Optional, later

(IntakeReport,) = later("omoide.types.reports", "IntakeReport")
Event, RepairReport = later("omoide.types", "Event", "RepairReport")

FINDINGS: Final = {"findings": [str]}
SYSTEMS: Final = (
    "auto", "rmbr", "memharness", "rlm", "agent-memory", "mem0", "claude-mem", "basic-memory", "mcp-memory-service",
    "memory-server", "chroma", "chatgpt", "claude", "markdown", "csv", "jsonl",
)  # fmt: skip
"""Whose stores, exports and files can be imported; auto tells them from their content."""
SHAPES: Final = ("jsonl", "markdown", "memory-server", "mem0")
"""What an export can be; only jsonl keeps the past."""

OPERATIONS: Final = (
    Operation(
        "check",
        "Look the whole store over; one line a finding, none when it is sound.",
        "read",
        result=FINDINGS,
        rows="findings",
        idempotent=True,
        doors=Doors("check", mcp_full=True, http=(Route("GET", "/check"),)),
        method="integrity_check",
    ),
    Operation(
        "rebuild",
        "Make every index anew from the rows.",
        "write",
        parameters=(p.text("embedder", "Another model for the store; none is keyword search only."),),
        result={"entries": int},
        idempotent=True,
        doors=Doors("rebuild"),
    ),
    Operation(
        "repair",
        "Bring in order what is damaged, from the rows that can be read.",
        "write",
        result=RepairReport,
        idempotent=True,
        doors=Doors("repair"),
    ),
    Operation(
        "backup",
        "Copy the store, in use or not, to one closed file.",
        "read",
        parameters=(p.PATH, p.flag("overwrite", "Replace a file that exists.")),
        result={"path": str},
        idempotent=True,
        doors=Doors("backup"),
    ),
    Operation(
        "convert",
        "Write the whole store, past included, to a new one of the other kind: a file or a folder of notes.",
        "read",
        parameters=(
            p.text("path", "The new file, or the folder, with a slash at its end.", required=True, positional=True),
        ),
        result={"path": str},
        doors=Doors("convert"),
    ),
    Operation(
        "export",
        "Write everything, past included, to a file of JSON lines, or what holds now as other systems read it.",
        "read",
        face="migration",
        parameters=(
            p.PATH,
            p.choice("as_", "What to write: jsonl keeps the past, the others what holds now. Default jsonl.", SHAPES),
            p.text("subject", "Only what is about this subject."),
        ),
        result={"path": str},
        idempotent=True,
        doors=Doors("export"),
        method="export_as",
    ),
    Operation(
        "import",
        "Take in what export wrote or what another system kept; what is there already is left alone.",
        "write",
        face="migration",
        parameters=(
            p.text("path", "The file or folder.", required=True, positional=True),
            p.choice("from_", "Whose it is. Default auto: told from the content.", SYSTEMS),
            p.anything("map", "For csv and jsonl: which column is which part of a memory, such as text=note."),
            p.text("scope", "Only this namespace or user of the source."),
            p.DRY_RUN,
            p.TRUST,
        ),
        result=IntakeReport,
        idempotent=True,
        doors=Doors("import"),
        method="import_from",
    ),
    Operation(
        "dump",
        "Write everything as text that does not change when nothing did, for comparing.",
        "read",
        parameters=(p.text("path", "The file; without one, standard output.", positional=True),),
        result={"path": Optional(str), "text": Optional(str)},
        idempotent=True,
        doors=Doors("dump"),
    ),
    Operation(
        "merge",
        "Take in another copy of the store without losing an edit or a deletion.",
        "write",
        parameters=(p.text("path", "The other store.", required=True, positional=True), p.DRY_RUN),
        result=IntakeReport,
        idempotent=True,
        doors=Doors("merge"),
        method="merge_from",
    ),
    Operation(
        "audit",
        "List who changed what and when, oldest first; no texts.",
        "read",
        parameters=(
            p.moment("since", "From this time on."),
            p.moment("until", "Up to this time, not included."),
        ),
        result={"results": [Event]},
        rows="results",
        idempotent=True,
        doors=Doors("audit", mcp_full=True, http=(Route("GET", "/audit"),)),
    ),
    Operation(
        "head",
        "Show the end of the audit chain, to be kept elsewhere.",
        "read",
        result={"head": str},
        idempotent=True,
        doors=Doors("head", mcp_full=True, http=(Route("GET", "/audit/head"),)),
    ),
    Operation(
        "verify",
        "Compute the audit chain again; one line for what does not fit.",
        "read",
        parameters=(p.text("head", "What head showed earlier; it must lie on the chain.", positional=True),),
        result=FINDINGS,
        rows="findings",
        idempotent=True,
        doors=Doors("verify", mcp_full=True, http=(Route("GET", "/audit/verify"),)),
    ),
)
