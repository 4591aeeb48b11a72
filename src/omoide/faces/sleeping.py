"""Consolidation through a handle: runs, proposals, and who words or extracts what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from omoide.aio import twin
from omoide.deferred import deferred
from omoide.errors import InvalidInputError
from omoide.model.consolidate import Settings
from omoide.text.normalize import check_text
from omoide.types.consolidation import Decision, Proposal, SleepReport
from omoide.verbs import drafts
from omoide.verbs.asking import asks
from omoide.verbs.context import Context

if TYPE_CHECKING:
    from omoide.sleep import policy, run
    from omoide.verbs import proposals as deciding
else:
    policy, run = deferred("omoide.sleep.policy"), deferred("omoide.sleep.run")
    deciding = deferred("omoide.verbs.proposals")


class Sleeping:
    """The verbs of ``Memory`` that consolidate and decide what consolidation proposes."""

    _ctx: Context

    def sleep(
        self, *, only_when_due: bool = False, seconds: float | None = None, reasoner: Any = None,
    ) -> SleepReport:  # fmt: skip
        """Look this namespace over: put away what is said twice or idle, link, propose; return what was done.

        It deletes nothing and loses no text. One run at a time; readers and writers go on meanwhile. A run that is
        killed, or out of ``seconds``, goes on where it was at the next call. ``only_when_due``: nothing unless
        enough hours and conversations have passed, see ``sleep_settings``. ``reasoner``: words and advises on what
        is proposed and extracts from conversations; a callable from prompt to answer, or what ``reasoner_of`` takes.

        Raises:
            AccessDeniedError: the namespace may not be written.
            InvalidInputError: an argument that cannot be accepted.
        """
        changes = {} if seconds is None else {"seconds": seconds}
        return run.sleep(
            self._ctx, policy.current(self._ctx, changes), only_when_due=bool(only_when_due), reasoner=reasoner
        )

    def sleep_settings(self, **changes: Any) -> Settings:
        """Return the settings of consolidation that this store keeps for every door, after changing some.

        ``accept=("retitle",)`` lets additive kinds be accepted without a person; no setting lets anything else be.

        Raises:
            InvalidInputError: an unknown setting, or a value that it does not take.
            AccessDeniedError: the door's trust is below ``observed``.
        """
        return policy.change(self._ctx, changes)

    def proposals(
        self, state: str | None = "open", *, kind: str | None = None, limit: int | None = None
    ) -> list[Proposal]:
        """Return what is proposed in this namespace, the surest first; ``state`` None for decided ones too.

        Raises:
            InvalidInputError: there is no such state or kind.
        """
        return deciding.list_proposals(self._ctx, state=state, kind=kind, limit=asks.check_limit(limit))

    def explain_proposal(self, proposal: str) -> Proposal:
        """Return one proposal, decided or not.

        Raises:
            NotFoundError: there is none with this id here.
        """
        return deciding.explain(self._ctx, check_text(proposal, "proposal"))

    def accept(self, proposals: str | Sequence[str], *, wording: str | None = None) -> Decision:
        """Carry proposals out under one batch, which ``undo`` takes back; what no longer fits is in ``failed``.

        ``wording``: another text for the one merge, generalisation or abstract that is accepted.

        Raises:
            NotFoundError: there is none with one of the ids here.
            AccessDeniedError: a deletion or rejection through a door that speaks for no person; nothing was changed.
        """
        text = None if wording is None else drafts.draft_text(wording)
        return deciding.accept(self._ctx, _listed(proposals), wording=text)

    def refuse(self, proposals: str | Sequence[str]) -> Decision:
        """Refuse proposals; the same change of the same texts is not proposed again.

        Raises:
            NotFoundError: there is none with one of the ids here.
            AccessDeniedError: the door's trust is below ``observed``.
        """
        return deciding.refuse(self._ctx, _listed(proposals))

    def consolidate(self, extractor: Callable[..., Any], *, limit: int | None = None) -> SleepReport:
        """Let ``extractor`` make memories of the conversations that were not looked at yet; return what was written.

        It is called with the list of new turns of one conversation, each with ``number``, ``role``, ``text``,
        ``at`` and ``session``, and returns texts, or dicts with ``text`` and any of ``turns`` (the numbers it rests
        on), ``subject``, ``predicate``, ``kind``, ``importance``, ``tags``. What it returns is derived: it replaces
        nothing that was stated or observed. ``limit``: conversations at most.

        Raises:
            InvalidInputError: ``extractor`` cannot be called.
        """
        if not callable(extractor):
            raise InvalidInputError(f"extractor must be a callable, not {extractor!r}", value=extractor)
        return run.consolidate(self._ctx, policy.current(self._ctx, {}), extractor, limit=asks.check_limit(limit))

    asleep = twin(sleep)
    asleep_settings = twin(sleep_settings)  # type: ignore[arg-type]  # mypy cannot place ** after a positional self
    aproposals = twin(proposals)
    aexplain_proposal = twin(explain_proposal)
    aaccept = twin(accept)
    arefuse = twin(refuse)
    aconsolidate = twin(consolidate)


def _listed(proposals: object) -> list[str]:
    if not isinstance(proposals, str | list | tuple | set | frozenset):
        raise InvalidInputError(f"proposals must be an id or a list of ids, not {proposals!r}", value=proposals)
    return [check_text(each, "proposal") for each in ([proposals] if isinstance(proposals, str) else proposals)]
