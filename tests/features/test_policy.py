"""Namespaces, through the public door: nothing crosses one without a grant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide import Memory, Policy
from omoide.errors import AccessDeniedError, InvalidInputError, NotFoundError
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]


def texts(records: Any) -> list[str]:
    return sorted(record.text for record in records)


@pytest.fixture
def shelf(opened: Opener) -> dict[str, Memory]:
    """Handles without grants on a and b, each with one memory about the deploy."""
    handles = {name: opened(name) for name in ("a", "b")}
    for name, handle in handles.items():
        handle.remember(f"the deploy of {name} runs on Fridays")
    return handles


class TestReading:
    def test_a_handle_without_grants_sees_its_own_namespace(self, shelf: dict[str, Memory]) -> None:
        assert texts(shelf["a"].recall("deploy", k=50)) == ["the deploy of a runs on Fridays"]
        assert texts(shelf["a"].list()) == ["the deploy of a runs on Fridays"]
        assert set(shelf["a"].stats()) == {"a"}

    def test_a_namespace_asked_for_by_name_needs_a_grant(self, shelf: dict[str, Memory]) -> None:
        with pytest.raises(AccessDeniedError, match=r"'a' may not read namespace 'b'.*policy\.allow"):
            shelf["a"].recall("deploy", namespaces=["a", "b"])
        with pytest.raises(PermissionError):
            shelf["a"].stats("b")

    @pytest.mark.usefixtures("shelf")
    def test_a_grant_opens_it(self, opened: Opener) -> None:
        reader = opened("sup", policy=Policy().allow("sup", read=["a", "b"]))
        assert len(reader.recall("deploy", namespaces=["a", "b"])) == 2
        assert {hit.namespace for hit in reader.recall("deploy", namespaces="a")} == {"a"}

    @pytest.mark.usefixtures("shelf")
    def test_a_star_narrows_silently_to_what_is_open(self, opened: Opener) -> None:
        reader = opened("sup", policy=Policy().allow("sup", read="a"))
        reader.remember("the deploy of sup runs on Mondays")
        assert {hit.namespace for hit in reader.recall("deploy", k=50, namespaces="*")} == {"a", "sup"}
        assert set(reader.stats("*")) == {"a", "sup"}

    @pytest.mark.usefixtures("shelf")
    def test_a_prefix_opens_the_namespaces_below_it(self, opened: Opener) -> None:
        for name in ("team/x", "team/y", "teammate"):
            opened(name).remember(f"the deploy of {name}")
        reader = opened("sup", policy=Policy().allow("sup", read="team/*"))
        assert texts(reader.recall("deploy", k=50, namespaces="*")) == [
            "the deploy of team/x",
            "the deploy of team/y",
        ]

    def test_an_empty_list_of_namespaces_is_refused(self, mem: Memory) -> None:
        with pytest.raises(InvalidInputError, match="namespaces is empty"):
            mem.recall("deploy", namespaces=[])

    def test_an_unreadable_id_is_as_good_as_missing(self, shelf: dict[str, Memory]) -> None:
        (other,) = shelf["b"].list()
        assert shelf["a"].get(other.id) is None
        with pytest.raises(NotFoundError, match=str(other.id)):
            shelf["a"].why(other.id)

    @pytest.mark.usefixtures("shelf")
    def test_a_policy_belongs_to_its_handle_not_to_the_store(self, opened: Opener) -> None:
        opened("a", policy=Policy.open()).recall("deploy", namespaces="b")
        with pytest.raises(AccessDeniedError):
            opened("a").recall("deploy", namespaces="b")


class TestSeparators:
    """A name that looks like a list of names is one name."""

    @pytest.mark.usefixtures("shelf")
    @pytest.mark.parametrize("name", ["a,b", "a|b", "b,a", "a/b", "a b"])
    def test_no_name_reads_the_namespaces_it_mentions(self, opened: Opener, name: str) -> None:
        supervisor = opened("sup", policy=Policy().allow("sup", read=["a", "b"]))
        assert len(supervisor.recall("deploy", namespaces=["a", "b"])) == 2
        assert not opened(name).recall("deploy")
        assert not opened(name).list()

    def test_names_that_differ_in_separators_stay_apart(self, opened: Opener) -> None:
        names = ["a,b", "a|b", "a", "a ", "A", "a*"]
        for name in names:
            opened(name).remember(f"deploy of <{name}>")
        for name in names:
            assert texts(opened(name).recall("deploy", k=50)) == [f"deploy of <{name}>"]


class TestWriting:
    def test_another_namespace_needs_a_grant_to_write(self, shelf: dict[str, Memory]) -> None:
        with pytest.raises(AccessDeniedError, match=r"may not write namespace 'b'"):
            shelf["a"].remember("x", namespace="b")
        assert shelf["b"].stats()["b"]["count"] == 1

    def test_what_may_be_read_only_refuses_changes(self, opened: Opener, shelf: dict[str, Memory]) -> None:
        (other,) = shelf["b"].list()
        reader = opened("a", policy=Policy().allow("a", read="b"))
        for change in (
            lambda: reader.update(other.id, text="changed"),
            lambda: reader.forget(other.id),
            lambda: reader.revise(other.id, "changed"),
        ):
            with pytest.raises(AccessDeniedError, match="write"):
                change()
        assert texts(shelf["b"].list()) == ["the deploy of b runs on Fridays"]

    def test_a_write_grant_adds_to_the_other_namespace(self, opened: Opener, shelf: dict[str, Memory]) -> None:
        writer = opened("a", policy=Policy().allow("a", write="b"))
        writer.remember("x", namespace="b")
        assert shelf["b"].stats()["b"]["count"] == 2


class TestWritingWithoutReading:
    """A write grant lets in new memories; it neither shows nor changes what is there."""

    @pytest.fixture
    def writer(self, opened: Opener) -> Memory:
        return opened("a", policy=Policy().allow("a", write="b"))

    def test_an_id_it_may_not_read_is_missing(self, writer: Memory, shelf: dict[str, Memory]) -> None:
        (other,) = shelf["b"].list()
        writer.update(other.id, text="changed")
        writer.forget(other.id)
        with pytest.raises(NotFoundError):
            writer.revise(other.id, "changed")
        assert texts(shelf["b"].list()) == ["the deploy of b runs on Fridays"]

    def test_the_same_text_becomes_a_memory_of_its_own(self, writer: Memory, shelf: dict[str, Memory]) -> None:
        (other,) = shelf["b"].list()
        new = writer.remember(other.text, namespace="b")
        assert new != other.id
        assert not new.notices

    def test_a_near_duplicate_does_not_overwrite(self, opened: Opener, shelf: dict[str, Memory]) -> None:
        embedder = FakeEmbedder()
        target = opened("b", embedder=embedder)
        kept = target.remember("nightly backups run at two")
        writer = opened("a", embedder=embedder, policy=Policy().allow("a", write="b"), dedupe_threshold=0.0)
        assert writer.remember("something else", namespace="b") != kept
        record = target.get(kept)
        assert record is not None
        assert record.text == "nightly backups run at two"


class TestCallback:
    @pytest.mark.usefixtures("shelf")
    def test_it_closes_the_own_namespace_too(self, opened: Opener) -> None:
        closed = opened("a", policy=Policy.open().on_access(lambda *_: False))
        for call in (
            lambda: closed.recall("deploy"),
            closed.list,
            closed.stats,
            lambda: closed.remember("x"),
        ):
            with pytest.raises(AccessDeniedError, match="on_access"):
                call()

    @pytest.mark.usefixtures("shelf")
    def test_it_sees_who_what_and_the_answer_of_the_grants(self, opened: Opener) -> None:
        asked: list[tuple[Any, ...]] = []

        def callback(*access: Any) -> bool:
            asked.append(access)
            return bool(access[-1])

        reader = opened("a", policy=Policy().allow("a", read="b").on_access(callback))
        reader.recall("deploy", namespaces="b")
        assert ("a", "read", "b", True) in asked

    @pytest.mark.usefixtures("shelf")
    def test_a_change_of_its_mind_counts_at_the_next_call(self, opened: Opener) -> None:
        open_ = {"b": True}
        policy = Policy().on_access(lambda *access: open_.get(access[2], access[3]))
        reader = opened("a", policy=policy)
        assert reader.recall("deploy", namespaces="b")
        open_["b"] = False
        with pytest.raises(AccessDeniedError):
            reader.recall("deploy", namespaces="b")


class TestNames:
    @pytest.mark.parametrize("name", ["", "  ", "*", "x" * 513, "a\0b", None, 5])
    def test_a_handle_needs_a_name(self, opened: Opener, name: Any) -> None:
        with pytest.raises(InvalidInputError, match="namespace"):
            opened(name)
