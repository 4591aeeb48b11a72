"""How many undeclared updates a run proposes, of those that the evaluation folder lists, and what it does to recall.

    python bench/updates_found.py [--read N] [--out FILE]

Every group of a set (a user, a chat) becomes a namespace; what people said is remembered, dated as in the set. Found
means: a proposal that a listed old statement gives way to a listed new one (exact), or to any statement of the new
value (value). ``--read``: write the N surest proposals for a person to judge, texts included, to a file outside of
the repository; verdicts are kept without texts in ``results/proposals_read.json``.
Recall (R@5) is measured before and after the run, on BEAM and RealMem, keyword search only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from omoide import Memory
from omoide.text.values import sentences, values_of

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("OMOIDE_DATA", ROOT.parent / "shared" / "data"))
UPDATES = ("longmemeval_oracle_turns", "beam_100k")
RECALLED = ("beam_100k", "realmem")
TIMES = ("%Y/%m/%d %H:%M", "%B-%d-%Y", "%Y-%m-%d")
K = 5


def lines(path: Path) -> Iterator[dict[str, Any]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        yield from map(json.loads, file)


def documents(name: str) -> list[dict[str, Any]]:
    found = min((DATA / name).glob("corpus.dev.jsonl*"))
    rows = list(lines(found))
    for number, row in enumerate(rows):
        role, _, text = row["text"].partition(": ")
        spoken = role in ("user", "assistant")
        row["role"] = role if spoken else row["meta"].get("role")
        row["said"] = text if spoken else row["text"]
        row["at"] = moment(row["meta"].get("time", "")) + timedelta(seconds=number)
    return rows


def moment(text: str) -> datetime:
    plain = re.sub(r"\s*\([A-Z][a-z]+\)", "", text).strip()
    for form in TIMES:
        try:
            return datetime.strptime(plain, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return datetime(2024, 1, 1, tzinfo=UTC)


def fill(path: Path, rows: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Remember every text in the namespace of its group; return the ids by group and document."""
    ids: dict[str, dict[str, int]] = defaultdict(dict)
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["meta"]["group"]].append(row)
    for group, members in groups.items():
        with Memory(path, group, embedder="none") as mem, mem.bulk():
            for row in members:
                metadata = {} if row["role"] is None else {"role": row["role"]}
                made = mem.remember(row["said"], metadata=metadata, observed_at=row["at"])
                ids[group].setdefault(row["id"], int(made))
    return ids


def consolidated(path: Path, groups: Any) -> list[Any]:
    """Run a consolidation in every namespace; return the proposals of updates, the surest first."""
    found = []
    for group in groups:
        with Memory(path, group, embedder="none") as mem:
            mem.sleep_settings(caps={"supersede": 50})
            mem.sleep(seconds=600)
            found += [each for each in mem.proposals() if each.kind == "supersede"]
    return sorted(found, key=lambda each: -each.score)


def forms(text: str) -> set[tuple[str, str]]:
    return {(value.sort, value.form) for sentence in sentences(text) for value in values_of(sentence)}


def share_found(
    name: str, ids: dict[str, dict[str, int]], proposals: list[Any], said: dict[str, str]
) -> dict[str, Any]:
    pairs = {(each.namespace, *each.ids): each for each in proposals}
    exact = value = asked = 0
    for row in lines(DATA / name / "supersession.dev.jsonl"):
        own, asked = ids[row["group"]], asked + 1
        new = set().union(*(forms(said[each]) for each in row["new"])) - set().union(
            *(forms(said[each]) for each in row["old"])
        )
        hit = any((row["group"], own[o], own[n]) in pairs for o in row["old"] for n in row["new"])
        old_ids = {own[each] for each in row["old"]}
        like = any(
            each.namespace == row["group"] and each.ids[0] in old_ids and forms(each.after[0]) & new
            for each in proposals
        )
        exact, value = exact + hit, value + (hit or like)
    return {"listed": asked, "exact": exact, "value": value}


def recall_at_5(name: str, path: Path, ids: dict[str, dict[str, int]]) -> float:
    asked = scored = 0.0
    by_group: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in lines(DATA / name / "queries.dev.jsonl"):
        by_group[row["group"]].append(row)
    for group, rows in by_group.items():
        with Memory(path, group, embedder="none") as mem:
            for row in rows:
                gold = {ids[group][each] for each in row["relevant"] if each in ids[group]}
                if gold:
                    hits = {hit.id for hit in mem.recall(row["text"], k=K)}
                    scored, asked = scored + len(gold & hits) / len(gold), asked + 1
    return round(scored / asked, 4)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--read", type=Path, help="where to write the proposals to be judged, texts included")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results" / "updates_found.json")
    asked = parser.parse_args()
    figures: dict[str, Any] = {"found": {}, "recall_at_5": {}, "proposals": {}}
    told: list[dict[str, Any]] = []
    for name in dict.fromkeys((*UPDATES, *RECALLED)):
        rows = documents(name)
        said = {row["id"]: row["said"] for row in rows}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "agents.db"
            ids = fill(path, rows)
            before = recall_at_5(name, path, ids) if name in RECALLED else None
            proposals = consolidated(path, ids)
            figures["proposals"][name] = len(proposals)
            if name in RECALLED:
                figures["recall_at_5"][name] = {"before": before, "after": recall_at_5(name, path, ids)}
            if name in UPDATES:
                figures["found"][name] = share_found(name, ids, proposals, said)
            told += [
                {"set": name, "namespace": each.namespace, "ids": each.ids, "id": each.id, "score": each.score,
                 "reason": each.reason, "evidence": each.evidence, "texts": each.before}
                for each in proposals
            ]  # fmt: skip
        print(name, json.dumps(figures))
    total = {key: sum(row[key] for row in figures["found"].values()) for key in ("listed", "exact", "value")}
    figures["found"]["all"] = total | {"share": round(total["value"] / total["listed"], 3)}
    asked.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if asked.read:
        asked.read.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in told), encoding="utf-8")


if __name__ == "__main__":
    main()
