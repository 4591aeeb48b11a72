"""Parts that need an extra of the distribution: loaded when they are used, missing ones named."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(module: str, name: str, *, extra: str) -> Any:
    """Return an attribute of one of omoide's modules.

    Raises:
        ImportError: a package of ``extra`` is not installed; says how to install it.
    """
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "omoide":
            raise
        raise ImportError(f"{name} needs {error.name}: pip install 'omoide[{extra}]'", name=error.name) from error
