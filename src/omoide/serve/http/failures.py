"""Errors as HTTP answers: every typed error has a status, a stable code and a text that says what to do."""

from __future__ import annotations

from typing import Final

from omoide import errors
from omoide.model.arguments import ToolCallError
from omoide.serve.guard import Refusal

RETRY_SECONDS: Final = "1"

# The first class that fits decides, so that the special ones come first.
_STATUSES: Final[tuple[tuple[type[errors.OmoideError], int], ...]] = (
    (errors.RejectedValueError, 409),
    (errors.InvalidInputError, 400),
    (ToolCallError, 400),
    (errors.NotFoundError, 404),
    (errors.AccessDeniedError, 403),
    (errors.ReadOnlyStoreError, 405),
    (errors.StoreFullError, 507),
    (errors.StoreError, 503),
    (errors.EmbedderMismatchError, 409),
    (errors.EmbedderError, 503),
    (errors.RerankerError, 503),
    (errors.ReasonerError, 503),
    (errors.ConfigurationError, 400),
    (errors.OmoideError, 400),
)
STATUSES: Final = tuple(sorted({status for _, status in _STATUSES} | {401, 408, 413, 415, 429}))
"""Every status that a refusal can have."""


def refusal_of(error: errors.OmoideError) -> Refusal:
    """Return the answer that tells a caller of a typed error."""
    status = next(status for kind, status in _STATUSES if isinstance(error, kind))
    headers = [("retry-after", RETRY_SECONDS)] if isinstance(error, errors.StoreBusyError) else []
    if status == 405:
        headers.append(("allow", "GET"))
    return Refusal(status, error.code, str(error), headers)
