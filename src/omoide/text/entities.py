"""Names that a text mentions: files, versions, modules, tickets, functions, addresses."""

from __future__ import annotations

import re
from typing import Final

MOST: Final = 30
"""Entities of one sort that are kept."""
_LOOKED_AT: Final = 400_000
_EXTENSIONS: Final = (
    "py|pyi|ipynb|js|mjs|cjs|ts|tsx|jsx|go|rs|java|kt|kts|scala|c|h|cc|cpp|hpp|cs|rb|php|swift|m|lua|sh|bash|zsh|ps1|"
    "sql|html|css|scss|vue|svelte|md|rst|txt|json|jsonl|yaml|yml|toml|ini|cfg|conf|xml|csv|tsv|lock|env|proto|tf|"
    "gradle|dockerfile|ex|exs|erl|hs|ml|clj|dart|r|jl|zig|nix"
)
_FILE: Final = re.compile(
    rf"(?<![\w/@])(?:[~.]{{0,2}}/)?(?:[\w.@-]{{1,80}}/){{0,12}}[\w.@-]{{1,80}}\.(?:{_EXTENSIONS})(?!\w)"
)
_VERSION: Final = re.compile(r"(?<![\w.])v?\d{1,4}\.\d{1,4}\.\d{1,6}(?:-[a-z]+[.\d]*)?(?![\w.]*\d)")
_ADDRESS: Final = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_MODULE: Final = re.compile(
    r"^\s{0,8}(?:from\s+([A-Za-z_][\w.]{0,80})\s+import\b|import\s+([A-Za-z_][\w.]{0,80})\s*(?:$|,|;|as\b)"
    r"|.{0,20}\b(?:pip|npm|pnpm|yarn|cargo|uv|gem|go)\s+(?:install|add|get)\s+([@\w][\w./@-]{0,80}))",
    re.MULTILINE,
)
_TICKET: Final = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{1,9}-\d{1,6}(?![\w-])|(?<![\w&#])#\d{1,6}(?!\w)")
_NOT_TICKETS: Final = frozenset(
    {"UTF", "ISO", "SHA", "RFC", "MD", "BASE", "AES", "RSA", "GPT", "COVID", "HTTP", "CP", "PEP"}
)
_FUNCTION: Final = re.compile(r"(?<![\w.])(?:[A-Za-z_]\w{0,60}\.){0,4}[A-Za-z_]\w{1,60}(?=\(\))")
_URL: Final = re.compile(r"https?://[^\s<>\"'`)\]}]{3,200}")


def entities(text: str) -> dict[str, tuple[str, ...]]:
    """Return the names by sort (files, versions, modules, tickets, functions, urls), those that there are.

    Each in the order of first mention, at most ``MOST`` of a sort; looks at the first 400,000 characters.
    """
    looked = text[:_LOOKED_AT]
    addresses = set(_ADDRESS.findall(looked))
    found = {
        "files": _FILE.findall(looked),
        "versions": [each for each in _VERSION.findall(looked) if not any(each in other for other in addresses)],
        "modules": [next(filter(None, groups)) for groups in _MODULE.findall(looked)],
        "tickets": [each for each in _TICKET.findall(looked) if each.partition("-")[0] not in _NOT_TICKETS],
        "functions": _FUNCTION.findall(looked),
        "urls": [each.rstrip(".,;:!?") for each in _URL.findall(looked)],
    }
    return {sort: tuple(dict.fromkeys(names))[:MOST] for sort, names in found.items() if names}
