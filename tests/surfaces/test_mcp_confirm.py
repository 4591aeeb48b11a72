"""Purge, and forgetting by selector, wait for a person: by a round trip, by elicitation, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from omoide import Memory
from omoide.serve.mcp import build_mcp_server

MODES = ["2026-07-28", "legacy"]


class Person:
    """Answers questions, and remembers them."""

    def __init__(self, action: Any = "accept", content: Any = None) -> None:
        self.action, self.content = action, {"confirm": True} if content is None else content
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: Any) -> Any:
        self.asked.append(params.message)
        return types.ElicitResult(action=self.action, content=self.content if self.action == "accept" else None)


@pytest.fixture
def server(db: Path) -> Any:
    with Memory(db, embedder="none") as memory:
        memory.remember("lives in Osaka", subject="user", source="chat")
        memory.remember("lives in Tokyo", subject="other", source="chat")
    return build_mcp_server(db, embedder="none", tools="full")


def call(server: Any, name: str, arguments: dict[str, Any], person: Person | None = None, mode: str = MODES[0]) -> Any:
    async def run() -> Any:
        async with Client(server, mode=mode, elicitation_callback=person) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(run())


def left(db: Path) -> list[str]:
    with Memory(db, embedder="none") as memory:
        return sorted(record.text for record in memory.list())


@pytest.mark.parametrize("mode", MODES)
def test_a_person_who_agrees_is_asked_once_and_shown_what_it_reaches(db: Path, server: Any, mode: str) -> None:
    person = Person()
    answer = call(server, "forget", {"source": "chat"}, person, mode)
    assert not answer.is_error
    assert answer.structured_content["result"]["ids"] == [1, 2]
    (question,) = person.asked
    assert "2 memories" in question
    assert "lives in Osaka" in question
    assert left(db) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("person", [Person("decline"), Person("cancel"), Person(content={"confirm": False})])
def test_a_person_who_does_not_agree_is_obeyed(db: Path, server: Any, mode: str, person: Person) -> None:
    for name, arguments in (("forget", {"subject": "user"}), ("purge", {"id": 1})):
        answer = call(server, name, arguments, person, mode)
        assert answer.is_error
        assert "did not agree" in answer.content[0].text
    assert len(left(db)) == 2


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cannot_ask_is_told_the_command(db: Path, server: Any, mode: str) -> None:
    for name, arguments in (("forget", {"source": "chat"}), ("purge", {"subject": "user"})):
        text = refusal(server, name, arguments, mode)
        assert f"omoide {name} --store" in text
        assert str(db) in text
        assert next(iter(arguments.values())) in text
    assert len(left(db)) == 2


def refusal(server: Any, name: str, arguments: dict[str, Any], mode: str) -> str:
    """Return what a client without a person is told: a tool error, from 2026-07-28 on an error of the protocol."""

    async def run() -> str:
        async with Client(server, mode=mode) as client:
            try:
                answer = await client.call_tool(name, arguments)
            except MCPError as error:
                known = mode == MODES[0] and error.error.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
                return str(error) if known else ""
            assert answer.is_error
            return str(getattr(answer.content[0], "text", ""))

    return asyncio.run(run())


@pytest.mark.parametrize("mode", MODES)
def test_purging_one_memory_waits_for_a_person_too(db: Path, server: Any, mode: str) -> None:
    person = Person()
    answer = call(server, "purge", {"id": 1}, person, mode)
    assert answer.structured_content["result"]["purged_ids"] == [1]
    assert len(person.asked) == 1
    assert left(db) == ["lives in Tokyo"]


@pytest.mark.parametrize("arguments", [{"id": 1}, {"source": "chat", "dry_run": True}])
def test_one_named_memory_and_a_dry_run_need_nobody(server: Any, arguments: dict[str, Any]) -> None:
    assert not call(server, "forget", arguments).is_error


def acted(server: Any, first: dict[str, Any], second: dict[str, Any], tamper: Callable[[str], Any]) -> bool:
    """Ask with the first arguments, answer with the second: what an honest client never does."""

    async def run() -> bool:
        async with Client(server, mode=MODES[0], elicitation_callback=Person()) as client:
            asked = await client.session.call_tool("forget", first, allow_input_required=True)
            assert isinstance(asked, types.InputRequiredResult)
            assert asked.request_state is not None
            yes = types.ElicitResult(action="accept", content={"confirm": True})
            answers: dict[str, Any] = dict.fromkeys(asked.input_requests or (), yes)
            try:
                answer = await client.session.call_tool(
                    "forget", second, input_responses=answers, request_state=tamper(asked.request_state),
                    allow_input_required=True,
                )  # fmt: skip
            except MCPError as refused:
                return "requestState" not in str(refused)
            return not isinstance(answer, types.InputRequiredResult)

    return asyncio.run(run())


def test_an_agreement_counts_for_the_call_that_it_was_asked_for(db: Path, server: Any) -> None:
    assert not acted(server, {"source": "nothing"}, {"source": "chat"}, lambda state: state)
    assert len(left(db)) == 2


@pytest.mark.parametrize("tamper", [lambda state: state[:-4] + "AAAA", lambda _: None, lambda state: f"x{state}"])
def test_a_state_that_was_tampered_with_does_nothing(db: Path, server: Any, tamper: Callable[[str], Any]) -> None:
    assert not acted(server, {"source": "chat"}, {"source": "chat"}, tamper)
    assert len(left(db)) == 2


def test_an_agreement_that_came_as_it_should_is_acted_on(db: Path, server: Any) -> None:
    assert acted(server, {"source": "chat"}, {"source": "chat"}, lambda state: state)
    assert left(db) == []
