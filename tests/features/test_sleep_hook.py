"""Hooks consolidate in the background when a run is due, for people who switched that on."""

from __future__ import annotations

import pytest
from tests.features.hook_kit import Hooks

from omoide import Memory

SESSIONS = tuple(f"0000000{number}-7cfc-4447-9ddd-3ca8d14e02e9" for number in range(3))


def ended(hooks: Hooks, sessions: tuple[str, ...]) -> None:
    """Let sessions end, each after somebody said something in it, and let the worker take them in."""
    for session in sessions:
        hooks.say(f"The harbour of {session} is closed.", session=session)
        hooks("claude-code", "SessionEnd", hooks.common("SessionEnd", session))
    hooks.work()


def runs(hooks: Hooks) -> int:
    with Memory(hooks.store, embedder="none") as mem:
        return sum(each.op == "propose" for each in mem.audit())


def long_note(hooks: Hooks) -> None:
    hooks.remember("The release needs two people. " + "Then it waits for the night and the checks pass. " * 20)


def test_the_worker_consolidates_when_a_run_is_due(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMOIDE_CONSOLIDATE", "due")
    long_note(hooks)
    ended(hooks, SESSIONS)
    with Memory(hooks.store, embedder="none") as mem:
        assert [each.kind for each in mem.proposals()] == ["retitle"]


def test_it_waits_for_enough_conversations(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMOIDE_CONSOLIDATE", "due")
    long_note(hooks)
    ended(hooks, SESSIONS[:1])
    assert runs(hooks) == 0


def test_nobody_who_did_not_ask_for_it_gets_it(hooks: Hooks) -> None:
    long_note(hooks)
    ended(hooks, SESSIONS)
    assert runs(hooks) == 0


def test_a_store_that_switched_consolidation_off_is_left_alone(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMOIDE_CONSOLIDATE", "due")
    long_note(hooks)
    with Memory(hooks.store, embedder="none") as mem:
        mem.sleep_settings(enabled=False)
    ended(hooks, SESSIONS)
    assert runs(hooks) == 0
