"""rmbr.policy: the policy is omoide's own; a trailing ``*`` in a grant stands for a prefix."""

from __future__ import annotations

from omoide.model.policy import Policy

__all__ = ["Policy"]
