"""What changes a pass proposes, and what becomes of a proposal."""

from __future__ import annotations

from typing import Final

KINDS: Final = ("supersede", "merge", "split", "generalise", "archive", "delete", "reject", "retitle")
STATES: Final = ("open", "accepted", "refused", "stale")
