"""Models on onnxruntime: how a session is opened, and how many threads may be inside one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Final

from omoide.embed.parallel import WORKERS
from omoide.errors import EmbedderUnavailableError

_CLOSING: Final = 5.0  # seconds


def open_session(model: Path) -> Any:
    """Return a session that runs a model on the CPU, one thread a run.

    Raises:
        EmbedderUnavailableError: onnxruntime cannot run it.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors
    # One thread a run: on a busy machine two that wait for each other are slower than one. No pool of
    # threads also means nothing that a fork or the end of the interpreter could leave half done.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_mem_pattern = False  # a plan for every length seen would be kept for ever
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no other base in common
        raise EmbedderUnavailableError(f"onnxruntime cannot run {model}: {error}") from error


class Turnstile:
    """Lets ``WORKERS`` threads into native code at once, and none once the interpreter is ending."""

    def __init__(self) -> None:
        self._permits = threading.BoundedSemaphore(WORKERS)
        self._closed = False

    def __enter__(self) -> None:
        self._permits.acquire()
        if self._closed:
            self._permits.release()
            raise EmbedderUnavailableError("the interpreter is ending")

    def __exit__(self, *_: object) -> None:
        self._permits.release()

    def close(self) -> None:
        """Wait until nobody is inside; whoever comes later is refused."""
        self._closed = True
        held = [self._permits.acquire(timeout=_CLOSING) for _ in range(WORKERS)]
        for _ in filter(None, held):
            self._permits.release()
