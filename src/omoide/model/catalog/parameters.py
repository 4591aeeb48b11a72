"""The arguments that several operations share, each described once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from omoide.model.catalog.operation import Level, Parameter
from omoide.model.kinds import BASIS_CONFIDENCE, IMPORTANCE, KINDS
from omoide.model.trust import LEVELS

TIME: Final = "ISO 8601, such as 2026-05-01 or 2026-05-01T09:30:00+09:00; UTC without an offset."
MOST: Final = 1000


def text(name: str, description: str, *, level: Level = 2, **more: Any) -> Parameter:
    """Return a parameter that is a text."""
    return _made(name, {"type": "string"}, description, level, more)


def moment(name: str, description: str, *, level: Level = 2, **more: Any) -> Parameter:
    """Return a parameter that is a time."""
    return _made(name, {"type": "string"}, f"{description} {TIME}", level, more)


def flag(name: str, description: str, *, default: bool = False, level: Level = 2, **more: Any) -> Parameter:
    """Return a parameter that is yes or no."""
    return _made(name, {"type": "boolean", "default": default}, description, level, more)


def number(name: str, description: str, *, level: Level = 2, **limits: Any) -> Parameter:
    """Return a parameter that is a number, with ``minimum``, ``maximum`` and ``default``."""
    return _made(name, {"type": "number", **limits}, description, level, {})


def whole(name: str, description: str, *, level: Level = 2, required: bool = False, **limits: Any) -> Parameter:
    """Return a parameter that is a whole number, with ``minimum``, ``maximum`` and ``default``."""
    return _made(name, {"type": "integer", **limits}, description, level, {"required": required})


def texts(name: str, description: str, *, level: Level = 2, **more: Any) -> Parameter:
    """Return a parameter that is a list of texts."""
    return _made(name, {"type": "array", "items": {"type": "string"}}, description, level, more)


def choice(name: str, description: str, choices: Any, *, level: Level = 2, **more: Any) -> Parameter:
    """Return a parameter that is one of ``choices``."""
    return _made(name, {"type": "string", "enum": list(choices)}, description, level, more)


def choices_of(name: str, description: str, choices: Any, *, level: Level = 2) -> Parameter:
    """Return a parameter that is a list of members of ``choices``."""
    items = {"type": "string", "enum": list(choices)}
    return _made(name, {"type": "array", "items": items}, description, level, {})


def anything(name: str, description: str, *, level: Level = 2) -> Parameter:
    """Return a parameter that is an object with free keys."""
    return _made(name, {"type": "object"}, description, level, {})


def at(parameter: Parameter, level: Level) -> Parameter:
    """Return the parameter at another level."""
    return replace(parameter, level=level)


def _made(name: str, schema: dict[str, Any], description: str, level: Level, more: dict[str, Any]) -> Parameter:
    return Parameter(name, {**schema, "description": description}, level=level, **more)


ID: Final = Parameter(
    "id",
    {"type": "integer", "description": "The id of the memory.", "minimum": 1},
    required=True,
    level=0,
    positional=True,
)
TEXT: Final = text(
    "text", "What to remember: one statement that stands on its own.", level=0, required=True, positional=True
)
KEY: Final = text("idempotency_key", "Any text of yours; a retry with the same one returns the first result.", level=1)
WHERE: Final = anything(
    "where",
    'Only results whose metadata match: {"key": value}, or {"key": {"$gte": 3}} with one of '
    "$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $contains; $and, $or, $not combine them.",
    level=0,
)
SUBJECT: Final = text("subject", "Who or what it is about.", level=1)
PREDICATE: Final = text("predicate", "Which property of the subject, such as city.")
KIND: Final = choice("kind", "What kind of statement it is. Default fact.", KINDS, level=1)
KINDS_OF: Final = choices_of("kinds", "Only these kinds.", KINDS)
TAGS: Final = texts("tags", "Labels of your own.", level=1)
WITH_TAGS: Final = texts("tags", "Only what carries all of these labels.")
PROJECT: Final = text("project", "The project it belongs to.")
OF_PROJECT: Final = text("project", "Only what belongs to this project or to none.")
METADATA: Final = anything("metadata", "Free keys and values that filters can ask for.", level=1)
TRUST: Final = choice("trust", "Lower the trust of this one, never raise it.", reversed(LEVELS))
LEAST_TRUST: Final = choice(
    "trust", "The least trust let in; untrusted text comes back only when asked for.", reversed(LEVELS)
)
TOLD_TRUST: Final = choice(
    "trust", "The least trust told of. Default all; what is untrusted says so.", reversed(LEVELS)
)
IMPORTANCE_OF: Final = Parameter(
    "importance",
    {
        "type": ["integer", "string"],
        "description": f"{', '.join(IMPORTANCE)}, or 1 to 10. Default medium.",
    },
)
CONFIDENCE: Final = number("confidence", "How sure, from 0 to 1.", level=1, minimum=0, maximum=1)
BASIS: Final = choice("basis", "What it rests on; gives the confidence when that is left out.", BASIS_CONFIDENCE)
SOURCE: Final = text("source", "Where it comes from: a session, a file, a URL.", level=1)
OBSERVED_AT: Final = moment("observed_at", "When it was observed.")
VALID_FROM: Final = moment("valid_from", "From when it holds. Default now.", level=1)
VALID_TO: Final = moment("valid_to", "Until when it holds, not included. Default for ever.", level=1)
AS_OF: Final = moment("as_of", "What was believed at this time about this time; excludes the other two.", level=1)
VALID_AT: Final = moment("valid_at", "What held in the world at this time.")
KNOWN_AT: Final = moment("known_at", "What was believed at this time.")
TIMES: Final = (AS_OF, VALID_AT, KNOWN_AT)
ARCHIVED: Final = flag("include_archived", "Also what was archived.")
RETRACTED: Final = flag("include_retracted", "Also what was forgotten.")
DRY_RUN: Final = flag("dry_run", "Say what would happen and change nothing.")
LIMIT: Final = Parameter(
    "limit",
    {
        "type": "integer",
        "description": "How many at most. Default 100.",
        "minimum": 0,
        "maximum": 100_000,
        "default": 100,
    },
    flag="-n",
)
QUERY: Final = text("query", "What to look for, as a question or as keywords.", level=0, positional=True, blank=True)
K: Final = Parameter(
    "k",
    {
        "type": "integer",
        "description": "How many results to return at most.",
        "default": 5,
        "minimum": 1,
        "maximum": MOST,
    },
    level=0,
    flag="-k",
)
MIN_SIMILARITY: Final = number(
    "min_similarity", "Only results whose meaning is at least this close, from 0 to 1.", level=0
)
RERANK: Final = flag("rerank", "Order the results by a slower, more careful model.", level=0)
MAX_TOKENS: Final = whole("max_tokens", "About how many tokens the results may take together.", level=1, minimum=1)
ABSTAIN: Final = flag("abstain", "Return nothing rather than the nearest noise.", level=1)
SINCE: Final = moment("since", "Only what holds, or was added, at or after this time.")
UNTIL: Final = moment("until", "Only what holds, or was added, before this time.")
EXPLAIN: Final = flag("explain", "Show the parts of each score.")
PATH: Final = text("path", "The file.", required=True, positional=True)
