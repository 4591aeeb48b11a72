"""One engine under the same load as the others; run by ``bench/peers.py`` inside that engine's environment.

    python bench/peers_worker.py ENGINE SIZES FOLDER

Prints one JSON line: CPU milliseconds of the process, threads included; vectors are given, not computed.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from speed import DIMENSION, Given, Texts

K = 5
ROUNDS = 5
FILLED = 3
"""So many stores are filled anew; the one that took least counts."""
PORTION = 1_000


class Plain(Given):
    """Vectors of clustered noise, as lists; no difference between questions and texts."""

    def embed(self, texts: list[str], /) -> list[list[float]]:
        found: list[list[float]] = super().embed(texts).tolist()
        return found


class Omoide:
    def __init__(self, folder: Path) -> None:
        from omoide import Index, Memory

        self._mem = Memory(folder / "o.db", "bench", embedder=Given())
        self._index = Index(folder / "i.db", namespace="bench", embedder=Given())

    def bulk(self, texts: Sequence[str]) -> None:
        with self._mem.bulk():
            for text in texts:
                self._mem.remember(text)

    def ingest(self, texts: Sequence[str]) -> None:
        self._index.add_texts(list(texts))

    def one(self, text: str) -> None:
        self._mem.remember(text)

    def recall(self, question: str) -> Any:
        return self._mem.recall(question, k=K)


class Rmbr:
    def __init__(self, folder: Path) -> None:
        import onnxruntime  # noqa: F401  # rmbr's vector index crashes when it is loaded first
        from rmbr import Index, Memory

        self._mem = Memory(str(folder / "r.db"), "bench", embedder=Plain())
        self._index = Index(str(folder / "i.db"), namespace="bench", embedder=Plain())

    def bulk(self, texts: Sequence[str]) -> None:
        with self._mem.bulk():
            for text in texts:
                self._mem.remember(text)

    def ingest(self, texts: Sequence[str]) -> None:
        self._index.add_texts(list(texts))

    def one(self, text: str) -> None:
        self._mem.remember(text)

    def recall(self, question: str) -> Any:
        return self._mem.recall(question, k=K)


class Chroma:
    """No keyword ranking in its local form: its recall is by vector alone."""

    def __init__(self, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._table = client.create_collection("bench", embedding_function=None, metadata={"hnsw:space": "cosine"})
        self._given, self._made = Given(), 0

    def bulk(self, texts: Sequence[str]) -> None:
        for at in range(0, len(texts), PORTION):
            self._add(list(texts[at : at + PORTION]))

    def one(self, text: str) -> None:
        self._add([text])

    def recall(self, question: str) -> Any:
        return self._table.query(query_embeddings=self._given.embed([question]), n_results=K)["ids"][0]

    def _add(self, texts: list[str]) -> None:
        ids = [str(self._made + n) for n in range(len(texts))]
        self._made += len(texts)
        self._table.add(ids=ids, documents=texts, embeddings=self._given.embed(texts))


class Lance:
    def __init__(self, folder: Path) -> None:
        import lancedb
        import pyarrow as pa

        fields = [pa.field("id", pa.int64()), pa.field("text", pa.string())]
        schema = pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), DIMENSION))])
        self._table = lancedb.connect(str(folder)).create_table("bench", schema=schema)
        self._given, self._made = Given(), 0

    def bulk(self, texts: Sequence[str]) -> None:
        """Rows in portions, then the keyword index over all of them."""
        for at in range(0, len(texts), PORTION):
            self._add(list(texts[at : at + PORTION]))
        self._table.create_fts_index("text", replace=True)

    def one(self, text: str) -> None:
        self._add([text])

    def recall(self, question: str) -> Any:
        vector = self._given.embed([question])[0]
        return self._table.search(query_type="hybrid").vector(vector).text(question).limit(K).to_list()

    def _add(self, texts: list[str]) -> None:
        vectors = self._given.embed(texts)
        rows = [{"id": self._made + n, "text": text, "vector": vectors[n]} for n, text in enumerate(texts)]
        self._made += len(texts)
        self._table.add(rows)


ENGINES: dict[str, Callable[[Path], Any]] = {"omoide": Omoide, "rmbr": Rmbr, "chroma": Chroma, "lancedb": Lance}


def once(call: Callable[[], object], count: int) -> dict[str, float]:
    began, clock = time.process_time(), time.perf_counter()
    call()
    cpu, wall = time.process_time() - began, time.perf_counter() - clock
    return {"cpu_us_a_text": round(cpu / count * 1e6, 1), "wall_texts_a_second": round(count / wall)}


def often(call: Callable[[], object], count: int) -> dict[str, float]:
    cpu, wall = [], []
    for _ in range(ROUNDS):
        began, clock = time.process_time(), time.perf_counter()
        for _ in range(count):
            call()
        cpu.append((time.process_time() - began) / count * 1000)
        wall.append((time.perf_counter() - clock) / count * 1000)
    return {
        "cpu_ms": round(statistics.median(cpu), 3), "cpu_ms_min": round(min(cpu), 3), "wall_ms_min": round(min(wall), 3)
    }  # fmt: skip


def filled(make: Callable[[Path], Any], place: Path, what: str, texts: Sequence[str]) -> tuple[Any, dict[str, float]]:
    """Fill stores by the method ``what``; return the last one and the figures of the round that took least."""
    rounds, engine = [], None
    for number in range(FILLED):
        folder = place / f"{what}-{number}"
        folder.mkdir()
        engine = make(folder)
        rounds.append(once(partial(getattr(engine, what), texts), len(texts)))
    return engine, min(rounds, key=lambda figures: figures["cpu_us_a_text"])


def measured(make: Callable[[Path], Any], place: Path, size: int) -> dict[str, Any]:
    texts = Texts()
    some = [texts.one() for _ in range(size)]
    figures: dict[str, Any] = {}
    engine, figures["bulk"] = filled(make, place, "bulk", some)
    if hasattr(engine, "ingest"):
        figures["ingest"] = filled(make, place, "ingest", some)[1]
    questions = [texts.question() for _ in range(200)]
    assert len(engine.recall(questions[0])) == K
    for question in questions[:20]:
        engine.recall(question)
    turn = iter(range(10**9))
    # Every question is asked once, so that no engine answers from its cache.
    figures["recall"] = often(lambda: engine.recall(f"{questions[next(turn) % 200]} {next(turn)}"), 20)
    figures["remember"] = often(lambda: engine.one(texts.one()), 10)
    return figures


def main(name: str, sizes: str, folder: str) -> None:
    result: dict[str, Any] = {}
    for size in map(int, sizes.split(",")):
        place = Path(folder) / f"{name}-{size}"
        place.mkdir()
        result[str(size)] = measured(ENGINES[name], place, size)
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
