"""The lines of an exported file: memories and what stands around them as JSON objects, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.model.carried import CarriedEnd, CarriedEvidence, CarriedMemory, CarriedState, CarriedVersion
from omoide.model.lineage import End, Stamp
from omoide.model.namespaces import check_namespace
from omoide.model.records import Claim
from omoide.model.time import ALWAYS, FOREVER, Micros, to_datetime, to_micros
from omoide.model.trust import check_trust
from omoide.model.walk import version_key
from omoide.verbs.drafts import draft_claim

Line = dict[str, Any]

_PLAIN: Final = ("abstract", "subject", "predicate", "basis", "source", "project")
_STATE: Final = ("pinned", "archived", "disputed", "seen", "access_count", "value", "ended", "ended_by")
_STATE_TIMES: Final = ("created_at", "changed_at", "last_seen", "accessed_at")
_DEFAULT: Final = Claim("")
_FRESH: Final = CarriedState(0)


def encode_memory(memory: CarriedMemory) -> Line:
    """Return the line of a memory; what is as usual is left out."""
    state = memory.state
    line: Line = {"type": "memory", "id": memory.id, "uid": memory.uid, "namespace": memory.namespace}
    line |= {name: getattr(state, name) for name in _STATE if getattr(state, name) != getattr(_FRESH, name)}
    line |= _times({name: getattr(state, name) for name in _STATE_TIMES})
    line["versions"] = [_encode_version(version) for version in memory.versions]
    if memory.ends:
        line["ends"] = [_encode_end(item) for item in memory.ends]
    if memory.evidence:
        line["evidence"] = [_encode_evidence(item) for item in memory.evidence]
    return line


def _encode_version(version: CarriedVersion) -> Line:
    line: Line = {"id": version.version_id, **encode_claim(version.claim), "door": version.door, "cause": version.cause}
    line |= _times(
        {
            "valid_from": version.valid_from, "valid_to": version.valid_to, "known_from": version.known_from,
            "known_to": version.known_to, "observed_at": version.observed_at,
            "said": None if version.said == version.known_from else version.said,
        }
    )  # fmt: skip
    if version.stamp != (version.said, 0):
        line["stamp"] = [when(version.stamp[0]), version.stamp[1]]
    if version.root != version.key:
        line["root"] = version.root.hex()
    line |= {name: value for name, value in (("actor", version.actor), ("batch", version.batch)) if value is not None}
    line["opened_by"] = version.opened_by
    if version.closed_by is not None:
        line |= {"closed_by": version.closed_by, "closed_cause": version.closed_cause}
    if version.origin:
        line["origin"] = dict(version.origin)
    if version.salt is not None:
        line["salt"] = version.salt.hex()
    return line


def encode_claim(claim: Claim) -> Line:
    """Return what a version says."""
    line: Line = {"text": claim.text, "kind": claim.kind, "trust": claim.trust}
    line |= {name: getattr(claim, name) for name in _PLAIN if getattr(claim, name) is not None}
    line |= {name: list(getattr(claim, name)) for name in ("tags", "cites", "triggers") if getattr(claim, name)}
    if claim.importance != _DEFAULT.importance:
        line["importance"] = claim.importance
    if claim.confidence != _DEFAULT.confidence:
        line["confidence"] = claim.confidence
    if claim.metadata:
        line["metadata"] = dict(claim.metadata)
    return line


def _encode_end(item: CarriedEnd) -> Line:
    end = item.end
    return {
        "root": end.root.hex(), "stamp": [when(end.stamp[0]), end.stamp[1]], "cause": end.cause, "event": item.event,
        **_times({"valid_from": end.valid_from, "valid_to": end.valid_to}),
    }  # fmt: skip


def _encode_evidence(item: CarriedEvidence) -> Line:
    line: Line = {"door": item.door, "cause": item.cause, "event": item.event}
    line |= _times({"at": item.at, "observed_at": item.observed_at, "withdrawn_at": item.withdrawn_at})
    line |= {name: getattr(item, name) for name in ("source", "actor", "batch") if getattr(item, name) is not None}
    if item.version is not None:
        line["version"] = item.version.hex()
    return line


def decode_memory(line: Mapping[str, Any]) -> CarriedMemory:
    """Return the memory of a line.

    Raises:
        InvalidInputError: a part of it cannot be accepted.
        KeyError, TypeError, ValueError: it is no such line.
    """
    uid = _text(line["uid"])
    versions = tuple(_decode_version(uid, item) for item in line["versions"])
    if not versions:
        raise InvalidInputError(f"memory {uid} has no version")
    plain: dict[str, Any] = {name: line.get(name, getattr(_FRESH, name)) for name in _STATE}
    plain |= {name: moment(line.get(name)) for name in _STATE_TIMES}
    state = CarriedState(**plain | {"created_at": to_micros(line["created_at"])})
    return CarriedMemory(
        int(line["id"]), uid, check_namespace(line["namespace"]), state, versions,
        tuple(_decode_end(item) for item in line.get("ends", ())),
        tuple(_decode_evidence(item) for item in line.get("evidence", ())),
    )  # fmt: skip


def _decode_version(uid: str, line: Mapping[str, Any]) -> CarriedVersion:
    claim = decode_claim(line)
    known_from = to_micros(line["known_from"])
    said = moment(line.get("said"))
    said = known_from if said is None else said
    stamp, cause = _stamp(line.get("stamp")) or (said, 0), _text(line["cause"])
    start, end = to_micros(line["valid_from"]), _end(line.get("valid_to"))
    key = version_key(uid, stamp, cause, claim, start, end)
    return CarriedVersion(
        key=key, root=bytes.fromhex(line["root"]) if "root" in line else key, stamp=stamp, claim=claim,
        valid_from=start, valid_to=end, said=said, known_from=known_from, known_to=_end(line.get("known_to")),
        cause=cause, actor=_optional(line.get("actor")), door=_text(line["door"]),
        observed_at=moment(line.get("observed_at")), batch=_optional(line.get("batch")),
        opened_by=int(line["opened_by"]), closed_by=line.get("closed_by"),
        closed_cause=_optional(line.get("closed_cause")), version_id=int(line["id"]), origin=line.get("origin"),
        salt=bytes.fromhex(line["salt"]) if "salt" in line else None,
    )  # fmt: skip


def decode_claim(line: Mapping[str, Any]) -> Claim:
    """Return what a version says, checked as if somebody said it now."""
    return draft_claim(
        line["text"], door_trust="stated", metadata=line.get("metadata"), kind=line["kind"],
        tags=line.get("tags"), importance=line.get("importance", _DEFAULT.importance), trust=check_trust(line["trust"]),
        confidence=line.get("confidence", _DEFAULT.confidence), cites=line.get("cites"),
        triggers=line.get("triggers"), **{name: line.get(name) for name in _PLAIN},
    )  # fmt: skip


def _decode_end(line: Mapping[str, Any]) -> CarriedEnd:
    stamp = _stamp(line["stamp"])
    assert stamp is not None
    start = moment(line.get("valid_from"))
    end = End(
        bytes.fromhex(line["root"]), ALWAYS if start is None else start, _end(line.get("valid_to")), stamp,
        _text(line["cause"]),
    )  # fmt: skip
    return CarriedEnd(end, int(line["event"]))


def _decode_evidence(line: Mapping[str, Any]) -> CarriedEvidence:
    return CarriedEvidence(
        version=bytes.fromhex(line["version"]) if "version" in line else None, source=_optional(line.get("source")),
        observed_at=moment(line.get("observed_at")), at=to_micros(line["at"]), actor=_optional(line.get("actor")),
        door=_text(line["door"]), cause=_text(line["cause"]), batch=_optional(line.get("batch")),
        withdrawn_at=moment(line.get("withdrawn_at")), event=int(line.get("event", 0)),
    )  # fmt: skip


def when(at: Micros | None) -> str | None:
    """Return a time as ISO 8601 text in UTC, None for none and for an open end."""
    if at is None or at in (FOREVER, ALWAYS):
        return None
    return to_datetime(at).replace(tzinfo=None).isoformat() + "Z"


def moment(text: object) -> Micros | None:
    """Return the microseconds of a time, None for none."""
    return None if text is None else to_micros(_text(text))


def _end(text: object) -> Micros:
    return FOREVER if text is None else to_micros(_text(text))


def _stamp(pair: object) -> Stamp | None:
    if pair is None:
        return None
    if not isinstance(pair, list) or len(pair) != 2:
        raise TypeError(f"a stamp is a time and a count, not {pair!r}")
    return (to_micros(_text(pair[0])), int(pair[1]))


def _times(times: Mapping[str, Micros | None]) -> Line:
    told = {name: when(at) for name, at in times.items()}
    return {name: text for name, text in told.items() if text is not None}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text is expected, not {value!r}")
    return value


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)
