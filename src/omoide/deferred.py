"""Modules that are loaded when they are first used, so that a process pays only for the verbs it calls."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Deferred:
    """Stands for a module; its attributes are the module's."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)

    def __repr__(self) -> str:
        return f"<deferred module {self._name}>"


def deferred(name: str) -> Any:
    """Return what stands for the module ``name`` until something of it is used.

    Beside it belongs, for type checkers, the import itself under ``if TYPE_CHECKING``.
    """
    return _Deferred(name)
