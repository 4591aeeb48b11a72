"""Which splitter a text gets: by name, by suffix, by content."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath

from omoide.errors import InvalidInputError
from omoide.text.chunking.html_tags import split_html
from omoide.text.chunking.json_values import split_entries, split_json
from omoide.text.chunking.keyed_lines import split_toml, split_yaml
from omoide.text.chunking.languages import LANGUAGES
from omoide.text.chunking.markdown import split_markdown
from omoide.text.chunking.prose import split_lines, split_prose
from omoide.text.chunking.python_code import split_python
from omoide.text.chunking.room import Splitter
from omoide.text.chunking.rows import split_csv, split_records
from omoide.text.chunking.rst import split_rst
from omoide.text.chunking.syntax import splitter_for

CustomSplitter = Callable[[str, int, int], list[str]]
"""(text, size, overlap) to chunks."""

SPLITTERS: dict[str, Splitter] = {
    "text": split_prose,
    "lines": split_lines,
    "markdown": split_markdown,
    "rst": split_rst,
    "html": split_html,
    "python": split_python,
    "json": split_json,
    "entries": split_entries,
    "notebook": split_json,
    "jsonl": split_records,
    "csv": split_csv,
    "yaml": split_yaml,
    "toml": split_toml,
}

SUFFIXES: dict[str, str] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "markdown",
    ".mkd": "markdown",
    ".rst": "rst",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".json": "json",
    ".geojson": "json",
    ".webmanifest": "json",
    ".ipynb": "notebook",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".txt": "text",
    ".text": "text",
    ".log": "lines",
    ".ini": "lines",
    ".cfg": "lines",
    ".conf": "lines",
    ".env": "lines",
    ".properties": "lines",
    ".xml": "lines",
    ".svg": "lines",
    ".css": "lines",
    ".scss": "lines",
    ".sql": "lines",
    ".sh": "lines",
    ".bash": "lines",
    ".zsh": "lines",
    ".fish": "lines",
    ".ps1": "lines",
    ".bat": "lines",
    ".rb": "lines",
    ".php": "lines",
    ".cs": "lines",
    ".kt": "lines",
    ".kts": "lines",
    ".swift": "lines",
    ".scala": "lines",
    ".lua": "lines",
    ".pl": "lines",
    ".r": "lines",
    ".jl": "lines",
    ".ex": "lines",
    ".exs": "lines",
    ".erl": "lines",
    ".hs": "lines",
    ".ml": "lines",
    ".clj": "lines",
    ".dart": "lines",
    ".zig": "lines",
    ".vue": "lines",
    ".svelte": "lines",
    ".proto": "lines",
    ".graphql": "lines",
    ".tf": "lines",
    ".gradle": "lines",
    ".cmake": "lines",
    ".tex": "text",
    ".org": "text",
    ".adoc": "text",
    **{suffix: name for name, language in LANGUAGES.items() for suffix in language.suffixes},
}
"""Suffix of a file's name to the name of a splitter; everything here is text."""

_HTML = re.compile(r"\s*(?:<!doctype html|<html\b)", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6} \S|^(?:```|~~~)", re.MULTILINE)
_CONTENT = 20_000


def kind_of(text: str, splitter: str, path: str | None) -> str:
    """Return the name of the splitter meant by "auto" and "code"; any other name is itself."""
    if splitter not in {"auto", "code"}:
        return splitter
    by_suffix = SUFFIXES.get(PurePath(path).suffix.lower()) if path else None
    if splitter == "code":
        return by_suffix or "lines"
    return by_suffix or _by_content(text)


def splitter_of(name: str) -> Splitter:
    """Return a splitter by name or language; raises `InvalidInputError` with the names there are."""
    if name in LANGUAGES:
        return splitter_for(name)
    try:
        return SPLITTERS[name]
    except KeyError:
        names = ", ".join(sorted({*SPLITTERS, *LANGUAGES, "auto", "code"}))
        raise InvalidInputError(f"unknown splitter {name!r}: use one of {names}, or a callable", value=name) from None


def _by_content(text: str) -> str:
    start = text[:_CONTENT].lstrip("\ufeff \t\r\n")
    if start[:1] in {"{", "["} and text.rstrip()[-1:] in {"}", "]"}:
        return "json" if '"' in start or start[:1] == "[" else "text"
    if _HTML.match(start):
        return "html"
    return "markdown" if _HEADING.search(start) else "text"
