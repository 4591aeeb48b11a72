"""What a command's exit says: one number a kind of error, the same in every release."""

from __future__ import annotations

from typing import Final

OK: Final = 0
FINDINGS: Final = 1
"""The operation ran and found something that is not in order."""
INTERRUPTED: Final = 130
UNEXPECTED: Final = 70
"""A fault of omoide itself, or of the system below it."""

EXITS: Final[dict[str, int]] = {
    "invalid_input": 2,
    "tool_call": 2,
    "not_found": 3,
    "missing_path": 3,
    "access_denied": 4,
    "rejected_value": 5,
    "store_busy": 6,
    "store_full": 7,
    "store_read_only": 8,
    "store_version": 9,
    "foreign_store": 10,
    "store_damaged": 11,
    "store": 12,
    "store_closed": 12,
    "configuration": 13,
    "embedder_failed": 14,
    "embedder_unavailable": 14,
    "embedder_mismatch": 14,
    "reranker_failed": 14,
    "reasoner_failed": 14,
    "missing_extra": 15,
    "not_confirmed": 16,
    "unreadable_document": 17,
    "omoide": UNEXPECTED,
    "unexpected": UNEXPECTED,
}


def code_of(error: BaseException) -> str:
    """Return the stable code of an error, ``"unexpected"`` for one that omoide does not raise on purpose."""
    code = getattr(error, "code", None)
    if isinstance(code, str):
        return code
    return "missing_extra" if isinstance(error, ImportError) else "unexpected"


def known_code(error: BaseException) -> str:
    """Return the code of the nearest kind of error that has an exit status."""
    codes = (kind.__dict__.get("code") for kind in type(error).__mro__)
    return next((code for code in codes if code in EXITS), code_of(error))


def exit_of(error: BaseException) -> int:
    """Return the exit status for an error."""
    return EXITS[known_code(error)]
