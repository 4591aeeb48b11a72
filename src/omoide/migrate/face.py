"""The handle through which doors import and export: one namespace of one store."""

from __future__ import annotations

import os
from collections.abc import Mapping

from omoide.aio import twin
from omoide.memory import Memory
from omoide.migrate.exporting import JSONL, export_as
from omoide.migrate.importing import import_into
from omoide.types.reports import IntakeReport


class Migration(Memory):
    """A memory that also takes in what other systems wrote, and writes what they read."""

    def import_from(
        self, path: str | os.PathLike[str], source: str = "auto", *, fields: Mapping[str, str] | None = None,
        scope: str | None = None, dry_run: bool = False, trust: str | None = None,
    ) -> IntakeReport:  # fmt: skip
        """Take in an export of omoide, or what another system kept; as ``import_into``."""
        return import_into(self, path, source, fields=fields, scope=scope, dry_run=dry_run, trust=trust)

    def export_as(self, path: str | os.PathLike[str], shape: str = JSONL, *, subject: str | None = None) -> str:
        """Write what this handle may read in a shape that other systems read; as the function ``export_as``."""
        return export_as(self, path, shape, subject=subject)

    aimport_from = twin(import_from)
    aexport_as = twin(export_as)
