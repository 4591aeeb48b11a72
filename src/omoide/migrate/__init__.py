"""A way in from other systems, and a way out: ``import_into``, ``export_as``, and the ``Migration`` handle of both."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from omoide.migrate.exporting import SHAPES, export_as
    from omoide.migrate.face import Migration
    from omoide.migrate.importing import import_into
    from omoide.migrate.systems import SYSTEMS

_HOMES = {
    "SHAPES": "omoide.migrate.exporting",
    "export_as": "omoide.migrate.exporting",
    "Migration": "omoide.migrate.face",
    "SYSTEMS": "omoide.migrate.systems",
    "import_into": "omoide.migrate.importing",
}

__all__ = ["SHAPES", "SYSTEMS", "Migration", "export_as", "import_into"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'omoide.migrate' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
