"""The fast path of a hook: what it loads, what it reads, how it ends when something fails on our side."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.features.hook_kit import Hooks

from omoide.beside.failures import failures

RUN = "import sys; sys.argv[0] = 'omoide'; from omoide.__main__ import main; code = main(); "
COUNT = RUN + "print('\\n' + ' '.join(sorted(sys.modules)), file=sys.stderr); sys.exit(code)"
LIGHT = ["Stop", "SessionEnd", "PostToolUse", "Notification", "PostCompact", "SubagentStop"]
HEAVY = (
    "apsw",
    "numpy",
    "click",
    "rich",
    "mcp",
    "onnxruntime",
    "Stemmer",
    "re2",
    "platformdirs",
    "tomlkit",
    "rapidfuzz",
)


def process(hooks: Hooks, event: str, payload: Any, code: str = COUNT, **environment: str) -> Any:
    """Run a hook as the process that a host starts."""
    words = ["hook", "claude-code", event, "--store", hooks.store]
    made = {**os.environ, "PYTHONUTF8": "0", **environment}
    given = json.dumps(payload).encode()
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *words], input=given, capture_output=True, env=made, check=False
    )


@pytest.mark.parametrize("event", LIGHT)
def test_only_the_standard_library_and_a_few_files_of_ours_are_loaded(hooks: Hooks, event: str) -> None:
    hooks.say("Said.")
    done = process(hooks, event, hooks.common(event) | {"tool_name": "Read", "tool_input": {"file_path": "a.py"}})
    modules = done.stderr.decode().split()
    assert done.returncode == 0
    assert not {name for name in modules if name.partition(".")[0] in HEAVY}
    ours = [name for name in modules if name.partition(".")[0] == "omoide"]
    assert len(ours) <= 32, ours
    assert len(modules) <= 190


def test_a_step_opens_no_store_that_nobody_wrote_to_since_the_last(hooks: Hooks) -> None:
    hooks.remember("Something.", triggers=["elsewhere/*"])
    for path in Path(hooks.store).parent.glob("agents.db*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    payload = hooks.common("PostToolUse") | {"tool_name": "Read", "tool_input": {"file_path": "a.py"}}
    assert "apsw" in process(hooks, "PostToolUse", payload).stderr.decode().split()
    assert "apsw" not in process(hooks, "PostToolUse", payload).stderr.decode().split()


def test_a_start_loads_the_database_and_neither_numpy_nor_a_model(hooks: Hooks) -> None:
    hooks.remember("Never push to main.", importance="critical")
    done = process(hooks, "SessionStart", hooks.common("SessionStart") | {"source": "startup"})
    modules = done.stderr.decode().split()
    assert "Never push" in done.stdout.decode()
    assert "apsw" in modules
    assert not {"numpy", "onnxruntime", "click", "rich", "mcp", "omoide.memory"} & set(modules)


def test_the_transcript_is_not_read_by_the_hook(hooks: Hooks) -> None:
    path = hooks.say("Said.")
    before = path.stat().st_atime_ns
    os.utime(path, ns=(before - 10**12, path.stat().st_mtime_ns))
    opened = "import sys; sys.addaudithook(lambda name, args: name == 'open' and print(args[0], file=sys.stderr)); "
    done = process(hooks, "SessionEnd", hooks.common("SessionEnd"), opened + RUN)
    assert str(path) not in done.stderr.decode()


def test_a_payload_is_read_up_to_a_limit(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    from omoide.capture import payload

    monkeypatch.setattr(payload, "MOST_READ", 2_000)
    raw = json.dumps({**hooks.common("SessionEnd"), "tool_response": "x" * 100_000}).encode()
    hooks.say("Kept.")
    hooks("claude-code", "SessionEnd", raw)
    assert [row["session"] for row in hooks.captures()] == [hooks.common("Stop")["session_id"]]


def test_output_is_utf_8_whatever_the_system_says(hooks: Hooks) -> None:
    hooks.remember("コミットの前に必ずテストを実行する。", importance="critical")
    done = process(hooks, "SessionStart", hooks.common("SessionStart"), LC_ALL="C", PYTHONIOENCODING="ascii")
    assert "必ずテスト" in json.loads(done.stdout.decode("utf-8"))["hookSpecificOutput"]["additionalContext"]


def test_a_hook_without_input_ends(hooks: Hooks) -> None:
    words = [sys.executable, "-P", "-m", "omoide", "hook", "claude-code", "Stop", "--store", hooks.store]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_an_input_that_never_ends_is_given_up(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [sys.executable, "-P", "-c", "import omoide.capture.hook as h; h.LIMIT = 0.3; " + RUN]
    command = [*words, "hook", "claude-code", "Stop", "--store", hooks.store]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        out, err = running.stdout, running.stderr
        assert running.wait(timeout=60) == 0
        assert out is not None
        assert err is not None
        assert (out.read(), err.read()) == (b"", b"")
    assert "too long" in failures(hooks.store)[0]["error"]


def test_a_host_that_does_not_listen_breaks_nothing(hooks: Hooks) -> None:
    hooks.remember("Never push to main.", importance="critical")
    words = [sys.executable, "-P", "-m", "omoide", "hook", "claude-code", "SessionStart", "--store", hooks.store]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdin is not None
        running.stdout.close()
        running.stdin.write(json.dumps(hooks.common("SessionStart")).encode())
        running.stdin.close()
        assert running.wait(timeout=60) == 0


class TestOurFailures:
    """Whatever is wrong on our side, the host sees nothing of it, and doctor does."""

    def test_a_folder_that_cannot_be_written(self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
        hooks.folder.parent.mkdir(parents=True, exist_ok=True)
        hooks.folder.write_text("a file is in the way", encoding="utf-8")
        for event in ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd", "PostToolUse"):
            said = hooks.claude(event, prompt="x", tool_name="Edit", tool_input={"file_path": "a"})
            assert (said.out, said.err, said.status) == ("", "", 0)
        found = failures(hooks.store)
        assert len(found) == 6
        assert (hooks.home / ".omoide" / "failures.jsonl").exists()

    def test_a_configuration_that_does_not_parse(self, hooks: Hooks) -> None:
        (hooks.root / "config.toml").write_text("guard = [", encoding="utf-8")
        hooks.remember("Shown all the same.", importance="critical")
        assert "Shown" in hooks.claude("SessionStart").context
        assert "config.toml" in failures(hooks.store)[0]["error"]

    def test_a_store_that_somebody_holds(self, hooks: Hooks) -> None:
        from omoide import Memory

        hooks.remember("Readers do not wait.", importance="critical")
        with Memory(hooks.store, embedder="none") as memory, memory._ctx.store.write(memory._ctx.voice()):
            assert "Readers" in hooks.claude("SessionStart").context
            hooks.say("Captured later.")
            assert hooks.claude("SessionEnd").status == 0

    def test_a_failure_names_the_error_and_no_text_of_the_payload(
        self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from omoide.capture import capturing

        def fail(*_: object) -> None:
            raise RuntimeError("boom")

        monkeypatch.setattr(capturing, "accept", fail)
        said = hooks.claude("SessionEnd", prompt="a private thing")
        assert (said.out, said.err, said.status) == ("", "", 0)
        (found,) = failures(hooks.store)
        assert "RuntimeError: boom" in found["error"]
        assert "private" not in json.dumps(found)

    def test_the_list_of_failures_does_not_grow_without_end(self, hooks: Hooks) -> None:
        from omoide.beside.failures import MOST, failed

        for number in range(1_200):
            failed(hooks.store, "hook", f"{number} " + "x" * 400, "2026-11-29T00:00:00Z")
        assert Path(hooks.folder / "failures.jsonl").stat().st_size <= MOST
        assert failures(hooks.store)[0]["error"].startswith("1199 ") or failures(hooks.store)


class TestDefaults:
    """A hook that is pinned to no store uses the one that is configured."""

    def run(self, hooks: Hooks, *options: str) -> None:
        import io

        from omoide.capture import hook

        raw = json.dumps(hooks.common("SessionEnd")).encode()
        hooks.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        assert hook.main(["claude-code", "SessionEnd", *options]) == 0

    def test_the_store_of_the_home_folder(self, hooks: Hooks) -> None:
        self.run(hooks)
        assert (hooks.home / ".omoide" / "agents.db-capture" / "inbox").exists()

    def test_the_store_of_the_environment(self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMOIDE_STORE", str(hooks.root / "other.db"))
        self.run(hooks)
        assert (hooks.root / "other.db-capture" / "inbox").exists()

    def test_the_store_of_the_configuration(self, hooks: Hooks) -> None:
        place = hooks.root / "configured.db"
        (hooks.root / "config.toml").write_text(f"store = {json.dumps(str(place))}\n", encoding="utf-8")
        self.run(hooks)
        assert Path(f"{place}-capture").exists()

    @pytest.mark.parametrize("name", ["with space/私の 記憶.db", "quote'd/a.db"])
    def test_any_path(self, hooks: Hooks, name: str) -> None:
        place = str(hooks.root / name)
        self.run(hooks, "--store", place)
        assert Path(f"{place}-capture").exists()


class TestChoices:
    """What was chosen is kept, and read again when something that decides it changed."""

    def shown(self, hooks: Hooks, session: str) -> str:
        return hooks("claude-code", "SessionStart", hooks.common("SessionStart", session)).context

    def test_a_second_start_reads_no_configuration(self, hooks: Hooks) -> None:
        hooks.remember("Never push to main.", importance="critical")
        self.shown(hooks, "first")
        done = process(hooks, "SessionStart", hooks.common("SessionStart", "second"))
        assert "Never push" in done.stdout.decode()
        modules = set(done.stderr.decode().split())
        assert not {"tomllib", "platformdirs", "configparser", "omoide.serve.settings"} & modules

    def test_a_changed_configuration_counts_at_once(self, hooks: Hooks) -> None:
        hooks.remember("Never push to main.", importance="critical")
        assert self.shown(hooks, "first") != ""
        (hooks.root / "config.toml").write_text('inject = "off"\n', encoding="utf-8")
        assert self.shown(hooks, "second") == ""

    def test_a_changed_environment_counts_at_once(self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
        hooks.remember("Never push to main.", importance="critical")
        assert self.shown(hooks, "first") != ""
        monkeypatch.setenv("OMOIDE_INJECT", "off")
        assert self.shown(hooks, "second") == ""

    def test_a_repository_that_got_another_address_is_another_project(self, hooks: Hooks) -> None:
        hooks.remember("Amounts are in cents.", project="example.com/acme/shop")
        assert "cents" in self.shown(hooks, "first")
        config = '[remote "origin"]\n\turl = git@example.com:acme/moved.git\n'
        (hooks.project / ".git" / "config").write_text(config, encoding="utf-8")
        assert "cents" not in self.shown(hooks, "second")

    def test_a_folder_that_becomes_a_repository_is_a_project(self, hooks: Hooks) -> None:
        inner = hooks.root / "new"
        inner.mkdir()
        hooks.remember("Amounts are in cents.", project=inner.resolve().as_posix())
        payload = hooks.common("SessionStart", "first") | {"cwd": str(inner)}
        assert hooks("claude-code", "SessionStart", payload).context == ""
        (inner / ".git").mkdir()
        assert "cents" in hooks("claude-code", "SessionStart", payload | {"session_id": "second"}).context
