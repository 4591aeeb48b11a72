"""Where the names of rmbr's modules live in omoide; each is loaded when it is first used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any


def resolve(module: str, homes: Mapping[str, str], name: str) -> Any:
    """Return what ``name`` of the compatibility module ``module`` stands for.

    ``homes`` maps names to ``"package.module:attribute"``.

    Raises:
        AttributeError: ``module`` has no such name.
        ImportError: this omoide does not have the part that the name stands for.
    """
    if name not in homes:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    home, _, attribute = homes[name].partition(":")
    try:
        return getattr(import_module(home), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("omoide"):
            raise
        raise ImportError(
            f"{module}.{name} stands for {home}.{attribute}, which this version of omoide does not have",
            name=module,
        ) from error
