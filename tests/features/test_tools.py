"""A memory as tools of a language model: what they show, take, refuse and return."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.tools import ToolCallError, ToolSpec, memory_tools


@pytest.fixture
def tools(mem: Memory) -> dict[str, ToolSpec]:
    """The tools of a memory that knows two things."""
    mem.remember("the deploy runs on Fridays", metadata={"team": "ops"})
    mem.remember("the deploy of the docs runs on Mondays", metadata={"team": "docs"})
    return {tool.name: tool for tool in memory_tools(mem)}


class TestOffer:
    def test_recall_and_remember(self, tools: dict[str, ToolSpec]) -> None:
        assert list(tools) == ["recall", "remember"]

    def test_reading_only_is_recall_only(self, mem: Memory) -> None:
        assert [tool.name for tool in memory_tools(mem, read_only=True)] == ["recall"]

    def test_a_memory_hands_out_its_tools(self, mem: Memory) -> None:
        assert [tool.name for tool in mem.as_tools()] == ["recall", "remember"]
        assert [tool.name for tool in mem.as_tools(read_only=True)] == ["recall"]

    def test_parameters(self, tools: dict[str, ToolSpec]) -> None:
        recall, remember = tools["recall"].parameters, tools["remember"].parameters
        assert list(recall["properties"]) == ["query", "k", "where", "min_similarity", "rerank"]
        assert list(remember["properties"]) == ["text", "pinned"]
        assert recall["properties"]["k"]["default"] == 5
        for schema, required in ((recall, ["query"]), (remember, ["text"])):
            assert schema["required"] == required
            assert schema["additionalProperties"] is False
            assert all(property_["description"] for property_ in schema["properties"].values())

    def test_no_tool_can_name_a_namespace(self, tools: dict[str, ToolSpec]) -> None:
        assert "namespace" not in json.dumps([tool.parameters for tool in tools.values()])
        for name, required in (("recall", "query"), ("remember", "text")):
            with pytest.raises(ToolCallError, match=f"{name}: unknown argument 'namespace'"):
                tools[name].call(**{required: "x", "namespace": "other"})


class TestCalls:
    def test_recall_returns_plain_rows(self, tools: dict[str, ToolSpec]) -> None:
        rows = tools["recall"].call(query="deploy Fridays", k=1)
        assert len(rows) == 1
        assert rows[0].keys() == {"id", "text", "score", "metadata", "bm25_score", "vector_score"}
        assert rows[0]["text"] == "the deploy runs on Fridays"
        assert rows[0]["metadata"] == {"team": "ops"}
        assert json.loads(json.dumps(rows)) == rows

    def test_remember_returns_the_id(self, tools: dict[str, ToolSpec], mem: Memory) -> None:
        memory_id = tools["remember"].call(text="the cat is called Mochi", pinned=True)
        record = mem.get(memory_id)
        assert record is not None
        assert (record.text, record.pinned) == ("the cat is called Mochi", True)
        assert json.dumps(memory_id) == str(int(memory_id))

    @pytest.mark.parametrize(
        "arguments",
        [
            {"k": "1"},
            {"k": 1.0, "where": ""},
            {"k": 1, "where": None, "min_similarity": None, "rerank": None},
            {"k": "1", "rerank": "false"},
            {"where": '{"team": "ops"}'},
            {"where": {"team": {"$ne": "docs"}}},
        ],
    )
    def test_text_forms_mean_the_native_values(self, tools: dict[str, ToolSpec], arguments: Any) -> None:
        rows = tools["recall"].call(query="deploy Fridays", **arguments)
        assert [row["text"] for row in rows] == ["the deploy runs on Fridays"]

    def test_a_blank_query_finds_nothing(self, tools: dict[str, ToolSpec]) -> None:
        assert tools["recall"].call(query="") == []
        assert tools["recall"].call(query="  ") == []


class TestRefusals:
    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"query": 5}, "recall: query must be a string, got int 5"),
            ({"query": ["a"]}, "recall: query must be a string, got list"),
            ({"query": "x", "k": "three"}, "recall: k must be an integer, got str 'three'"),
            ({"query": "x", "k": -5}, "recall: k must be at least 1"),
            ({"query": "x", "k": 10_000_000}, "recall: k must be at most"),
            ({"query": "x", "where": "team=ops"}, "recall: where must be an object"),
            ({"query": "x", "where": "[1]"}, "recall: where must be an object"),
            ({"query": "x", "rerank": "maybe"}, "recall: rerank must be true or false"),
            ({"query": "x", "limit": 3}, "recall: unknown argument 'limit'; it takes query, k, where"),
            ({}, "recall: argument 'query' is missing"),
        ],
    )
    def test_tell_the_model_what_is_wrong(
        self, tools: dict[str, ToolSpec], arguments: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ToolCallError) as caught:
            tools["recall"].call(**arguments)
        assert str(caught.value).startswith(message)

    def test_a_filter_that_makes_no_sense_is_named(self, tools: dict[str, ToolSpec]) -> None:
        with pytest.raises(InvalidInputError, match=r"'team': unknown operator '\$like'"):
            tools["recall"].call(query="x", where='{"team": {"$like": "o%"}}')

    def test_nothing_is_stored_by_a_refused_call(self, tools: dict[str, ToolSpec], mem: Memory) -> None:
        for arguments in ({"text": 5}, {"text": "x", "pinned": "no"}, {"text": "x", "tags": []}):
            with pytest.raises(ToolCallError):
                tools["remember"].call(**arguments)
        with pytest.raises(InvalidInputError):
            tools["remember"].call(text="   ")
        assert mem.stats()["default"]["count"] == 2

    def test_an_argument_may_be_called_self(self) -> None:
        tool = ToolSpec("t", "", {"properties": {"self": {"type": "string"}}}, lambda **given: given)
        assert tool.call(self="x") == {"self": "x"}


class TestExport:
    def test_openai(self, tools: dict[str, ToolSpec]) -> None:
        tool = tools["recall"]
        assert tool.to_openai() == {
            "type": "function",
            "function": {"name": "recall", "description": tool.description, "parameters": tool.parameters},
        }

    def test_anthropic(self, tools: dict[str, ToolSpec]) -> None:
        tool = tools["remember"]
        assert tool.to_anthropic() == {
            "name": "remember",
            "description": tool.description,
            "input_schema": tool.parameters,
        }

    @pytest.mark.parametrize("name", ["recall", "remember"])
    def test_strict_forms_require_everything_and_allow_null(self, tools: dict[str, ToolSpec], name: str) -> None:
        openai, anthropic = tools[name].to_openai(strict=True), tools[name].to_anthropic(strict=True)
        assert openai["function"]["strict"] is True
        assert anthropic["strict"] is True
        schema = openai["function"]["parameters"]
        assert schema == anthropic["input_schema"]
        assert schema["required"] == list(schema["properties"])
        for key, property_ in schema["properties"].items():
            optional = key not in tools[name].parameters["required"]
            assert ("null" in property_["type"]) is optional
            assert not {"default", "minimum", "maximum"} & property_.keys()

    def test_what_a_strict_model_sends_is_accepted(self, tools: dict[str, ToolSpec]) -> None:
        sent = {
            "query": "deploy",
            "k": None,
            "where": '{"team": "ops"}',
            "min_similarity": None,
            "rerank": None,
        }
        assert len(tools["recall"].call(**sent)) == 1

    def test_changing_an_export_does_not_change_the_tool(self, tools: dict[str, ToolSpec]) -> None:
        tools["recall"].to_openai()["function"]["parameters"]["properties"].clear()
        assert tools["recall"].parameters["properties"]

    def test_a_tool_of_a_closed_namespace_stays_closed(self, opened: Callable[..., Memory], mem: Memory) -> None:
        mem.remember("the deploy runs on Fridays")
        (recall, _) = memory_tools(opened("elsewhere"))
        assert recall.call(query="deploy") == []
