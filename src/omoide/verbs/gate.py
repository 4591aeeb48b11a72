"""The one gate: what may become a belief. Every path that writes a value asks here."""

from __future__ import annotations

from typing import Final

from omoide.errors import RejectedValueError
from omoide.model.records import Claim, Row, Voice, digest
from omoide.store.sqlite.transaction import Read, Write
from omoide.verbs.drafts import value_key

AUTOMATIC_DOORS: Final = frozenset({"import", "merge", "ingest", "capture", "sleep", "vault"})
"""Doors through which no one says a thing on purpose: what was purged does not come back through them."""


def keys_of(tx: Read, namespace: str, claim: Claim) -> list[bytes]:
    """Return the keys of a value under every name of its subject, the name it gives first."""
    own = value_key(namespace, claim.text, claim.subject, claim.predicate)
    ns = None if claim.subject is None else tx.namespaces.id(namespace)
    if ns is None or claim.subject is None:
        return [own]
    _, *others = tx.aliases.names(ns, claim.subject)
    return [own, *(value_key(namespace, claim.text, name, claim.predicate) for name in others)]


def admit(tx: Write, namespace: str, claim: Claim, *, automatic: bool = False) -> list[bytes]:
    """Return the keys of a value that may be written, ``keys_of``.

    ``automatic``: nobody says it on purpose; the voice of the transaction can say so as well.

    Raises:
        RejectedValueError: a person or an agent rejected it, or it was purged and nobody says it on purpose.
    """
    keys = keys_of(tx, namespace, claim)
    refuse_rejected(tx, namespace, claim, keys)
    if (automatic or is_automatic(tx.voice)) and any(tx.relations.is_purged(purged_key(key)) for key in keys):
        raise RejectedValueError(
            "this value was purged; only a deliberate remember can bring it back", value=claim.text
        )
    return keys


def refuse_rejected(tx: Read, namespace: str, claim: Claim, keys: list[bytes]) -> None:
    """Refuse a value that was rejected.

    Raises:
        RejectedValueError: only ``unreject`` lets it in again.
    """
    ns = tx.namespaces.id(namespace)
    found = [] if ns is None else [row for row in (tx.relations.rejection(ns, key) for key in keys) if row is not None]
    if found:
        why = f" ({found[0][0]})" if found[0][0] else ""
        raise RejectedValueError(
            f"this value was rejected{why}; unreject it first: {claim.text[:80]!r}", value=claim.text
        )


def is_automatic(voice: Voice) -> bool:
    """Say whether a voice writes without anybody who says it on purpose."""
    return voice.door in AUTOMATIC_DOORS or voice.trust == "derived"


def purged_key(key: bytes) -> bytes:
    """Return the hash by which a purged value is known; it tells nothing of the value."""
    return digest("purged", key.hex())


def twins_of(tx: Read, keys: list[bytes]) -> list[Row]:
    """Return every version, open or closed, that has one of the keys, in the order they were written."""
    rows = [row for key in keys for row in tx.versions.same(key)]
    return rows if len(keys) == 1 else sorted(rows, key=lambda row: row.version_id)
