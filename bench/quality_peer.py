"""Asks rmbr the questions of a set, with the vectors that omoide has, in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from peers import PEERS, environment

HERE = Path(__file__).resolve().parent
PATIENCE = 3_600  # seconds for one set


def digits(doc_id: str) -> int:
    tail = doc_id[len(doc_id.rstrip("0123456789")) :]
    return int(tail) if tail else 0


class Peer:
    """rmbr 0.2.7 as a program beside; ``k`` answers a question."""

    def __init__(self, k: int) -> None:
        self._k = k

    def ask(self, groups: dict[str, list[Any]], questions: list[Any], embedder: Any) -> dict[str, list[str]]:
        """Return the ids found for every question, best first; fails when rmbr cannot be asked."""
        python = environment("rmbr", PEERS["rmbr"], Path(tempfile.gettempdir()) / "omoide-peers")
        assert isinstance(python, Path), python
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            folder = Path(name)
            self._write(folder, groups, questions, embedder)
            clean = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "PYTHONHOME"}}
            command = [str(python), str(HERE / "quality_rmbr.py"), name]
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=clean, check=False)
            if done.returncode:
                raise RuntimeError(done.stderr.strip()[-600:])
            found: dict[str, list[str]] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
            return found

    def _write(self, folder: Path, groups: dict[str, list[Any]], questions: list[Any], embedder: Any) -> None:
        passages = list(dict.fromkeys(doc["text"] for docs in groups.values() for doc in docs))
        asked = list(dict.fromkeys(question["text"] for question in questions))
        told = {"passages": passages, "questions": asked, "k": self._k, "groups": self._groups(groups, questions)}
        (folder / "set.json").write_text(json.dumps(told), encoding="utf-8")
        found = [np.array(rows, np.float32) for rows in (embedder.embed(passages), embedder.embed_queries(asked))]
        np.savez(folder / "vectors.npz", passages=found[0], questions=found[1])

    def _groups(self, groups: dict[str, list[Any]], questions: list[Any]) -> list[dict[str, Any]]:
        asks = defaultdict(list)
        for each in questions:
            before = {"order": {"$lt": digits(each["before"])}} if each.get("before") else None
            asks[each["group"]].append({"id": each["id"], "text": each["text"], "where": before})
        return [
            {
                "docs": [{"id": doc["id"], "text": doc["text"], "order": digits(doc["id"])} for doc in docs],
                "asks": asks[name],
            }
            for name, docs in groups.items()
            if asks[name]
        ]
