"""From what a user passes as ``embedder`` to a model, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from omoide.embed.e5 import PACKAGE, E5Embedder
from omoide.embed.minilm import MiniLMEmbedder
from omoide.errors import EmbedderUnavailableError, InvalidInputError
from omoide.ports import Embedder, Vector

NONE: Final = "none"
DEFAULT_NAMES: Final = ("default", "e5-small")
MINILM: Final = "minilm"
MINILM_RECORDED: Final = "all-MiniLM-L6-v2-i8"
"""How a store records it, its version apart."""
PROVIDERS: Final = {
    "openai": "omoide.embed.remote:OpenAIEmbedder",
    "voyage": "omoide.embed.remote:VoyageEmbedder",
    "cohere": "omoide.embed.remote:CohereEmbedder",
    "ollama": "omoide.embed.remote:OllamaEmbedder",
    "fastembed": "omoide.embed.fast:FastEmbedEmbedder",
}
KEYWORDS_ONLY: Final = "searching by keyword only"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A model in use, or none.

    ``reason`` says why there is no model although one was wanted; it is None with ``"none"``, where nothing
    is missing. ``name`` is the name of the model in use, or of the wanted one as far as it is known.
    """

    embedder: Embedder | None
    name: str | None
    reason: str | None = None


def resolve(embedder: Any = None, *, recorded: str | None = None) -> Resolved:
    """Return what to embed with; nothing is loaded yet.

    None is the model that the store has ``recorded``, in a new store the default one. ``"none"`` is keyword
    search only. ``"default"`` and ``"e5-small"`` are the default model, ``"minilm"`` is all-MiniLM-L6-v2; an error if
    it is not there.
    ``"openai:MODEL"`` and so on name a model of a service, or of fastembed. An object needs ``model_name``
    and ``embed``. A function from a list of texts to a list of vectors gets its module and qualified name as
    model name; a lambda has none that would tell it from another.

    Raises:
        InvalidInputError: not an embedder, or one without a name.
        EmbedderUnavailableError: a model asked for by name is not installed.
    """
    if embedder is None:
        return _adopted(recorded)
    if isinstance(embedder, str):
        return _named(embedder)
    if callable(getattr(embedder, "embed", None)):
        return Resolved(embedder, _checked_name(embedder))
    if callable(embedder):
        function = FunctionEmbedder(embedder)
        return Resolved(function, function.model_name)
    raise InvalidInputError(
        f"embedder has to be 'none', 'default', an object with model_name and embed(list[str]), or a function,"
        f" not {type(embedder).__name__}",
        value=embedder,
    )


class FunctionEmbedder:
    """A plain function as an embedder; ``model_name`` on the function wins over its qualified name."""

    def __init__(self, function: Callable[[list[str]], Sequence[Vector]]) -> None:
        self.model_name = _function_name(function)
        self._function = function

    def __repr__(self) -> str:
        return f"FunctionEmbedder({self.model_name!r})"

    def embed(self, texts: list[str], /) -> Sequence[Vector]:
        """Return what the function returns."""
        return self._function(texts)


def _adopted(recorded: str | None) -> Resolved:
    """The default model, if the store has it or has none; a missing one is a state, not an error."""
    if recorded is not None and recorded.startswith(MINILM_RECORDED) and _missing(MiniLMEmbedder.module) is None:
        return _minilm()
    missing = _missing()
    if missing is not None:
        return Resolved(None, recorded, f"{missing}; {KEYWORDS_ONLY}")
    try:
        embedder = E5Embedder()
    except EmbedderUnavailableError as error:
        return Resolved(None, recorded, f"{error}; {KEYWORDS_ONLY}")
    if recorded not in {None, embedder.model_name}:
        return Resolved(None, recorded, f"this store was made with {recorded!r}, pass it as embedder=; {KEYWORDS_ONLY}")
    return Resolved(embedder, embedder.model_name)


def _named(name: str) -> Resolved:
    provider, _, model = name.partition(":")
    if name == NONE:
        return Resolved(None, None)
    if name in DEFAULT_NAMES:
        return _default()
    if name == MINILM:
        return _minilm()
    if provider in PROVIDERS and model:
        home, kind = PROVIDERS[provider].split(":")
        embedder: Embedder = getattr(import_module(home), kind)(model)
        return Resolved(embedder, embedder.model_name)
    known = ", ".join([*map(repr, (NONE, *DEFAULT_NAMES, MINILM)), *(f"'{each}:MODEL'" for each in PROVIDERS)])
    raise InvalidInputError(f"unknown embedder {name!r}; by name there are {known}", value=name)


def _default() -> Resolved:
    missing = _missing()
    if missing is not None:
        raise EmbedderUnavailableError(missing, value=DEFAULT_NAMES[0])
    embedder = E5Embedder()
    return Resolved(embedder, embedder.model_name)


def _minilm() -> Resolved:
    missing = _missing(MiniLMEmbedder.module, MiniLMEmbedder.package, "'omoide[minilm]'")
    if missing is not None:
        raise EmbedderUnavailableError(missing, value=MINILM)
    embedder = MiniLMEmbedder()
    return Resolved(embedder, embedder.model_name)


def _missing(module: str = E5Embedder.module, name: str = "the default model", install: str = PACKAGE) -> str | None:
    """Say which part of a packaged model is not installed; imports nothing."""
    if find_spec(module) is None:
        return f"{name} is not installed (pip install {install})"
    if find_spec("onnxruntime") is None:
        return f"{name} needs onnxruntime (pip install onnxruntime)"
    return None


def _checked_name(embedder: Any) -> str:
    name = getattr(embedder, "model_name", None)
    if not isinstance(name, str) or not name.strip():
        raise InvalidInputError(
            f"{type(embedder).__name__} needs a model_name: it is stored beside the vectors, so that they are"
            " never mixed with those of another model",
            value=name,
        )
    return name


def _function_name(function: Any) -> str:
    if hasattr(function, "model_name"):
        return _checked_name(function)
    owner = function if hasattr(function, "__qualname__") else type(function)
    name = f"{owner.__module__}.{owner.__qualname__}"
    if "<lambda>" in name or owner.__module__ == "functools":
        raise InvalidInputError(
            "a lambda or partial has no name of its own to store beside the vectors: use a named function, or"
            " an object with model_name and embed(list[str])",
            value=name,
        )
    return name
