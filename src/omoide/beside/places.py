"""Where hooks keep their files: one folder beside the store, written without opening the store.

Only what an empty interpreter has is imported here: hooks run at every step of an agent.
"""

from __future__ import annotations

import os

SUFFIX = "-capture"
INBOX = "inbox"
TRACES = "traces"
SHOWN = "shown"
BEATS = "heartbeat"
CLAIMS = "claims"
LEDGER = "ledger.jsonl"
FAILURES = "failures.jsonl"
LOCK = "worker.lock"
TRIGGERS = "triggers.json"
SCAN = "scan.json"

VAULT = (".index", "omoide.db")
"""Where the database of a vault lies in its folder."""
IN_MEMORY = ":memory:"
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")  # file systems may not tell capitals apart
_SHORTEST = 5  # Windows keeps names such as "con" and "lpt1" for itself
_LONGEST = 96


def folder_of(store: str | os.PathLike[str]) -> str:
    """Return the folder for the files that belong to a store, whether or not it exists; "" for one in memory."""
    path = os.fspath(store)
    return "" if path == IN_MEMORY else os.path.abspath(path.rstrip("/\\")) + SUFFIX


def database_of(store: str) -> str:
    """Return the database of a store: itself, or that of the index of a vault."""
    return os.path.join(store, *VAULT) if os.path.isdir(store) else store


def place(store: str | os.PathLike[str], *parts: str) -> str:
    """Return the path of a file or folder in it."""
    return os.path.join(folder_of(store), *parts)


def ready(folder: str) -> str:
    """Return a folder after making it, for its owner alone."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def safe(name: str) -> str:
    """Return a file name that stands for any text and for no other: legal everywhere, at most about 100 characters."""
    if _SHORTEST <= len(name) <= _LONGEST and _SAFE.issuperset(name):
        return name
    from hashlib import sha256

    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    readable = "".join(letter if letter in _SAFE else "_" for letter in name[:40].lower())
    return f"{readable}~{digest}"
