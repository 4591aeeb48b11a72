"""The memory tool against the SDK's own class over a folder: the same commands, the same replies."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide import Memory
from omoide.integrations.anthropic_memory import OmoideMemoryTool

PATHS = ["/memories/a.txt", "/memories/dir/b.txt", "/memories/dir/sub/c.txt", "/memories/été.md", "/memories/dir", "/memories", "/memories/no"]
TEXTS = ["", "one\n", "one\ntwo\nthree", "東京\nタワー\n", "two two\ntwo", "  \n", "é"]
UNTOLD = "error without words: a file stands where a folder would have to be"
path, text = st.sampled_from(PATHS), st.sampled_from(TEXTS)
FILES = st.sampled_from(PATHS[:4])
COMMANDS = st.one_of(
    st.fixed_dictionaries({"command": st.just("view"), "path": path}),
    st.fixed_dictionaries({"command": st.just("view"), "path": FILES, "view_range": st.sampled_from([[1, 2], [2, -1], [0, 9]])}),
    st.fixed_dictionaries({"command": st.just("create"), "path": path, "file_text": text}),
    st.fixed_dictionaries({"command": st.just("str_replace"), "path": path, "old_str": st.sampled_from(["one", "two", "東京"]), "new_str": text}),
    st.fixed_dictionaries({"command": st.just("insert"), "path": path, "insert_line": st.integers(-1, 4), "insert_text": text}),
    st.fixed_dictionaries({"command": st.just("delete"), "path": path}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": FILES, "new_path": path}),
)


def reply(tool: Any, command: dict[str, Any]) -> str:
    try:
        said = str(tool.call(dict(command)))
    except ToolError as error:
        said = f"error: {error}"
    except OSError:
        said = UNTOLD
    if said.endswith("is not a directory."):
        said = UNTOLD
    # What a file system says a folder weighs is its own business.
    return re.sub(r"(?m)^[\d.]+[BKMG]\t(?=.*/$|/memories$|/memories/dir$)", "-\t", said)


@settings(max_examples=150, deadline=None)
@given(st.lists(COMMANDS, min_size=1, max_size=15))
def test_every_reply_is_that_of_the_reference(commands: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        reference = BetaLocalFilesystemMemoryTool(folder)
        tool = OmoideMemoryTool(Path(folder) / "agents.db", embedder="none")
        try:
            for command in commands:
                if command["command"] == "rename" and reply(reference, {"command": "view", "path": command["old_path"]}).startswith("error"):
                    continue  # the reference leaves the folders of a rename that failed; here nothing changes
                assert reply(tool, command) == reply(reference, command), command
        finally:
            tool.close()


@pytest.fixture
def tool(tmp_path: Path) -> Any:
    made = OmoideMemoryTool(tmp_path / "agents.db", embedder="none")
    yield made
    made.close()


@pytest.mark.parametrize("bad", ["/etc/passwd", "/memories/../etc", "/memoriesx/a", "memories/a", "/memories/a/../../b"])
def test_no_path_leads_out(tool: Any, bad: str) -> None:
    with pytest.raises(ToolError, match="memories"):
        tool.call({"command": "create", "path": bad, "file_text": "x"})


def test_a_file_is_a_memory_with_its_history(tool: Any) -> None:
    tool.call({"command": "create", "path": "/memories/who.md", "file_text": "lives in Osaka"})
    tool.call({"command": "str_replace", "path": "/memories/who.md", "old_str": "Osaka", "new_str": "Tokyo"})
    with Memory(tool.memory.path, embedder="none") as memory:
        (hit,) = memory.recall("Tokyo")
        chain = memory.why(hit.id)
    assert [version.text for version in chain.versions] == ["lives in Osaka", "lives in Tokyo"]
    assert {version.provenance.door for version in chain.versions} == {"tool:memory"}


def test_a_note_is_there_for_the_next_handle(tool: Any) -> None:
    tool.call({"command": "create", "path": "/memories/a.txt", "file_text": ""})
    other = OmoideMemoryTool(tool.memory.path, embedder="none")
    assert "/memories/a.txt" in other.call({"command": "view", "path": "/memories"})
    other.close()
