"""Updates that nobody declared, and contradictions: proposals that the earlier statement gives way to the later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from omoide.model.consolidate import Draft
from omoide.model.trust import may_replace
from omoide.sleep.changing import Change, Statements, changes
from omoide.sleep.night import Night
from omoide.sleep.shapes import replaced_part, shape_keys
from omoide.sleep.single import is_single_valued
from omoide.store.sqlite import survey
from omoide.store.sqlite.survey import Held
from omoide.text.lookalikes import name_key, skeleton

SURE: Final = 0.34
"""Changes of a value in free text less sure than this are counted, not proposed: of those above, nine in ten are
right on the texts that the signs were chosen on (``bench/results/proposals_read.json``)."""
_EARLIER: Final = 6
"""Earlier statements of one shape that each is compared with."""
_SAYING: Final = frozenset({"assistant", "tool", "system"})
"""Roles whose turns tell nothing that could be brought up to date."""


def propose_updates(night: Night) -> None:
    """Propose what states the same property of the same thing with another value, from a later time on."""
    held = sorted((each for each in night.held() if each.role not in _SAYING), key=lambda each: each.stamp)
    drafts = [*_by_property(night, held), *_by_shape(held)]
    night.check_time()
    changed = list(_by_value(night, held))
    drafts += [each for each in changed if each.score >= SURE]
    night.propose(list(_once(drafts)))
    known = {each.targets[0] for each in drafts}
    unsure = sum(each.targets[0] not in known for each in changed)
    if unsure:
        night.withhold("changes that are not sure enough to be proposed", unsure)


def propose_contradictions(night: Night) -> None:
    """Propose the later of two statements where a write noted a conflict or a property has one value at a time."""
    by_id = {each.id: each for each in night.held()}
    with night.ctx.store.read(None) as tx:
        noted = survey.links_between(tx.connection, night.ns, "conflict")
        single = {name_key(each) for each in tx.relations.exclusive(night.ns)}
    pairs = [(by_id[one], by_id[other]) for _, one, other in noted if one in by_id and other in by_id]
    undecided = 0
    drafts: list[Draft] = []
    for pair in pairs:
        old, new = sorted(pair, key=lambda each: each.stamp)
        if old.valid_from == new.valid_from or not _may_give_way(old, new):
            undecided += 1
        elif name_key(old.predicate or "") in single or is_single_valued(old.predicate or ""):
            drafts.append(_draft(old, new, "contradiction", 0.9))
        else:
            undecided += 1
    night.propose(list(_once(drafts)))
    if undecided:
        night.withhold("contradictions that neither time nor a single value decides; see conflicts", undecided)


def _by_property(night: Night, held: Sequence[Held]) -> Iterator[Draft]:
    """The same subject and property, where the property has one value at a time."""
    with night.ctx.store.read(None) as tx:
        declared = {name_key(each) for each in tx.relations.exclusive(night.ns)}
        titles = tx.aliases.all(night.ns)
    groups: dict[tuple[str, str, str | None], list[Held]] = defaultdict(list)
    for each in held:
        if each.about is not None and each.predicate is not None:
            groups[titles.get(each.about, each.about), name_key(each.predicate), each.project].append(each)
    for (_, predicate, _), group in groups.items():
        sure = predicate in declared
        if sure or is_single_valued(predicate):
            for old, new in pairwise(group):
                if skeleton(old.text) != skeleton(new.text) and _is_later(old, new):
                    yield _draft(old, new, "same_property", 1.0 if sure else 0.85)


def _by_shape(held: Sequence[Held]) -> Iterator[Draft]:
    """The same sentence about the same subject but for one part."""
    shelves: dict[tuple[object, ...], list[Held]] = defaultdict(list)
    for each in held:
        for key in shape_keys(each.text):
            shelf = shelves[each.about, each.predicate, each.project, key]
            for old in shelf[-_EARLIER:]:
                sure = replaced_part(old.text, each.text, named=each.about is not None)
                if sure and _is_later(old, each):
                    yield _draft(old, each, "same_shape", sure)
            shelf.append(each)


def _by_value(night: Night, held: Sequence[Held]) -> Iterator[Draft]:
    """Free text: a value that an earlier text gives of the same matter."""
    projects: dict[tuple[str | None, str | None], list[Held]] = defaultdict(list)
    for each in held:
        if each.predicate is None:
            projects[each.project, each.about].append(each)
    for group in projects.values():
        night.check_time()
        for change in changes(Statements.of([each.text for each in group])):
            old, new = group[change.old.place], group[change.new.place]
            if _is_later(old, new, or_written_later=True):
                yield _draft(old, new, "newer_value", change.score, _told(change))


def _told(change: Change) -> tuple[str, str]:
    return (change.old.sentence, change.new.sentence)


def _draft(
    old: Held, new: Held, reason: str, score: float, evidence: tuple[str, ...] = ()
) -> Draft:  # fmt: skip
    said = evidence or tuple(f"memory {each.id}, {each.trust}" for each in (old, new))
    return Draft(
        "supersede", (old.id, new.id), reason, (old.text, new.text), (old.version_id, new.version_id), evidence=said,
        score=score,
    )  # fmt: skip


def _may_give_way(old: Held, new: Held) -> bool:
    """Whether trust lets the later replace the earlier, and nobody pinned the earlier."""
    return not old.pinned and not new.disputed and may_replace(new.trust, old.trust)


def _is_later(old: Held, new: Held, *, or_written_later: bool = False) -> bool:
    later = old.valid_from < new.valid_from or (or_written_later and old.stamp < new.stamp and not _at_once(old, new))
    return later and _may_give_way(old, new)


def _at_once(old: Held, new: Held) -> bool:
    """Whether both were said at one moment, as the parts of one text are."""
    return old.observed_at is not None and old.observed_at == new.observed_at


def _once(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Yield for every memory that would give way the surest proposal."""
    best: dict[int, Draft] = {}
    for draft in drafts:
        known = best.get(draft.targets[0])
        if known is None or draft.score > known.score:
            best[draft.targets[0]] = draft
    yield from best.values()
