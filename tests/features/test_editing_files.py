"""Edits of other programs' files: what comes in comes out, whatever the file looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.capture.editing import json_edits, splice, syntaxes, toml_edits, yaml_edits
from omoide.capture.editing.edits import Edit, is_ours, merged, without_ours
from omoide.capture.editing.jsonc import parse
from omoide.errors import ConfigurationError

SERVER = {"command": "/opt/py thon/python", "args": ["-P", "-m", "omoide", "mcp", "/home/ada/mémoire.db"]}
HOOK = {"hooks": [{"type": "command", "command": "/opt/python -m omoide hook codex Stop", "timeout": 5}]}
EDITS = [Edit("set", ("servers", "omoide"), SERVER), Edit("add", ("hooks", "Stop"), HOOK)]
DOCUMENTS = [
    "{}", "{ }", "{\n}\n", "", "  \n", '{"a": 1}', '{\n  "a": 1, // one\n}\n', '{"servers": {}}',
    '{\n\t"servers": {\n\t\t"x": {} /* mine */\n\t}\n}', '{"hooks": {"Stop": [{"hooks": []},]},}',
    "// only this\n{\n  // and this\n}", '{\n    "hooks": {"Stop": []},\n\n    "z": "}]"\n}\n',
    '{"a": "\\u00e9\\"//", "servers": {"b": [1, 2.50, -3e4, null, true]}}',
]  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("text", DOCUMENTS)
def test_json_is_changed_by_what_was_asked_for_and_nothing_else(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    before = json_edits.data_of(text) or {}
    after = json_edits.apply(text, EDITS)
    assert json_edits.data_of(after) == merged(before, EDITS)
    assert json_edits.apply(after, EDITS) == after
    stripped = syntaxes.strip("jsonc", after, EDITS, text if text.strip() else "{}")
    assert json_edits.data_of(stripped) == before


scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.sampled_from(["a", "é", "servers", "hooks", "x y"]), values, max_size=4)


def shown(value: Any, draw: Any, depth: int = 0) -> str:
    """Write a value in some manner of all: spread or not, with comments and commas too many or not."""
    newline = draw(st.sampled_from(["", "\n", "\r\n"]))
    pad = newline + ("  " * (depth + 1) if newline else " ")
    remark = draw(st.sampled_from(["", "/* , ] } */", '// " {\n'])) if depth < 2 else ""
    end = newline + ("  " * depth if newline else "")
    if isinstance(value, dict) and value:
        parts = [f"{json.dumps(key)}: {shown(part, draw, depth + 1)}" for key, part in value.items()]
        return "{" + remark + pad + f",{pad}".join(parts) + draw(st.sampled_from(["", ","])) + end + "}"
    if isinstance(value, list) and value:
        parts = [shown(part, draw, depth + 1) for part in value]
        return "[" + pad + f",{pad}".join(parts) + draw(st.sampled_from(["", ","])) + remark + end + "]"
    return json.dumps(value)


@settings(max_examples=150, deadline=None)
@given(data=objects, draw=st.data())
def test_json_in_any_manner_keeps_its_values(data: dict[str, Any], draw: Any) -> None:
    text = shown(data, draw.draw)
    assert parse(text).root.data() == data
    if not all(isinstance(data.get(name, {}), dict) for name in ("servers", "hooks")):
        return
    if not isinstance(data.get("hooks", {}).get("Stop", []), list):
        return
    after = json_edits.apply(text, EDITS)
    assert json_edits.data_of(after) == merged(data, EDITS)
    rest = syntaxes.strip("jsonc", after, EDITS, text)
    assert json_edits.data_of(rest) == data
    if "servers" in data and data["servers"] and data.get("hooks", {}).get("Stop"):
        assert rest == text


@pytest.mark.parametrize("text,place", [
    ("{", "line 1, column 2"), ('{"a" 1}', "line 1, column 6"), ('{\n"a": tru\n}', "line 2, column 6"),
    ('{"a": 1,, }', "line 1, column 9"), ('{"a": "x\ny"}', "line 1, column 7"), ('{"a": 1}}', "line 1, column 9"),
    ("{'a': 1}", "line 1, column 2"), ('{"a": 01}', "line 1, column 7"), ("[" * 300, "column 202"),
    ('{"a": "\\q"}', "line 1, column 7"), ("/* {}", "line 1, column 1"), ("nul", "line 1, column 1"),
])  # fmt: skip
def test_json_that_does_not_parse_says_where(text: str, place: str) -> None:
    with pytest.raises(ConfigurationError, match=place):
        json_edits.data_of(text)


def test_blemishes_are_found_where_they_are() -> None:
    text = '{\n  // one\n  "a": "//", /* two */\n  "b": [1,],\n}'
    assert [what for _, what in sorted(parse(text).blemishes)] == [
        "comment",
        "comment",
        "trailing comma",
        "trailing comma",
    ]


def test_the_last_of_two_equal_keys_is_the_one_that_counts() -> None:
    text = '{"servers": 1, "servers": {"x": {}}}'
    after = json_edits.apply(text, EDITS[:1])
    assert json_edits.data_of(after) == {"servers": {"x": {}, "omoide": SERVER}}


def test_a_value_of_another_kind_in_the_way_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="line 1, column 11: hooks should be an object"):
        json_edits.apply('{"hooks": []}', EDITS)
    with pytest.raises(ConfigurationError, match=r"hooks\.Stop should be an array"):
        json_edits.apply('{"hooks": {"Stop": {}}}', EDITS)


def test_ours_is_known_by_what_it_starts() -> None:
    assert is_ours(SERVER)
    assert is_ours({"command": ["C:\\Py\\omoide.exe", "mcp", "x"]})
    assert is_ours({"bash": "'/a b/python' -P -m omoide hook cursor stop"})
    assert not is_ours({"command": "omoide-like mcp"})
    assert not is_ours({"command": "npx", "args": ["remember", "hook"]})
    assert without_ours({"hooks": [{"command": "x"}, *HOOK["hooks"]]}) == {"hooks": [{"command": "x"}]}


def test_lists_of_words_are_written_on_one_line() -> None:
    assert splice.rendered({"args": ["a", "b"]}, "", "  ", "\n") == '{\n  "args": ["a", "b"]\n}'


TABLES = ["", "a = 1", 'm = "x" # c\n[mcp_servers.fs]\ncommand = "a"\n', "[a]\r\nb = 1\r\n"]
TABLE_EDITS = [Edit("set", ("mcp_servers", "omoide"), SERVER)]


@pytest.mark.parametrize("text", TABLES)
def test_toml_gets_a_table_at_its_end_and_loses_it_again(text: str) -> None:
    after = toml_edits.apply(text, TABLE_EDITS)
    assert after.startswith(text)
    assert toml_edits.data_of(after) == merged(toml_edits.data_of(text), TABLE_EDITS)
    assert toml_edits.apply(after, TABLE_EDITS) == after
    assert toml_edits.strip(after, TABLE_EDITS).rstrip("\r\n") == text.rstrip("\r\n")


def test_toml_that_the_host_wrote_anew_without_our_mark_loses_only_our_table() -> None:
    text = '[mcp_servers.omoide]\ncommand = "omoide"\nargs = ["mcp"]\n\n[mcp_servers.fs] # keep\ncommand = "a"\n'
    assert toml_edits.strip(text, TABLE_EDITS) == '[mcp_servers.fs] # keep\ncommand = "a"\n'


def test_toml_servers_on_one_line_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="cannot be added to"):
        toml_edits.apply('mcp_servers = {fs = {command = "x"}}\n', TABLE_EDITS)


SHEETS = [
    "", "# note\n", "a: 1\n", "a: 1", "servers:\n  x:\n    command: y # z\nlast: |\n  two\n  lines\n",
    "servers: {}\nhooks:\na: 1\n", "servers: {x: {command: y}}\nhooks: {Stop: [{command: o}]}\n",
    "hooks:\n  Stop:\n  - command: o\n    timeout: 1\n  # remark\nz: [1,\n  2]\n",
    "servers:\r\n    x:\r\n        c: 日本\r\n",
    "servers: null\nhooks: {Stop: []}\n",
]  # fmt: skip
SHEET_EDITS = [EDITS[0], Edit("add", ("hooks", "Stop"), {"command": "/opt/py -m omoide hook hermes x", "timeout": 5})]


def said(value: Any) -> Any:
    """Return a value without what says nothing: null and empty containers."""
    if isinstance(value, dict):
        return {key: kept for key, part in value.items() if (kept := said(part))}
    return value or {}


@pytest.mark.parametrize("text", SHEETS)
def test_yaml_is_changed_by_what_was_asked_for_and_nothing_else(text: str) -> None:
    before = yaml_edits.data_of(text)
    after = yaml_edits.apply(text, SHEET_EDITS)
    data = yaml_edits.data_of(after)
    assert data["servers"]["omoide"] == SERVER
    assert data["hooks"]["Stop"][-1] == SHEET_EDITS[1].value
    rest = syntaxes.strip("yaml", after, SHEET_EDITS, text)
    assert said(yaml_edits.data_of(rest)) == said(before)
    assert after.count("\r\n") == (after.count("\n") if "\r\n" in text else 0)


@pytest.mark.parametrize("text,words", [
    ("hooks:\n- a\n", "line 2, column 1: hooks should be a mapping"), ("a: [1\nb: 2\n", "line 2, column 2"),
    ("servers:\n  omoide:\n    command: x\n", "not omoide's"), ("hooks:\n  Stop: word\n", "should be a sequence"),
])  # fmt: skip
def test_yaml_that_cannot_be_edited_says_where(text: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        yaml_edits.apply(text, SHEET_EDITS)
