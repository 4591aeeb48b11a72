"""``python -m omoide``, and the console script."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line of this process; return its exit status."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):  # answered before anything is loaded
        from omoide import __version__

        print(f"omoide {__version__}")  # noqa: T201 - a command line prints
        return 0
    from omoide.serve.cli.app import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
