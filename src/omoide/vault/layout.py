"""Where a new note goes and what it is called: readable in any script, the same on every file system."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, Final

from omoide.model.records import Claim
from omoide.model.time import Micros, to_datetime
from omoide.vault.types import NoteType

ARCHIVE: Final = "archive"
"""The folder of the notes of memories that ended."""
GENERAL: Final = "general"
"""The folder of notes without a value for their group."""

MAX_LETTERS: Final = 60
MAX_BYTES: Final = 150

# Names that Windows keeps for devices, with whatever ending.
_PORTS: Final = [f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"]
_DEVICES: Final = frozenset(("con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS))
_KEPT: Final = ("L", "N", "M")


def slug(text: str) -> str:
    """Return a text as a name: its letters, marks and digits in lower case with hyphens between, cut at a word.

    Empty where the text has none of these.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text[:4_000]).lower())
    spaced = "".join(letter if unicodedata.category(letter)[0] in _KEPT else " " for letter in folded)
    words = spaced.split()
    name = _shortened(words)
    return f"{name}-" if name in _DEVICES else name


def _shortened(words: list[str]) -> str:
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word
        if len(longer) > MAX_LETTERS or len(longer.encode("utf-8")) > MAX_BYTES:
            return name or _cut(word)
        name = longer
    return name


def _cut(word: str) -> str:
    """A word that is too long is cut between whole signs, never before a mark that belongs to the one before it."""
    end = min(len(word), MAX_LETTERS)
    while len(word[:end].encode("utf-8")) > MAX_BYTES:
        end -= 1
    while end > 1 and end < len(word) and unicodedata.category(word[end]).startswith("M"):
        end -= 1
    return word[:end]


def place(
    kind: NoteType, claim: Claim, namespace: str, valid_from: Micros, uid: str, taken: Callable[[str], bool]
) -> str:
    """Return the path of the note of a new memory, relative to the vault, with forward slashes.

    ``taken`` says whether there is anything at a path; of two memories that would have one name, the second has
    a few signs of its uid added.
    """
    folder = "/".join(folders(kind, claim, namespace, valid_from))
    stem = stem_of(kind, claim, valid_from)
    for candidate in _candidates(stem, uid):
        path = f"{folder}/{candidate}.md"
        if not taken(path):
            return path
    return f"{folder}/{uid}.md"


def folders(kind: NoteType, claim: Claim, namespace: str, valid_from: Micros) -> Iterator[str]:
    """Yield the folders of a note: type, namespace unless it is the default one, project, group."""
    yield kind.name
    if namespace != "default":
        yield slug(namespace) or _mark(namespace)
    if claim.project is not None:
        yield slug(claim.project) or _mark(claim.project)
    if kind.group is not None and (kind.group != "project" or claim.project is None):
        value = None if kind.group == "project" else value_of(kind.group, claim, valid_from)
        yield (slug(value) or _mark(value)) if value else GENERAL


def stem_of(kind: NoteType, claim: Claim, valid_from: Micros) -> str:
    """Return the name of a note: its key, and, where that says little, what it says."""
    named = [name for name in kind.key if name not in (kind.group, "project")]
    values = [value for name in named if (value := value_of(name, claim, valid_from))]
    if kind.mode != "upsert" and (claim.predicate is None or "predicate" not in named):
        values.append(claim.abstract or first_line(claim.text))
    return slug(" ".join(values)) or "note"


def key_of(kind: NoteType, claim: Claim, valid_from: Micros) -> tuple[str | None, ...] | None:
    """Return what tells a memory from others of its type, None where it says nothing for any field of the key."""
    values = tuple(value_of(name, claim, valid_from) for name in kind.key)
    return (
        (*values, claim.project, value_of(kind.group, claim, valid_from) if kind.group else None)
        if any(values)
        else None
    )


def value_of(name: str, claim: Claim, valid_from: Micros) -> str | None:
    """Return what a memory says for a field of its type, None where it says nothing."""
    if name == "date" and "date" not in claim.metadata:
        return to_datetime(valid_from).strftime("%Y-%m")
    value: Any = getattr(claim, name, None) if name in ("subject", "predicate", "project", "source") else None
    value = claim.metadata.get(name) if value is None else value
    return None if value is None or isinstance(value, dict | list) or not str(value).strip() else str(value)


def first_line(text: str) -> str:
    """Return the first words of a text, without the signs that begin a heading or a list."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return re.sub(r"^[\s#>*+-]+", "", line)[:200]


def archived(path: str) -> str:
    """Return where the note of a memory that ended goes."""
    return path if is_archived(path) else f"{ARCHIVE}/{path}"


def unarchived(path: str) -> str:
    """Return where a note comes back to."""
    return path[len(ARCHIVE) + 1 :] if is_archived(path) else path


def is_archived(path: str) -> bool:
    """Say whether a path lies in the archive."""
    return path.startswith(f"{ARCHIVE}/")


def beside(path: str, uid: str, taken: Callable[[str], bool]) -> str:
    """Return a path like ``path`` at which there is nothing."""
    if not taken(path):
        return path
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".md")
    for candidate in list(_candidates(stem, uid))[1:]:
        other = f"{folder}/{candidate}.md" if folder else f"{candidate}.md"
        if not taken(other):
            return other
    return f"{folder}/{uid}.md" if folder else f"{uid}.md"


def _candidates(stem: str, uid: str) -> Iterator[str]:
    yield stem
    mark = _mark(uid)
    for length in (4, 6, 8, len(mark)):
        yield f"{stem.rstrip('-')}-{mark[:length]}"


def _mark(text: str) -> str:
    """Return ten letters and digits that stand for a text."""
    number = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    signs = "abcdefghijkmnpqrstuvwxyz23456789"
    return "".join(signs[number >> shift & 31] for shift in range(0, 50, 5))


def same_name(path: str) -> str:
    """Return the form of a path under which file systems that fold case or marks take it for another one."""
    return unicodedata.normalize("NFC", path).casefold()
