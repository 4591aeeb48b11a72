"""The report of a run as Markdown, kept in a vault: numbers and ids only, so that a purge has nothing to look for."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from omoide.types.consolidation import SleepReport

FOLDER: Final = ".omoide/sleep"
"""The folder of a vault in which reports are kept; no note, and no part of the index."""
_SECONDS: Final = 60.0
_MARKUP: Final = re.compile(r"([\\`*\[\]<>|#])")
_NO_NAME: Final = re.compile(r"[^\w-]")
"""What a name of a file cannot hold everywhere, or could lead elsewhere."""


def markdown(report: SleepReport) -> str:
    """Return a report: what changed, what is proposed and why, what was left out, the cost, how to undo."""
    begun = "" if report.started_at is None else f" {report.started_at:%Y-%m-%d %H:%M}Z"
    lines = [
        f"# Consolidation of {_line(report.namespace)}{begun}",
        "",
        f"State: {report.state}. Settings: {report.settings}.",
    ]
    if report.undo:
        lines += ["", f"To undo what it changed: `omoide undo {report.undo}`"]
    rows = [each for each in report.passes if each.changed or each.proposed or each.withheld]
    lines += _table(("pass", "changed", "proposed", "left out"), (
        (each.name, each.changed, each.proposed, each.withheld) for each in rows
    ))  # fmt: skip
    lines += _table(("proposal", "kind", "memories", "why", "sure"), (
        (each.id, each.kind, ", ".join(map(str, each.ids)), each.reason, f"{each.score:.2f}")
        for each in report.proposed
    ))  # fmt: skip
    lines += [""] + [f"- {_line(reason)}" for reason in report.reasons] if report.reasons else []
    if report.cost:
        lines += ["", "Cost: " + ", ".join(f"{name} {count}" for name, count in report.cost.items()) + "."]
    return "\n".join(lines) + "\n"


def keep(report: SleepReport, root: Path, *, commit: bool) -> Path:
    """Write a report into a vault; with ``commit``, commit the vault where it lies in a git work tree.

    Raises:
        OSError: it cannot be written.
    """
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    assert report.started_at is not None
    path = folder / f"{report.started_at:%Y%m%dT%H%M%S}-{_NO_NAME.sub('-', report.namespace[:40])}.md"
    path.write_text(markdown(report), encoding="utf-8", newline="\n")
    if commit:
        _commit(root, f"Consolidated {report.namespace}")
    return path


def _commit(root: Path, message: str) -> None:
    """Commit everything of the vault that git does not ignore; nothing happens outside of a work tree."""
    git = shutil.which("git")
    if git is None or subprocess.run(  # noqa: S603 - git, on the folder that the store lies in
        [git, "-C", str(root), "rev-parse", "--is-inside-work-tree"], capture_output=True, check=False, timeout=_SECONDS
    ).returncode:  # fmt: skip
        return
    for words in (["add", "-A", "--", "."], ["commit", "-q", "-m", message, "--", "."]):
        subprocess.run([git, "-C", str(root), *words], capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603


def _line(value: object) -> str:
    """Return what others wrote as part of one line, with nothing in it by which Markdown begins or a cell ends."""
    return _MARKUP.sub(r"\\\1", " ".join(str(value).split()))


def _table(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> list[str]:
    body = ["| " + " | ".join(_line(cell) for cell in row) + " |" for row in rows]
    if not body:
        return []
    return ["", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head), *body]
