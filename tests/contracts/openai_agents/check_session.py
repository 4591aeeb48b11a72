"""The session against the protocol of the OpenAI Agents SDK, against its own SQLite session, and in a run."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, Runner, Session, SessionSettings, SQLiteSession, Usage, set_tracing_disabled
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from omoide.integrations.openai_agents import OmoideSession

set_tracing_disabled(True)

ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "東京タワーに行きました"},
    {"role": "user", "content": ""},
    {"role": "assistant", "content": [{"type": "output_text", "text": "c'était beau ?", "annotations": []}]},
    {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "1"},
    {"type": "function_call_output", "call_id": "1", "output": "seen"},
]
STEPS = st.one_of(
    st.tuples(st.just("add"), st.lists(st.sampled_from(ITEMS), max_size=4)),
    st.tuples(st.just("get"), st.one_of(st.none(), st.integers(-1, 6))),
    st.tuples(st.just("pop"), st.none()),
    st.tuples(st.just("clear"), st.none()),
)


async def step(session: Any, name: str, value: Any) -> Any:
    if name == "add":
        return await session.add_items(list(value))
    if name == "get":
        return await session.get_items(value)
    return await (session.pop_item() if name == "pop" else session.clear_session())


@pytest.fixture
def session(tmp_path: Path) -> Any:
    made = OmoideSession("one", tmp_path / "agents.db", embedder="none")
    yield made
    made.close()


def test_it_is_a_session(session: Any) -> None:
    assert isinstance(session, Session)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.tuples(st.booleans(), STEPS), max_size=12), limit=st.one_of(st.none(), st.integers(1, 3)))
def test_it_answers_as_the_sdk_s_own_session(steps: list[Any], limit: int | None) -> None:
    async def run(folder: Path) -> None:
        chosen = SessionSettings(limit=limit)
        ours = [OmoideSession(name, folder / "a.db", embedder="none", durability="NORMAL", session_settings=chosen) for name in ("one", "one two")]
        theirs = [SQLiteSession(name, folder / "b.db", session_settings=chosen) for name in ("one", "one two")]
        try:
            for second, (name, value) in steps:
                assert await step(ours[second], name, value) == await step(theirs[second], name, value), name
            for mine, other in zip(ours, theirs, strict=True):
                assert await mine.get_items(100) == await other.get_items(100)
        finally:
            for each in (*ours, *theirs):
                each.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


class Scripted(Model):
    """Says what it was told to, and keeps what it was asked."""

    def __init__(self, *says: str) -> None:
        self.says, self.asked = list(says), []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        self.asked.append(input)
        said = ResponseOutputText(annotations=[], text=self.says.pop(0), type="output_text")
        message = ResponseOutputMessage(id="m", content=[said], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def test_a_run_goes_on_where_the_last_one_ended(session: Any) -> None:
    async def run() -> Scripted:
        model = Scripted("Enchanté, Ana.", "Tu t'appelles Ana.")
        agent = Agent(name="desk", model=model)
        await Runner.run(agent, "Je m'appelle Ana.", session=session)
        other = OmoideSession("one", session.memory.path, embedder="none")
        await Runner.run(agent, "Comment je m'appelle ?", session=other)
        other.close()
        return model

    said = [item.get("content") for item in asyncio.run(run()).asked[1]]
    assert said[0] == "Je m'appelle Ana."
    assert said[1][0]["text"] == "Enchanté, Ana."
    assert said[2] == "Comment je m'appelle ?"


def test_no_item_is_popped_twice_and_a_cancelled_caller_breaks_nothing(session: Any) -> None:
    async def run() -> list[Any]:
        await session.add_items([{"role": "user", "content": str(i)} for i in range(12)])
        other = OmoideSession("one", session.memory.path, embedder="none")
        tasks = [asyncio.create_task((session if i % 2 else other).pop_item()) for i in range(12)]
        popped = await asyncio.gather(*tasks)
        lost = asyncio.create_task(session.add_items([{"role": "user", "content": "kept"}]))
        await asyncio.sleep(0)
        lost.cancel()
        await asyncio.gather(lost, return_exceptions=True)
        assert await session.get_items() in ([], [{"role": "user", "content": "kept"}])
        other.close()
        return popped

    assert sorted(int(item["content"]) for item in asyncio.run(run())) == list(range(12))


def test_one_source_erases_a_conversation(session: Any) -> None:
    async def run() -> list[Any]:
        await session.add_items(ITEMS)
        session.memory.purge(source="openai-agents:one")
        return await session.get_items()

    assert asyncio.run(run()) == []
