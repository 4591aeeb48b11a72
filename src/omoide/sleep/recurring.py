"""What recurs: statements that several conversations repeat, proposed as a memory of their own."""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple

from omoide.model.consolidate import Draft
from omoide.sleep.night import Night
from omoide.store.sqlite import survey
from omoide.text.normalize import normalise
from omoide.text.signature import content_terms, signature

_LONGEST: Final = 240
_FEWEST: Final = 3
"""Content words of a statement that is worth a memory."""


class Said(NamedTuple):
    """One time a statement was made: in which conversation, by which memory if by one, and in which words."""

    session: str
    memory: int | None
    version: int | None
    text: str


def propose_recurring(night: Night) -> None:
    """Propose a memory for what people said in several conversations and no memory says yet."""
    groups: dict[bytes, list[Said]] = defaultdict(list)
    known: set[bytes] = set()
    for each in night.everything():
        gist = each.gist or signature(each.text)
        if not each.recorded:
            known.add(gist)
        elif each.role in (None, "user") and len(each.text) <= _LONGEST:
            session = str(each.meta.get("session_id", ""))
            groups[gist].append(Said(f"m:{session}", each.id, each.version_id, each.text))
    with night.ctx.store.read(None) as tx:
        for session_id, _, text in survey.said_by_people(tx.connection, night.ns, _LONGEST):
            groups[signature(text)].append(Said(f"s:{session_id}", None, None, text))
    night.check_time()
    drafts = []
    for gist, said in groups.items():
        sessions = {each.session for each in said}
        if len(sessions) < night.settings.recurring or gist in known or not _states(said[0].text):
            continue
        drafts.append(_draft(said, len(sessions)))
    night.propose(drafts)


def _states(text: str) -> bool:
    """Whether a turn states something, rather than asks or greets."""
    plain = normalise(text)
    return not plain.endswith(("?", "？")) and len(content_terms(text)) >= _FEWEST


def _draft(said: list[Said], sessions: int) -> Draft:
    text = max((each.text for each in said), key=lambda each: (len(each), each))
    memories = [each for each in said if each.memory is not None][:20]
    return Draft(
        "generalise", tuple(each.memory for each in memories if each.memory is not None), "recurs",
        tuple(each.text for each in memories) or (text,),
        tuple(each.version for each in memories if each.version is not None), {"text": text.strip()},
        (f"said in {sessions} conversations",), min(0.5 + sessions / 20, 1.0),
    )  # fmt: skip
