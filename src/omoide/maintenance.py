"""Maintenance: a store looked over, repaired, rebuilt, copied; its audit chain read and verified."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from omoide.aio import add_async_twins
from omoide.deferred import deferred
from omoide.embed.resolve import resolve
from omoide.model.paths import at_home
from omoide.model.time import optional_micros
from omoide.types import Event, RepairReport
from omoide.verbs.context import Context
from omoide.verbs.drafts import Moment
from omoide.verbs.embedding import Embedding

if TYPE_CHECKING:
    from omoide.store.sqlite.mending import repair as repairing
    from omoide.verbs import upkeep
    from omoide.verbs.notes import converting
else:
    repairing, upkeep = deferred("omoide.store.sqlite.mending.repair"), deferred("omoide.verbs.upkeep")
    converting = deferred("omoide.verbs.notes.converting")


class Upkeep:
    """What every handle can do for its whole store, beyond its own namespace."""

    _ctx: Context

    def integrity_check(self) -> list[str]:
        """Look the whole store over; return one line a finding, none when it is sound.

        A line says what is wrong and what to do. Texts whose vector is still to come are no finding.
        """
        return upkeep.integrity_check(self._ctx)

    def rebuild(self, embedder: Any = None) -> int:
        """Make every index anew from the rows; return how many entries there are.

        Other handles go on reading and writing. With ``embedder`` the store gets another model (``"none"``:
        keyword search only); the vectors are made in small steps, and a process killed meanwhile leaves
        the rest to the next one.

        Raises:
            EmbedderError: the model failed; what is left is pending.
            StoreBusyError: another rebuild began meanwhile.
        """
        other = None if embedder is None else Embedding(resolve(embedder))
        return upkeep.rebuild(self._ctx, other)

    def repair(self) -> RepairReport:
        """Bring everything in order that is not, from the rows that can be read; a sound store is left alone.

        Only what is damaged is made anew, and only vectors that are broken or lacking are embedded. A file that
        SQLite cannot read in whole is replaced by one with every readable row; the damaged one is kept beside
        it. ``omoide.maintenance.repair`` does the same for a file that cannot be opened.

        Raises:
            StoreBusyError: the file has to be replaced and is open elsewhere.
            DamagedStoreError: nothing can be done; the store was left as it is.
        """
        return upkeep.repair(self._ctx)

    def backup(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> str:
        """Copy the store, which may be in use, to one closed file; return its path.

        Raises:
            InvalidInputError: the file exists and ``overwrite`` is False.
            DamagedStoreError: the store is damaged; nothing was written.
        """
        return upkeep.backup(self._ctx, path, overwrite=overwrite)

    def convert(self, path: str | os.PathLike[str]) -> str:
        """Write the whole store to a new one of the other kind, a file or a folder of notes; return its path.

        Ids, times, past and audit chain stay as they are, and so does this store. A path that ends with a slash,
        or at which there is a folder, becomes a vault.

        Raises:
            InvalidInputError: there is a store already, or it would be of the same kind.
        """
        return converting.convert(self._ctx, path)

    def audit(self, since: Moment | None = None, until: Moment | None = None) -> list[Event]:
        """Return the events of ``[since, until)`` in the namespaces that may be read, oldest first."""
        return upkeep.audit(self._ctx, optional_micros(since, "since"), optional_micros(until, "until"))

    def head(self) -> str:
        """Return the end of the audit chain, ``"seq:hash"``, to be kept elsewhere."""
        return upkeep.head(self._ctx)

    def verify(self, head: str | None = None) -> list[str]:
        """Compute the audit chain again; return what does not fit, none when it is whole.

        ``head``: what ``head()`` returned earlier; it must lie on the chain. Without one, events removed from
        the end are noticed only where a row refers to them.
        """
        return upkeep.verify(self._ctx, head)


add_async_twins(Upkeep, ("integrity_check", "rebuild", "repair", "backup", "convert", "audit", "head", "verify"))


def repair(path: str | os.PathLike[str], embedder: Any = None) -> RepairReport:
    """Repair the store at ``path``, whether or not it can be opened.

    The index of a vault that cannot be opened is made again from the files.

    ``embedder``: as for a handle; vectors that were lost are made with it if the store has the same model.

    Raises:
        StoreError: there is no file, or it is open elsewhere; see its subclasses.
        ForeignStoreError: the file is not a store of omoide; it was left alone.
        DamagedStoreError: nothing can be done; the file was left as it is.
    """
    from omoide.handle import Handle
    from omoide.vault.files import HIDDEN, INDEX
    from omoide.vault.place import DATABASE

    name = at_home(path)
    if os.path.isdir(os.path.join(name, HIDDEN)):  # noqa: PTH112, PTH118  (as it was given)
        Handle(name, embedder="none").close()
        file, opened = os.path.join(name, INDEX, DATABASE), repairing.FileReport()  # noqa: PTH118
    else:
        file, opened = name, repairing.repair_file(name)
    with Handle(name, embedder=usable_model(file, embedder)) as handle:
        return upkeep.joined(opened, upkeep.repair(handle._ctx))  # noqa: SLF001


def usable_model(path: str, embedder: Any) -> Any:
    """Return the model unless the store has another one, whose vectors this one cannot make."""
    recorded = repairing.recorded_model(path)
    name = resolve(embedder, recorded=recorded).name
    return embedder if recorded in (None, name) else "none"
