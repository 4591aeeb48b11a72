"""Capture: what hooks accept is in the store after the worker, once, whatever was killed or fired twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.features.hook_kit import SESSION, Hooks

from omoide import History


def test_what_was_said_is_found_after_the_end_of_a_session(hooks: Hooks) -> None:
    hooks.say("Rotate the token of the billing service.", "請求サービスのトークンを更新する。")
    said = hooks.claude("SessionEnd", reason="other")
    assert (said.out, said.err, said.status) == ("", "", 0)
    hooks.work()
    assert hooks.found("billing token") == ["Rotate the token of the billing service."]
    assert hooks.found("請求サービス") == ["請求サービスのトークンを更新する。"]


@pytest.mark.parametrize("event", ["PreCompact", "Stop", "SessionEnd", "Notification"])
def test_each_of_the_moments_captures(hooks: Hooks, event: str) -> None:
    hooks.say("Kept at every moment.")
    hooks.claude(event, trigger="auto")
    hooks.work()
    assert hooks.found("moment") == ["Kept at every moment."]


def test_an_accepted_event_is_in_the_ledger_before_anything_was_stored(hooks: Hooks) -> None:
    hooks.say("Not yet.")
    hooks.claude("SessionEnd")
    (row,) = hooks.captures()
    assert (row["state"], row["session"], row["host"], row["moment"]) == ("accepted", SESSION, "claude-code", "end")
    assert hooks.found("Not yet") == []


def test_a_stored_event_says_how_much_was_new(hooks: Hooks) -> None:
    hooks.say("One.", "Two.")
    hooks.claude("SessionEnd")
    hooks.work()
    (row,) = hooks.captures()
    assert (row["state"], row["new"], row["turns"], row["tries"]) == ("stored", 2, 2, 1)


def test_the_tail_alone_is_read_the_second_time(hooks: Hooks) -> None:
    hooks.say("First part.")
    hooks.claude("PreCompact", trigger="auto")
    hooks.work()
    hooks.say("Second part.")
    hooks.claude("SessionEnd")
    hooks.work()
    assert [row["new"] for row in hooks.captures()] == [1, 1]
    assert sorted(hooks.found("part")) == ["First part.", "Second part."]


def test_two_hooks_that_fire_for_one_thing_make_one_record(hooks: Hooks) -> None:
    hooks.say("Said once.")
    for _ in range(2):
        hooks.claude("SessionEnd")
    assert len(list((hooks.folder / "inbox").iterdir())) == 1
    hooks.work()
    assert hooks.found("once") == ["Said once."]


def test_a_second_hook_that_comes_after_the_worker_stores_nothing_twice(hooks: Hooks) -> None:
    hooks.say("Said once.")
    for _ in range(2):
        hooks.claude("SessionEnd")
        hooks.work()
    assert hooks.found("once") == ["Said once."]
    assert len(hooks.captures()) == 1


def test_vs_code_that_reads_the_settings_of_claude_code_is_vs_code(hooks: Hooks) -> None:
    payload = {
        "timestamp": "2026-11-29T10:00:00Z", "cwd": str(hooks.project), "sessionId": "vs-1", "hookEventName": "Stop",
        "transcript_path": str(hooks.say("Written by another host.")),
    }  # fmt: skip
    hooks("claude-code", "Stop", payload)
    assert [(row["host"], row["session"]) for row in hooks.captures()] == [("vscode", "vs-1")]


def test_a_half_written_last_line_is_read_when_it_is_whole(hooks: Hooks) -> None:
    path = hooks.say("Whole.", "Cut in the middle.")
    raw = path.read_bytes()
    path.write_bytes(raw[:-30])
    hooks.claude("Stop")
    hooks.work()
    assert hooks.found("Cut middle") == []
    path.write_bytes(raw)
    hooks.claude("SessionEnd")
    hooks.work()
    assert hooks.found("Cut middle") == ["Cut in the middle."]


def test_a_transcript_that_was_rewritten_shorter_is_read_anew(hooks: Hooks) -> None:
    path = hooks.say(*(f"Line {number}." for number in range(20)))
    hooks.claude("Stop")
    hooks.work()
    path.unlink()
    hooks.say("After the rewrite.")
    hooks.claude("SessionEnd")
    hooks.work()
    assert hooks.found("rewrite") == ["After the rewrite."]


def test_secrets_never_reach_the_files_of_hooks_or_the_store(hooks: Hooks) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    hooks.say(f"The token is {secret}, keep it.")
    call = {
        "command": f"curl -H 'Authorization: {secret}' https://x",
        "file_path": f"/srv/{secret}/password=hunter2horse",
    }
    hooks.claude("PostToolUse", tool_name="Edit", tool_input=call, tool_response={"stdout": secret})
    hooks.claude("SessionEnd")
    hooks.work()
    everything = b"".join(path.read_bytes() for path in Path(hooks.store).parent.rglob("*") if path.is_file())
    assert secret.encode() not in everything
    assert b"hunter2horse" not in everything
    assert hooks.found("token keep") != []


class TestThresholds:
    """The end of each turn is not worth a worker."""

    def test_the_first_end_of_a_turn_is_captured(self, hooks: Hooks) -> None:
        hooks.say("Hello.")
        hooks.claude("Stop")
        assert len(hooks.captures()) == 1

    def test_a_small_turn_right_after_waits(self, hooks: Hooks) -> None:
        hooks.say("Hello.")
        hooks.claude("Stop")
        hooks.say("And so on.")
        hooks.claude("Stop")
        assert len(hooks.captures()) == 1

    def test_a_large_turn_does_not_wait(self, hooks: Hooks) -> None:
        hooks.say("Hello.")
        hooks.claude("Stop")
        hooks.say("x" * 20_000)
        hooks.claude("Stop")
        assert len(hooks.captures()) == 2

    def test_what_waited_is_taken_at_the_end_whatever_its_size(self, hooks: Hooks) -> None:
        hooks.say("Hello.")
        hooks.claude("Stop")
        hooks.work()
        hooks.say("A small tail.")
        hooks.claude("Stop")
        hooks.claude("SessionEnd")
        hooks.work()
        assert hooks.found("small tail") == ["A small tail."]


class TestFailures:
    """Nothing is given up in silence."""

    def test_a_transcript_that_is_gone_is_a_failed_capture(self, hooks: Hooks) -> None:
        path = hooks.say("Soon gone.")
        hooks.claude("SessionEnd")
        path.unlink()
        hooks.work()
        (row,) = hooks.captures()
        assert (row["state"], row["reason"]) == ("failed", "the transcript is gone")

    def test_a_session_in_which_nothing_was_said_is_no_failure(self, hooks: Hooks) -> None:
        hooks.claude("SessionEnd")
        hooks.work()
        assert [row["state"] for row in hooks.captures()] == ["stored"]

    def test_a_transcript_of_half_a_line_is_no_failure(self, hooks: Hooks) -> None:
        path = hooks.say("Begun a moment ago.")
        raw = path.read_bytes()
        path.write_bytes(raw[:40])
        hooks.claude("Stop")
        hooks.work()
        assert [row["state"] for row in hooks.captures()] == ["pending"]
        path.write_bytes(raw)
        hooks.claude("SessionEnd")
        hooks.work()
        assert {row["state"] for row in hooks.captures()} == {"stored"}
        assert hooks.found("Begun") == ["Begun a moment ago."]

    def test_what_is_no_transcript_is_given_up(self, hooks: Hooks) -> None:
        path = hooks.say("x")
        path.write_bytes(b"\x00\x01 no transcript")
        hooks.claude("SessionEnd")
        for _ in range(5):
            hooks.work()
        assert [row["state"] for row in hooks.captures()] == ["failed"]

    def test_a_busy_store_is_tried_again_by_the_next_worker(
        self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from omoide.capture import taking

        hooks.say("Patience.")
        hooks.claude("SessionEnd")
        hooks.remember("there is a store")
        with History(hooks.store, embedder="none") as blocker, blocker._ctx.store.write(blocker._ctx.voice()):
            monkeypatch.setattr("omoide.capture.working.BUSY", 0.05)
            hooks.work()
        (row,) = hooks.captures()
        assert (row["state"], row["tries"]) == ("pending", 1)
        hooks.work()
        assert hooks.found("Patience") == ["Patience."]
        assert taking.TRIES > 2

    def test_a_record_that_kills_every_worker_is_given_up_and_listed(self, hooks: Hooks) -> None:
        from omoide.beside import ledger

        hooks.say("Never read.")
        hooks.claude("SessionEnd")
        ((key, record),) = ledger.inbox(hooks.store)
        ledger.note(hooks.store, key, record, "pending", "2026-11-29T00:00:00Z", tries=5)
        hooks.work()
        (row,) = hooks.captures()
        assert row["state"] == "failed"
        assert "5 tries" in row["reason"]

    def test_a_file_in_the_inbox_that_is_no_record_is_set_apart(self, hooks: Hooks) -> None:
        hooks.say("Fine.")
        hooks.claude("SessionEnd")
        (hooks.folder / "inbox" / "junk.json").write_text("{not json", encoding="utf-8")
        hooks.work()
        assert hooks.found("Fine") == ["Fine."]
        assert list((hooks.folder / "inbox").iterdir()) == []


class TestTrace:
    """A trace names paths and programs, and nothing else of what was done."""

    def lines(self, hooks: Hooks, **call: Any) -> list[dict[str, Any]]:
        hooks.claude("PostToolUse", tool_response={}, **call)
        path = hooks.folder / "traces" / f"{SESSION}.jsonl"
        raw = path.read_text(encoding="utf-8") if path.exists() else ""
        return [json.loads(line) for line in raw.splitlines() if line.strip()]

    def test_an_edit_leaves_its_path(self, hooks: Hooks) -> None:
        found = self.lines(
            hooks, tool_name="Write", tool_input={"file_path": "src/日本/税.py", "content": "secret text"}
        )
        assert [line["paths"] for line in found if line["k"] == "edit"] == [["src/日本/税.py"]]
        assert "secret text" not in json.dumps(found)

    @pytest.mark.parametrize(
        "command,programs",
        [
            ("ssh host uptime", ["ssh"]),
            ("timeout 5 ssh host", ["ssh"]),
            ("cat <(kubectl get pods)", ["kubectl"]),
            ('bash -c "scp a b"', ["scp"]),
            ("sudo -u postgres psql -c 'select 1'", ["psql"]),
            ("FOO=1 env BAR=2 /usr/bin/terraform apply | tee log && rsync a b", ["rsync", "terraform"]),
            ("echo ssh is nice", []),
            ("./deploy.sh production", []),
        ],
    )
    def test_a_command_leaves_the_names_of_known_programs_alone(
        self, hooks: Hooks, command: str, programs: list[str]
    ) -> None:
        found = self.lines(hooks, tool_name="Bash", tool_input={"command": command})
        assert [line["programs"] for line in found if line["k"] == "run"] == ([programs] if programs else [])
        assert "production" not in json.dumps(found)
        assert "select" not in json.dumps(found)

    def test_a_patch_of_codex_leaves_the_files_that_it_names(self, hooks: Hooks) -> None:
        patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: src/b.py\n+z\n*** End Patch"
        found = self.lines(hooks, tool_name="apply_patch", tool_input={"command": patch})
        assert [line["paths"] for line in found if line["k"] == "edit"] == [["src/a.py", "src/b.py"]]
