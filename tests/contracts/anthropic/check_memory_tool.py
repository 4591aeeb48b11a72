"""The memory tool against the SDK's own classes over a folder: the same commands, the same replies."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAsyncLocalFilesystemMemoryTool, BetaLocalFilesystemMemoryTool
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide import Memory
from omoide.integrations.anthropic_memory import AsyncOmoideMemoryTool, OmoideMemoryTool

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
KINDS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sync": (BetaLocalFilesystemMemoryTool, OmoideMemoryTool),
    "async": (BetaAsyncLocalFilesystemMemoryTool, AsyncOmoideMemoryTool),
}


def call(tool: Any, command: dict[str, Any]) -> str:
    said = tool.call(dict(command))
    return str(asyncio.run(said) if asyncio.iscoroutine(said) else said)


def reply(tool: Any, command: dict[str, Any]) -> str:
    try:
        said = call(tool, command)
    except ToolError as error:
        said = f"error: {error}"
    except OSError:
        said = UNTOLD
    if said.endswith("is not a directory."):
        said = UNTOLD
    # What a file system says a folder weighs is its own business.
    return re.sub(r"(?m)^[\d.]+[BKMG]\t(?=.*/$|/memories$|/memories/dir$)", "-\t", said)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=80, deadline=None)
@given(commands=st.lists(COMMANDS, min_size=1, max_size=15))
def test_every_reply_is_that_of_the_reference(kind: str, commands: list[dict[str, Any]]) -> None:
    theirs, ours = KINDS[kind]
    with tempfile.TemporaryDirectory() as folder:
        reference = theirs(folder)
        tool = ours(Path(folder) / "agents.db", embedder="none", durability="NORMAL")
        try:
            for command in commands:
                if command["command"] == "rename" and reply(reference, {"command": "view", "path": command["old_path"]}).startswith("error"):
                    continue  # the reference leaves the folders of a rename that failed; here nothing changes
                assert reply(tool, command) == reply(reference, command), command
        finally:
            tool.close()


@pytest.fixture(params=KINDS)
def tool(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    made = KINDS[request.param][1](tmp_path / "agents.db", embedder="none")
    yield made
    made.close()


A, B = "/memories/a.txt", "/memories/dir/b.txt"
MADE = [{"command": "create", "path": A, "file_text": "one\ntwo\ntwo\n"}, {"command": "create", "path": B, "file_text": "東京\n"}]
CASES: list[tuple[str, dict[str, Any], str]] = [
    ("a file with its lines numbered", {"command": "view", "path": B}, f"Here's the content of {B} with line numbers:\n     1\t東京\n     2\t"),
    ("a part of a file", {"command": "view", "path": A, "view_range": [2, 3]}, f"Here's the content of {A} with line numbers:\n     2\ttwo\n     3\ttwo"),
    ("a file from a line to its end", {"command": "view", "path": A, "view_range": [3, -1]}, f"Here's the content of {A} with line numbers:\n     3\ttwo\n     4\t"),
    ("a missing file", {"command": "view", "path": "/memories/no"}, "error: The path /memories/no does not exist. Please provide a valid path."),
    ("a new file", {"command": "create", "path": "/memories/x/y/z.md", "file_text": ""}, "File created successfully at: /memories/x/y/z.md"),
    ("a file that exists", {"command": "create", "path": A, "file_text": "new"}, f"error: File {A} already exists"),
    ("a folder in the way", {"command": "create", "path": "/memories/dir", "file_text": "new"}, "error: File /memories/dir already exists"),
    ("a replacement", {"command": "str_replace", "path": A, "old_str": "one", "new_str": "ONE"}, "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tONE\n     2\ttwo\n     3\ttwo"),
    ("a text that is not there", {"command": "str_replace", "path": A, "old_str": "nine", "new_str": ""}, f"error: No replacement was performed, old_str `nine` did not appear verbatim in {A}."),
    ("a text that is there twice", {"command": "str_replace", "path": A, "old_str": "two", "new_str": ""}, "error: No replacement was performed. Multiple occurrences of old_str `two` in lines: 2, 3. Please ensure it is unique"),
    ("a replacement in a folder", {"command": "str_replace", "path": "/memories/dir", "old_str": "a", "new_str": "b"}, "error: The path /memories/dir is not a file."),
    ("a replacement in nothing", {"command": "str_replace", "path": "/memories/no", "old_str": "a", "new_str": "b"}, "error: The path /memories/no does not exist. Please provide a valid path."),
    ("a line at the top", {"command": "insert", "path": A, "insert_line": 0, "insert_text": "zero\n"}, f"The file {A} has been edited."),
    ("a line at the end", {"command": "insert", "path": A, "insert_line": 3, "insert_text": "last"}, f"The file {A} has been edited."),
    ("a line beyond the end", {"command": "insert", "path": A, "insert_line": 4, "insert_text": "x"}, "error: Invalid `insert_line` parameter: 4. It should be within the range [0, 3]."),
    ("a line before the top", {"command": "insert", "path": A, "insert_line": -1, "insert_text": "x"}, "error: Invalid `insert_line` parameter: -1. It should be within the range [0, 3]."),
    ("a line in nothing", {"command": "insert", "path": "/memories/no", "insert_line": 0, "insert_text": "x"}, "error: The path /memories/no does not exist. Please provide a valid path."),
    ("a file deleted", {"command": "delete", "path": A}, f"Successfully deleted {A}"),
    ("a folder deleted", {"command": "delete", "path": "/memories/dir"}, "Successfully deleted /memories/dir"),
    ("nothing deleted", {"command": "delete", "path": "/memories/no"}, "error: The path /memories/no does not exist"),
    ("the root deleted", {"command": "delete", "path": "/memories"}, "error: Cannot delete the /memories directory itself"),
    ("the root deleted by another name", {"command": "delete", "path": "/memories/dir/.."}, "error: Cannot delete the /memories directory itself"),
    ("a file renamed", {"command": "rename", "old_path": A, "new_path": "/memories/new/a.txt"}, f"Successfully renamed {A} to /memories/new/a.txt"),
    ("a folder renamed", {"command": "rename", "old_path": "/memories/dir", "new_path": "/memories/d2"}, "Successfully renamed /memories/dir to /memories/d2"),
    ("nothing renamed", {"command": "rename", "old_path": "/memories/no", "new_path": "/memories/x"}, "error: The path /memories/no does not exist"),
    ("a rename onto a file", {"command": "rename", "old_path": A, "new_path": B}, f"error: The destination {B} already exists"),
    ("the root renamed", {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"}, "error: Cannot rename the /memories directory itself"),
    ("a path outside", {"command": "view", "path": "/etc/passwd"}, "error: Path must start with /memories, got: /etc/passwd"),
    ("a path that climbs out", {"command": "view", "path": "/memories/../etc"}, "error: Path /memories/../etc would escape /memories directory"),
    ("a neighbour of the root", {"command": "view", "path": "/memoriesx"}, "error: Path /memoriesx would escape /memories directory"),
    ("a path that climbs out later", {"command": "create", "path": "/memories/a/../../b", "file_text": ""}, "error: Path /memories/a/../../b would escape /memories directory"),
]


@pytest.mark.parametrize("command, said", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_reply_of(tool: Any, tmp_path: Path, command: dict[str, Any], said: str) -> None:
    reference = BetaLocalFilesystemMemoryTool(str(tmp_path / "folder"))
    for each in MADE:
        call(tool, each)
        call(reference, each)
    assert reply(tool, command) == said
    if command["path" if "path" in command else "old_path"] != "/memoriesx":
        assert reply(reference, command) == said


def test_a_file_is_a_memory_with_its_history(tool: Any) -> None:
    call(tool, {"command": "create", "path": "/memories/who.md", "file_text": "lives in Osaka"})
    call(tool, {"command": "str_replace", "path": "/memories/who.md", "old_str": "Osaka", "new_str": "Tokyo"})
    call(tool, {"command": "rename", "old_path": "/memories/who.md", "new_path": "/memories/people/alice.md"})
    with Memory(tool.memory.path, embedder="none") as memory:
        (hit,) = memory.recall("Tokyo")
        chain = memory.why(hit.id)
    assert [version.text for version in chain.versions] == ["lives in Osaka", "lives in Tokyo", "lives in Tokyo"]
    assert chain.versions[-1].source == "tool-memory:/memories/people/alice.md"
    assert {version.trust for version in chain.versions} == {"observed"}
    assert {version.provenance.door for version in chain.versions} == {"tool:memory"}


def test_a_note_is_there_for_the_next_handle(tool: Any) -> None:
    call(tool, {"command": "create", "path": "/memories/a.txt", "file_text": ""})
    other = OmoideMemoryTool(tool.memory.path, embedder="none")
    assert "/memories/a.txt" in other.call({"command": "view", "path": "/memories"})
    other.close()


def test_edits_at_one_time_are_all_kept(tmp_path: Path) -> None:
    tools = [OmoideMemoryTool(tmp_path / "agents.db", embedder="none", durability="NORMAL") for _ in range(4)]
    marks = [f"<{i}>" for i in range(40)]
    tools[0].call({"command": "create", "path": A, "file_text": " ".join(marks)})

    def edit(i: int) -> str:
        return str(tools[i % 4].call({"command": "str_replace", "path": A, "old_str": f"<{i}>", "new_str": f"[{i}]"}))

    with ThreadPoolExecutor(8) as pool:
        assert all(said.startswith("The memory file has been edited") for said in pool.map(edit, range(40)))
    assert tools[0].call({"command": "view", "path": A}).endswith("\t" + " ".join(f"[{i}]" for i in range(40)))
    for tool in tools:
        tool.close()


def test_only_one_of_many_creates_a_file(tmp_path: Path) -> None:
    async def run() -> list[str]:
        tools = [AsyncOmoideMemoryTool(tmp_path / "agents.db", embedder="none") for _ in range(3)]

        async def make(i: int) -> str:
            try:
                return str(await tools[i % 3].call({"command": "create", "path": A, "file_text": f"{i}"}))
            except ToolError as error:
                return str(error)

        said = await asyncio.gather(*(make(i) for i in range(9)))
        for tool in tools:
            tool.close()
        return list(said)

    said = asyncio.run(run())
    assert sorted(said) == [f"File {A} already exists"] * 8 + [f"File created successfully at: {A}"]
