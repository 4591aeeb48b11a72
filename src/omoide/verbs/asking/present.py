"""Answers about today as they should be shown: subjects by their present name, citations as last checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from omoide.store.sqlite.citations import worst
from omoide.store.sqlite.transaction import Read
from omoide.types import Hit, MemoryRecord
from omoide.verbs.asking.names import renames

A = TypeVar("A", Hit, MemoryRecord)


def present(tx: Read, answers: Sequence[A], *, past: bool) -> list[A]:
    """Return the answers with today's names and findings; those about the past as they are."""
    if past:
        return list(answers)
    return _checked(tx, _named(tx, list(answers)))


def _named(tx: Read, answers: list[A]) -> list[A]:
    about = {(answer.namespace, answer.subject) for answer in answers if answer.subject is not None}
    if not about:
        return answers
    spaces = {namespace: tx.namespaces.id(namespace) for namespace, _ in about}
    renaming = {namespace: ns for namespace, ns in spaces.items() if ns is not None and renames(tx, ns)}
    if not renaming:
        return answers
    titles = {
        (namespace, subject): tx.aliases.title(renaming[namespace], subject)
        for namespace, subject in about
        if namespace in renaming
    }
    changed = {key for key, title in titles.items() if title != key[1]}
    return [
        replace(answer, subject=titles[key]) if (key := (answer.namespace, answer.subject)) in changed else answer
        for answer in answers
    ]


def _checked(tx: Read, answers: list[A]) -> list[A]:
    citing = [answer.id for answer in answers if _cites(answer)]
    if not citing:
        return answers
    found = tx.citations.of(citing)
    return [_with_finding(answer, worst(_cites(answer), found.get(answer.id, {}))) for answer in answers]


def _with_finding(answer: A, finding: str | None) -> A:
    if finding in (None, "current") or answer.status != "current":
        return answer
    return replace(answer, status=finding)


def _cites(answer: Hit | MemoryRecord) -> tuple[str, ...]:
    documents = isinstance(answer, Hit) and answer.origin != "memory"
    return () if documents or answer.provenance is None else answer.provenance.cites
