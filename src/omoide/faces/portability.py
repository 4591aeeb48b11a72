"""Portability: what a store knows taken out, taken in and joined with another copy."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING

from omoide.aio import twin
from omoide.deferred import deferred
from omoide.types.reports import IntakeReport
from omoide.verbs import drafts
from omoide.verbs.context import Context

if TYPE_CHECKING:
    from omoide.verbs.transfer import dump as dumping
    from omoide.verbs.transfer import export as exporting
    from omoide.verbs.transfer import import_ as importing
    from omoide.verbs.transfer import merge
else:
    dumping, exporting = deferred("omoide.verbs.transfer.dump"), deferred("omoide.verbs.transfer.export")
    importing, merge = deferred("omoide.verbs.transfer.import_"), deferred("omoide.verbs.transfer.merge")


class Portability:
    """The verbs of ``Memory`` that move beliefs between stores."""

    _ctx: Context

    def export(self, path: str | os.PathLike[str], subject: str | None = None) -> str:
        """Write everything that this handle may read, past included, to a file of JSON lines; return its path.

        The file appears whole or not at all; one that is there is replaced. One state gives one file, byte for
        byte. ``subject``: only the memories that were ever about it. A purge names the file, it cannot reach it.

        Raises:
            InvalidInputError: the path names a folder or the store itself.
        """
        return exporting.export(self._ctx, path, drafts.draft_label(subject, "subject"))

    def export_subject(self, subject: str, path: str | os.PathLike[str]) -> str:
        """Write all that was ever known about a subject, for who asks what is kept about them; return the path."""
        return exporting.export(self._ctx, path, drafts.draft_text(subject).strip())

    def import_(self, path: str | os.PathLike[str], *, dry_run: bool = False, trust: str | None = None) -> IntakeReport:
        """Take in a file that ``export`` wrote, all of it checked first; what is here already is left alone.

        Others read and write between its portions; cut short, it goes on when the same file is imported again.
        An empty store gets everything as it was, ids and audit chain included, a namespace that was never
        written the original times; else it is known from now, with the original times in the provenance. Trust
        is ``observed`` at most unless a person's door says ``trust="stated"``. What was rejected or purged here
        is refused and reported. ``undo`` takes the report's ``batch``.

        Raises:
            InvalidInputError: the file is damaged; the message names the line, nothing was changed.
            AccessDeniedError: it holds a namespace that may not be written, or the trust is not this door's.
            StoreVersionError: a newer omoide wrote it.
        """
        return importing.import_file(self._ctx, path, dry_run=bool(dry_run), trust=trust)

    def merge_from(self, other_path: str | os.PathLike[str], *, dry_run: bool = False) -> IntakeReport:
        """Take in another copy of the store, without losing an edit or a deletion of either side.

        Of two edits the later known counts; a forget ends what it has seen, an edit that it has not seen
        stays. What was edited in both copies is listed by ``conflicts``. Again it does nothing.

        Raises:
            InvalidInputError: there is no store at ``other_path``, or it is this one.
            StoreVersionError: it was written by a newer omoide.
            ForeignStoreError: it belongs to another system.
        """
        return merge.merge_from(self._ctx, other_path, dry_run=dry_run)

    def dump(self, to: str | os.PathLike[str] | IO[str]) -> str | None:
        """Write everything that this handle may read as text to a file or a stream; return the path of a file.

        One state gives one text, whatever its ids, so that two states can be compared line by line.

        Raises:
            InvalidInputError: the path names a folder or the store itself.
        """
        return dumping.dump(self._ctx, to)

    adump = twin(dump)
    aexport = twin(export)
    aexport_subject = twin(export_subject)
    aimport_ = twin(import_)
    amerge_from = twin(merge_from)
