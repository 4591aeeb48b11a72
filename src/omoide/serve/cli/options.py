"""Words and options of a command, made from the parameters of its operation, and read back into arguments."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, Final

import click

from omoide.errors import InvalidInputError
from omoide.model.catalog.operation import Operation, Parameter
from omoide.model.catalog.parameters import TIME
from omoide.serve.messages.speech import Speech

STDIN: Final = "-"
SHARED: Final = "omoide.shared"
"""Where the shared options of one call are kept, whichever place of the line they were given at."""


EVERYWHERE: Final = frozenset({"project"})
"""Parameters that are options of every command."""


def parameters_of(operation: Operation, say: Speech) -> list[click.Parameter]:
    """Return what a command takes for an operation."""
    words = [parameter for parameter in operation.parameters if parameter.positional]
    named = [each for each in operation.parameters if not each.positional and each.name not in EVERYWHERE]
    last = words[-1] if words else None
    made: list[click.Parameter] = [
        _argument(parameter, say, many=_takes_rest(parameter, last, words)) for parameter in words
    ]
    made += [_option(parameter, say) for parameter in named]
    if operation.confirm != "never" and not any(parameter.name == "dry_run" for parameter in operation.parameters):
        made.append(click.Option(["--dry-run", "dry_run"], is_flag=True, default=None, help=say("opt.dry_run")))
    return made


def kind_of(parameter: Parameter) -> str:
    """Return the first type that a parameter takes."""
    kind = parameter.schema.get("type", "string")
    return kind if isinstance(kind, str) else str(kind[0])


def _takes_rest(parameter: Parameter, last: Parameter | None, words: list[Parameter]) -> bool:
    """A list takes all words; a statement or question that comes last need not be quoted."""
    if kind_of(parameter) == "array":
        return True
    lists = any(kind_of(other) == "array" for other in words)
    return parameter is last and parameter.name in ("text", "query") and not lists


def _argument(parameter: Parameter, say: Speech, *, many: bool) -> click.Argument:
    name = f"{parameter.option.upper()}..." if many else parameter.option.upper()
    return click.Argument(
        [parameter.name], required=parameter.required, nargs=-1 if many else 1, help=described(parameter, say),
        metavar=name if parameter.required else f"[{name}]",
    )  # fmt: skip


def _option(parameter: Parameter, say: Speech) -> click.Option:
    names = [f"--{parameter.option}", parameter.name, *([parameter.flag] if parameter.flag else [])]
    help_ = described(parameter, say)
    kind = kind_of(parameter)
    if kind == "boolean":
        names[0] = f"--no-{parameter.option}" if parameter.schema.get("default") else names[0]
        value = not parameter.schema.get("default")
        return click.Option(names, is_flag=True, flag_value=value, type=bool, default=None, help=help_)
    if kind == "array":
        if parameter.option.endswith("s"):
            names.insert(1, f"--{parameter.option[:-1]}")
        return click.Option(names, multiple=True, help=help_, metavar=parameter.option.rstrip("s").upper())
    if kind == "object":
        return click.Option(names, multiple=True, help=help_, metavar="KEY=VALUE")
    choices = parameter.schema.get("enum")
    return click.Option(names, help=help_, metavar="|".join(choices) if choices else _metavar(parameter))


def _metavar(parameter: Parameter) -> str:
    if parameter.schema.get("type") in ("integer", "number"):
        return "N"
    return "TIME" if "ISO 8601" in str(parameter.schema.get("description", "")) else "TEXT"


def described(parameter: Parameter, say: Speech) -> str:
    """Return what a parameter is for, in the language spoken, with its default."""
    words = say.argument(str(parameter.schema.get("description", "")).removesuffix(TIME).rstrip())
    default = parameter.schema.get("default")
    return words if default in (None, False, True) else f"{words} [{json.dumps(default)}]"


def arguments_of(operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that the words and options of a command stand for.

    Raises:
        InvalidInputError: a text from standard input that is not UTF-8, or a pair without ``=``.
    """
    arguments = {}
    for parameter in operation.parameters:
        value = values.get(parameter.name)
        if value is not None and value != ():
            arguments[parameter.name] = _read(parameter, value)
    return arguments


def _read(parameter: Parameter, value: Any) -> Any:
    kind = kind_of(parameter)
    if kind == "object":
        return _pairs(parameter.name, value)
    if kind == "array":
        return value[0] if len(value) == 1 and not parameter.positional else list(value)
    text = " ".join(value) if isinstance(value, tuple) else value
    return from_stdin() if text == STDIN and parameter.positional and kind == "string" else text


def _pairs(name: str, values: tuple[str, ...]) -> Any:
    """Read ``key=value`` pairs, or one JSON object; a value is JSON where it can be."""
    if len(values) == 1 and values[0].lstrip().startswith("{"):
        return values[0]
    pairs = {}
    for pair in values:
        key, sign, value = pair.partition("=")
        if not sign or not key.strip():
            raise InvalidInputError(f"{name} takes key=value or a JSON object, not {pair!r}", value=pair)
        pairs[key.strip()] = _value(value)
    return pairs


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def from_stdin() -> str:
    """Return all of standard input, without the line end that closes it.

    Raises:
        InvalidInputError: it is not UTF-8.
    """
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        return sys.stdin.read().removesuffix("\n")
    try:
        text: str = stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"standard input is not UTF-8 ({error})") from error
    return text.removesuffix("\n").removesuffix("\r")


def shared_options(say: Speech) -> list[click.Parameter]:
    """Return the options that every command takes."""
    return [
        _shared("--store", "-s", name="store", say=say, metavar="PATH"),
        _shared("--namespace", "-N", name="namespace", say=say, metavar="NAME"),
        _shared("--project", "-p", name="for_project", key="project", say=say, metavar="NAME"),
        _shared("--json", name="json", say=say, is_flag=True),
        _shared("--quiet", "-q", name="quiet", say=say, is_flag=True),
        _shared("--wait", name="wait", say=say, is_flag=True),
        _shared("--yes", "-y", name="yes", say=say, is_flag=True),
        _shared("--lang", name="lang", say=say, metavar="en|fr|ja"),
        _shared("--no-color", name="no_color", say=say, is_flag=True),
        _shared("--no-pager", name="no_pager", say=say, is_flag=True),
        _shared("--debug", name="debug", say=say, is_flag=True),
    ]


def _shared(*names: str, name: str, say: Speech, key: str | None = None, **more: Any) -> click.Option:
    help_ = say(f"opt.{key or name}")
    option = click.Option([*names, name], expose_value=False, callback=_keep, help=help_, **more)
    option.shared = True  # type: ignore[attr-defined]  # tells the help where to show it
    return option


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is not None and value is not False:
        context.meta.setdefault(SHARED, {})[parameter.name] = value
