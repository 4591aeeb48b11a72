"""A support desk: two specialists and a supervisor on one file, each in a namespace of its own.

Nobody reads what a policy does not open: the specialists do not see each other, the supervisor sees both and writes
to neither.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent_loop import Script, answer, run, title, told
from omoide import Memory, Policy
from omoide.errors import AccessDeniedError

CUSTOMER = "client Aiko Tanaka"


def main(folder: Path, embedder: Any = None) -> None:
    policy = Policy.strict().allow("supervisor", read=["billing", "technical"])
    path = folder / "desk.db"
    with (
        Memory(path, "billing", policy=policy, embedder=embedder, actor="billing-agent") as billing,
        Memory(path, "technical", policy=policy, embedder=embedder, actor="technical-agent") as technical,
        Memory(path, "supervisor", policy=policy, embedder=embedder, actor="supervisor-agent") as supervisor,
    ):
        title("Each specialist remembers what it learned")
        specialist(billing, f"{CUSTOMER} was charged twice for order 1042 and got 30 euros back")
        specialist(technical, f"{CUSTOMER} cannot log in since the update to version 3.2; 二段階認証のコードが届かない")

        title("The billing agent asks for what the technical one knows")
        print(f"    in its own namespace: {[hit.text for hit in billing.recall('Tanaka log in')]}")
        try:
            billing.recall("Tanaka log in", namespaces="technical")
        except AccessDeniedError as refused:
            print(f"    denied: {refused}")

        title("The supervisor reads both")
        supervise(supervisor)

        title("and may not write to either")
        try:
            supervisor.remember("close the ticket", namespace="billing")
        except AccessDeniedError as refused:
            print(f"    denied: {refused}")

        title("Who did what")
        for event in supervisor.audit():
            print(f"    {event.seq}. {event.actor}: {event.op} {list(event.targets)}")


def specialist(memory: Memory, fact: str) -> None:
    """One turn of an agent that notes a fact by its tool."""
    model = Script(("remember", {"text": fact}), "Noted.")
    messages = [{"role": "user", "content": f"Note for later: {fact}"}]
    print(f"    {memory.namespace}: {answer(model, messages, memory.as_tools())}")


def supervise(memory: Memory) -> None:
    """A turn of the agent that sees everything; its question goes to all that the policy opens."""
    hits = memory.recall("What is open for Aiko Tanaka?", namespaces="*", k=5)
    for hit in hits:
        print(f"    [{hit.namespace}] {hit.text}")
    model = Script(
        ("recall", {"query": "Tanaka"}),
        lambda messages: f"{len(told(messages))} notes of my own, {len(hits)} of my specialists.",
    )
    messages = [{"role": "user", "content": "Summarise the case of Aiko Tanaka."}]
    print(f"    supervisor: {answer(model, messages, memory.as_tools(read_only=True))}")


if __name__ == "__main__":
    run(main)
