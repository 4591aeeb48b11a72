"""What people may set for one vault, in ``.omoide/vault.toml``."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from omoide.model.namespaces import check_namespace
from omoide.vault.files import HIDDEN
from omoide.vault.outbox import replace

FILE: Final = "vault.toml"
BUDGET: Final = 8_192

DEFAULT: Final = f"""\
# Settings of this vault. A line without a value of yours can be left out.

# namespace = "default"   # whose memories MEMORY.md lists, and where notes that omoide did not write are found
# watch = true            # an open handle takes edits in as they are made, not at its next call; needs omoide[watch]

[memory_md]
# budget = {BUDGET}        # bytes of the list in MEMORY.md; 0 writes none
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a vault.

    ``namespace``: whose memories MEMORY.md lists, and where the notes of others are found. ``budget``: bytes of the
    list in MEMORY.md, 0 for none. ``watch``: whether open handles look at the folder by themselves.
    """

    namespace: str = "default"
    budget: int = BUDGET
    watch: bool = False
    problem: str | None = None


def read_settings(root: str | os.PathLike[str]) -> Settings:
    """Return the settings of a vault; where the file cannot be understood the default ones, with the ``problem``."""
    file = Path(root) / HIDDEN / FILE
    try:
        data = tomllib.loads(file.read_bytes().decode("utf-8-sig"))
        part = data.get("memory_md", {})
        namespace = _value(data, "namespace", "default")
        check_namespace(namespace)
        budget = _value(part if isinstance(part, dict) else {}, "budget", BUDGET)
        return Settings(namespace, budget, _value(data, "watch", False))
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        return Settings(problem=f"it is not used: {error}")


def write_settings(root: str | os.PathLike[str]) -> None:
    """Write the settings with a word on each, where there are none."""
    file = Path(root) / HIDDEN / FILE
    if not file.exists():
        replace(file, DEFAULT.encode("utf-8"))


def _value(data: dict[str, Any], name: str, default: Any) -> Any:
    value = data.get(name, default)
    if type(value) is not type(default):
        raise ValueError(f"{name} must be like {default!r}, not {value!r}")
    return value
