"""The README's table of speed, made from ``results/speed.json``: the fastest round and the median, in milliseconds.

python bench/speed_table.py            print it
python bench/speed_table.py --write    put it into README.md, between its marks
"""

from __future__ import annotations

import sys
from typing import Any

from readme_table import ROOT, show

RESULTS = ROOT / "bench" / "results" / "speed.json"
BEGIN, END = "<!-- speed: begin -->\n", "<!-- speed: end -->\n"
ROWS = {
    "remember": "remember, durable",
    "revise": "revise",
    "forget": "forget",
    "recall_keyword": "recall, words",
    "recall": "recall, words and meaning",
    "recall_as_of": "the same, as of a time",
    "recall_small_namespace": "recall in a namespace of 100 beside them",
    "stats": "stats",
}


def table(results: dict[str, Any]) -> str:
    """Return the table in Markdown, a row an operation, a column a size."""
    sizes = [name for name in results if name.isdigit()]
    lines = ["| memories | " + " | ".join(f"{int(size):,}" for size in sizes) + " |", "|---|" + "---|" * len(sizes)]
    for name, label in ROWS.items():
        lines.append(_row(label, [_pair(results[size][name]) for size in sizes]))
    opened = [results[size]["open_and_first_search"] for size in sizes]
    lines.append(_row("open a file and search (wall)", [f"{each['total_ms']:.0f}" for each in opened]))
    lines.append(_row("memory above the import, MB", [f"{each['rss_above_import_mb']:.0f}" for each in opened]))
    lines.append(_row("file, vectors included, MB", [f"{results[size]['file_mb']:.3g}" for size in sizes]))
    return "\n".join(lines) + "\n"


def _pair(figures: dict[str, float]) -> str:
    return f"{figures['cpu_ms_min']:.2g} / {figures['cpu_ms']:.2g}"


def _row(label: str, cells: list[str]) -> str:
    return f"| {label} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(show(RESULTS, table, BEGIN, END))
