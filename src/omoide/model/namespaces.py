"""Names of namespaces, and patterns that stand for several of them."""

from __future__ import annotations

from typing import Final

from omoide.errors import InvalidInputError

MAX_LENGTH: Final = 512
ALL: Final = "*"


def check_namespace(name: object, argument: str = "namespace") -> str:
    """Return ``name`` as it is if it can name a namespace: commas, pipes, slashes and spaces are ordinary.

    Raises:
        InvalidInputError: not text, blank, over 512 characters, ``"*"``, NUL or a lone surrogate in it.
    """
    if not isinstance(name, str):
        raise InvalidInputError(f"{argument} must be text, not {type(name).__name__}", value=name)
    if name == ALL:
        raise InvalidInputError(f"{argument} must be one name; '*' stands for all and names none", value=name)
    fault = _fault(name)
    if fault is not None:
        raise InvalidInputError(f"{argument} {fault}: {name[:80]!r}", value=name)
    return str.__str__(name)


def check_pattern(pattern: object, argument: str) -> str:
    """Return ``pattern`` if it is a name, ``"*"``, or a prefix followed by ``*``.

    Raises:
        InvalidInputError: what ``check_namespace`` refuses, ``"*"`` apart.
    """
    return ALL if pattern == ALL else check_namespace(pattern, argument)


def pattern_covers(pattern: str, name: str) -> bool:
    r"""Say whether ``pattern`` stands for ``name``.

    A ``*`` at the end stands for any rest, none included; anywhere else it is an ordinary character.
    ``\*`` at the end is an ordinary star: ``exactly`` writes it.
    """
    if pattern.endswith(r"\*"):
        return name == pattern[:-2] + "*"
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    return name == pattern


def exactly(name: str) -> str:
    r"""Return the pattern that stands for ``name`` only, which differs when it ends with a star."""
    return name[:-1] + r"\*" if name.endswith("*") else name


def _fault(name: str) -> str | None:
    if not name.strip():
        return "is blank"
    if len(name) > MAX_LENGTH:
        return f"is longer than {MAX_LENGTH} characters"
    if "\0" in name:
        return "holds a NUL"
    if not name.isascii() and any("\ud800" <= char <= "\udfff" for char in name):
        return "holds a lone surrogate"
    return None
