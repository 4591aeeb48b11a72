"""Curation: what people and agents say about beliefs, and the names that beliefs are filed under."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from omoide.aio import twin
from omoide.deferred import deferred
from omoide.errors import InvalidInputError
from omoide.types import Conflict, Version
from omoide.types.reports import SourcesReport, Subjects, UndoReport
from omoide.verbs import drafts, judge
from omoide.verbs.asking import asks
from omoide.verbs.context import Context
from omoide.verbs.drafts import Moment

if TYPE_CHECKING:
    from omoide.verbs import history, staleness, subjects, telling, undo
else:
    history, staleness = deferred("omoide.verbs.history"), deferred("omoide.verbs.staleness")
    subjects, telling = deferred("omoide.verbs.subjects"), deferred("omoide.verbs.telling")
    undo = deferred("omoide.verbs.undo")


class Curation:
    """The verbs of ``Memory`` that judge, name, undo and check beliefs."""

    _ctx: Context

    def reject(self, id: int, reason: str | None = None) -> list[int]:
        """Refuse the value of a memory from now on, at every door; return the ids that it ended.

        Spelling does not count: case, width, accents, white space, invisible characters and look-alikes.

        Raises:
            NotFoundError: there is no such memory here.
            AccessDeniedError: this door's trust is below ``observed``.
        """
        return judge.reject(self._ctx, drafts.check_id(id), drafts.draft_label(reason, "reason"))

    def unreject(
        self, text: str, subject: str | None = None, predicate: str | None = None, *, namespace: str | None = None
    ) -> bool:
        """Let a rejected value in again; return whether it was rejected.

        Raises:
            AccessDeniedError: a person rejected it, and this door is not a person's.
        """
        about = drafts.draft_label(subject, "subject"), drafts.draft_label(predicate, "predicate")
        return judge.unreject(self._ctx, asks.home(self._ctx, namespace), drafts.draft_text(text), *about)

    def confirm(self, id: int, *, source: str | None = None) -> Version:
        """Vouch for a memory: a person's word raises its trust, an agent's is evidence.

        Raises:
            NotFoundError: there is no such memory here.
            InvalidInputError: it was forgotten; restore it first.
        """
        return judge.confirm(self._ctx, drafts.check_id(id), drafts.draft_label(source, "source"))

    def dispute(self, id: int, reason: str | None = None) -> None:
        """Mark a memory as disputed; its answers say so and rank lower.

        Raises:
            NotFoundError: there is no such memory here.
            InvalidInputError: it was forgotten; restore it first.
        """
        judge.dispute(self._ctx, drafts.check_id(id), drafts.draft_label(reason, "reason"))

    def exclusive(self, predicate: str) -> None:
        """Declare that a predicate has one value of a subject at a time; breaches show in ``conflicts``."""
        judge.declare_exclusive(self._ctx, self._ctx.namespace, drafts.draft_text(predicate))

    def conflicts(self) -> list[Conflict]:
        """Return what cannot all be right: contradictions, corrected values said again, disputes."""
        return judge.conflicts(self._ctx, self._ctx.namespace)

    def subjects(self, *, namespace: str | None = None) -> Subjects:
        """Return how many memories hold now about each subject, a dict with the most first and ``.aliases``."""
        return subjects.subjects(self._ctx, asks.home(self._ctx, namespace))

    def rename_subject(self, old: str, new: str, *, namespace: str | None = None) -> int:
        """Call a subject otherwise from now on; return how many memories it has.

        Both names find it, at any asked time; answers about the past keep the name that was used then. A subject
        that is called ``new`` already becomes one with it, until ``unalias_subject``.

        Raises:
            NotFoundError: there is no such subject.
            InvalidInputError: ``new`` already stands for a third subject.
        """
        return subjects.rename(self._ctx, _name(old, "old"), _name(new, "new"), asks.home(self._ctx, namespace))

    def alias_subject(self, name: str, of: str, *, namespace: str | None = None) -> None:
        """Let ``name`` stand for the subject ``of`` in every verb.

        Raises:
            InvalidInputError: both are one name, ``name`` already stands for another subject, or ``of`` for ``name``.
        """
        subjects.alias(self._ctx, _name(name, "name"), _name(of, "of"), asks.home(self._ctx, namespace))

    def unalias_subject(self, name: str, *, namespace: str | None = None) -> bool:
        """Let a name stand for itself again; return whether it stood for something else."""
        return subjects.unalias(self._ctx, _name(name, "name"), asks.home(self._ctx, namespace))

    def diff_text(
        self, since: Moment, until: Moment | None = None, subject: str | None = None,
        namespaces: str | Sequence[str] | None = None, *, language: str = "en",
    ) -> str:  # fmt: skip
        """Return ``diff`` as lines for people, in ``language`` en, fr or ja.

        Raises:
            InvalidInputError: another language, or ``until`` lies before ``since``.
        """
        scope = asks.scope_of(self._ctx, namespaces)
        found = history.diff(self._ctx, since, until, drafts.draft_label(subject, "subject"), scope)
        return telling.tell(found, language)

    @contextmanager
    def batch(self, kind: str = "session", source: str | None = None) -> Iterator[str]:
        """Let what this task writes through this handle belong to one batch; yield its id, for ``undo``.

        ``kind``: session, ingest, import, consolidation or merge.
        """
        with undo.batch(self._ctx, kind, drafts.draft_label(source, "source")) as made:
            yield made

    def undo(self, batch: str) -> UndoReport:
        """Take back what one ingest, import, consolidation or session wrote, known from now.

        The past keeps it. Memories that were edited or said again since stay as they are, in ``skipped``.

        Raises:
            NotFoundError: nothing was written under this id here.
            AccessDeniedError: this door's trust is below ``observed``, or the batch wrote where it may not write.
        """
        return undo.undo(self._ctx, _name(batch, "batch"))

    def check_sources(
        self, root: str | os.PathLike[str] | None = None, *, project: str | None = None,
        check_url: Callable[[str], object] | None = None, namespace: str | None = None,
    ) -> SourcesReport:  # fmt: skip
        """Compare what memories cite with what is there; answers show ``stale`` and ``unresolved`` as their status.

        A citation is ``path``, ``path@commit``, a commit or an address. ``root``: where paths start, the current
        folder if None; its git repository is read, never the network. Memories of other projects are left alone;
        ``project`` names this one, else its remote and its folder do. ``check_url`` takes an address and returns
        ``"current"``, ``"stale"``, ``"unresolved"``, True, False or None; without it addresses are unresolved.

        Raises:
            InvalidInputError: ``root`` is no folder, or ``check_url`` returned something else.
        """
        place = asks.home(self._ctx, namespace)
        return staleness.check_sources(self._ctx, root, drafts.draft_label(project, "project"), check_url, place)

    areject = twin(reject)
    aunreject = twin(unreject)
    aconfirm = twin(confirm)
    adispute = twin(dispute)
    aexclusive = twin(exclusive)
    aconflicts = twin(conflicts)
    aundo = twin(undo)
    adiff_text = twin(diff_text)
    acheck_sources = twin(check_sources)
    asubjects = twin(subjects)
    arename_subject = twin(rename_subject)
    aalias_subject = twin(alias_subject)
    aunalias_subject = twin(unalias_subject)


def _name(value: str, name: str) -> str:
    label = drafts.draft_label(value, name)
    if label is None:
        raise InvalidInputError(f"{name} must be a text, not None", value=value)
    return label
