"""What memories are worth by elapsed time and real use: settled, put away when next to nothing, proposed for deletion.

Forgetting goes by elapsed time, not by how often a run happens: the same clock gives the same value.
"""

from __future__ import annotations

from typing import Final

from omoide.model.consolidate import Draft, settled_value
from omoide.model.kinds import KINDS
from omoide.model.time import Micros
from omoide.sleep.night import AT_ONCE, Night
from omoide.store.sqlite.survey import Held
from omoide.store.sqlite.usage import Usage, uses_of

DAY: Final = 86_400_000_000
"""Microseconds."""
_SETTLED_AT_ONCE: Final = 5_000
_CONFIRMED: Final = 2
_SPARED: Final = 8
"""Importance from which nothing is put away by itself."""


def settle(night: Night) -> None:
    """Write what every memory is worth where that differs from what was settled before."""
    values = [(value_of(each, night.now), each) for each in night.everything()]
    changed = [(value, each.id) for value, each in values if each.value is None or abs(each.value - value) >= 0.01]
    for first in range(0, len(changed), _SETTLED_AT_ONCE):
        night.check_time()
        with night.writing() as tx:
            Usage(tx.connection).settle(changed[first : first + _SETTLED_AT_ONCE])
    night.forget_held()


def value_of(each: Held, now: Micros) -> float:
    """Return what a memory is worth at a moment, 0 to 1; 1 for a pinned one."""
    if each.pinned:
        return 1.0
    uses = uses_of(each.access_count, each.accessed_at, now) + (each.seen - 1) / _CONFIRMED
    return settled_value(each.importance, uses, now - last_touched(each), KINDS[each.kind].half_life)


def last_touched(each: Held) -> Micros:
    """Return when a memory was last written, said, used, or changed in its state."""
    return max(
        each.known_from, each.last_seen or each.known_from, each.accessed_at or each.known_from,
        each.changed_at or each.known_from,
    )  # fmt: skip


def archive_idle(night: Night) -> None:
    """Archive what is worth next to nothing and was neither written, said nor used for long."""
    limit = night.now - int(night.settings.idle_days * DAY)
    idle = [
        each
        for each in night.held()
        if not each.pinned and not each.disputed and not each.recorded and each.importance < _SPARED
        and last_touched(each) < limit and value_of(each, night.now) < night.settings.keep_value
    ]  # fmt: skip
    idle.sort(key=lambda each: (value_of(each, night.now), last_touched(each), each.id))
    room = max(night.settings.archive_most - night.tally.changed, 0)
    if len(idle) > room:
        night.withhold("idle memories beyond what one run archives", len(idle) - room)
    chosen = idle[:room]
    for first in range(0, len(chosen), AT_ONCE):
        night.check_time()
        with night.writing() as tx:
            states = tx.memories.many([each.id for each in chosen[first : first + AT_ONCE]])
            open_ones = [state for state in states.values() if not state.archived and state.ended is None]
            for state in open_ones:
                tx.set_state(state, archived=1)
            if open_ones:
                night.begin_batch(tx)
                tx.log("archive", night.scope.namespace, [state.id for state in open_ones])
            night.changed(len(open_ones))


def propose_deletion(night: Night) -> None:
    """Propose to a person what was archived long ago and was not used since; nothing is deleted here."""
    limit = night.now - int(night.settings.delete_days * DAY)
    old = [
        each
        for each in night.everything()
        if each.archived and not each.pinned and not each.recorded and each.importance < _SPARED
        and last_touched(each) < limit
    ]  # fmt: skip
    night.propose([_deletion(each, night.now) for each in old])


def _deletion(each: Held, now: Micros) -> Draft:
    days = (now - last_touched(each)) // DAY
    return Draft(
        "delete", (each.id,), "unused", (each.text,), (each.version_id,),
        evidence=(f"archived, untouched for {days // 30} months",), score=1 - value_of(each, now),
    )  # fmt: skip
