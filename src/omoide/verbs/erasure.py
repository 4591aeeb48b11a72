"""Proof of an erasure: the bytes of every file of the store searched for what was erased."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from omoide.model.records import Claim
from omoide.model.time import Micros, to_datetime
from omoide.store.sqlite.checking import residue
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer.copies import copies
from omoide.text.tokens import analyze
from omoide.verbs.context import Context
from omoide.verbs.drafts import searched_text

_WORD: Final = re.compile(r"\w+")
_MOST_NEEDLES: Final = 20_000
_EXCERPT: Final = 1000
_SHOWN: Final = 20

OTHER_NAMES: Final = "the other names of a subject that nothing speaks of any more; purge(subject=...) erases them"
ELSEWHERE: Final = ("copies of this store that it does not know of", "answers that were already given")


@dataclass(slots=True)
class Erased:
    """What was erased, as long as the proof needs it; nothing of it is written anywhere."""

    texts: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    first_known: Micros | None = None
    projects: set[str] = field(default_factory=set)
    subjects: set[str] = field(default_factory=set)
    named: bool = False

    def note(self, claim: Claim, known_from: Micros) -> None:
        """Remember what a version said and how it was labelled."""
        labels = [
            claim.subject, claim.predicate, claim.abstract, claim.source, claim.basis, claim.project, *claim.tags,
            *claim.cites, *claim.triggers, *_strings(claim.metadata),
        ]  # fmt: skip
        self.note_texts([claim.text, *(label for label in labels if label)], known_from)
        self.words.update(analyze(searched_text(claim)))
        if claim.project is not None:
            self.projects.add(claim.project)
        if claim.subject is not None:
            self.subjects.add(claim.subject)

    def note_texts(self, texts: Iterable[str], known_from: Micros) -> None:
        """Remember texts."""
        for text in texts:
            self.texts.add(text)
            self.words.update(_WORD.findall(text))
        self.first_known = known_from if self.first_known is None else min(self.first_known, known_from)


def _strings(value: Any) -> list[str]:
    """Return every text in JSON values, keys included."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in (str(key), *_strings(inner))]
    if isinstance(value, list | tuple):
        return [text for inner in value for text in _strings(inner)]
    return []


def residues(ctx: Context, erased: Erased) -> list[str]:
    """Return, by file, what is still there of what was erased and no survivor holds."""
    with ctx.store.read(None) as tx:
        needles = _needles(tx, erased)
        files = [*residue.files_of(ctx.store.path), *ctx.store.more_files()]
        found = [line for file in files for line in _in_file(tx, file, needles)]
        return found + ["compressed parts of conversations"] * bool(residue.packed(tx, sorted(erased.texts)[:_SHOWN]))


def _needles(tx: Read, erased: Erased) -> dict[bytes, str]:
    """Return what to look for: full texts and words that no survivor holds, in UTF-8 and UTF-16."""
    texts = {text[:_EXCERPT] for text in erased.texts}
    words = [word for word in sorted(erased.words) if not residue.has_term(tx, set(analyze(word)) or {word})]
    chosen = [*sorted(texts, key=len, reverse=True), *sorted(words, key=len, reverse=True)][:_MOST_NEEDLES]
    needles: dict[bytes, str] = {}
    for text in chosen:
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            data = text.encode(encoding, "surrogatepass")
            if len(data) >= residue.SHORTEST:
                needles[data[: 2 * _EXCERPT]] = text
    return needles


def _in_file(tx: Read, file: Path, needles: dict[bytes, str]) -> list[str]:
    found = {needles[needle] for needle in residue.left_in(file, list(needles))} if needles else set()
    left = [text for text in sorted(found, key=len) if not residue.held(tx, text)]
    return [f"{file.name} still holds {len(left)} of the erased words"] if left else []


def unreached(tx: Read, since: Micros | None) -> list[str]:
    """Return the exports and backups made since a time that are still where they were written."""
    return [
        f"the {kind} of {to_datetime(at).isoformat()} at {path}"
        for path, (kind, at) in sorted(copies(tx).items())
        if (since is None or at >= since) and Path(path).exists()
    ]
