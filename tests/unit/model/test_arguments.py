"""Arguments of tool calls: native values and their text forms are read, nonsense is named."""

from __future__ import annotations

from typing import Any

import pytest

from omoide.errors import OmoideError
from omoide.model.arguments import ToolCallError, check_arguments, strict_schema

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "The text."},
        "tags": {"type": "array", "items": {"type": "string"}},
        "pairs": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "k": {"type": "integer", "default": 5, "minimum": 1, "maximum": 100},
        "weight": {"type": "number"},
        "pinned": {"type": "boolean", "default": False},
        "filters": {"type": "object"},
        "as_of": {"type": ["string", "null"]},
        "kind": {"type": "string", "enum": ["fact", "note"]},
        "id": {"type": ["integer", "string"]},
        "options": {
            "type": "object",
            "properties": {"deep": {"type": "boolean"}, "size": {"type": "integer"}},
            "required": ["size"],
            "additionalProperties": False,
        },
    },
    "required": ["text"],
    "additionalProperties": False,
}


def read(**arguments: Any) -> dict[str, Any]:
    return check_arguments("remember", SCHEMA, {"text": "x1", **arguments})


def refusal(**arguments: Any) -> str:
    with pytest.raises(ToolCallError) as caught:
        read(**arguments)
    return str(caught.value)


class TestTextForms:
    @pytest.mark.parametrize(
        "name, given, native",
        [
            ("tags", '["a","b"]', ["a", "b"]),
            ("tags", "a,b", ["a", "b"]),
            ("tags", " a , b,", ["a", "b"]),
            ("tags", "a", ["a"]),
            ("tags", ("a", "b"), ["a", "b"]),
            ("tags", [], []),
            ("pairs", "[[1, 2], [3]]", [[1, 2], [3]]),
            ("pairs", [["1", 2.0]], [[1, 2]]),
            ("k", "5", 5),
            ("k", 5.0, 5),
            ("k", "5.0", 5),
            ("k", " 7 ", 7),
            ("weight", "0.5", 0.5),
            ("weight", 2, 2),
            ("weight", "-1e3", -1000.0),
            ("pinned", "true", True),
            ("pinned", "False", False),
            ("filters", '{"tag":"a"}', {"tag": "a"}),
            ("filters", {"tag": ["a"]}, {"tag": ["a"]}),
            ("kind", "note", "note"),
            ("id", "12", 12),
            ("id", "s-12", "s-12"),
            ("options", '{"deep": "true", "size": "3"}', {"deep": True, "size": 3}),
        ],
    )
    def test_mean_the_native_value(self, name: str, given: Any, native: Any) -> None:
        value = read(**{name: given})[name]
        assert value == native
        assert type(value) is type(native)

    @pytest.mark.parametrize("name", ["k", "as_of", "tags", "filters", "kind", "pinned"])
    @pytest.mark.parametrize("empty", ["", None])
    def test_an_optional_argument_may_be_empty(self, name: str, empty: Any) -> None:
        assert read(**{name: empty}) == {"text": "x1"}

    def test_a_required_text_may_be_empty_but_not_null(self) -> None:
        assert read(text="") == {"text": ""}
        assert "text must be a string" in refusal(text=None)


class TestRefusals:
    @pytest.mark.parametrize(
        "name, given, wanted",
        [
            ("text", 5, "text must be a string, got int 5"),
            ("text", ["a"], "text must be a string, got list ['a']"),
            ("tags", "[42]", "tags[0] must be a string, got int 42"),
            ("tags", ["a", None], "tags[1] must be a string"),
            ("tags", "[a, b", "tags must be a list, got str '[a, b'"),
            ("tags", '{"a": 1}', "tags must be a list"),
            ("tags", 5, "tags must be a list"),
            ("pairs", "1,2", "pairs must be a list"),
            ("k", "five", "k must be an integer, got str 'five'"),
            ("k", 5.5, "k must be an integer, got float 5.5"),
            ("k", True, "k must be an integer, got bool True"),
            ("k", "true", "k must be an integer"),
            ("k", [5], "k must be an integer"),
            ("k", float("nan"), "k must be an integer"),
            ("k", "9" * 10_000, "k must be an integer"),
            ("k", 0, "k must be at least 1"),
            ("k", "-5", "k must be at least 1, got int -5"),
            ("k", 10_000_000, "k must be at most 100"),
            ("weight", "NaN", "weight must be a number"),
            ("weight", "Infinity", "weight must be a number"),
            ("weight", True, "weight must be a number"),
            ("pinned", "no", "pinned must be true or false"),
            ("pinned", 1, "pinned must be true or false"),
            ("filters", "tag=a", "filters must be an object"),
            ("filters", "[1]", "filters must be an object"),
            ("filters", "[" * 100_000, "filters must be an object"),
            ("kind", "opinion", 'kind must be one of "fact", "note"'),
            ("id", 1.5, "id must be an integer or a string"),
            ("options", {"size": 1, "depth": 2}, "options: unknown argument 'depth'; it takes deep, size"),
            ("options", {"deep": True}, "options: argument 'size' is missing"),
        ],
    )
    def test_name_the_argument_the_type_and_what_came(self, name: str, given: Any, wanted: str) -> None:
        assert refusal(**{name: given}).startswith(f"remember: {wanted}")

    def test_a_missing_argument(self) -> None:
        with pytest.raises(ToolCallError, match="remember: argument 'text' is missing; it takes text, tags"):
            check_arguments("remember", SCHEMA, {})

    def test_an_unknown_argument(self) -> None:
        assert refusal(namespace="other").startswith("remember: unknown argument 'namespace'; it takes text")

    def test_a_long_value_is_cut(self) -> None:
        assert len(refusal(k="x" * 10_000)) < 200

    def test_are_type_errors_of_omoide_with_a_code(self) -> None:
        assert issubclass(ToolCallError, TypeError)
        assert issubclass(ToolCallError, OmoideError)
        assert ToolCallError.code == "tool_call"

    def test_a_schema_may_let_other_arguments_through(self) -> None:
        assert check_arguments("t", {"type": "object", "additionalProperties": True}, {"a": [1]}) == {"a": [1]}


def objects(schema: Any) -> list[dict[str, Any]]:
    """Return every object schema within a schema."""
    if isinstance(schema, list):
        return [found for part in schema for found in objects(part)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if "object" in schema.get("type", ()) else []
    return own + [found for part in schema.values() for found in objects(part)]


class TestStrictSchema:
    STRICT = strict_schema(SCHEMA)

    def test_every_object_requires_all_its_properties_and_no_others(self) -> None:
        found = objects(self.STRICT)
        assert len(found) == 2
        for schema in found:
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False

    def test_an_optional_property_may_be_null(self) -> None:
        properties = self.STRICT["properties"]
        assert properties["text"]["type"] == "string"
        assert properties["k"]["type"] == ["integer", "null"]
        assert properties["as_of"]["type"] == ["string", "null"]
        assert properties["kind"]["enum"] == ["fact", "note", None]
        assert properties["options"]["properties"]["size"]["type"] == "integer"

    def test_an_object_with_free_keys_is_asked_for_as_text(self) -> None:
        assert self.STRICT["properties"]["filters"]["type"] == ["string", "null"]
        assert "JSON" in self.STRICT["properties"]["filters"]["description"]

    def test_defaults_and_limits_move_into_the_description(self) -> None:
        k = self.STRICT["properties"]["k"]
        assert k.keys() == {"type", "description"}
        assert k["description"] == "Default: 5. Minimum: 1. Maximum: 100."

    def test_leaves_the_schema_it_was_made_from_as_it_was(self) -> None:
        assert SCHEMA["properties"]["kind"]["enum"] == ["fact", "note"]
        assert SCHEMA["properties"]["k"]["default"] == 5

    def test_what_a_strict_model_sends_is_accepted(self) -> None:
        nothing = dict.fromkeys(self.STRICT["properties"])
        sent = {**nothing, "text": "x1", "filters": '{"a": 1}', "options": {"deep": None, "size": 1}}
        assert check_arguments("remember", SCHEMA, sent) == {
            "text": "x1",
            "filters": {"a": 1},
            "options": {"size": 1},
        }
