"""Links: between what is recalled together, and the ends of those that lead nowhere."""

from __future__ import annotations

from typing import Final

from omoide.sleep.night import AT_ONCE, Night
from omoide.store.sqlite import survey
from omoide.store.sqlite.usage import Usage

RELATED: Final = "related"
"""Kind of the link between two memories that recalls return together."""
_MOST: Final = 500
"""Links that one run makes."""
_KINDS: Final = (RELATED, "duplicate", "conflict")
"""Links that mean nothing once either end is no longer believed."""


def link_together(night: Night) -> None:
    """Link memories that several recalls returned together, those most often first."""
    held = {each.id for each in night.held()}
    with night.ctx.store.read(None) as tx:
        together = Usage(tx.connection).together(night.ns, night.settings.links_min)
        linked = {frozenset(pair[1:]) for pair in survey.links_between(tx.connection, night.ns, RELATED)}
    wanted = [pair for pair in together if pair[0] in held and pair[1] in held]
    wanted.sort(key=lambda pair: (-pair[2], pair[0], pair[1]))
    room = max(_MOST - night.tally.changed, 0)
    new = [pair for pair in wanted if frozenset(pair[:2]) not in linked][:room]
    for first in range(0, len(new), AT_ONCE):
        night.check_time()
        with night.writing() as tx:
            night.begin_batch(tx)
            part = new[first : first + AT_ONCE]
            for one, other, times in part:
                tx.relations.add_link(
                    RELATED, one, other, at=tx.now, event=tx.seq, reason=f"recalled together {times} times"
                )
            tx.log("link", night.scope.namespace, sorted({id for pair in part for id in pair[:2]}))
            night.changed(len(part))


def end_dangling(night: Night) -> None:
    """End the links of which either end is no longer believed."""
    with night.ctx.store.read(None) as tx:
        links = [each for kind in _KINDS for each in survey.links_between(tx.connection, night.ns, kind)]
        alive = survey.believed(tx.connection, [id for each in links for id in each[1:]])
    dead = [each for each in links if each[1] not in alive or each[2] not in alive]
    for first in range(0, len(dead), AT_ONCE):
        night.check_time()
        with night.writing() as tx:
            night.begin_batch(tx)
            for link, _, _ in dead[first : first + AT_ONCE]:
                tx.relations.end_link(link, tx.now)
            tx.log(
                "unlink",
                night.scope.namespace,
                sorted({id for each in dead[first : first + AT_ONCE] for id in each[1:]}),
            )
            night.changed(len(dead[first : first + AT_ONCE]))
