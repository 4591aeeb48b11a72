"""rmbr's answers to the questions of a set; runs inside the environment that ``peers.py`` makes for it.

    python bench/quality_rmbr.py FOLDER

``FOLDER/set.json`` holds the groups with their texts and the questions, ``FOLDER/vectors.npz`` the vectors of both
(those that omoide uses, a question's own prefix included); the rankings go to ``FOLDER/run.json``. One file a group, as
its filters act after the cut, and its cache of similar questions is emptied before each one, since it answers a
question with what another one found: both in rmbr's favour.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np


class Given:
    """An embedder that looks up what was computed before; a question while ``asking``, else a passage."""

    model_name = "given"

    def __init__(self, path: Path) -> None:
        with np.load(path) as kept:
            self._kept = {name: kept[name] for name in ("passages", "questions")}
        self._places: dict[str, dict[str, int]] = {}
        self.asking = False

    def name(self, kind: str, texts: list[str]) -> None:
        self._places[kind] = {text: place for place, text in enumerate(texts)}

    def embed(self, texts: list[str]) -> list[Any]:
        kind = "questions" if self.asking else "passages"
        return [self._kept[kind][self._places[kind][text]].tolist() for text in texts]


def main(folder: Path) -> int:
    import onnxruntime  # noqa: F401  # rmbr's vector index crashes when it is loaded first
    from rmbr import Memory

    told = json.loads((folder / "set.json").read_text(encoding="utf-8"))
    given = Given(folder / "vectors.npz")
    given.name("passages", told["passages"])
    given.name("questions", told["questions"])
    run: dict[str, list[str]] = {}
    for number, group in enumerate(told["groups"]):
        path = folder / f"{number}.db"
        given.asking = False
        mem = Memory(str(path), "bench", embedder=given)
        with mem.bulk():
            for doc in group["docs"]:
                mem.remember(doc["text"], metadata={"doc": doc["id"], "order": doc["order"]})
        given.asking = True
        for ask in group["asks"]:
            forget_questions(path)
            run[ask["id"]] = [hit.metadata["doc"] for hit in mem.recall(ask["text"], k=told["k"], where=ask["where"])]
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return 0


def forget_questions(path: Path) -> None:
    with sqlite3.connect(path, timeout=30) as base:
        base.execute("DELETE FROM query_cache")
    base.close()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
