"""Operations of consolidation: a run, what it proposes, what is decided."""

from __future__ import annotations

from typing import Final

from omoide.model.catalog import parameters as p
from omoide.model.catalog.operation import Doors, Operation, Route
from omoide.model.changes import KINDS, STATES
from omoide.model.shape import later

(Settings,) = later("omoide.model.consolidate", "Settings")
Decision, Proposal, SleepReport = later("omoide.types.consolidation", "Decision", "Proposal", "SleepReport")

ONE: Final = p.text("proposal", "The id of the proposal.", required=True, positional=True)
SEVERAL: Final = p.texts("proposals", "The ids of the proposals.", required=True, positional=True)

OPERATIONS: Final = (
    Operation(
        "sleep",
        "Consolidate: put away what is said twice or idle, link, and propose the rest; nothing is deleted.",
        "write",
        parameters=(
            p.flag("only_when_due", "Only if enough hours and conversations have passed since the last run."),
            p.number("seconds", "How long it may take; the next run goes on. Default 300.", minimum=1),
            p.text(
                "reasoner", "Who words and extracts: claude-code, codex, gemini, or an address#model. Default nobody."
            ),
        ),
        result=SleepReport,
        rows="proposed",
        doors=Doors("sleep"),
    ),
    Operation(
        "proposals",
        "List the changes that consolidation proposes, the surest first.",
        "read",
        parameters=(
            p.choice("state", "Only those in this state. Default open.", STATES),
            p.choice("kind", "Only those of this kind.", KINDS),
            p.LIMIT,
        ),
        result={"results": [Proposal]},
        rows="results",
        idempotent=True,
        doors=Doors("proposals", mcp_full=True, http=(Route("GET", "/proposals"),)),
    ),
    Operation(
        "explain_proposal",
        "Show one proposal: what there is, what would be, and what speaks for it.",
        "read",
        parameters=(ONE,),
        result=Proposal,
        idempotent=True,
        doors=Doors("explain", mcp_full=True, http=(Route("GET", "/proposals/explain"),)),
    ),
    Operation(
        "accept",
        "Carry proposals out under one batch that undo takes back; deletions and rejections only for a person.",
        "write",
        parameters=(SEVERAL, p.text("wording", "Another text for the one merge, generalisation or abstract.")),
        result=Decision,
        doors=Doors("accept", mcp_full=True, http=(Route("POST", "/proposals/accept"),)),
    ),
    Operation(
        "refuse",
        "Refuse proposals; the same change is not proposed again.",
        "write",
        parameters=(SEVERAL,),
        result=Decision,
        idempotent=True,
        doors=Doors("refuse", mcp_full=True, http=(Route("POST", "/proposals/refuse"),)),
    ),
    Operation(
        "sleep_settings",
        "Show the settings of consolidation that the store keeps for every door, after changing some.",
        "write",
        parameters=(p.anything("changes", 'The settings to change, such as {"enabled": false}.'),),
        result=Settings,
        idempotent=True,
        doors=Doors("sleep-settings"),
    ),
)
