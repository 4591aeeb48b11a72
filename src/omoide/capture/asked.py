"""The words of ``omoide hook HOST EVENT [PAYLOAD] [--store S] [--namespace N]``, read without a library."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

OPTIONS = ("--store", "--namespace")


class Asked:
    """Host and event as the settings name them, and what the hook is pinned to; "" for what is left out.

    ``payload`` is one that a host hands over as an argument.
    """

    __slots__ = ("event", "host", "namespace", "payload", "store")

    def __init__(self, host: str, event: str, payload: str, store: str, namespace: str) -> None:
        self.host = host
        self.event = event
        self.payload = payload
        self.store = store
        self.namespace = namespace


def asked_of(words: Sequence[str]) -> Asked:
    """Return what a command line asks; words that mean nothing are passed over, a hook never refuses its host."""
    given: dict[str, str] = {}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if name in OPTIONS:
            given[name] = value or next(rest, "")
        elif not word.startswith("--"):
            plain.append(word)
    host, event, payload = (*plain, "", "", "")[:3]
    store = given.get("--store") or os.environ.get("OMOIDE_STORE", "")
    namespace = given.get("--namespace") or os.environ.get("OMOIDE_NAMESPACE", "")
    return Asked(host, event, payload, os.path.expanduser(store) if store.startswith("~") else store, namespace)
