"""Arguments of a tool call: read by a JSON schema, and the schema in the form that strict modes take.

Models and hosts send numbers, lists, booleans and objects as text now and then; those mean what they say:
``"5"``, ``'["a"]'``, ``"a,b"``, ``"true"``. Everything else is refused with a text the model can act on.
The schema keywords known here: type, properties, required, additionalProperties, items, enum, minimum,
maximum.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, TypeAlias

from omoide.errors import OmoideError

Schema: TypeAlias = Mapping[str, Any]

_ARTICLES: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "any": "any value",
}
_STRICT_KEYWORDS: Final = ("type", "description", "enum", "items", "properties")
_REMARKS: Final = {"default": "Default", "minimum": "Minimum", "maximum": "Maximum"}


class ToolCallError(OmoideError, TypeError):
    """Arguments that a tool cannot take; the text names the argument and is meant for the model."""

    code: ClassVar[str] = "tool_call"


def check_arguments(tool: str, schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as native values of the types in ``schema``; those left out stay out.

    Raises:
        ToolCallError: a missing or unknown argument, or one of the wrong type or range.
    """
    properties: Mapping[str, Schema] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    known = ", ".join(properties) or "none"
    given = {name: value for name, value in arguments.items() if name in required or not (value is None or value == "")}
    for name in sorted(required - given.keys()):
        raise ToolCallError(f"{tool}: argument {name!r} is missing; it takes {known}", value=name)
    for name in given:
        if name not in properties and not schema.get("additionalProperties"):
            raise ToolCallError(f"{tool}: unknown argument {name!r}; it takes {known}", value=name)
    return {name: _checked(f"{tool}: {name}", properties.get(name, {}), value) for name, value in given.items()}


def _checked(name: str, schema: Schema, value: object) -> Any:
    types = _types(schema)
    if value is None and "null" in types:
        return None
    for type_ in types:
        try:
            native = _READERS[type_](value, schema, name)
        except _Unsuitable:
            continue
        _check_limits(name, schema, native)
        return native
    wanted = " or ".join(_ARTICLES[type_] for type_ in types if type_ != "null")
    raise ToolCallError(f"{name} must be {wanted}, got {_shown(value)}", value=value)


def _check_limits(name: str, schema: Schema, value: Any) -> None:
    if "enum" in schema and value not in schema["enum"]:
        choices = ", ".join(json.dumps(choice) for choice in schema["enum"] if choice is not None)
        raise ToolCallError(f"{name} must be one of {choices}, got {_shown(value)}", value=value)
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and value < low:
        raise ToolCallError(f"{name} must be at least {low}, got {_shown(value)}", value=value)
    if high is not None and value > high:
        raise ToolCallError(f"{name} must be at most {high}, got {_shown(value)}", value=value)


class _Unsuitable(Exception):  # noqa: N818 - never leaves this module
    """The value does not suit one of the types asked for."""


def _read_string(value: object, _schema: Schema, _name: str) -> str:
    if isinstance(value, str):
        return value
    raise _Unsuitable


def _read_integer(value: object, schema: Schema, name: str) -> int:
    number = _read_number(value, schema, name)
    if isinstance(number, int) or number.is_integer():
        return int(number)
    raise _Unsuitable


def _read_number(value: object, _schema: Schema, _name: str) -> int | float:
    native = _from_json(value) if isinstance(value, str) else value
    if isinstance(native, bool) or not isinstance(native, int | float):
        raise _Unsuitable
    if isinstance(native, float) and not math.isfinite(native):
        raise _Unsuitable
    return native


def _read_boolean(value: object, _schema: Schema, _name: str) -> bool:
    native = _from_json(value.lower()) if isinstance(value, str) else value
    if isinstance(native, bool):
        return native
    raise _Unsuitable


def _read_array(value: object, schema: Schema, name: str) -> list[Any]:
    items = schema.get("items", {})
    if isinstance(value, str):
        value = _from_json(value) if value.lstrip().startswith(("[", "{")) else _split(value, items)
    if not isinstance(value, list | tuple):
        raise _Unsuitable
    return [_checked(f"{name}[{index}]", items, item) for index, item in enumerate(value)]


def _read_object(value: object, schema: Schema, name: str) -> dict[str, Any]:
    native = _from_json(value) if isinstance(value, str) else value
    if not isinstance(native, Mapping):
        raise _Unsuitable
    if "properties" in schema:
        return check_arguments(name, schema, native)
    return dict(native)


def _read_null(_value: object, _schema: Schema, _name: str) -> None:
    raise _Unsuitable


def _read_any(value: object, _schema: Schema, _name: str) -> object:
    return value


_READERS: Final[dict[str, Callable[[object, Schema, str], Any]]] = {
    "string": _read_string,
    "integer": _read_integer,
    "number": _read_number,
    "boolean": _read_boolean,
    "array": _read_array,
    "object": _read_object,
    "null": _read_null,
    "any": _read_any,
}


def _types(schema: Schema) -> Sequence[str]:
    types = schema.get("type", "any")
    return [types] if isinstance(types, str) else list(types)


def _from_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _Unsuitable from None


def _split(text: str, items: Schema) -> object:
    """Split ``a, b`` at its commas, where the items are texts or can be read from one."""
    if "object" in _types(items) or "array" in _types(items):
        return text
    return [part.strip() for part in text.split(",") if part.strip()]


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 80 else text[:77] + '...'}"


def strict_schema(schema: Schema) -> dict[str, Any]:
    """Return an object schema that strict modes accept, with the same meaning.

    Every property is required, an optional one may be null. Defaults and limits move into the description.
    An object with free keys, which strict modes do not know, is asked for as JSON text.
    """
    required = set(schema.get("required", ()))
    properties = {
        name: _strict_property(property_, optional=name not in required)
        for name, property_ in schema.get("properties", {}).items()
    }
    rest = {key: schema[key] for key in ("description",) if key in schema}
    return {
        **rest,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _strict_property(schema: Schema, *, optional: bool) -> dict[str, Any]:
    types = [type_ for type_ in _types(schema) if type_ != "null"]
    remarks = [schema["description"]] if "description" in schema else []
    strict = {key: schema[key] for key in _STRICT_KEYWORDS if key in schema}
    if "object" in types and "properties" in schema:
        strict |= strict_schema(schema)
    elif "object" in types:
        types = ["string"]
        remarks.append("Written as JSON text.")
    elif types == ["any"]:
        types = ["string"]
    if "items" in schema:
        strict["items"] = _strict_property(schema["items"], optional=False)
    remarks += [f"{word}: {json.dumps(schema[key])}." for key, word in _REMARKS.items() if key in schema]
    nullable = optional or "null" in _types(schema)
    if nullable and "enum" in strict:
        strict["enum"] = [*strict["enum"], *([] if None in strict["enum"] else [None])]
    strict["type"] = [*types, "null"] if nullable else types[0] if len(types) == 1 else types
    return strict | ({"description": " ".join(remarks)} if remarks else {})
