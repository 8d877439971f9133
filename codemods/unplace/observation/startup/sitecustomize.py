"""Python imports this module at its start: the process is observed, then the environment's own module runs."""

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_others = [path for path in sys.path if Path(path).resolve() != _HERE]
_own = importlib.machinery.PathFinder.find_spec("sitecustomize", _others)
if _own is not None and _own.loader is not None:
    _own.loader.exec_module(importlib.util.module_from_spec(_own))
if "UNPLACE_OBSERVED_FACTS" in os.environ:
    from unplace.observation import child

    child.install()
