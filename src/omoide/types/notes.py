"""What is told about the notes of a vault: frozen values, like those of ``types``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class HeldNote:
    """A note that is left alone until somebody mends it: ``code`` is one word, ``reason`` says what to do.

    Types and settings that cannot be read are told as well, without the time since when.
    """

    path: str
    code: str
    reason: str
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class NoteLink:
    """A link as written in ``source``, on a line counted from 1, 0 for the front matter.

    ``kind``: ``"wiki"``, ``"markdown"`` or ``"front"``. ``target`` is the path of the note that it leads to, None
    where there is none; ``text`` is what names it, ``heading`` the part of the note, ``alias`` the words shown.
    """

    source: str
    text: str
    target: str | None
    kind: str
    line: int = 0
    heading: str | None = None
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """The links of one note, those of others to it, and the notes in its folder."""

    path: str
    memory_id: int | None
    links: tuple[NoteLink, ...] = ()
    backlinks: tuple[NoteLink, ...] = ()
    neighbours: tuple[str, ...] = ()

    @property
    def dangling(self) -> tuple[NoteLink, ...]:
        """Its links that lead nowhere."""
        return tuple(link for link in self.links if link.target is None)


@dataclass(frozen=True, slots=True)
class LinkRewrite:
    """A link that a rename changes, or would change."""

    path: str
    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Rename:
    """A note at another place: what it was, what it is, and the links that go along.

    ``done`` is False for a preview.
    """

    old: str
    new: str
    rewrites: tuple[LinkRewrite, ...] = ()
    done: bool = False
