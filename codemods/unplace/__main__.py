"""Runs the command line as `python -m unplace`."""

import os
import sys

if sys.path[:1] == [os.getcwd()]:  # noqa: PTH109  (`-m` put it there)
    # A file `ast.py` or `typing.py` in the working folder must not be imported. For the command `unplace`, the first
    # entry is the interpreter's folder.
    sys.path[0] = os.path.dirname(sys.executable)  # noqa: PTH120  (pathlib isn't imported yet)

from unplace.cli import main

if __name__ == "__main__":
    sys.exit(main())
