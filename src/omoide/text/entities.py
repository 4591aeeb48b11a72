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
_MODULE_WORDS: Final = ("import", " install", " add", " get")
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
    words = looked.split()
    dotted = [word for word in words if "." in word]
    addresses = set(_all(_ADDRESS, dotted))
    found = {
        "files": _all(_FILE, dotted),
        "versions": [each for each in _all(_VERSION, dotted) if not any(each in other for other in addresses)],
        "modules": [next(filter(None, groups)) for groups in _MODULE.findall(_naming_modules(looked))],
        "tickets": [
            each
            for each in _all(_TICKET, [word for word in words if "-" in word or "#" in word])
            if each.partition("-")[0] not in _NOT_TICKETS
        ],
        "functions": _all(_FUNCTION, [word for word in words if "()" in word]),
        "urls": [each.rstrip(".,;:!?") for each in _all(_URL, [word for word in words if "://" in word])],
    }
    return {sort: tuple(dict.fromkeys(names))[:MOST] for sort, names in found.items() if names}


def _all(pattern: re.Pattern[str], words: list[str]) -> list[str]:
    """Return what a pattern finds inside words; none of the patterns goes beyond white space."""
    return [found for word in words for found in pattern.findall(word)]


def _naming_modules(text: str) -> str:
    """Return the lines that may name a module."""
    if not any(word in text for word in _MODULE_WORDS):
        return ""
    return "\n".join(line for line in text.split("\n") if any(word in line for word in _MODULE_WORDS))
