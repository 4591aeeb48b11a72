"""Where a command's words go: JSON, plain lines for programs, tables and colours for people."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Any, Final

from omoide.serve.cli.blocks import Block, Line, Table, harmless_json

STYLES: Final = {
    "title": "bold",
    "dim": "dim",
    "good": "green",
    "warn": "yellow",
    "bad": "bold red",
}


def is_terminal(stream: Any) -> bool:
    """Say whether a person reads or writes at this stream."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # no stream at all, or a closed one
        return False


def prepare_streams() -> None:
    """Let no character stop a command: what the encoding lacks is shown as its number.

    A stream that is closed reads nothing and writes nowhere: nor does a file that is opened take its place.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - for the whole process
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


class ReaderLeftError(Exception):
    """Whoever read the output is gone, as ``head`` is after its last line: not an error of anybody."""


@contextmanager
def written() -> Iterator[None]:
    """Let what the block prints be written out.

    Raises:
        ReaderLeftError: nobody reads it any more.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError as error:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # what is still held back goes nowhere when Python ends
        raise ReaderLeftError from error


def show_json(value: Any) -> None:
    """Write one JSON value and a line end to standard output."""
    wide = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not wide, indent=2 if is_terminal(sys.stdout) else None)
    print(harmless_json(text) if is_terminal(sys.stdout) else text)


def show(blocks: Sequence[Block], *, color: bool, paged: bool) -> None:
    """Write blocks to standard output: decorated for a terminal, tab-separated lines for a program."""
    if not is_terminal(sys.stdout):
        for line in plain_lines(blocks):
            print(line)
        return
    text = decorated(blocks, color=color)
    if paged and text.count("\n") >= get_terminal_size().lines:
        _page(text)
    else:
        print(text, end="")


def _page(text: str) -> None:
    import click

    os.environ.setdefault("LESS", "-FRX")
    click.echo_via_pager(text, color=True)


def plain_lines(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield one line a row, cells separated by tabs."""
    for block in blocks:
        if isinstance(block, Line):
            yield block.text
        else:
            yield from ("\t".join(" ".join(cell.split()) for cell in row) for row in block.rows)


def decorated(blocks: Sequence[Block], *, color: bool, width: int | None = None) -> str:
    """Return what a terminal shows; characters that take two places are counted so."""
    from rich.console import Console

    console = Console(
        no_color=not color, highlight=False, markup=False, emoji=False, width=width, force_terminal=True, stderr=False
    )
    with console.capture() as captured:
        for block in blocks:
            _print(console, block)
    return captured.get()


def _print(console: Any, block: Block) -> None:
    from rich.text import Text

    if isinstance(block, Line):
        console.print(Text(block.text, style=STYLES.get(block.style, "")))
        return
    console.print(_grid(block))


def _grid(block: Table) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for place, heading in enumerate(block.columns):
        wide = place == block.wide
        grid.add_column(heading, ratio=1 if wide else None, overflow="fold", no_wrap=not wide and len(heading) <= 6)
    for row in block.rows:
        grid.add_row(*(Text(cell) for cell in row))
    return grid


def remark(text: str, style: str = "", *, color: bool = True) -> None:
    """Write one line to standard error, for people."""
    if color and style and is_terminal(sys.stderr):
        import click

        colours = {"good": "green", "warn": "yellow", "bad": "red"}
        text = click.style(text, fg=colours.get(style), dim=style == "dim" or None, bold=style == "title" or None)
    print(text, file=sys.stderr)
