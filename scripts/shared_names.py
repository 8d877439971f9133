#!/usr/bin/env python3
"""Write codemods/unplace/torchapi/shared_names.py: the names of tensor methods that other classes have as well.

Needs numpy, pandas, polars, scipy, sympy, xarray, pillow, networkx, torch and torch_geometric:

    PYTHONPATH=codemods python scripts/shared_names.py
"""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
import importlib
import inspect
import io
import logging
import pathlib
import queue
import random
import re
from collections.abc import Iterable
from pathlib import Path

from unplace import torchapi

TARGET = Path(__file__).parents[1] / "codemods/unplace/torchapi/shared_names.py"
BUILTIN = (list, tuple, dict, set, frozenset, str, bytes, bytearray, int, float, complex, range)
STANDARD = (
    collections.Counter,
    collections.deque,
    collections.OrderedDict,
    collections.ChainMap,
    pathlib.Path,
    decimal.Decimal,
    fractions.Fraction,
    datetime.datetime,
    datetime.timedelta,
    array.array,
    queue.Queue,
    logging.Logger,
    re.Pattern,
    random.Random,
)
# Everyday companions of tensors: a name that one of these has says nothing.
COMMON = (
    "numpy.ndarray",
    "numpy.generic",
    "pandas.DataFrame",
    "pandas.Series",
    "pandas.Index",
    "torch.nn.Module",
    "torch.nn.ModuleList",
    "torch.nn.ParameterList",
    "torch.optim.Optimizer",
    "PIL.Image.Image",
)
# Objects that are seldom met, or that hold tensors and mimic them: their names are a hint and no more.
RARE = (
    "torch.Size",
    "torch.dtype",
    "torch.UntypedStorage",
    "torch.TypedStorage",
    "torch.Generator",
    "torch.cuda.Stream",
    "torch.nn.utils.rnn.PackedSequence",
    "torch.distributions.*",
    "torch_geometric.data.Data",
    "torch_geometric.data.Batch",
    "torch_geometric.data.HeteroData",
    "numpy.matrix",
    "numpy.ma.MaskedArray",
    "numpy.random.Generator",
    "scipy.sparse.csr_matrix",
    "scipy.sparse.csr_array",
    "scipy.sparse.coo_matrix",
    "scipy.sparse.lil_matrix",
    "xarray.DataArray",
    "xarray.Dataset",
    "polars.DataFrame",
    "polars.Series",
    "polars.Expr",
    "sympy.Expr",
    "sympy.Matrix",
    "sympy.Poly",
    "networkx.Graph",
)
ELSEWHERE = ("norm", "numpy", "register_hook")  # layers are called so, tensors of other libraries have them


OF_TRANSFORMS = ("inverse",)  # of flows, poses and operators: more packages have classes with it than with any other


def classes(names: Iterable[str]) -> list[type]:
    """The classes of these qualified names; `package.*` stands for all that a package exports."""
    found: list[type] = []
    for name in names:
        module, _, last = name.rpartition(".")
        place = importlib.import_module(module)
        exported = [getattr(place, n) for n in place.__all__] if last == "*" else [getattr(place, last)]
        found.extend(e for e in exported if inspect.isclass(e))
    return found


def common_classes() -> list[type]:
    """The classes whose names say nothing."""
    return [*BUILTIN, *STANDARD, *classes(COMMON)]


def rare_classes() -> list[type]:
    """The classes whose names are a hint."""
    return [io.BytesIO, re.Match, memoryview, slice, *classes(RARE)]


def tensor_names(of: Iterable[type]) -> set[str]:
    """The public names of some classes that tensors have too."""
    return {name for cls in of for name in dir(cls) if not name.startswith("__") and torchapi.is_tensor_member(name)}


def render(common: set[str], rare: set[str]) -> str:
    """The module's text."""
    lines = [
        '"""Tensor methods and attributes that other classes have too; written by scripts/shared_names.py."""',
        "",
        "from __future__ import annotations",
    ]
    for title, why, names in (
        ("COMMON", "Containers, arrays, data frames, paths, modules, ... have these: they say nothing.", common),
        (
            "RARE",
            "Storages, graphs, distributions, symbols, sparse matrices, ... have these: a hint at a tensor.",
            rare,
        ),
    ):
        lines += ["", f"# {why}", f"{title} = frozenset(", "    ["]
        lines += [f'        "{name}",' for name in sorted(names)]
        lines += ["    ]", ")"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the module."""
    common = tensor_names(common_classes()) | set(ELSEWHERE)
    TARGET.write_text(render(common, (tensor_names(rare_classes()) | set(OF_TRANSFORMS)) - common), encoding="utf-8")


if __name__ == "__main__":
    main()
