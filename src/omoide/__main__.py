"""``python -m omoide``, and the console script."""

from __future__ import annotations

import os
import sys

_INTERRUPTED = 130
"""The exit status of a command that Ctrl-C ended, as in ``omoide.serve.codes``."""


def main() -> int:
    """Run the command line of this process; return its exit status."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):  # answered before anything is loaded
        from omoide import __version__

        print(f"omoide {__version__}")  # noqa: T201 - a command line prints
        return 0
    if arguments[:1] == ["hook"] and not {"--help", "-h"} & set(arguments):  # hosts wait for it at every step
        from omoide.capture.hook import main as hook

        return hook(arguments[1:])
    try:
        from omoide.serve.cli.app import run

        return run(arguments)
    except KeyboardInterrupt:  # while it was being loaded; later the command line sees to it
        return _INTERRUPTED


if __name__ == "__main__":
    status = main()
    if sys.argv[1:2] == ["hook"]:
        os._exit(status)  # everything is written; taking the interpreter down would take a tenth of the time
    sys.exit(status)
