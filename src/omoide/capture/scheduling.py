"""``omoide setup --schedule``: the recipe of this machine's scheduler written, and how it is switched on and off."""

from __future__ import annotations

from pathlib import Path

from omoide.capture.program import Program
from omoide.capture.schedule import recipe, usual_kind, words_of
from omoide.serve import codes
from omoide.serve.cli.blocks import Block, Line, tidy
from omoide.serve.cli.session import Session


def write_schedule(session: Session, program: Program, *, dry_run: bool) -> int:
    """Write what the scheduler needs, or show it, and tell the commands; nothing is switched on here."""
    words = words_of(program.store or None, program.namespace)
    found = recipe(usual_kind(program.platform), words)
    for path, text in () if dry_run else found.files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    session.answer(
        {"kind": found.kind, "files": found.files, "on": list(found.on), "off": list(found.off), "dry_run": dry_run},
        [*_files(session, found.files, dry_run=dry_run), *_steps(session, "on", found.on),
         *_steps(session, "off", found.off)],
    )  # fmt: skip
    return codes.OK


def _files(session: Session, files: dict[str, str], *, dry_run: bool) -> list[Block]:
    state = session.say("setup.would" if dry_run else "setup.written")
    blocks: list[Block] = []
    for path, text in files.items():
        blocks.append(Line(f"{tidy(path)}: {state}", "good"))
        blocks += [Line(tidy(line), "dim") for line in text.splitlines()] if dry_run else []
    return blocks


def _steps(session: Session, way: str, commands: tuple[str, ...]) -> list[Block]:
    return [Line(session.say(f"schedule.{way}"), ""), *(Line(f"  {tidy(command)}") for command in commands)]
