"""Values that come back however often they are forgotten: proposed to a person for rejection."""

from __future__ import annotations

from typing import Final

from omoide.model.consolidate import Draft
from omoide.sleep.night import Night
from omoide.store.sqlite import survey

_OFTEN: Final = 2
"""Memories with a value that somebody forgot before it is worth asking whether it is to be refused for good."""


def propose_rejections(night: Night) -> None:
    """Propose to reject what is believed again although memories that said the same were forgotten again and again."""
    with night.ctx.store.read(None) as tx:
        forgotten = survey.often_forgotten(tx.connection, night.ns, _OFTEN)
    drafts = [
        Draft(
            "reject", (each.id,), "comes_back", (each.text,), (each.version_id,),
            evidence=(f"forgotten {forgotten[each.same]} times before",),
            score=min(0.4 + forgotten[each.same] / 10, 1.0),
        )
        for each in night.held()
        if each.same in forgotten and not each.pinned and not each.recorded
    ]  # fmt: skip
    night.propose(drafts)
