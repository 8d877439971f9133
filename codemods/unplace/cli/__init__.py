"""Defines the command line: one module per command, imported when the command is run."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from unplace.cli.completion import for_named_shell
from unplace.runs.limits import LimitError
from unplace.text.visible import visible_lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `unplace` with the given arguments (those of the process by default) and return its exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115  (as long as the process)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # don't fail for a name that the terminal can't encode
            stream.reconfigure(errors="backslashreplace")
    try:
        if (code := for_named_shell(sys.argv[1:] if arguments is None else arguments)) is not None:
            return code
        from unplace.cli.app import app

        app(args=arguments, prog_name="unplace")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if not _is_of_the_output(error) and os.environ.get("UNPLACE_DEBUG"):
            raise
        return _failed(_explained(error))
    except LimitError as error:
        return _failed(str(error))
    except Exception as error:
        if os.environ.get("UNPLACE_DEBUG"):
            raise
        return _failed(f"internal error: {type(error).__name__}: {error}; please report it")
    return 0


def _explained(error: OSError) -> str:
    reason = error.strerror or str(error)
    if _is_of_the_output(error):
        return f"cannot write the output: {reason}"
    place = "the working folder" if error.filename is None else os.fsdecode(error.filename)
    return f"{place}: {reason}; check that it is there, and its mode bits"


def _is_of_the_output(error: OSError) -> bool:
    """Tell whether an error is about a stream: it has no file name, and isn't about a missing working folder either."""
    return error.filename is None and not isinstance(error, (FileNotFoundError, PermissionError))


def _failed(message: str) -> int:
    sys.stderr.write(f"unplace: {visible_lines(message)}\n")
    return 2
