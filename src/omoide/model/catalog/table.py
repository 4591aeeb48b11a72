"""The one table of operations, from which every door is made."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from omoide.model.catalog import (
    beliefs,
    capturing,
    conversations,
    curating,
    documents,
    levels,
    native,
    notes,
    questions,
    sleeping,
    upkeep,
)
from omoide.model.catalog.operation import Operation

TABLE: Final[Mapping[str, Operation]] = MappingProxyType(
    {
        operation.name: operation
        for part in (
            beliefs,
            questions,
            levels,
            curating,
            documents,
            conversations,
            capturing,
            notes,
            native,
            sleeping,
            upkeep,
        )
        for operation in part.OPERATIONS
    }
)
