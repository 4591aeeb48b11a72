"""An open vault that looks at its folder by itself when something in it changes, so that the next call finds it done.

Needs the extra ``watch`` and ``watch = true`` in ``.omoide/vault.toml``. Every call looks as it always does.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from omoide.errors import OmoideError
from omoide.vault.files import HIDDEN, INDEX, INDEX_NOTE
from omoide.vault.logs import LOG, SUFFIX

if TYPE_CHECKING:
    from omoide.vault.store import VaultStore

PACKAGE: Final = "watchfiles"
PAUSE: Final = 1.0
"""Seconds before the first look: a handle that is closed sooner never starts one."""
TOGETHER: Final = 300
"""Milliseconds in which changes are taken as one."""


def is_installed() -> bool:
    """Say whether the extra is there."""
    return find_spec(PACKAGE) is not None


class Watcher:
    """Watches the folder of one open store from a thread of its own, once it is started."""

    def __init__(self, store: VaultStore) -> None:
        self._store = store
        self._root = os.path.realpath(store.root)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, where the extra is there."""
        if self._thread is None and is_installed():
            self._thread = threading.Thread(target=self._run, name="omoide watch", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop, and wait for a look that is under way."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread() and thread.is_alive():
            thread.join()

    def _run(self) -> None:
        if self._stop.wait(PAUSE):
            return
        from watchfiles import watch

        looked = False
        with suppress(OSError):  # a folder that is gone, or more of them than the system watches: the calls still look
            for changes in watch(
                self._root,
                watch_filter=self._concerns,
                stop_event=self._stop,
                debounce=TOGETHER,
                rust_timeout=TOGETHER,
                yield_on_timeout=True,
                raise_interrupt=False,
            ):
                if changes or not looked:  # what changed before the watch began is nobody's event
                    looked = True
                    self._look()

    def _concerns(self, _change: Any, path: str) -> bool:
        return concerns(os.path.relpath(path, self._root))

    def _look(self) -> None:
        """The next call meets the same error and tells it."""
        with suppress(OmoideError), self._store.settled():
            pass


def concerns(path: str) -> bool:
    """Say whether a changed path, from the root of the vault, may be one that says what the vault knows.

    A folder that is new may hold notes that were there before it was watched.
    """
    parts = PurePath(path).parts
    if not parts or parts[0] == INDEX or path == INDEX_NOTE:
        return False
    if parts[0] == HIDDEN:
        return LOG in parts and path.endswith(SUFFIX)
    return not any(part.startswith(".") for part in parts)
