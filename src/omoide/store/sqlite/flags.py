"""The packed flags by which search knows a version and the state of its memory."""

from __future__ import annotations

from typing import Final

from omoide.model.records import SESSION, Claim, State
from omoide.search.columns import pack_flags, state_bits, thread_number

_FRESH: Final = state_bits(pinned=False, archived=False, disputed=False, seen=1)
_FRESH_PINNED: Final = state_bits(pinned=True, archived=False, disputed=False, seen=1)


def flags_of(claim: Claim, state: State) -> int:
    """Return the packed flags of a version of a memory in a state."""
    bits = state_bits(
        pinned=state.pinned, archived=state.archived, disputed=state.disputed is not None, seen=state.seen
    )
    return _plain_flags(claim) | bits


def _plain_flags(claim: Claim) -> int:
    thread = thread_number(claim.source, claim.metadata.get(SESSION))
    return pack_flags(claim.trust, claim.kind, claim.importance, thread, claim.confidence)


def fresh_flags(claim: Claim, *, pinned: bool) -> int:
    """Return the packed flags of the only version of a new memory."""
    return _plain_flags(claim) | (_FRESH_PINNED if pinned else _FRESH)
