"""rmbr's names on top of omoide: instead of ``rmbr`` import ``omoide.compat.rmbr``.

Each module of rmbr has its counterpart here. What differs from ``omoide.Memory`` is in ``memory``.
Behaviour of rmbr that loses or hides data is not imitated: forgotten ids are not used again, pinned
memories outlive ``forget_older_than``, ``update`` leaves ``created_at`` alone, ``True`` is not ``1`` in a
filter, and the access callback decides for the own namespace too.
"""

from __future__ import annotations

from importlib import import_module
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
    "serve_http": "omoide.compat.rmbr.server:serve_http",
    "serve_mcp": "omoide.compat.rmbr.mcp_server:serve_mcp",
}
_MODULES: Final = (
    "chunk", "embed", "extract", "index", "integrations", "mcp_server", "memory", "policy", "rerank", "search",
    "server", "store", "tools",
)  # fmt: skip

__all__ = ["Index", "Memory", "Policy", "__version__", "serve_http", "serve_mcp"]


def __getattr__(name: str) -> Any:
    """Return a name of rmbr, or one of its modules, which it had loaded itself."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted([*_HOMES, *_MODULES])
