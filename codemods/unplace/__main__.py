"""Runs the command line as `python -m unplace`."""

import os
import sys

if sys.path[:1] == [os.getcwd()]:  # noqa: PTH109  (`-m` put it there)
    # A file of the working folder that is called `ast.py` or `typing.py` isn't the one to import. The command `unplace`
    # has the folder of the interpreter in its place.
    sys.path[0] = os.path.dirname(sys.executable)  # noqa: PTH120  (pathlib isn't imported yet)

from unplace.cli import main

if __name__ == "__main__":
    sys.exit(main())
