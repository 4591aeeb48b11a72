"""Every error omoide raises on purpose, each with a stable code.

OmoideError
├── InvalidInputError (ValueError)         invalid_input
│   ├── RejectedValueError                 rejected_value
│   └── MissingPathError (FileNotFoundError)  missing_path
├── NotFoundError (KeyError)               not_found
├── AccessDeniedError (PermissionError)    access_denied
├── ExtractError (ValueError)              unreadable_document
├── ConfigurationError (ValueError)        configuration
├── StoreError (OSError)                   store
│   ├── StoreBusyError (TimeoutError)      store_busy
│   ├── StoreFullError                     store_full
│   ├── StoreClosedError                   store_closed
│   ├── ReadOnlyStoreError                 store_read_only
│   ├── StoreVersionError                  store_version
│   ├── ForeignStoreError                  foreign_store
│   └── DamagedStoreError                  store_damaged
├── RerankerError (RuntimeError)           reranker_failed
├── ReasonerError (RuntimeError)           reasoner_failed
├── ToolCallError (TypeError)              tool_call (in omoide.tools)
└── EmbedderError (RuntimeError)           embedder_failed
    ├── EmbedderUnavailableError           embedder_unavailable
    └── EmbedderMismatchError              embedder_mismatch
"""

from __future__ import annotations

from typing import ClassVar, Final

LONGEST: Final = 2_000
"""Characters of a message: a refused value of a megabyte is not sent back whole."""


class OmoideError(Exception):
    """Base of all errors; ``code`` is stable across releases, ``value`` is what was refused."""

    code: ClassVar[str] = "omoide"

    def __init__(self, message: str, *, value: object = None) -> None:
        self.message = message if len(message) <= LONGEST else message[: LONGEST - 1] + "…"
        super().__init__(self.message)
        self.value = value

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.value))


def _rebuild(kind: type[OmoideError], message: str, value: object) -> OmoideError:
    return kind(message, value=value)


class InvalidInputError(OmoideError, ValueError):
    """An argument that cannot be accepted; nothing was changed."""

    code = "invalid_input"


class RejectedValueError(InvalidInputError):
    """A value that a person has rejected; only ``unreject`` lets it in again."""

    code = "rejected_value"


class MissingPathError(InvalidInputError, FileNotFoundError):
    """A file or folder to be read that is not there; nothing was changed."""

    code = "missing_path"


class NotFoundError(OmoideError, KeyError):
    """An id that does not exist or may not be read from here."""

    code = "not_found"


class AccessDeniedError(OmoideError, PermissionError):
    """A namespace that the policy does not open for this verb."""

    code = "access_denied"


class ExtractError(OmoideError, ValueError):
    """A file whose text cannot be had; ``reason`` is one word for reports, the message says what to do."""

    code = "unreadable_document"

    def __init__(self, message: str, *, reason: str = "damaged", value: object = None) -> None:
        super().__init__(message, value=value)
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_extract, (self.message, self.reason, self.value))


def _rebuild_extract(message: str, reason: str, value: object) -> ExtractError:
    return ExtractError(message, reason=reason, value=value)


class ConfigurationError(OmoideError, ValueError):
    """A setting of the store, the embedder or the environment that cannot work."""

    code = "configuration"


class StoreError(OmoideError, OSError):
    """The store could not do what was asked; the transaction was rolled back."""

    code = "store"


class StoreBusyError(StoreError, TimeoutError):
    """Another writer held the store for longer than the bounded wait."""

    code = "store_busy"


class StoreFullError(StoreError):
    """No room left on the device or within the configured limit."""

    code = "store_full"


class StoreClosedError(StoreError):
    """The handle was closed."""

    code = "store_closed"


class ReadOnlyStoreError(StoreError):
    """A write to a store that is open for reading only."""

    code = "store_read_only"


class StoreVersionError(StoreError):
    """A store written by a newer omoide."""

    code = "store_version"


class ForeignStoreError(StoreError):
    """A file that belongs to another system; the message says how to import it."""

    code = "foreign_store"


class DamagedStoreError(StoreError):
    """A store whose structure does not match what this version writes."""

    code = "store_damaged"


class RerankerError(OmoideError, RuntimeError):
    """The reranker failed or returned something that is not a number per text."""

    code = "reranker_failed"


class EmbedderError(OmoideError, RuntimeError):
    """The embedder failed or returned something that is not a vector per text."""

    code = "embedder_failed"


class EmbedderUnavailableError(EmbedderError):
    """The embedder's package, model or service is not there."""

    code = "embedder_unavailable"


class EmbedderMismatchError(EmbedderError):
    """The store holds vectors of another model; ``rebuild(embedder=...)`` changes it."""

    code = "embedder_mismatch"


class ReasonerError(OmoideError, RuntimeError):
    """A reasoner that could not be asked, or whose answer could not be used; what it was asked about stays to do."""

    code = "reasoner_failed"
