"""Configurations as people have them: comments, commas too many, other tools' hooks, odd indentation."""

from __future__ import annotations

import os
from pathlib import Path

CLAUDE_STATE = """{
  "numStartups": 412,
  "theme": "dark",
  "mcpServers": {
    "github": { "type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-github"], "env": {} }
  },
  "projects": {
    "/home/ada/työ": { "allowedTools": [], "history": [{ "display": "why does \\"deploy\\" fail?" }] }
  },
  "userID": "f00d"
}
"""
CLAUDE_SETTINGS = """{
\t"$schema": "https://json.schemastore.org/claude-code-settings.json",
\t"model": "opus",
\t"permissions": { "allow": ["Bash(git status:*)"], "deny": [] },
\t"hooks": {
\t\t"SessionStart": [
\t\t\t{ "matcher": "startup", "hooks": [{ "type": "command", "command": "~/bin/greet.sh" }] },
\t\t\t{ "hooks": [{ "type": "command", "command": "mem-hook start" }, { "type": "command", "command": "date" }] },
\t\t\t{ "matcher": "resume", "hooks": [{ "type": "command", "command": "echo resumed" }] }
\t\t],
\t\t"Stop": [
\t\t\t{ "hooks": [{ "type": "command", "command": "notify-send done" }] }
\t\t]
\t},
\t"unknownKey": [1, 2.50, null]
}
"""
CODEX_CONFIG = """# my Codex
model = "gpt-5-codex"   # the good one
approval_policy = "on-request"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]

[projects."/home/ada/my work"]
trust_level = "trusted"

[tui]
notifications = true
"""
CODEX_HOOKS = """{
  "hooks": {
    "Stop": [
      { "hooks": [ { "type": "command", "command": "python3 ~/.codex/ring.py", "timeout": 5 } ] }
    ]
  }
}
"""
CURSOR_SERVERS = """{
  // servers of mine
  "mcpServers": {
    "figma": { "command": "figma-mcp", "args": [] },
  },
}
"""
CURSOR_HOOKS = """{
  "version": 1,
  "hooks": {
    "afterFileEdit": [{ "command": "./format.sh" }],
    "stop": [
      { "command": "say finished", "timeout": 3 }
    ]
  }
}
"""
GEMINI_SETTINGS = """{
    // theme of the terminal
    "ui": { "theme": "GitHub" },
    "mcpServers": {
        "search": { "httpUrl": "https://mcp.example/search" } /* company */
    },
    "hooks": {
        "BeforeTool": [
            { "matcher": "write_file",
              "hooks": [{ "name": "lint", "type": "command", "command": "lint", "timeout": 5000 }] }
        ]
    }
}
"""
OPENCODE = """{
  "$schema": "https://opencode.ai/config.json",
  "theme": "tokyonight",
  "mcp": {
    "context": {
      "type": "local",
      "command": ["npx", "-y", "context-mcp"],
      "enabled": true,
    },
  }, // more to come
}
"""
OPENCODE_SECOND = """{
  "mcp": {
    "servers": {
      "context": { "type": "local", "command": ["npx", "-y", "context-mcp"] }
    }
  }
}
"""
VSCODE = """{
\t"inputs": [],
\t"servers": {
\t\t// browser
\t\t"playwright": { "type": "stdio", "command": "npx", "args": ["@playwright/mcp"] }
\t}
}"""
COPILOT = """{ "mcpServers": { "sentry": { "type": "local", "command": "sentry-mcp", "args": [], "tools": ["*"] } } }
"""
HERMES = """# Hermes
model:
  provider: openrouter   # paid
  name: hermes-4

mcp_servers:
  files:
    command: npx
    args: [-y, "@modelcontextprotocol/server-filesystem"]
hooks:
  pre_llm_call:
    - command: ~/bin/weather.sh
      timeout: 5
# the end
notes: |
  two lines
  of text
"""
DESKTOP = """{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/ada/Desktop"]
    }
  }
}
"""
WINDSURF = """{"mcpServers": {}}"""
INSTRUCTIONS = "# How we work\n\n- Tabs, never spaces.\n- 日本語のコメントも可。\n"
UNENDED = "# House rules\n\nBe brief."

USER: dict[str, dict[str, str]] = {
    "claude-code": {
        ".claude.json": CLAUDE_STATE,
        ".claude/settings.json": CLAUDE_SETTINGS,
        ".claude/CLAUDE.md": UNENDED,
        ".claude/skills/mine/SKILL.md": "---\nname: mine\n---\n",
    },
    "codex": {".codex/config.toml": CODEX_CONFIG, ".codex/hooks.json": CODEX_HOOKS, ".codex/AGENTS.md": INSTRUCTIONS},
    "cursor": {".cursor/mcp.json": CURSOR_SERVERS, ".cursor/hooks.json": CURSOR_HOOKS},
    "gemini": {".gemini/settings.json": GEMINI_SETTINGS, ".gemini/GEMINI.md": INSTRUCTIONS},
    "opencode": {".config/opencode/opencode.jsonc": OPENCODE},
    "vscode": {".config/Code/User/mcp.json": VSCODE},
    "copilot-cli": {".copilot/mcp-config.json": COPILOT},
    "hermes": {".hermes/config.yaml": HERMES},
    "claude-desktop": {".config/Claude/claude_desktop_config.json": DESKTOP},
    "windsurf": {".codeium/windsurf/mcp_config.json": WINDSURF},
}
"""Files of a home folder by host."""
PROJECT: dict[str, dict[str, str]] = {
    "claude-code": {".mcp.json": DESKTOP, ".claude/settings.json": CLAUDE_SETTINGS, "CLAUDE.md": INSTRUCTIONS},
    "codex": {".codex/config.toml": CODEX_CONFIG, "AGENTS.md": UNENDED},
    "cursor": {".cursor/mcp.json": CURSOR_SERVERS, ".cursor/hooks.json": CURSOR_HOOKS, "AGENTS.md": INSTRUCTIONS},
    "gemini": {".gemini/settings.json": GEMINI_SETTINGS, "GEMINI.md": INSTRUCTIONS},
    "opencode": {"opencode.json": OPENCODE_SECOND, "AGENTS.md": INSTRUCTIONS},
    "vscode": {".vscode/mcp.json": VSCODE, ".github/hooks/other.json": '{"version": 1, "hooks": {}}'},
    "copilot-cli": {".mcp.json": DESKTOP, "AGENTS.md": INSTRUCTIONS},
    "hermes": {"AGENTS.md": INSTRUCTIONS},
    "generic": {".mcp.json": DESKTOP, "AGENTS.md": INSTRUCTIONS},
}
"""Files of a project by host."""


def lay(root: Path, files: dict[str, str], *, newline: str = "\n", mark: str = "") -> None:
    """Write files as a person's editor would, with these line ends and this byte order mark."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((mark + text.replace("\n", newline)).encode())


def tree(root: Path) -> dict[str, bytes]:
    """Return every file and empty folder below a root with its content, git's and omoide's own aside."""
    found: dict[str, bytes] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in (".git", ".omoide")]
        here = Path(folder)
        found |= {(here / name).relative_to(root).as_posix(): (here / name).read_bytes() for name in names}
        if not folders and not names:
            found[here.relative_to(root).as_posix() + "/"] = b""
    return found
