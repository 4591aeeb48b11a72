"""Two axes of time: when something holds in the world, and when it was known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent_loop import run, title
from omoide import Memory
from omoide.testing import FakeClock

QUESTION = "Who leads the Osaka office?"


def main(folder: Path, embedder: Any = None) -> None:
    clock = FakeClock("2026-01-10T09:00:00Z")
    with Memory(folder / "agents.db", namespace="people", embedder=embedder, clock=clock) as memory:
        title("January: Mika leads the Osaka office, since last year")
        leads = memory.remember("Mika leads the Osaka office", subject="Osaka office", valid_from="2025-04-01")

        title("May: it turns out that Jun took over on 1 March")
        clock.set("2026-05-20T09:00:00Z")
        memory.revise(leads, "Jun leads the Osaka office", valid_from="2026-03-01", source="board-minutes.pdf")

        title("What is true today?")
        show(memory.recall(QUESTION, k=1))
        title("Who led it in February, as we know now?")
        show(memory.recall(QUESTION, k=1, valid_at="2026-02-15"))
        title("Who led it in April, as we know now?")
        show(memory.recall(QUESTION, k=1, valid_at="2026-04-15"))
        title("What did we believe about April when it was April?")
        show(memory.recall(QUESTION, k=1, as_of="2026-04-15"))

        title("What changed since January, and why?")
        for pair in memory.diff("2026-02-01").revised:
            old = pair.old.text if pair.old else "nothing"
            print(f"    {old} -> {pair.new.text} (known from {pair.new.known_from:%d %b %Y})")
        for version in memory.why(leads).versions:
            until = f"{version.known_to:%d %b %Y}" if version.known_to else "now"
            print(f"    known {version.known_from:%d %b %Y} to {until}: {version.text}, source {version.source}")

        title("The past does not change: the same question, asked again after another revision")
        before = [hit.text for hit in memory.recall(QUESTION, as_of="2026-04-15")]
        clock.advance(86_400)
        memory.revise(leads, "Ana leads the Osaka office")
        print(f"    {before == [hit.text for hit in memory.recall(QUESTION, as_of='2026-04-15')]}")


def show(hits: list[Any]) -> None:
    for hit in hits:
        print(f"    {hit.text} (valid from {hit.valid_from:%d %b %Y})")


if __name__ == "__main__":
    run(main)
