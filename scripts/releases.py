#!/usr/bin/env python3
"""Write codemods/unplace/torchapi/releases.json: in which release torch got the functions that rewrites use.

python scripts/releases.py            # the release of the operator table is added
python scripts/releases.py FOLDER     # all anew: FOLDER/1.8.0/torch/_C/__init__.pyi and so on, unpacked from the wheels

Without a folder, what is known stays, and what isn't counts as new: on the careful side, for a rewrite doesn't use it
for older releases then.

A release is told by the type stubs of its first wheel: `pip download --no-deps --only-binary=:all: --platform
macosx_10_9_x86_64 --python-version 3.8 torch==1.8.0` (from 2.3 on `macosx_11_0_arm64`), of which `torch/_C/*.pyi`,
`torch/_tensor.py`, `torch/functional.py` and `torch/nn/functional.py` are read. What none of them has came with the
release of the operator table.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unplace import torchapi

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "codemods/unplace"
TABLE = PACKAGE / "torchapi/releases.json"
RECIPES = (
    "Tensor.clone",
    "Tensor.copy_",
    "Tensor.diagonal_scatter",
    "Tensor.dtype",
    "Tensor.masked_fill",
    "Tensor.new_empty",
    "Tensor.new_ones",
    "Tensor.new_zeros",
    "Tensor.select_scatter",
    "Tensor.shape",
    "Tensor.size",
    "Tensor.slice_scatter",
    "Tensor.tensor_split",
    "Tensor.to",
    "Tensor.unbind",
    "torch.bool",
    "torch.cat",
    "torch.diag_embed",
    "torch.empty_like",
    "torch.fill",
    "torch.full_like",
    "torch.get_default_dtype",
    "torch.int64",
    "torch.stack",
    "torch.tensor_split",
    "torch.where",
    "torch.zeros_like",
)
"""What rules write besides the functional counterparts in the operator table."""
WITH_ARGUMENT = (("Tensor.scatter", "reduce"),)
"""Functions that got an argument later than themselves, and later than their in-place form did."""


def names(folder: Path) -> Iterator[str]:
    """The public functions and methods of a release; with an argument in parentheses those of WITH_ARGUMENT."""
    for definition in _class(folder / "_C/__init__.pyi", ("_TensorBase", "TensorBase")):
        yield f"Tensor.{definition.name}"
        given = {argument.arg for argument in (*definition.args.args, *definition.args.kwonlyargs)}
        for name, argument in WITH_ARGUMENT:
            if name == f"Tensor.{definition.name}" and argument in given:
                yield f"{name}({argument})"
    if (folder / "_tensor.py").exists():  # in 1.8 it is `tensor.py`, with nothing that rewrites use
        yield from (f"Tensor.{definition.name}" for definition in _class(folder / "_tensor.py", ("Tensor",)))
    yield "Tensor.dtype"
    for node in ast.parse((folder / "_C/_VariableFunctions.pyi").read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            yield f"torch.{node.name}"
    for node in ast.parse((folder / "functional.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            yield from (f"torch.{name}" for name in ast.literal_eval(node.value))
    for node in ast.parse((folder / "nn/functional.py").read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            yield f"torch.nn.functional.{node.name}"
        elif isinstance(node, ast.Assign):
            yield from (f"torch.nn.functional.{t.id}" for t in node.targets if isinstance(t, ast.Name))


def _class(path: Path, named: tuple[str, ...]) -> Iterator[ast.FunctionDef]:
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name in named:
            yield from (member for member in node.body if isinstance(member, ast.FunctionDef))


def used() -> list[str]:
    """All that rewrites may write."""
    table = json.loads((PACKAGE / "torchapi/table.json").read_text("utf-8"))
    methods = {f"Tensor.{row['functional']}" for row in table["inplace_methods"].values() if "functional" in row}
    functions = {row["functional"] for row in table["inplace_functions"].values() if "functional" in row}
    arguments = {f"{name}({argument})" for name, argument in WITH_ARGUMENT}
    return sorted(methods | functions | arguments | set(RECIPES))


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    folder = parser.parse_args().folder
    document = extended(json.loads(TABLE.read_text("utf-8"))) if folder is None else measured(folder)
    text = json.dumps(document, indent=0, ensure_ascii=False) + "\n"
    TABLE.write_text(text, encoding="utf-8", newline="\n")


def measured(folder: Path) -> dict[str, Any]:
    """Read all of the table from the stubs of the releases."""
    folders = sorted(folder.iterdir(), key=lambda path: _key(path.name))
    known = {_short(folder.name): set(names(folder / "torch")) for folder in folders}
    latest = _short(torchapi.TORCH_VERSION)
    since = {name: next((release for release, has in known.items() if name in has), latest) for name in used()}
    return {"releases": [*known, latest], "since": since}


def extended(table: dict[str, Any]) -> dict[str, Any]:
    """Add the release of the operator table, and the names that it brings."""
    latest = _short(torchapi.TORCH_VERSION)
    known = [release for release in table["releases"] if release != latest]
    return {"releases": [*known, latest], "since": {name: table["since"].get(name, latest) for name in used()}}


def _key(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


if __name__ == "__main__":
    main()
