"""What is asked of conversations, checked and made into values."""

from __future__ import annotations

from typing import Any

from omoide.errors import InvalidInputError
from omoide.model.filter import Filter
from omoide.model.history import Wanted
from omoide.model.segments import SEGMENT_KINDS, TURN
from omoide.verbs import drafts
from omoide.verbs.asking import asks


def wanted(
    *, kind: Any, role: Any, domain: object, entity: object, tags: Any, session: object, where: Filter | None
) -> Wanted:
    """Return which turns and segments are asked for.

    Raises:
        InvalidInputError: names the first argument that cannot be accepted.
    """
    kinds = asks.names(kind, "kind")
    for each in kinds or ():
        if each not in (*SEGMENT_KINDS, TURN):
            raise InvalidInputError(f"kind must be among {', '.join((*SEGMENT_KINDS, TURN))}, not {each!r}", value=each)
    return Wanted(
        kinds=kinds, roles=asks.names(role, "role"), domain=drafts.draft_label(domain, "domain"),
        entity=drafts.draft_label(entity, "entity"), tags=asks.tags_of(tags),
        session=drafts.draft_label(session, "session"), where=where, exact_project=True,
    )  # fmt: skip


def check_k(k: object) -> int:
    """Return how many answers are asked for.

    Raises:
        InvalidInputError: not a whole number from 1.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InvalidInputError(f"k must be a whole number from 1, not {k!r}", value=k)
    return k


def trust_for(trust: Any, role: Any) -> Any:
    """Return the trust asked for; who asks for what tools said asks for what is untrusted."""
    roles = asks.names(role, "role") or ()
    return "untrusted" if trust is None and "tool" in roles else trust
