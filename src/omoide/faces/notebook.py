"""What a handle on a vault can do with its notes as files: links, renames, what is set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from omoide.aio import add_async_twins
from omoide.deferred import deferred
from omoide.text.normalize import check_text
from omoide.types.notes import HeldNote, NoteLink, NoteLinks, Rename
from omoide.verbs import drafts
from omoide.verbs.context import Context

if TYPE_CHECKING:
    from omoide.verbs.notes import note_keeping, note_links
else:
    note_links, note_keeping = deferred("omoide.verbs.notes.note_links"), deferred("omoide.verbs.notes.note_keeping")


class Notebook:
    """The notes of a vault. On a store that is a file every method but ``inspect`` raises ``InvalidInputError``."""

    _ctx: Context

    def inspect(self) -> dict[str, object]:
        """Return what is not in order with the notes: ``held`` and ``dangling``; a file has none."""
        return note_keeping.inspect(self._ctx)

    def quarantine(self) -> list[HeldNote]:
        """Return the notes that are left alone until somebody mends them, each with the reason."""
        return note_keeping.quarantine(self._ctx)

    def links(self, note: int | str) -> NoteLinks:
        """Return the links of a note, by the id of its memory, its path or its name: to others, from others.

        Raises:
            NotFoundError: there is no such note here.
        """
        return note_links.links(self._ctx, _which(note))

    def dangling_links(self) -> list[NoteLink]:
        """Return the links of all notes that lead to no note."""
        return note_links.dangling(self._ctx)

    def rename_note(self, note: int | str, new: str, *, dry_run: bool = True) -> Rename:
        """Move a note to the path ``new`` and rewrite the links that would break; by default only say which.

        Links are rewritten in every note that has them, also in those that omoide did not write.

        Raises:
            NotFoundError: there is no such note here.
            InvalidInputError: ``new`` is no path inside the vault, or there is something at it.
        """
        return note_links.rename(self._ctx, _which(note), check_text(new, "new"), dry_run=dry_run)

    def adopt_note(self, path: str, *, kind: str = "note", subject: str | None = None) -> int:
        """Make a memory of a note that omoide did not write; return its id. The note gets lines that say so.

        ``kind`` is a type of this vault; ``subject`` defaults to the title of the note, else its name.

        Raises:
            NotFoundError: there is no such note here.
            InvalidInputError: it is a memory's already, or cannot be one.
        """
        return note_keeping.adopt(self._ctx, check_text(path, "path"), kind=kind, subject=subject)


def _which(note: int | str) -> int | str:
    return drafts.check_id(note, "note") if isinstance(note, int) else check_text(note, "note")


add_async_twins(Notebook, ("inspect", "quarantine", "links", "dangling_links", "rename_note", "adopt_note"))
