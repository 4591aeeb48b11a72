"""What an agent should know before it begins, at the face of ``Memory``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omoide.aio import twin
from omoide.verbs import briefing as verb
from omoide.verbs import drafts
from omoide.verbs.asking import asks
from omoide.verbs.context import Context

BUDGET = 1500


class Briefing:
    """The verb of ``Memory`` that needs no question."""

    _ctx: Context

    def context(
        self, *, subject: str | Sequence[str] | None = None, project: str | None = None, budget: int = BUDGET
    ) -> dict[str, Any]:
        """Return what a session should begin with: ``results``, the most important memories that hold, then the newest.

        Memories of ``project`` and of none; untrusted ones are left out. About ``budget`` tokens; ``truncated`` says
        that there is more. ``proposals`` counts those that wait for a person, ``unsaved`` are sessions that ended
        without being captured.

        Raises:
            InvalidInputError: an argument that cannot be accepted.
        """
        names = (asks.names(subject, "subject") if subject != [] else None) or ()
        most = asks.check_limit(budget, "budget")
        return verb.context(self._ctx, drafts.draft_label(project, "project"), names, BUDGET if most is None else most)

    acontext = twin(context)
