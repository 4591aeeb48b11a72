"""Memories made of conversations that nobody looked at yet: rendered, asked about, checked, written through the gate.

How far a conversation was distilled is written in the transaction that writes what came of it: a failure leaves the
rest to do, a kill repeats nothing. What is written is derived, and may replace nothing that was stated or observed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from omoide.errors import InvalidInputError, ReasonerError, RejectedValueError
from omoide.model.consolidate import Draft
from omoide.model.kinds import KINDS
from omoide.model.records import Claim, digest
from omoide.model.time import Micros, to_datetime
from omoide.sleep.asking import Asker, Line, Question
from omoide.sleep.night import Night
from omoide.sleep.reconciling import Known, known_about
from omoide.store.sqlite.distilling import Distilling
from omoide.store.sqlite.transaction import Read, Write
from omoide.text.signature import content_terms
from omoide.verbs import drafts, remember
from omoide.verbs.remember import Request

BATCH: Final = 24_000
"""Characters of the turns of one question; a longer turn stands alone."""
TURN: Final = 6_000
"""Characters of a turn that are shown."""
FACT: Final = 1_000
"""Characters of the longest extracted statement."""
GIVE_UP: Final = 5
"""Failures after which a part of a conversation is left for a person to ask for again."""
_INSTRUCTIONS: Final = (
    "You read a part of a conversation and note what is worth remembering for later conversations: lasting facts,"
    " preferences, decisions and their reasons, procedures that worked, each as one sentence that stands on its own."
    " Records of type known are what is remembered already. Answer one line for each:"
    ' {"op": "new", "text": "...", "turns": [first, last], "subject": "...", "kind": one of ' + ", ".join(KINDS) + "}"
    ' or, where a known record is out of date, {"op": "update", "handle": "K1", "text": "...", "turns": [first, last]}.'
    " turns are the numbers of the turns that say it. Note nothing that the turns do not say."
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation; ``memory`` where it is kept as one."""

    number: int
    role: str
    text: str
    at: Micros | None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What is next of one conversation: its key, name, number in History if it is there, and new turns."""

    key: bytes
    session: str
    session_id: int | None
    turns: tuple[Turn, ...]


@dataclass(slots=True)
class Written:
    """What came of a part: memories, and updates as (known memory, new memory)."""

    ids: list[int] = field(default_factory=list)
    updates: list[tuple[int, int]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def extract(night: Night) -> None:
    """Distil what is new of every conversation, oldest first, until the budget or the time is used up."""
    asker, extractor = night.asker, night.extractor
    if asker is None and extractor is None:
        return
    for count, part in enumerate(_parts(night)):
        if night.limit is not None and count >= night.limit:
            return
        night.check_time()
        try:
            known = known_about(night, part.turns) if asker is not None else []
            lines, refused = _asked(asker, part, known) if asker is not None else _called(extractor, part)
        except (ReasonerError, InvalidInputError) as error:
            with night.writing() as tx:
                Distilling(tx.connection).failed(night.ns, part.key, tx.now)
            night.tried.add(part.key)
            night.withhold("a conversation stays to be distilled", 1, str(error))
            if isinstance(error, ReasonerError):
                return
            continue
        _settle(night, part, lines, known, refused)


def _parts(night: Night) -> Iterator[Part]:
    with night.ctx.store.read(None) as tx:
        table = Distilling(tx.connection)
        captured, remembered = table.captured(night.ns), table.remembered(night.ns)
    for each in captured:
        key = digest("history", each.name, str(each.session_id))
        while (part := _next_captured(night, key, each.session_id, each.name, each.last)) is not None:
            yield part
    for session, ids in remembered:
        key = digest("memories", session)
        while (part := _next_remembered(night, key, session, ids)) is not None:
            yield part


def _next_captured(night: Night, key: bytes, session_id: int, name: str, last: int) -> Part | None:
    with night.ctx.store.read(None) as tx:
        upto, failures = Distilling(tx.connection).upto(night.ns, key)
        if upto >= last or failures >= GIVE_UP or key in night.tried:
            return None
        rows = tx.turns.between(session_id, upto + 1, last)
    turns = [Turn(row.number, row.role, row.text, row.at) for row in rows if row.trust != "untrusted"]
    kept = _first_batch(turns) or (Turn(last, "none", "", None),)
    return Part(key, name, session_id, kept)


def _next_remembered(night: Night, key: bytes, session: str, ids: Sequence[int]) -> Part | None:
    with night.ctx.store.read(None) as tx:
        upto, failures = Distilling(tx.connection).upto(night.ns, key)
        fresh = [memory_id for memory_id in ids if memory_id > upto]
        if not fresh or failures >= GIVE_UP or key in night.tried:
            return None
        turns = [turn for memory_id in fresh if (turn := _turn(tx, memory_id)) is not None]
    return Part(key, session, None, _first_batch(turns)) if turns else None


def _turn(tx: Read, memory_id: int) -> Turn | None:
    rows = tx.versions.of_memory(memory_id, only_open=True)
    if not rows:
        return None
    claim = rows[0].claim
    return Turn(memory_id, str(claim.metadata.get("role", "user")), claim.text, rows[0].valid_from, memory_id)


def _first_batch(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    kept: list[Turn] = []
    size = 0
    for turn in turns:
        size += min(len(turn.text), TURN) + 40
        if kept and size > BATCH:
            break
        kept.append(turn)
    return tuple(kept)


def _asked(asker: Asker, part: Part, known: Sequence[Known]) -> tuple[list[Line], list[str]]:
    if not any(turn.text for turn in part.turns):
        return [], []
    rows: list[Line] = [
        {"type": "known", "handle": each.handle, "since": each.since, "text": each.text} for each in known
    ]
    rows += [
        {"type": "turn", "number": turn.number, "role": turn.role, "text": turn.text[:TURN],
         "at": None if turn.at is None else to_datetime(turn.at).strftime("%A %Y-%m-%d %H:%M")}
        for turn in part.turns
    ]  # fmt: skip
    question = Question(
        _INSTRUCTIONS, rows, memories=[each.id for each in known] + [turn.memory for turn in part.turns if turn.memory],
        sessions=[] if part.session_id is None else [part.session_id],
    )  # fmt: skip
    handles = {each.handle for each in known}
    return asker.ask(question, lambda line: problem_of(line, part.turns, handles))


def _called(extractor: Any, part: Part) -> tuple[list[Line], list[str]]:
    """Ask a function of the caller's for statements, as texts or objects."""
    turns = [
        {"number": turn.number, "role": turn.role, "text": turn.text, "session": part.session,
         "at": None if turn.at is None else to_datetime(turn.at)}
        for turn in part.turns if turn.text
    ]  # fmt: skip
    lines, refused = [], []
    for given in (extractor(turns) or ()) if turns else ():
        line = {"op": "new", **({"text": given} if isinstance(given, str) else dict(given))}
        problem = problem_of(line, part.turns, frozenset(), strict=False)
        if problem is None:
            lines.append(line)
        else:
            refused.append(problem)
    return lines, refused


def problem_of(line: Line, turns: Sequence[Turn], handles: Any, *, strict: bool = True) -> str | None:
    """Return what is wrong with an extracted statement, None for nothing.

    ``strict``: it names the turns that it rests on, and shares words, and every number, with them.
    """
    text = line.get("text")
    said = evidence_of(line, turns)
    checks = {
        "op must be new or update": line.get("op") in ("new", "update"),
        "there is no such handle": line.get("op") != "update" or line.get("handle") in list(handles),
        f"text must be a statement of at most {FACT} characters": (
            isinstance(text, str) and bool(text.strip()) and len(text) <= FACT
        ),
        f"kind must be one of {', '.join(KINDS)}": line.get("kind") is None or line["kind"] in list(KINDS),
        "text, subject, predicate, importance or tags are none that a memory can have": _may_be_kept(line),
        "turns must be the first and last number of turns that are shown": bool(said) or (said == [] and not strict),
    }
    problem = next((problem for problem, right in checks.items() if not right), None)
    return problem or (_unsupported(str(text), said or []) if strict else None)


def _may_be_kept(line: Line) -> bool:
    """Say whether a statement can be made a claim, whatever is to be said of what it says."""
    try:
        _drafted(line)
    except InvalidInputError:
        return False
    return True


def _drafted(line: Line, **more: Any) -> Claim:
    text = line.get("text")
    return drafts.draft_claim(
        text.strip() if isinstance(text, str) else text, door_trust="derived", subject=line.get("subject") or None,
        predicate=line.get("predicate") or None, importance=line.get("importance") or "medium", tags=line.get("tags"),
        **more,
    )  # fmt: skip


def evidence_of(line: Line, turns: Sequence[Turn]) -> list[Turn] | None:
    """Return the turns that a statement names, none when it names none, None when they are not there."""
    given = line.get("turns")
    if given is None:
        return []
    numbers = [given, given] if isinstance(given, int) else given
    if not isinstance(numbers, list | tuple) or not numbers or not all(type(each) is int for each in numbers):
        return None
    shown = {turn.number: turn for turn in turns}
    if min(numbers) not in shown or max(numbers) not in shown:
        return None
    return [turn for turn in turns if min(numbers) <= turn.number <= max(numbers)]


def _unsupported(text: str, said: Sequence[Turn]) -> str | None:
    theirs: set[str] = set().union(*(content_terms(turn.text[:TURN]) for turn in said))
    own = content_terms(text)
    numbers = {term for term in own if term[0].isdigit()} - theirs
    if numbers:
        return f"the turns do not say {', '.join(sorted(numbers)[:3])}"
    return None if own & theirs else "the turns say nothing of it"


def _settle(night: Night, part: Part, lines: Sequence[Line], known: Sequence[Known], refused: Sequence[str]) -> None:
    """Write what was extracted and how far the conversation is done, in one transaction."""
    claims = [_claim(line, part) for line in lines]
    prepared = night.ctx.embedding.prepare(claims, night.ctx.store)
    handles = {each.handle: each for each in known}
    written = Written(refused=list(refused))
    with night.writing() as tx:
        for line, claim, ready in zip(lines, claims, prepared, strict=True):
            said = evidence_of(line, part.turns) or list(part.turns)
            observed = max((turn.at for turn in said if turn.at is not None), default=None)
            request = Request(claim, night.scope, observed_at=observed, automatic=True)
            try:
                made = int(remember.settle(night.ctx, tx, request, ready))
            except RejectedValueError as error:
                written.refused.append(str(error))
                continue
            _link(tx, said, made)
            written.ids.append(made)
            if line["op"] == "update":
                written.updates.append((handles[line["handle"]].id, made))
        if written.ids:
            night.begin_batch(tx)
            tx.log("extract", night.scope.namespace, written.ids)
        Distilling(tx.connection).advance(night.ns, part.key, part.turns[-1].number, tx.now)
        night.changed(len(written.ids))
    night.extracted += written.ids
    if written.refused:
        night.withhold("extracted statements refused", len(written.refused), written.refused[0])
    _propose_updates(night, written.updates)


def _claim(line: Line, part: Part) -> Claim:
    said = evidence_of(line, part.turns) or list(part.turns)
    numbers = [turn.number for turn in said]
    return _drafted(
        line, kind=line.get("kind") or "fact", source=part.session or None,
        metadata={"turns": [min(numbers), max(numbers)]},
    )  # fmt: skip


def _link(tx: Write, said: Sequence[Turn], made: int) -> None:
    """What is purged takes what was derived from it along."""
    for turn in said:
        if turn.memory is not None and turn.memory != made:
            tx.relations.add_link("derived", turn.memory, made, at=tx.now, event=tx.last[0])


def _propose_updates(night: Night, updates: Sequence[tuple[int, int]]) -> None:
    found: list[Draft] = []
    with night.ctx.store.read(None) as tx:
        for old, new in updates:
            rows = [tx.versions.of_memory(memory_id, only_open=True) for memory_id in (old, new)]
            if all(rows) and old != new:
                pieces = [pieces[-1] for pieces in rows]
                texts = tuple(piece.claim.text for piece in pieces)
                numbers = tuple(piece.version_id for piece in pieces)
                found.append(Draft("supersede", (old, new), "extracted", texts, numbers, evidence=texts, score=0.7))
    if found:
        night.propose(found, more=True)
