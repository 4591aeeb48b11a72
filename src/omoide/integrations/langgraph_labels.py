"""LangGraph's namespace tuples as names of omoide's namespaces, and back without loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, unquote


class Labels:
    """Joins the labels of a namespace by ``separator``; what a name cannot hold is written as ``%XX``."""

    def __init__(self, separator: str) -> None:
        self._separator = separator

    def name(self, labels: Sequence[str]) -> str:
        """Return the omoide namespace of a tuple."""
        return self._separator.join(self._escaped(label) for label in labels)

    def labels(self, name: str) -> tuple[str, ...]:
        """Return the tuple of an omoide namespace."""
        return tuple(unquote(label) for label in name.split(self._separator))

    def _escaped(self, label: str) -> str:
        plain = all(char.isprintable() and char not in "%*" and char not in self._separator for char in label)
        return label if plain and label == label.strip() else "".join(self._char(char) for char in label)

    def _char(self, char: str) -> str:
        if char.isalnum() and char not in self._separator:
            return char
        return quote(char, safe="") if char not in self._separator else "".join(f"%{b:02X}" for b in char.encode())


def starts(labels: Sequence[str], prefix: Sequence[str]) -> bool:
    """Say whether a namespace lies below a prefix of whole labels."""
    return tuple(labels[: len(prefix)]) == tuple(prefix)


def matches(labels: Sequence[str], condition: Any) -> bool:
    """Say whether a namespace begins or ends as LangGraph's condition says; ``*`` stands for any one label."""
    path = tuple(condition.path)
    if len(path) > len(labels):
        return False
    part = labels[: len(path)] if condition.match_type == "prefix" else labels[len(labels) - len(path) :]
    return all(wanted in {"*", label} for wanted, label in zip(path, part, strict=True))
