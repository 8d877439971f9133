"""The command line: one module per command, imported when the command is run."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `unplace` with the given arguments (those of the process by default) and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal's encoding lacks is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    try:
        from unplace.cli.app import app

        app(args=arguments, prog_name="unplace")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("UNPLACE_DEBUG"):
            raise
        sys.stderr.write(f"unplace: internal error: {type(error).__name__}: {error}; please report it\n")
        return 2
    return 0
