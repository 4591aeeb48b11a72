"""Rules of consolidation: which changes exist, who may decide them, how much one run may do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.model.changes import KINDS
from omoide.model.records import canonical
from omoide.model.time import Micros
from omoide.model.trust import RANK
from omoide.types import Trust

ADDITIVE: Final = frozenset({"generalise", "retitle"})
"""Kinds that add and take nothing away; a policy may accept these without a person."""
DESTROYING: Final = frozenset({"delete", "reject"})
"""Kinds that only a person decides."""
CAPS: Final[Mapping[str, int]] = {
    "supersede": 50, "merge": 50, "split": 10, "generalise": 20, "archive": 50, "delete": 20, "reject": 20,
    "retitle": 50,
}  # fmt: skip
"""Proposals of a kind that one run makes, and that may be open at a time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The written policy of consolidation, one for every door.

    ``enabled``: False lets no door run it. ``git_commit``: a vault in a git work tree is committed after a run.
    ``after_hours`` and ``after_sessions``: when a run is due. ``seconds``:
    how long it may take. ``accept``: kinds that are accepted without a person, additive ones only.
    ``archive_most``: memories that one run archives. ``keep_value``: below this value a memory may be archived;
    ``idle_days``: and only when it was neither written, said nor used for so long. ``delete_days``: archived and
    unused for so long, deletion is proposed. ``near``: share of common words of two texts to be merged.
    ``links_min``: recalls that return two memories before they are linked. ``recurring``: conversations that say a
    thing before it is worth a memory. ``abstract_from``: characters of a text that needs a line standing for it.
    ``split_sections``: sections of a text worth splitting.
    """

    enabled: bool = True
    git_commit: bool = False
    after_hours: float = 24.0
    after_sessions: int = 3
    seconds: float = 300.0
    accept: tuple[str, ...] = ()
    caps: Mapping[str, int] = field(default_factory=lambda: dict(CAPS))
    archive_most: int = 500
    keep_value: float = 0.05
    idle_days: float = 180.0
    delete_days: float = 365.0
    near: float = 0.85
    links_min: int = 3
    recurring: int = 3
    abstract_from: int = 600
    split_sections: int = 3

    @property
    def fingerprint(self) -> str:
        """12 hexadecimal digits that differ when any setting does; BLAKE2b of the settings as JSON."""
        return hashlib.blake2b(canonical(asdict(self)).encode(), digest_size=6).hexdigest()

    def cap(self, kind: str) -> int:
        """Return how many proposals of a kind one run may make."""
        return int(self.caps.get(kind, CAPS[kind]))


def settings_of(stored: str | None, changes: Mapping[str, Any]) -> Settings:
    """Return the settings that a store keeps as JSON, with changes.

    Raises:
        InvalidInputError: an unknown setting, or a value of another type than its default has.
    """
    values = {**(json.loads(stored) if stored else {}), **changes}
    usual = asdict(Settings())
    for name, value in values.items():
        if name not in usual:
            raise InvalidInputError(f"there is no setting {name!r}; there are {', '.join(usual)}", value=name)
        wanted = type(usual[name])
        given = tuple(value) if wanted is tuple and isinstance(value, list | set | frozenset) else value
        given = float(given) if wanted is float and type(given) is int else given
        if not isinstance(given, wanted) or (isinstance(given, int | float) and not given >= 0):
            raise InvalidInputError(f"setting {name} takes a {wanted.__name__}, not {value!r}", value=value)
        values[name] = given
    return check_settings(Settings(**values))


def check_settings(settings: Settings) -> Settings:
    """Return settings that keep the promises.

    Raises:
        InvalidInputError: an unknown kind, or one to be accepted that does more than add.
    """
    unknown = [kind for kind in (*settings.accept, *settings.caps) if kind not in KINDS]
    if unknown:
        raise InvalidInputError(f"there is no proposal of kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    taking = [kind for kind in settings.accept if kind not in ADDITIVE]
    if taking:
        raise InvalidInputError(
            f"{taking[0]!r} proposals wait for a person; a policy may accept {', '.join(sorted(ADDITIVE))}",
            value=taking[0],
        )
    return settings


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposal before it is stored.

    ``texts``: what the targets say, in their order. ``change``: what accepting it writes, by kind. ``versions``:
    the pieces it rests on; it is stale when they are no longer believed.
    """

    kind: str
    targets: tuple[int, ...]
    reason: str
    texts: tuple[str, ...]
    versions: tuple[int, ...]
    change: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    score: float = 1.0

    @property
    def id(self) -> str:
        """12 hexadecimal digits: the same change of the same texts has the same id in every run."""
        about = canonical([self.kind, self.targets, self.texts])
        return hashlib.blake2b(about.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def require_decider(kind: str, trust: Trust) -> None:
    """Refuse a door that may not decide a kind of proposal.

    Raises:
        AccessDeniedError: it speaks for no person and the kind destroys, or its trust is below ``observed``.
    """
    if kind in DESTROYING and trust != "stated":
        raise AccessDeniedError(
            f"only a person decides a proposal to {kind}: use a terminal, or a door with door_trust='stated'",
            value=kind,
        )
    if RANK[trust] < RANK["observed"]:
        raise AccessDeniedError(f"a door of trust {trust!r} may not decide proposals", value=kind)


def within_caps(drafts: Sequence[Draft], room: Mapping[str, int]) -> tuple[list[Draft], int]:
    """Return the drafts that fit, best first, and how many were left out."""
    left = dict(room)
    kept: list[Draft] = []
    for draft in sorted(drafts, key=lambda each: (-each.score, each.targets)):
        if left.get(draft.kind, 0) > 0:
            left[draft.kind] -= 1
            kept.append(draft)
    return kept, len(drafts) - len(kept)


def settled_value(importance: int, uses: float, age: Micros, half_life: float) -> float:
    """Return what a memory is worth keeping for, 0 to 1, two decimals.

    ``uses``: decayed uses, ``age``: microseconds since it was last written, seen or used, ``half_life`` in seconds.
    value = 1 - (1 - w) / (1 + uses), w = importance / 10 · 2^(-age / 4 half lives): what is important fades
    slowly, what is used does not. Below 0 uses, which feedback can lead to, it is w / (1 - uses).
    """
    faded: float = importance / 10 * 2.0 ** (-max(age, 0) / 1_000_000 / (4 * half_life))
    return round(1.0 - (1.0 - faded) / (1.0 + uses) if uses >= 0 else faded / (1.0 - uses), 2)
