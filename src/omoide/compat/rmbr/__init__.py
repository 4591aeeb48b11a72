"""rmbr's names on top of omoide: instead of ``rmbr`` import ``omoide.compat.rmbr``.

Each module of rmbr has its counterpart here. What differs from ``omoide.Memory`` is in ``memory``.
Behaviour of rmbr that loses or hides data is not imitated: forgotten ids are not used again, pinned
memories outlive ``forget_older_than``, ``update`` leaves ``created_at`` alone, ``True`` is not ``1`` in a
filter, and the access callback decides for the own namespace too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from omoide.compat.rmbr.door import resolve

if TYPE_CHECKING:
    from omoide.compat.rmbr.index import Index
    from omoide.compat.rmbr.memory import Memory
    from omoide.model.policy import Policy

_HOMES: Final = {
    "Index": "omoide.compat.rmbr.index:Index",
    "Memory": "omoide.compat.rmbr.memory:Memory",
    "Policy": "omoide.model.policy:Policy",
    "__version__": "omoide:__version__",
    "serve_http": "omoide:serve_http",
    "serve_mcp": "omoide:serve_mcp",
}

__all__ = ["Index", "Memory", "Policy"]


def __getattr__(name: str) -> Any:
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
