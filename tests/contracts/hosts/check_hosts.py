"""What set-up writes, read by the hosts themselves: their programs come from npm and PyPI, pinned.

Needs npm; where there is none, or a program does not start here, the checks are skipped and say so. The programs get
a home folder of their own and, where the system can do it, no network.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import venv
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / ".cache" / "contracts" / "hosts-npm"
PACKAGES = {
    "claude": "@anthropic-ai/claude-code@2.1.332",
    "codex": "@openai/codex@0.171.0",
    "gemini": "@google/gemini-cli@0.61.0",
    "copilot": "@github/copilot@1.0.102",
    "opencode": "opencode-ai@1.18.33",
}
HERMES = "hermes-agent==0.19.0"
SKILLS = ["omoide-analyze", "omoide-map-reduce", "omoide-recall", "omoide-save"]
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "COPILOT_AUTO_UPDATE": "false",
    "GEMINI_CLI_TRUST_WORKSPACE": "true", "OMOIDE_EMBEDDER": "none", "OMOIDE_NO_WORKER": "1", "NO_COLOR": "1",
}  # fmt: skip
SERVER_ONLY = "import fcntl, os, socket, struct, sys\n" \
    "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n" \
    "fcntl.ioctl(s, 0x8914, struct.pack('16sh', b'lo', 0x41))\n" \
    "os.execvp(sys.argv[1], sys.argv[1:])\n"
"""Brings up the loopback interface of an empty network and goes on as the program."""


def alone() -> list[str]:
    """Return what a command is put behind so that it reaches nothing but itself."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("unshare") is None:
        return []
    return ["unshare", "-n", sys.executable, "-c", SERVER_ONLY]


class Host:
    """A home folder, a project in it, and the hosts' programs run there."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.project = home / "my work"
        (self.project / ".git").mkdir(parents=True)
        self.environment = {
            **os.environ, **QUIET, "HOME": str(home), "USERPROFILE": str(home), "XDG_CONFIG_HOME": str(home / ".config"),
            "OMOIDE_STORE": str(home / "mémoire.db"),
        }  # fmt: skip

    def omoide(self, *words: str) -> Any:
        done = self._run([sys.executable, "-m", "omoide", "--json", *words])
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def __call__(self, program: str, *words: str, seconds: float = 90) -> str:
        return self.run([*alone(), str(binary(program)), *words], seconds)

    def run(self, words: list[str], seconds: float = 90) -> str:
        """Run a command there; return what it said."""
        done = self._run(words, seconds)
        return done.stdout + done.stderr

    def _run(self, words: list[str], seconds: float = 90) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, env=self.environment, cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=seconds, check=False,
        )  # fmt: skip


def binary(program: str) -> Path:
    """Return a host's program, installed when it is asked for first."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not here")
    folder = CACHE / program
    found = folder / "node_modules" / ".bin" / (f"{program}.cmd" if os.name == "nt" else program)
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGES[program]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not found.exists():
            pytest.skip(f"{PACKAGES[program]} cannot be installed: {done.stderr[-300:]}")
    return found


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "home")


def test_claude_codes_own_validator_passes_the_plugin_and_the_marketplace(host: Host) -> None:
    assert "Validation passed" in host("claude", "plugin", "validate", str(ROOT / "plugin"))
    assert "Validation passed" in host("claude", "plugin", "validate", str(ROOT))


@pytest.mark.timeout(300)
def test_claude_code_connects_to_the_server(host: Host) -> None:
    host.omoide("setup", "claude-code")
    told = host("claude", "mcp", "get", "omoide", seconds=120)
    assert "Connected" in told


def test_codex_reads_the_server_hooks_skills_and_instructions(host: Host) -> None:
    host.omoide("setup", "codex")
    assert "enabled: true" in host("codex", "mcp", "get", "omoide")
    (found,) = asked_of_codex(host, "hooks/list", {"cwds": [str(host.project)]})["data"]
    assert found.get("errors", []) == []
    assert {hook["eventName"] for hook in found["hooks"]} == {
        "sessionStart", "postToolUse", "preCompact", "postCompact", "stop",
    }  # fmt: skip
    assert {hook["trustStatus"] for hook in found["hooks"]} == {"untrusted"}
    shown = host("codex", "debug", "prompt-input", "hello")
    assert "Memory (omoide)" in shown
    assert all(skill in shown for skill in SKILLS)


def asked_of_codex(host: Host, method: str, params: dict[str, Any]) -> Any:
    """Ask Codex's own server one thing."""
    process = subprocess.Popen(
        [*alone(), str(binary("codex")), "app-server"], env=host.environment, cwd=host.project, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    timer = threading.Timer(60, process.kill)
    timer.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        client = {"clientInfo": {"name": "omoide", "version": "1"}}
        asked = [{"id": 1, "method": "initialize", "params": client}, {"method": "initialized"}]
        for line in [*asked, {"id": 2, "method": method, "params": params}]:
            process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        for said in process.stdout:
            answer = json.loads(said)
            if answer.get("id") == 2:
                return answer["result"]
    finally:
        timer.cancel()
        process.kill()
        process.communicate()
    raise AssertionError("Codex did not answer")


def test_gemini_reads_the_server_and_the_skills(host: Host) -> None:
    host.omoide("setup", "gemini")
    assert "omoide: " in host("gemini", "mcp", "list")
    listed = host("gemini", "skills", "list")
    assert all(f"{skill} [Enabled]" in listed for skill in SKILLS)


def test_copilot_reads_the_server_the_skills_and_the_instructions(host: Host) -> None:
    host.omoide("setup", "copilot-cli")
    assert "Status: Enabled" in host("copilot", "mcp", "get", "omoide")
    listed = host("copilot", "skill", "list")
    assert all(skill in listed for skill in SKILLS)
    assert "copilot-instructions.md" in host("copilot", "instruction", "list")


def hermes() -> Path:
    """Return Hermes' program, in an environment of its own."""
    folder = CACHE / "hermes"
    found = folder / ("Scripts/hermes.exe" if os.name == "nt" else "bin/hermes")
    if not found.exists():
        venv.create(folder, with_pip=True)
        pip = [str(found.with_name("python" + found.suffix)), "-m", "pip", "install", "-q", HERMES]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode or not found.exists():
            pytest.skip(f"{HERMES} cannot be installed: {done.stderr[-300:]}")
    return found


@pytest.mark.timeout(600)
def test_hermes_reads_the_server_and_the_skills_and_runs_the_hooks(host: Host) -> None:
    host.omoide("setup", "hermes")
    assert "omoide" in host.run([*alone(), str(hermes()), "mcp", "list"])
    listed = host.run([*alone(), str(hermes()), "skills", "list"])
    assert all(skill in listed for skill in SKILLS)
    for event in ("on_session_start", "pre_llm_call", "on_session_end", "on_session_finalize", "on_session_reset"):
        told = host.run([*alone(), str(hermes()), "hooks", "test", event])
        assert f"omoide hook hermes {event}" in told
        assert "exit=0" in told


def test_opencode_reads_the_server_the_plugin_and_the_skills(host: Host) -> None:
    host.omoide("setup", "opencode")
    told = host("opencode", "debug", "config", "--pure")
    config = json.loads(told[told.index("{") : told.rindex("}") + 1])
    assert config["mcp"]["omoide"]["enabled"] is True
    assert config["plugin"] == [(host.home / ".config/opencode/plugins/omoide.js").as_uri()]
    listed = host("opencode", "debug", "skill", "--pure")
    assert all(skill in listed for skill in SKILLS)


def test_opencodes_plugin_hands_events_over_and_survives_a_program_that_fails(host: Host) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not here")
    host.omoide("setup", "opencode", "--only", "hooks")
    plugin = host.home / ".config/opencode/plugins/omoide.js"
    heard = host.home / "heard.jsonl"
    listener = host.home / "listen.py"
    listener.write_text(
        "import json, sys\n"
        f"open({str(heard)!r}, 'a').write(json.dumps([sys.argv[3], json.load(sys.stdin)]) + '\\n')\n"
        "print('keep the decisions')\n"
    )
    text = plugin.read_text(encoding="utf-8")
    start = text.index("const COMMAND = ")
    words = json.dumps([sys.executable, str(listener), "hook", "opencode", "EVENT"])
    plugin.with_suffix(".mjs").write_text(f"{text[:start]}const COMMAND = {words}\n{text[text.index('const LIMIT'):]}")
    plugin.with_name("broken.mjs").write_text(f"{text[:start]}const COMMAND = ['/gone']\n{text[text.index('const LIMIT'):]}")
    script = """
    const out = { context: [] }
    for (const name of ["omoide.mjs", "broken.mjs"]) {
      const hooks = await (await import(process.argv[1] + "/" + name)).Omoide({ directory: "/work" })
      await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
      await hooks.event({ event: { type: "message.updated", properties: {} } })
      await hooks["experimental.session.compacting"]({ sessionID: "s1" }, out)
    }
    console.log(JSON.stringify(out.context))
    """
    done = subprocess.run(
        [node, "--input-type=module", "-e", script, plugin.parent.as_uri()], capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert json.loads(done.stdout) == ["keep the decisions"], done.stderr
    told = [json.loads(line) for line in heard.read_text().splitlines()]
    assert [event for event, _ in told] == ["session.idle", "experimental.session.compacting"]
    assert told[0][1] == {
        "hook_event_name": "session.idle", "cwd": "/work", "session_id": "s1", "properties": {"sessionID": "s1"},
    }  # fmt: skip


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini", "copilot-cli", "opencode"])
def test_taken_out_again_nothing_is_left(host: Host, name: str) -> None:
    host.omoide("setup", name)
    host.omoide("uninstall", name)
    left = [path for path in host.home.rglob("*") if path.is_file()]
    assert left == []
