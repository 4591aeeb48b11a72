"""Tokens of the network doors: who may come in, and as whom.

A token file is TOML; only what a token is allowed beyond reading and writing one namespace has to be said::

    [[token]]
    name = "laptop"
    token = "..."                # or sha256 = "..." of it, in hexadecimal
    namespace = "assistant"      # default: the server's own
    read_only = true             # default: false
    actor = "alice"              # default: the token's name
    trust = "stated"             # default: "observed"
    purge = true                 # default: false
    expires = 2027-01-01         # default: never

The file is read again when it changes. While it cannot be read nobody comes in.
"""

from __future__ import annotations

import hmac
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from omoide.errors import ConfigurationError, InvalidInputError
from omoide.model.namespaces import check_namespace
from omoide.model.trust import check_trust

if TYPE_CHECKING:
    from omoide.types import Trust

MIN_LENGTH: Final = 8
"""Characters of the shortest token that is accepted from a file."""
_KEYS: Final = frozenset({"name", "token", "sha256", "namespace", "read_only", "actor", "trust", "purge", "expires"})


@dataclass(frozen=True, slots=True)
class Grant:
    """What one caller may do. ``namespace`` None is the server's own."""

    name: str
    namespace: str | None = None
    read_only: bool = False
    actor: str | None = None
    trust: Trust = "observed"
    purge: bool = False
    expires: datetime | None = None
    digest: bytes = field(default=b"", repr=False)


class Keyring:
    """The tokens that let callers in: one given by value, those of a file, or none at all.

    Raises:
        ConfigurationError: a blank token, or a file that cannot be read or does not make sense.
    """

    def __init__(self, token: str | None = None, path: str | os.PathLike[str] | None = None) -> None:
        self._fixed = () if token is None else (_fixed_grant(token),)
        self._path = None if path is None else Path(path)
        self._stamp: tuple[int, ...] | None = None
        self._grants: tuple[Grant, ...] = ()
        self.problem: str | None = None
        if self._path is not None:
            self._refresh(self._path)
            if self.problem:
                raise ConfigurationError(self.problem, value=str(path))

    @property
    def required(self) -> bool:
        """Whether a caller needs a token."""
        return bool(self._fixed) or self._path is not None

    def grant_of(self, header: str | None) -> Grant | None:
        """Return what the ``Authorization`` header opens, None for nothing. Takes the same time for every token."""
        if self._path is not None:
            self._refresh(self._path)
        scheme, _, token = (header or "").strip().partition(" ")
        digest = _digest(token.strip())
        found: Grant | None = None
        for grant in (*self._fixed, *self._grants):
            if hmac.compare_digest(grant.digest, digest):
                found = grant
        if found is None or scheme.lower() != "bearer":
            return None
        return None if found.expires is not None and found.expires <= datetime.now(UTC) else found

    def _refresh(self, path: Path) -> None:
        try:
            about = path.stat()
            stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
            if stamp == self._stamp and self.problem is None:
                return
            self._grants = _parse(path.read_text(encoding="utf-8"), str(path))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            self._grants, self._stamp = (), None
            self.problem = f"the token file {path} cannot be read: {error}"
        except ConfigurationError as error:
            self._grants, self._stamp, self.problem = (), None, str(error)
        else:
            self._stamp, self.problem = stamp, None


def _fixed_grant(token: str) -> Grant:
    if not token.strip():
        raise ConfigurationError("the token is blank; give a secret text, or None for a server without one")
    return Grant("token", purge=True, digest=_digest(token.strip()))


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def _parse(text: str, path: str) -> tuple[Grant, ...]:
    entries = tomllib.loads(text).get("token", [])
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigurationError(f"{path} holds no [[token]] entries", value=path)
    return tuple(_grant(entry, f"{path}, token {number}") for number, entry in enumerate(entries, 1))


def _grant(entry: Mapping[str, Any], where: str) -> Grant:
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        raise ConfigurationError(f"{where}: unknown key {unknown[0]!r}; known are {', '.join(sorted(_KEYS))}")
    name = _text(entry, "name", where) or "token"
    try:
        namespace = _text(entry, "namespace", where)
        if namespace is not None:
            check_namespace(namespace)
        trust = _text(entry, "trust", where) or "observed"
        check_trust(trust, "trust")
    except InvalidInputError as error:
        raise ConfigurationError(f"{where}: {error}") from error
    read_only, purge = (_flag(entry, key, where) for key in ("read_only", "purge"))
    actor = _text(entry, "actor", where) or name
    return Grant(
        name, namespace, read_only, actor, cast("Trust", trust), purge and not read_only, _expiry(entry, where),
        _secret(entry, where),
    )  # fmt: skip


def _secret(entry: Mapping[str, Any], where: str) -> bytes:
    token, digest = _text(entry, "token", where), _text(entry, "sha256", where)
    if (token is None) == (digest is None):
        raise ConfigurationError(f"{where}: give either token or sha256")
    if token is not None:
        if len(token.strip()) < MIN_LENGTH:
            raise ConfigurationError(f"{where}: the token has fewer than {MIN_LENGTH} characters")
        return _digest(token.strip())
    try:
        raw = bytes.fromhex(digest or "")
    except ValueError:
        raw = b""
    if len(raw) != sha256().digest_size:
        raise ConfigurationError(f"{where}: sha256 must be 64 hexadecimal digits")
    return raw


def _expiry(entry: Mapping[str, Any], where: str) -> datetime | None:
    value = entry.get("expires")
    if value is None:
        return None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    raise ConfigurationError(f"{where}: expires must be a TOML date such as 2027-01-01")


def _text(entry: Mapping[str, Any], key: str, where: str) -> str | None:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise ConfigurationError(f"{where}: {key} must be a text")
    return value


def _flag(entry: Mapping[str, Any], key: str, where: str) -> bool:
    value = entry.get(key, False)
    if not isinstance(value, bool):
        raise ConfigurationError(f"{where}: {key} must be true or false")
    return value
