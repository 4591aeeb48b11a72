"""A chat with a memory: two sessions on different days; the second knows what the first was told, and corrects it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent_loop import Message, Model, Script, answer, run, title, told
from omoide import Memory
from omoide.testing import FakeClock

FIRST = ("Hello, I am Ana. I live in Lyon and I am allergic to nuts.", "Merci, à bientôt !")
SECOND = ("Which restaurant do you suggest for me?", "I moved to 東京 last week.", "And now, where do I live?")


def main(folder: Path, embedder: Any = None) -> None:
    clock = FakeClock("2026-05-04T18:00:00Z")
    with Memory(folder / "agents.db", namespace="chat-ana", embedder=embedder, clock=clock) as memory:
        title("Monday")
        talk(memory, "monday", FIRST, Script(
            ("remember", {"text": "Ana lives in Lyon"}),
            ("remember", {"text": "Ana is allergic to nuts", "pinned": True}),
            "Nice to meet you, Ana. I noted both.", "À bientôt, Ana.",
        ))  # fmt: skip

        title("Friday, a new session: nothing is left of the first but the memory")
        clock.advance(4 * 86_400)
        home = memory.recall("Where does Ana live?", k=1)[0]
        talk(memory, "friday", SECOND, Script(
            ("recall", {"query": "Ana restaurant nuts, where does she live"}),
            lambda messages: f"Something without nuts, near you: I know that {said(messages)}.",
            "Noted, you live in 東京 now.",
            ("recall", {"query": "Where does Ana live?", "k": 1}),
            lambda messages: f"{said(messages)}.",
        ), corrections={SECOND[1]: lambda: memory.revise(int(home.id), "Ana lives in 東京")})  # fmt: skip

        title("What was believed, and when")
        for version in memory.why(int(home.id)).versions:
            print(f"    from {version.valid_from:%d %b}: {version.text} ({version.cause})")


def talk(
    memory: Memory, session: str, lines: tuple[str, ...], model: Model, corrections: dict[str, Any] | None = None
) -> None:
    """One session: every turn is kept, the tools of the memory are the model's."""
    messages: list[Message] = [{"role": "system", "content": "You remember what you are told."}]
    for line in lines:
        print(f"  you: {line}")
        memory.remember_turn("user", line, session_id=session)
        messages.append({"role": "user", "content": line})
        if corrections and line in corrections:
            corrections[line]()
        reply = answer(model, messages, memory.as_tools())
        memory.remember_turn("assistant", reply, session_id=session)
        print(f"  model: {reply}")


def said(messages: list[Message]) -> str:
    """The facts among what was recalled, without the turns of conversations."""
    return " and ".join(hit["text"] for hit in told(messages) if "role" not in hit["metadata"])


if __name__ == "__main__":
    run(main)
