from __future__ import annotations

import pytest
from tests.features.conftest import Opener

from omoide import Memory
from omoide.errors import AccessDeniedError, InvalidInputError, NotFoundError, RejectedValueError
from omoide.testing import FakeClock
from omoide.types.consolidation import Proposal

DAY = 86_400.0
PARTS = "\n\n".join(f"## Part {n}\n\nThis part tells of matter number {n} in full." for n in range(3))
LONG = "The release needs two people. " + "Then it waits for the night and the checks pass. " * 20


def moved(mem: Memory, clock: FakeClock) -> Proposal:
    """One proposal that a person moved."""
    mem.remember("lives in Osaka", subject="user")
    clock.advance(30 * DAY)
    mem.remember("lives in Tokyo", subject="user")
    return one(mem)


def one(mem: Memory) -> Proposal:
    mem.sleep()
    (found,) = mem.proposals()
    return found


def said(mem: Memory) -> list[str]:
    return sorted(record.text for record in mem.list())


class TestDecided:
    def test_a_proposal_says_what_is_and_what_would_be(self, mem: Memory, clock: FakeClock) -> None:
        found = moved(mem, clock)
        assert (found.before, found.after) == (("lives in Osaka", "lives in Tokyo"), ("lives in Tokyo",))
        assert found.evidence
        assert found == mem.explain_proposal(found.id)

    def test_an_accepted_update_ends_the_earlier_where_the_later_begins(self, mem: Memory, clock: FakeClock) -> None:
        made = mem.accept(moved(mem, clock).id)
        assert (len(made.decided), made.failed) == (1, {})
        assert said(mem) == ["lives in Tokyo"]
        assert [record.text for record in mem.list(valid_at="2026-06-02")] == ["lives in Osaka"]
        assert mem.why(1).superseded_by == (2,)
        (pair,) = mem.diff(clock.now()).revised
        assert pair.old is not None
        assert (pair.old.text, pair.new.text) == ("lives in Osaka", "lives in Tokyo")

    def test_undo_takes_what_was_accepted_back(self, mem: Memory, clock: FakeClock) -> None:
        found = moved(mem, clock)
        before = said(mem)
        made = mem.accept(found.id)
        assert made.batch is not None
        assert mem.undo(made.batch).undone == (1,)
        assert said(mem) == before
        mem.sleep()
        assert mem.proposals() == []

    def test_a_restored_memory_has_what_its_forgotten_successor_took(self, mem: Memory, clock: FakeClock) -> None:
        mem.accept(moved(mem, clock).id)
        mem.forget(2)
        assert mem.restore(1)
        assert said(mem) == ["lives in Osaka"]

    def test_what_was_refused_does_not_come_back(self, mem: Memory, clock: FakeClock) -> None:
        found = moved(mem, clock)
        assert mem.refuse(found.id).decided == (found.id,)
        mem.sleep()
        assert (mem.proposals(), said(mem)) == ([], ["lives in Osaka", "lives in Tokyo"])
        assert mem.explain_proposal(found.id).state == "refused"

    def test_the_same_change_has_the_same_id_in_every_store(self, opened: Opener, clock: FakeClock) -> None:
        assert moved(opened("a"), clock).before == moved(opened("b"), clock).before

    def test_a_memory_that_changed_since_makes_it_stale(self, mem: Memory, clock: FakeClock) -> None:
        found = moved(mem, clock)
        mem.revise(1, "lived in Osaka until May")
        assert mem.explain_proposal(found.id).state == "stale"
        assert found.id in mem.accept(found.id).failed
        assert len(said(mem)) == 2

    def test_one_that_is_stale_is_drafted_anew_by_the_next_run(self, mem: Memory, clock: FakeClock) -> None:
        found = moved(mem, clock)
        mem.update(2, text="lives in Kyoto")
        mem.sleep()
        (anew,) = mem.proposals()
        assert (anew.ids, anew.after, mem.explain_proposal(found.id).state) == ((1, 2), ("lives in Kyoto",), "stale")

    def test_one_whose_memory_got_another_label_opens_again(self, mem: Memory, clock: FakeClock) -> None:
        found = moved(mem, clock)
        mem.update(2, metadata={"seen": True})
        mem.sleep()
        assert [each.id for each in mem.proposals()] == [found.id]
        assert mem.accept(found.id).failed == {}

    def test_one_that_is_stale_does_not_hold_the_others_up(self, mem: Memory, clock: FakeClock) -> None:
        mem.remember("The rate limit is 100 requests a minute")
        first = moved(mem, clock)
        mem.remember("The rate limit is 250 requests a minute")
        mem.sleep()
        mem.forget(2)
        mem.remember("lives in Nara", subject="user")
        made = mem.accept([each.id for each in mem.proposals(None)])
        assert set(made.failed) == {first.id}
        assert len(made.decided) == 1

    def test_a_purge_takes_the_proposal_along(self, mem: Memory, clock: FakeClock) -> None:
        found = moved(mem, clock)
        assert mem.purge(1).verified
        with pytest.raises(NotFoundError):
            mem.explain_proposal(found.id)

    def test_an_unknown_id_is_not_found(self, mem: Memory) -> None:
        with pytest.raises(NotFoundError):
            mem.accept("000000000000")
        with pytest.raises(NotFoundError):
            mem.refuse(["000000000000"])

    def test_an_unknown_state_or_kind_is_refused(self, mem: Memory) -> None:
        with pytest.raises(InvalidInputError):
            mem.proposals("closed")
        with pytest.raises(InvalidInputError):
            mem.proposals(kind="explode")

    def test_another_namespace_does_not_see_it(self, opened: Opener, clock: FakeClock) -> None:
        found = moved(opened("a"), clock)
        with pytest.raises(NotFoundError):
            opened("b").accept(found.id)


class TestKinds:
    def test_a_merge_keeps_one_and_the_sources_of_both(self, mem: Memory) -> None:
        text = "Deploy billing on Friday evening with the release script from the staging host"
        mem.remember(text, source="wiki")
        mem.remember(text + " only", source="chat")
        made = mem.accept(one(mem).id)
        (kept,) = mem.list()
        assert (kept.text, set(kept.sources)) == (text + " only", {"wiki", "chat"})
        assert made.batch is not None
        mem.undo(made.batch)
        assert [record.sources for record in sorted(mem.list(), key=lambda each: each.id)] == [("wiki",), ("chat",)]

    def test_a_merge_may_be_worded_anew(self, mem: Memory) -> None:
        text = "Deploy billing on Friday evening with the release script from the staging host"
        mem.remember(text)
        mem.remember(text + " only")
        mem.accept(one(mem).id, wording="Billing is deployed on Friday evenings from staging.")
        assert said(mem) == ["Billing is deployed on Friday evenings from staging."]

    def test_a_split_makes_a_memory_of_every_section(self, mem: Memory) -> None:
        mem.remember(PARTS, tags=["doc"], source="wiki")
        made = mem.accept(one(mem).id)
        assert [record.text[:9] for record in reversed(mem.list())] == ["## Part 0", "## Part 1", "## Part 2"]
        assert {(record.tags, record.source) for record in mem.list()} == {(("doc",), "wiki")}
        assert made.batch is not None
        mem.undo(made.batch)
        assert said(mem) == [PARTS]

    def test_an_abstract_changes_nothing_else(self, opened: Opener, mem: Memory, person: Memory) -> None:
        number = person.remember(LONG, source="wiki", importance="high")
        before = mem.get(number)
        clock_now = mem.why(number).versions[0].known_from
        made = mem.accept(one(mem).id)
        after = mem.get(number)
        assert before is not None
        assert after is not None
        assert (after.abstract, after.trust, after.source, after.text) == (
            "The release needs two people.", "stated", "wiki", LONG,
        )  # fmt: skip
        assert mem.diff(clock_now).revised == ()
        assert made.batch is not None
        mem.undo(made.batch)
        assert getattr(mem.get(number), "abstract", "") is None

    def test_a_generalisation_is_derived_from_what_it_rests_on(self, mem: Memory) -> None:
        for session in ("a", "b", "c"):
            mem.remember_turn("user", "Please always answer in French.", session_id=session)
        made = mem.accept(one(mem).id)
        (new,) = made.changed
        assert mem.why(1).derived == (new,)
        mem.purge(1)
        assert mem.get(new) is None

    def test_a_rejected_value_is_not_written_by_a_proposal(self, opened: Opener, person: Memory) -> None:
        mem = opened()
        for session in ("a", "b", "c"):
            mem.remember_turn("user", "Please always answer in French.", session_id=session)
        found = one(mem)
        number = person.remember("Please always answer in French.")
        person.reject(number)
        made = mem.accept(found.id)
        assert found.id in made.failed
        with pytest.raises(RejectedValueError):
            mem.remember("Please always answer in French.")

    def test_only_a_person_deletes(self, opened: Opener, person: Memory, clock: FakeClock) -> None:
        mem = opened()
        mem.remember("Lunch was soup on the third", kind="event", importance="low")
        for _ in range(2):
            clock.advance(400 * DAY)
            mem.sleep()
        (found,) = mem.proposals()
        assert found.kind == "delete"
        with pytest.raises(AccessDeniedError, match="person"):
            mem.accept(found.id)
        assert mem.list(include_archived=True)
        made = person.accept(found.id)
        assert mem.list(include_archived=True) == []
        assert made.batch is not None
        person.undo(made.batch)
        assert [record.text for record in mem.list(include_archived=True)] == ["Lunch was soup on the third"]

    def test_a_door_of_low_trust_decides_nothing(self, opened: Opener, clock: FakeClock) -> None:
        found = moved(opened(), clock)
        low = opened(door_trust="derived")
        for decide in (low.accept, low.refuse):
            with pytest.raises(AccessDeniedError):
                decide(found.id)


class TestPolicy:
    def test_additive_kinds_may_be_accepted_by_policy(self, mem: Memory) -> None:
        mem.sleep_settings(accept=["retitle", "generalise"])
        number = mem.remember(LONG)
        for session in ("a", "b", "c"):
            mem.remember_turn("user", "Please always answer in French.", session_id=session)
        report = mem.sleep()
        assert len(report.accepted) == 2
        assert getattr(mem.get(number), "abstract", None) == "The release needs two people."
        (derived,) = [record for record in mem.list() if record.trust == "derived"]
        assert derived.text == "Please always answer in French."
        assert {each.decided_by for each in mem.proposals("accepted")} == {"policy"}
        assert report.undo is not None
        mem.undo(report.undo)
        assert getattr(mem.get(number), "abstract", "") is None

    def test_nothing_else_is_accepted_by_policy(self, mem: Memory, clock: FakeClock) -> None:
        mem.sleep_settings(accept=["retitle"])
        assert moved(mem, clock).state == "open"

    def test_a_run_makes_no_more_than_the_cap_of_a_kind(self, mem: Memory, clock: FakeClock) -> None:
        mem.sleep_settings(caps={"supersede": 2})
        for name in "abcde":
            mem.remember("lives in Osaka", subject=name)
        clock.advance(DAY)
        for name in "abcde":
            mem.remember("lives in Tokyo", subject=name)
        report = mem.sleep()
        assert (len(report.proposed), sum(each.withheld for each in report.passes)) == (2, 3)
        assert mem.sleep().proposed == ()
        mem.accept([each.id for each in mem.proposals()])
        assert len(mem.sleep().proposed) == 2
