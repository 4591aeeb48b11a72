"""Who may read and write what: grants, patterns, the callback, and the scopes that prove it."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

import pytest

from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.model.namespaces import check_namespace, exactly, pattern_covers
from omoide.model.policy import Policy, Scope, WriteScope

EXISTING = ["a", "b", "team/x", "team/y"]


def existing() -> list[str]:
    return EXISTING


class TestGrants:
    @pytest.mark.parametrize("policy", [Policy(), Policy.strict()])
    def test_without_a_grant_only_the_own_namespace_is_open(self, policy: Policy) -> None:
        assert policy.can_read("a", "a")
        assert policy.can_write("a", "a")
        assert not policy.can_read("a", "b")
        assert not policy.can_write("a", "b")

    def test_open_lets_everybody_do_everything(self) -> None:
        policy = Policy.open()
        assert policy.can_read("a", "b")
        assert policy.can_write("a", "b")

    def test_reading_and_writing_are_granted_apart(self) -> None:
        policy = Policy().allow("a", read="b", write=["c"])
        assert policy.can_read("a", "b")
        assert not policy.can_write("a", "b")
        assert policy.can_write("a", "c")
        assert not policy.can_read("a", "c")

    def test_a_grant_is_for_one_reader(self) -> None:
        policy = Policy().allow("a", read="b")
        assert not policy.can_read("b", "a")
        assert not policy.can_read("c", "b")

    def test_grants_add_up_and_allow_returns_the_policy(self) -> None:
        policy = Policy()
        assert policy.allow("a", read="b").allow("a", read={"c"}) is policy
        assert policy.can_read("a", "b")
        assert policy.can_read("a", "c")

    def test_a_star_grants_all(self) -> None:
        policy = Policy().allow("a", read="*")
        assert policy.can_read("a", "anything at all")
        assert not policy.can_write("a", "anything at all")

    @pytest.mark.parametrize("names", [5, b"b", ["a", 5], [""], " ", ["x" * 513]])
    def test_a_grant_names_namespaces(self, names: Any) -> None:
        with pytest.raises(InvalidInputError, match="read"):
            Policy().allow("a", read=names)

    @pytest.mark.parametrize("ns", ["*", "", 5, None])
    def test_a_grant_is_given_to_one_name(self, ns: Any) -> None:
        with pytest.raises(InvalidInputError, match="ns"):
            Policy().allow(ns, read="b")

    def test_a_refused_grant_changes_nothing(self) -> None:
        policy = Policy()
        with pytest.raises(InvalidInputError):
            policy.allow("a", read="b", write=5)  # type: ignore[arg-type]
        assert not policy.can_read("a", "b")

    def test_its_repr_shows_its_grants(self) -> None:
        assert repr(Policy().allow("a", read=["b", "c"])) == "Policy.strict().allow('a', read=['b', 'c'])"
        assert repr(Policy.open()) == "Policy.open()"

    def test_grants_from_many_threads_are_all_kept(self) -> None:
        policy = Policy()

        def grant(worker: int) -> None:
            for number in range(50):
                policy.allow("a", read=f"{worker}-{number}")

        threads = [threading.Thread(target=grant, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(policy.can_read("a", f"{worker}-{number}") for worker in range(8) for number in range(50))


class TestPatterns:
    @pytest.mark.parametrize(
        "pattern, name, covers",
        [
            ("team/*", "team/x", True),
            ("team/*", "team/", True),
            ("team/*", "team", False),
            ("proj-*", "proj-1/a", True),
            ("te*m", "team", False),
            ("te*m", "te*m", True),
            ("*", "x", True),
            ("a,b", "a", False),
            (r"proj-\*", "proj-*", True),
            (r"proj-\*", "proj-1", False),
            ("proj-**", "proj-*1", True),
            ("proj-**", "proj-1", False),
        ],
    )
    def test_only_a_star_at_the_end_is_special(self, pattern: str, name: str, covers: bool) -> None:
        assert pattern_covers(pattern, name) is covers

    @pytest.mark.parametrize("name", ["a", "proj-*", r"proj-\*", "a*b", "**"])
    def test_exactly_writes_a_pattern_for_one_name(self, name: str) -> None:
        assert pattern_covers(exactly(name), name)
        assert not pattern_covers(exactly(name), name + "x")
        assert not pattern_covers(exactly(name), name[:-1])


class TestNames:
    @pytest.mark.parametrize("name", ["default", "a,b", "x|y", "a/b", " a", "東京", "🧑‍🚀", "a*", "x" * 512, "a\nb"])
    def test_any_text_is_a_name_as_it_is(self, name: str) -> None:
        assert check_namespace(name) == name

    @pytest.mark.parametrize("name", ["", "  \n", "*", "x" * 513, "a\0b", "\ud800", None, 5, b"a", ["a"]])
    def test_some_are_not(self, name: Any) -> None:
        with pytest.raises(InvalidInputError, match="namespace"):
            check_namespace(name)


class TestCallback:
    def test_it_is_asked_with_the_answer_of_the_grants(self) -> None:
        asked: list[tuple[str, str, str, bool]] = []

        def callback(who: str, verb: str, namespace: str, default: bool) -> bool:
            asked.append((who, verb, namespace, default))
            return default

        policy = Policy().allow("a", read="b").on_access(callback)
        assert policy.can_read("a", "b")
        assert not policy.can_write("a", "b")
        assert policy.can_write("a", "a")
        assert asked == [("a", "read", "b", True), ("a", "write", "b", False), ("a", "write", "a", True)]

    def test_it_decides_for_the_own_namespace_too(self) -> None:
        policy = Policy.open().on_access(lambda *_: False)
        with pytest.raises(AccessDeniedError, match="on_access"):
            policy.scope("a", None, existing)
        with pytest.raises(AccessDeniedError):
            policy.write_scope("a")

    def test_it_can_open_what_is_not_granted(self) -> None:
        policy = Policy().on_access(lambda *asked: asked[1] == "read")
        assert policy.scope("a", "*", existing).readable == tuple(EXISTING)

    def test_what_it_raises_reaches_the_caller(self) -> None:
        def callback(*_: object) -> bool:
            raise LookupError("the directory is down")

        with pytest.raises(LookupError, match="the directory is down"):
            Policy().on_access(callback).scope("a", None, existing)

    def test_it_has_to_be_callable(self) -> None:
        with pytest.raises(InvalidInputError, match="callable"):
            Policy().on_access(True)  # type: ignore[arg-type]


class TestReadScope:
    def test_none_is_the_own_namespace_even_before_it_exists(self) -> None:
        assert Policy().scope("new", None, existing).readable == ("new",)

    def test_a_star_narrows_to_what_is_open_and_exists_own_first(self) -> None:
        policy = Policy().allow("b", read=["team/*", "gone"])
        assert policy.scope("b", "*", existing).readable == ("b", "team/x", "team/y")

    def test_names_keep_their_order_and_count_once(self) -> None:
        policy = Policy().allow("a", read="*")
        assert policy.scope("a", ["team/y", "b", "team/y"], existing).readable == ("team/y", "b")

    def test_a_star_among_names_adds_the_rest(self) -> None:
        policy = Policy().allow("a", read=["b", "new"])
        assert policy.scope("a", ["new", "*"], existing).readable == ("new", "a", "b")

    def test_one_closed_name_refuses_the_whole_call(self) -> None:
        with pytest.raises(AccessDeniedError) as caught:
            Policy().scope("a", ["a", "b"], existing)
        assert str(caught.value) == "'a' may not read namespace 'b'; policy.allow('a', read='b') would open it"

    def test_the_grant_it_suggests_opens_only_that_name(self) -> None:
        with pytest.raises(AccessDeniedError) as caught:
            Policy().scope("a", "x*", existing)
        assert r"read='x\\*'" in str(caught.value)

    @pytest.mark.parametrize("who, asked", [("a,b", None), ("a|b", None), ("sup", ["a,b"])])
    def test_separators_in_a_name_separate_nothing(self, who: str, asked: Any) -> None:
        policy = Policy().allow("sup", read="a,b")
        assert policy.scope(who, asked, existing).readable == ((asked or [who])[0],)
        assert not policy.can_read("sup", "a")
        assert not policy.can_read("a,b", "a")

    @pytest.mark.parametrize("asked", [[], (), "", 5, [None], b"a", ["a", ""]])
    def test_what_names_nothing_is_refused(self, asked: Any) -> None:
        with pytest.raises(InvalidInputError, match="namespaces"):
            Policy.open().scope("a", asked, existing)


class TestWriteScope:
    def test_without_a_name_it_is_the_own_namespace(self) -> None:
        scope = Policy().write_scope("a")
        assert (scope.writer, scope.namespace, scope.readable) == ("a", "a", True)

    def test_it_says_whether_the_writer_may_read_there(self) -> None:
        policy = Policy().allow("a", write=["b", "c"], read="c")
        assert not policy.write_scope("a", "b").readable
        assert policy.write_scope("a", "c").readable

    def test_a_closed_name_is_refused(self) -> None:
        with pytest.raises(AccessDeniedError, match=r"policy\.allow\('a', write='b'\)"):
            Policy().allow("a", read="b").write_scope("a", "b")


class TestProof:
    def test_no_other_code_can_make_a_scope(self) -> None:
        with pytest.raises(TypeError, match=r"only Policy\.scope"):
            Scope("a", ("b",), object())
        with pytest.raises(TypeError, match=r"only Policy\.write_scope"):
            WriteScope("a", "b", True, None)

    def test_a_scope_can_be_neither_changed_nor_varied(self) -> None:
        scope = Policy().scope("a", None, existing)
        with pytest.raises(dataclasses.FrozenInstanceError):
            scope.readable = ("b",)  # type: ignore[misc]
        with pytest.raises((TypeError, ValueError)):
            dataclasses.replace(scope, readable=("b",))  # type: ignore[call-arg]
