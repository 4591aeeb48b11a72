"""A LangGraph agent with a memory that outlives its runs; needs ``pip install 'omoide[langgraph]' langgraph``.

One node looks into the store, one answers, one writes down what it learned; the items are memories of one file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from agent_loop import Script, run, title
from omoide import Memory
from omoide.integrations.langgraph import as_store

WHO = ("users", "ana")


class State(TypedDict, total=False):
    question: str
    known: list[str]
    reply: str


def graph(model: Any, store: BaseStore) -> Any:
    """Return a graph that recalls, answers and remembers."""

    def look(state: State, *, store: BaseStore) -> State:
        found = store.search(WHO, query=state["question"], limit=3)
        return {"known": [item.value["text"] for item in found if item.score is not None]}

    def reply(state: State) -> State:
        return {
            "reply": model([{"role": "user", "content": state["question"], "known": state["known"]}], [])["content"]
        }

    def note(state: State, *, store: BaseStore) -> State:
        if state["question"].startswith("I "):
            store.put(WHO, state["question"].split()[1], {"text": state["question"]})
        return {}

    built = StateGraph(State)
    for step in (look, reply, note):
        built.add_node(step.__name__, step)
    built.add_edge(START, "look")
    built.add_edge("look", "reply")
    built.add_edge("reply", "note")
    built.add_edge("note", END)
    return built.compile(store=store)


def main(folder: Path, embedder: Any = None) -> None:
    path = folder / "agents.db"
    for said, model in (
        ("I drink only 緑茶", Script("Noted.")),
        ("Which tea does Ana drink? 緑茶 or black", Script(lambda messages: f"You told me: {messages[0]['known']}")),
        ("I drink black tea now", Script("Noted.")),
    ):
        store = as_store(path, embedder=embedder, ttl={"refresh_on_read": True})  # each run opens the file anew
        result = graph(model, store).invoke({"question": said})
        print(f"  you: {said}\n  model: {result['reply']}")
        store.close()

    title("The items are memories: with a history, for every other tool")
    with Memory(path, namespace="users.ana", embedder=embedder) as memory:
        (item,) = memory.list()
        for version in memory.why(item.id).versions:
            print(f"    {version.metadata['value']['text']} (door {version.provenance.door})")


if __name__ == "__main__":
    run(main)
