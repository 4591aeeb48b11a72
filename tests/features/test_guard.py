"""The guard: a compaction that a person asks for is held once when work of this session was not saved."""

from __future__ import annotations

import pytest
from tests.features.hook_kit import SESSION, Hooks, Said


@pytest.fixture
def blocking(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> Hooks:
    monkeypatch.setenv("OMOIDE_GUARD", "block")
    return hooks


def worked(hooks: Hooks, session: str = SESSION, edits: int = 5) -> None:
    """Let a session edit files."""
    hooks.say("Change the tax.", session=session)
    for number in range(edits):
        call = {"tool_name": "Edit", "tool_input": {"file_path": f"src/{number}.py"}, "tool_response": {}}
        hooks("claude-code", "PostToolUse", hooks.common("PostToolUse", session) | call)


def saved(hooks: Hooks, session: str = SESSION, response: object = None, tool: str = "history_save") -> None:
    """Let a session save something with our server, or try to."""
    answer = {"structuredContent": {"result": "2026-11-30_shop_001"}} if response is None else response
    call = {"tool_name": f"mcp__omoide__{tool}", "tool_input": {"text": "..."}, "tool_response": answer}
    hooks("claude-code", "PostToolUse", hooks.common("PostToolUse", session) | call)


def compact(hooks: Hooks, trigger: str = "manual", session: str = SESSION) -> Said:
    return hooks("claude-code", "PreCompact", hooks.common("PreCompact", session) | {"trigger": trigger})


def later(hooks: Hooks) -> None:
    """Let what two hooks of one moment agree on pass."""
    for claim in (hooks.folder / "claims").iterdir():
        claim.unlink()


def test_by_default_it_captures_and_lets_pass(hooks: Hooks) -> None:
    worked(hooks)
    assert compact(hooks) == Said("", "", 0)
    hooks.work()
    assert hooks.found("tax") == ["Change the tax."]


def test_unsaved_work_holds_it_with_the_reason_on_standard_error(blocking: Hooks) -> None:
    worked(blocking)
    said = compact(blocking)
    assert said.status == 2
    assert "compact again" in said.err
    assert said.json == {"decision": "block", "reason": said.err.strip()}


@pytest.mark.parametrize("language,words", [("fr", "compactez de nouveau"), ("ja", "もう一度圧縮")])
def test_the_reason_is_in_the_language_of_the_person(
    blocking: Hooks, monkeypatch: pytest.MonkeyPatch, language: str, words: str
) -> None:
    monkeypatch.setenv("OMOIDE_LANG", language)
    worked(blocking)
    assert words in compact(blocking).err


def test_it_is_captured_before_it_is_held(blocking: Hooks) -> None:
    worked(blocking)
    compact(blocking)
    blocking.work()
    assert blocking.found("tax") == ["Change the tax."]


def test_the_second_try_passes(blocking: Hooks) -> None:
    worked(blocking)
    assert compact(blocking).status == 2
    later(blocking)
    assert compact(blocking).status == 0


def test_a_try_right_after_passes_too(blocking: Hooks) -> None:
    worked(blocking)
    assert compact(blocking).status == 2
    assert compact(blocking).status == 0


def test_it_is_held_again_after_it_passed_and_more_was_done(blocking: Hooks) -> None:
    worked(blocking)
    compact(blocking)
    later(blocking)
    compact(blocking)
    later(blocking)
    worked(blocking)
    assert compact(blocking).status == 2


def test_a_compaction_that_the_host_tells_of_afterwards_counts_too(blocking: Hooks) -> None:
    worked(blocking)
    assert compact(blocking).status == 2
    assert compact(blocking).status == 0
    blocking.claude("SessionStart", source="compact")
    later(blocking)
    assert compact(blocking).status == 0
    worked(blocking)
    later(blocking)
    assert compact(blocking).status == 2


def test_an_automatic_one_is_never_held(blocking: Hooks) -> None:
    worked(blocking)
    assert compact(blocking, "auto") == Said("", "", 0)


def test_one_of_which_nobody_says_who_asked_is_never_held(blocking: Hooks) -> None:
    worked(blocking)
    assert blocking.claude("PreCompact").status == 0


def test_nothing_is_held_after_a_save(blocking: Hooks) -> None:
    worked(blocking)
    saved(blocking)
    assert compact(blocking).status == 0


@pytest.mark.parametrize("tool", ["remember", "revise", "supersede"])
def test_a_memory_is_a_save_too(blocking: Hooks, tool: str) -> None:
    worked(blocking)
    saved(blocking, tool=tool)
    assert compact(blocking).status == 0


def test_work_after_the_save_counts(blocking: Hooks) -> None:
    saved(blocking)
    worked(blocking)
    assert compact(blocking).status == 2


@pytest.mark.parametrize(
    "answer",
    [
        {"isError": True, "content": [{"type": "text", "text": "too large"}]},
        {"structuredContent": {"saved": False, "spooled": False}},
        {"structuredContent": {"result": "x", "known": True}},
        '{"error": {"code": "invalid_input"}}',
    ],
)
def test_a_refused_or_known_save_saves_nothing(blocking: Hooks, answer: object) -> None:
    worked(blocking)
    saved(blocking, response=answer)
    assert compact(blocking).status == 2


def test_the_save_of_another_session_saves_nothing_of_this_one(blocking: Hooks) -> None:
    worked(blocking)
    saved(blocking, session="another")
    assert compact(blocking).status == 2


def test_reading_alone_is_not_held(blocking: Hooks) -> None:
    blocking.say("What does this do?")
    blocking.claude("PostToolUse", tool_name="Read", tool_input={"file_path": "a.py"}, tool_response={})
    assert compact(blocking).status == 0


def test_a_long_conversation_without_edits_counts_as_work(blocking: Hooks) -> None:
    blocking.say("Decide how taxes are rounded. " * 2_000)
    assert compact(blocking).status == 2


def test_time_alone_changes_nothing(blocking: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    worked(blocking)
    saved(blocking)
    now = time.time() + 86_400
    monkeypatch.setattr(time, "time", lambda: now)
    assert compact(blocking).status == 0


def test_codex_is_held_by_its_own_word(blocking: Hooks) -> None:
    worked(blocking)
    payload = blocking.common("PreCompact") | {"turn_id": "1", "model": "gpt-5", "trigger": "manual"}
    said = blocking("codex", "PreCompact", payload)
    assert (said.status, said.err) == (0, "")
    assert said.json.keys() == {"continue", "stopReason"}
    assert said.json["continue"] is False


@pytest.mark.parametrize("host,event", [("gemini", "PreCompress"), ("cursor", "preCompact"), ("vscode", "PreCompact")])
def test_a_host_that_cannot_be_held_captures(blocking: Hooks, host: str, event: str) -> None:
    worked(blocking)
    said = blocking(host, event, blocking.common(event) | {"trigger": "manual"})
    assert (said.out, said.err, said.status) == ("", "", 0)
    assert blocking.captures()


def test_vs_code_with_the_settings_of_claude_code_is_not_held(blocking: Hooks) -> None:
    worked(blocking)
    payload = {"sessionId": SESSION, "hookEventName": "PreCompact", "trigger": "manual", "cwd": str(blocking.project)}
    said = blocking("claude-code", "PreCompact", payload)
    assert (said.out, said.err, said.status) == ("", "", 0)


def test_off_neither_holds_nor_captures(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMOIDE_GUARD", "off")
    worked(hooks)
    assert compact(hooks).status == 0
    assert hooks.captures() == []


def test_a_setting_that_cannot_be_counts_as_the_default_and_shows(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    from omoide.beside.failures import failures

    monkeypatch.setenv("OMOIDE_GUARD", "always")
    worked(hooks)
    assert compact(hooks).status == 0
    assert "always" in failures(hooks.store)[0]["error"]


def test_the_configuration_decides_for_one_project(blocking: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMOIDE_GUARD")
    config = blocking.root / "config.toml"
    config.write_text('[projects."example.com/acme/shop"]\nguard = "block"\n', encoding="utf-8")
    worked(blocking)
    assert compact(blocking).status == 2
    elsewhere = blocking.common("PreCompact") | {"trigger": "manual", "cwd": str(blocking.root)}
    later(blocking)
    assert blocking("claude-code", "PreCompact", elsewhere).status == 0
