"""The README's table of retrieval quality, made from ``results/quality-dev.json``.

python bench/quality_table.py            print it
python bench/quality_table.py --write    put it into README.md, between its marks
"""

from __future__ import annotations

import sys
from typing import Any

from readme_table import ROOT, show

RESULTS = ROOT / "bench" / "results" / "quality-dev.json"
BEGIN, END = "<!-- quality: begin -->\n", "<!-- quality: end -->\n"
ROWS = {  # what it is, the goal
    "locomo": ("LoCoMo, turns of long chats (English)", 0.70),
    "locomo multi_hop": ("– questions that need several turns", 0.40),
    "longmemeval_oracle_turns": ("LongMemEval, turns (English; sample)", 0.85),
    "beam_100k": ("BEAM, messages of long chats (English)", 0.52),
    "realmem": ("RealMem, facts of project dialogues (English)", 0.42),
    "memdaily_zh": ("MemDaily, daily-life messages (Chinese)", 0.985),
    "jsquad_ja": ("JSQuAD, paragraphs (Japanese)", 0.975),
    "piaf_fr": ("PIAF, paragraphs (French)", 0.92),
    "xquad_multi": ("XQuAD, same language (en de es zh ru)", 0.995),
    "xquad_multi+xling": ("XQuAD, asked in another language", 0.96),
    "tldr_xling": ("tldr, French and Japanese to English (sample)", 0.88),
    "cosqa_code": ("CoSQA, web questions to Python functions", 0.93),
    "rmbr_passages": ("598 passages of rmbr's own bench", 0.88),
}
UPDATES = {
    "longmemeval_oracle_turns": ("newer of two statements first, LongMemEval", 0.71),
    "beam_100k": ("newer of two statements first, BEAM", 0.60),
}
ENGINES = ("bm25", "fts5", "rmbr", "hybrid")


def table(results: dict[str, Any]) -> str:
    """Return the table in Markdown, a row a set that was measured."""
    sets = results["sets"]
    lines = ["| questions and texts | n | goal | BM25 | FTS5 | rmbr | omoide |", "|---|---|---|---|---|---|---|"]
    for name, (label, goal) in ROWS.items():
        found, _, part = name.partition(" ")
        if found in sets:
            figures = [_part(sets[found].get(engine, {}), part) for engine in ENGINES]
            lines.append(_row(label, figures[0]["n"], goal, [each.get("R@5") for each in figures]))
    for name, (label, goal) in UPDATES.items():
        if "updates" in sets.get(name, {}).get("hybrid", {}):
            figures = [sets[name].get(engine, {}).get("updates", {}) for engine in ENGINES]
            lines.append(_row(label, figures[0]["n"], goal, [each.get("new_first") for each in figures]))
    return "\n".join(lines) + "\n"


def _part(figures: dict[str, Any], part: str) -> dict[str, Any]:
    found: dict[str, Any] = figures.get("by_category", {}).get(part, {}) if part else figures
    return found


def _row(label: str, n: int, goal: float, values: list[float | None]) -> str:
    cells = ["–" if value is None else f"{value:.3f}" for value in values]
    return f"| {label} | {n:,} | {goal:.3g} | " + " | ".join([*cells[:-1], f"**{cells[-1]}**"]) + " |"


if __name__ == "__main__":
    sys.exit(show(RESULTS, table, BEGIN, END))
