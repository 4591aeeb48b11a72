"""Who may read and write which namespace, and the proof that it was asked.

A handle owns one namespace. Without a grant it reads and writes that one only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import InitVar, dataclass
from typing import Final, Literal, Self, TypeAlias

from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.model.forks import ForkLock
from omoide.model.namespaces import ALL, check_namespace, check_pattern, exactly, pattern_covers

Verb: TypeAlias = Literal["read", "write"]
Namespaces: TypeAlias = str | Iterable[str]
OnAccess: TypeAlias = Callable[[str, Verb, str, bool], bool]

_PROOF: Final = object()
_Grants: TypeAlias = dict[tuple[str, Verb], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Scope:
    """Proof that ``reader`` may read each of ``readable``; ``Policy.scope`` makes it, nothing else can."""

    reader: str
    readable: tuple[str, ...]
    proof: InitVar[object]

    def __post_init__(self, proof: object) -> None:
        _check_proof(proof, "Policy.scope")


@dataclass(frozen=True, slots=True)
class WriteScope:
    """Proof that ``writer`` may write ``namespace``; ``Policy.write_scope`` makes it, nothing else can.

    ``readable`` says whether the writer may read it too; who may not, adds without being shown or
    changing what is there.
    """

    writer: str
    namespace: str
    readable: bool
    proof: InitVar[object]

    def __post_init__(self, proof: object) -> None:
        _check_proof(proof, "Policy.write_scope")


class Policy:
    """Deny by default: a handle may use its own namespace, and what ``allow`` opens to it.

    Reading and writing are granted apart. A policy belongs to the handles that were given it, not to the
    store, and may be used and extended from any thread.

    >>> policy = Policy().allow("supervisor", read=["coder", "team/*"], write="coder")
    >>> policy.can_read("supervisor", "team/docs"), policy.can_write("supervisor", "team/docs")
    (True, False)
    """

    def __init__(self) -> None:
        self._lock = ForkLock()
        self._grants: _Grants = {}
        self._open = False
        self._on_access: OnAccess | None = None

    @classmethod
    def strict(cls) -> Self:
        """Return a policy without grants, the same as ``Policy()``."""
        return cls()

    @classmethod
    def open(cls) -> Self:
        """Return a policy by which every handle may read and write every namespace."""
        policy = cls()
        policy._open = True
        return policy

    def allow(self, ns: str, *, read: Namespaces | None = None, write: Namespaces | None = None) -> Self:
        r"""Let the handle of namespace ``ns`` read and write others, beside what it already may.

        A grant is a name, a prefix followed by ``*``, or ``"*"`` for all. A name that itself ends with a
        star is written with ``\*`` at its end. ``ns`` is always one name.

        Raises:
            InvalidInputError: a name that can name no namespace.
        """
        check_namespace(ns, "ns")
        new: _Grants = {
            (ns, "read"): tuple(check_pattern(name, "read") for name in _listed(read, "read")),
            (ns, "write"): tuple(check_pattern(name, "write") for name in _listed(write, "write")),
        }
        with self._lock:
            old = self._grants
            self._grants = old | {key: (*old.get(key, ()), *added) for key, added in new.items()}
        return self

    def on_access(self, callback: OnAccess) -> Self:
        """Let ``callback(who, verb, namespace, default)`` decide every access, the own namespace included.

        ``verb`` is ``"read"`` or ``"write"``; ``default`` is what the grants say. A write asks for ``"read"``
        as well: its answer may show what is there. What the callback raises reaches the caller, and nothing
        is read or written. A second callback replaces the first.
        """
        if not callable(callback):
            raise InvalidInputError(f"on_access needs a callable, not {callback!r}", value=callback)
        self._on_access = callback
        return self

    def can_read(self, who: str, ns: str) -> bool:
        """Say whether the handle of ``who`` may read ``ns``."""
        return self._allows(who, "read", ns)

    def can_write(self, who: str, ns: str) -> bool:
        """Say whether the handle of ``who`` may write ``ns``."""
        return self._allows(who, "write", ns)

    def scope(self, who: str, namespaces: Namespaces | None, existing: Callable[[], Iterable[str]]) -> Scope:
        """Return the scope of a read.

        ``namespaces``: None for the own one; names, each of which has to be open; ``"*"``, alone or among
        names, for those of ``existing()`` that are open, the own one first.

        Raises:
            AccessDeniedError: a namespace asked for by name is not open.
            InvalidInputError: an empty list, or a name that can name no namespace.
        """
        check_namespace(who, "who")
        asked = [who] if namespaces is None else _listed(namespaces, "namespaces")
        if not asked:
            raise InvalidInputError("namespaces is empty; leave it out for your own", value=namespaces)
        names = [check_namespace(name, "namespaces") for name in asked if name != ALL]
        for name in names:
            self._require(who, "read", name)
        if ALL in asked:
            known = sorted(existing(), key=lambda name: name != who)
            names += [name for name in known if self.can_read(who, name)]
        return Scope(who, tuple(dict.fromkeys(names)), _PROOF)

    def write_scope(self, who: str, namespace: str | None = None) -> WriteScope:
        """Return the scope of a write to ``namespace``, or to the own one.

        Raises:
            AccessDeniedError: the namespace is not open for writing.
            InvalidInputError: a name that can name no namespace.
        """
        check_namespace(who, "who")
        name = who if namespace is None else check_namespace(namespace)
        self._require(who, "write", name)
        return WriteScope(who, name, self.can_read(who, name), _PROOF)

    def __repr__(self) -> str:
        grants = "".join(
            f".allow({who!r}, {verb}={list(names)!r})" for (who, verb), names in self._grants.items() if names
        )
        watched = f".on_access({self._on_access!r})" if self._on_access is not None else ""
        return f"Policy.{'open' if self._open else 'strict'}(){grants}{watched}"

    def _allows(self, who: str, verb: Verb, ns: str) -> bool:
        granted = self._grants.get((who, verb), ())
        default = self._open or who == ns or any(pattern_covers(pattern, ns) for pattern in granted)
        if self._on_access is None:
            return default
        return bool(self._on_access(who, verb, ns, default))

    def _require(self, who: str, verb: Verb, ns: str) -> None:
        if self._allows(who, verb, ns):
            return
        reason = "the policy's on_access callback refused it"
        if self._on_access is None:
            reason = f"policy.allow({who!r}, {verb}={exactly(ns)!r}) would open it"
        raise AccessDeniedError(f"{who!r} may not {verb} namespace {ns!r}; {reason}", value=ns)


def _listed(names: object, argument: str) -> list[str]:
    """Return one name or several as a list; a set in the order of its names."""
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, bytes) or not isinstance(names, Iterable):
        raise InvalidInputError(
            f"{argument} must be a name, a list of names or '*', not {type(names).__name__}", value=names
        )
    return sorted(names, key=str) if isinstance(names, set | frozenset) else list(names)


def _check_proof(proof: object, maker: str) -> None:
    if proof is not _PROOF:
        raise TypeError(f"only {maker} makes one, after asking the policy")
