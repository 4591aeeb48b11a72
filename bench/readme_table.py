"""A table between its marks in the README, made from a file of results."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def show(results: Path, table: Callable[[dict[str, Any]], str], begin: str, end: str) -> int:
    """Print the table, or put it into README.md where ``--write`` is given."""
    made = table(json.loads(results.read_text(encoding="utf-8")))
    if "--write" not in sys.argv:
        print(made, end="")
        return 0
    readme = ROOT / "README.md"
    before, rest = readme.read_text(encoding="utf-8").split(begin)
    readme.write_text(before + begin + made + end + rest.split(end)[1], encoding="utf-8")
    return 0
