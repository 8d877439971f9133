"""The statements whose classes strangers found to be wrong once, and how often they are drawn."""

from __future__ import annotations

from collections.abc import Callable

from generator import coroutines, dtypes, flags, handled, holders, hooks, indexed, strided
from generator.writer import Writer

HEADER = [
    "import asyncio",
    "import collections",
    "import concurrent.futures as futures",
    "import contextvars",
    "import copy",
    "import io",
    "import itertools",
    "import operator",
    "import queue",
    "import types",
    "from collections import OrderedDict, deque",
    "from contextlib import ExitStack",
    "from torch.utils.checkpoint import checkpoint",
    "from torch.utils._pytree import tree_map",
]
STATEMENTS: dict[Callable[[Writer], bool], float] = {
    strided.matrix: 8, strided.plane: 3, strided.kept: 2, handled.direct: 3, handled.called: 5, coroutines.coroutine: 3,
    coroutines.generator: 2.5, holders.factory: 3, holders.holder: 3.5, holders.handed_out: 3.5,
    holders.kept_elsewhere: 1.5, hooks.hooked: 4, hooks.tensor_hook: 0.7, indexed.indexed: 5, flags.net: 3,
    flags.alone: 1,
    dtypes.cast_by_callers: 3, dtypes.in_sight: 3,
}  # fmt: skip
