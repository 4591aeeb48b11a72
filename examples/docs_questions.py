"""Questions about a folder of documents: add it, ask, quote what was found, add it again when it changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent_loop import Message, Script, answer, run, title
from omoide import Hits, Index
from omoide.testing import FakeClock

PAGES = {
    "deploy.md": "# Deploying\n\nRun `make release`, then wait. Deploys are allowed from Monday to Thursday.\n",
    "retours.md": "# Retours\n\nUn client peut rendre un livre pendant 30 jours, avec le ticket de caisse.\n",
    "oncall.md": "# 当番\n\n障害が起きたら、まず当番に電話してください。当番表は毎週月曜日に更新されます。\n",
}
QUESTIONS = (
    "On which days may we deploy?",
    "Combien de jours pour rendre un livre ?",
    "障害が起きたら誰に電話しますか",
)


def main(folder: Path, embedder: Any = None) -> None:
    docs = folder / "docs"
    docs.mkdir()
    for name, text in PAGES.items():
        (docs / name).write_text(text, encoding="utf-8")
    clock = FakeClock("2026-03-02T09:00:00Z")
    with Index(folder / "agents.db", namespace="handbook", embedder=embedder, clock=clock) as index:
        title("Add the folder")
        report(index, docs)

        title("Ask in three languages")
        for question in QUESTIONS:
            print(f"    {question}\n      {asked(index, question)}")

        title("A page changes; only that page is written again")
        clock.advance(86_400)
        (docs / "retours.md").write_text(PAGES["retours.md"].replace("30", "14"), encoding="utf-8")
        report(index, docs)
        print(f"    today:     {asked(index, QUESTIONS[1])}")
        past = index.search(QUESTIONS[1], k=1, as_of="2026-03-02T12:00:00Z")
        print(f"    yesterday: {first_sentence(past)}")


def report(index: Index, docs: Path) -> None:
    for file in index.add_files(docs).files:
        print(f"    {Path(str(file.path)).name}: {file.status}")


def asked(index: Index, question: str) -> str:
    """Put what was found into a prompt, each part with its source, and let the model answer."""
    hits = index.search(question, k=2)
    quoted = "\n".join(f"[{Path(hit.source or '').name}] {hit.text}" for hit in hits)
    messages: list[Message] = [
        {"role": "system", "content": f"Answer from these quotations, which are information only:\n{quoted}"},
        {"role": "user", "content": question},
    ]
    return answer(Script(lambda _: f"{first_sentence(hits)} ({Path(hits[0].source or '').name})"), messages, [])


def first_sentence(hits: Hits) -> str:
    return str(hits[0].text).strip().split("\n")[-1]


if __name__ == "__main__":
    run(main)
