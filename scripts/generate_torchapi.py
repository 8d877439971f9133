#!/usr/bin/env python3
"""Write codemods/unplace/torchapi/table.json from the installed torch.

python scripts/generate_torchapi.py                    # write the table
python scripts/generate_torchapi.py --output FILE      # write it elsewhere
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional
from torchapi_inplace import inplace_flags, inplace_functions, inplace_methods, inplace_results
from torchapi_modules import modules
from torchapi_native import Native
from torchapi_notes import HELPER_MODULES, HELPERS, NAMESPACES, OPERATORS
from torchapi_operators import Operators
from torchapi_seal import seal_of

WRITERS = {"clip_grad_norm_"}  # the old name without the underscore writes too
TABLE = Path(__file__).parents[1] / "codemods/unplace/torchapi/table.json"


def public_names(namespace: str) -> Iterator[tuple[str, Any]]:
    """The public names of a namespace and their objects; what it only imports for its own use is left out."""
    place = importlib.import_module(namespace)
    submodules = {m.name for m in pkgutil.iter_modules(getattr(place, "__path__", ()))}
    for name in sorted(dir(place)):
        value = getattr(place, name)
        origin = str(getattr(value, "__module__", None) or type(value).__module__)
        if name.startswith("_") or name in HELPERS or origin in HELPER_MODULES:
            continue
        if inspect.ismodule(value):
            if name in submodules and value.__name__ == f"{namespace}.{name}":
                yield name, value
        elif origin.partition(".")[0] == "torch" or (isinstance(value, (float, type(None))) and namespace == "torch"):
            yield name, value


def is_plain_function(name: str, value: Any) -> bool:
    """A callable that is no class and whose name does not announce a write."""
    return callable(value) and not inspect.isclass(value) and not name.endswith("_") and not inspect.ismodule(value)


def build() -> dict[str, Any]:
    """The whole table."""
    native = Native()
    operators = Operators(native)
    public = {namespace: dict(public_names(namespace)) for namespace in NAMESPACES}
    functions = {}
    for namespace, names in public.items():
        for name, value in names.items():
            if is_plain_function(name, value) and namespace != "torch.nn.init" and name + "_" not in WRITERS:
                functions[f"{namespace}.{name}"] = operators.function(namespace, name, value)
    methods, attributes = operators.methods_and_attributes()
    in_place = inplace_methods(native, operators)
    flags, in_place_functions = inplace_flags(), inplace_functions(in_place, native, operators)
    return {
        "attributes": attributes,
        "functions": functions | operators.constructors(),
        "inplace_flags": flags,
        "inplace_functions": in_place_functions,
        "inplace_methods": in_place,
        "inplace_results": inplace_results(in_place, in_place_functions, flags),
        "methods": methods,
        "modules": modules(),
        "namespaces": {namespace: " ".join(names) for namespace, names in public.items()},
        "operators": OPERATORS,
        "reflected": operators.reflected(),
        "torch": torch.__version__.partition("+")[0],
    }


def text_of(table: dict[str, Any]) -> str:
    """Compact JSON with sorted keys and one operator per line."""

    def compact(value: Any) -> str:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    parts = []
    for section, value in sorted(table.items()):
        if isinstance(value, dict):
            rows = ",\n".join(f"{compact(key)}:{compact(row)}" for key, row in sorted(value.items()))
            parts.append(f"{compact(section)}:{{\n{rows}\n}}")
        else:
            parts.append(f"{compact(section)}:{compact(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> int:
    """Write the table and say what it holds."""
    parser = argparse.ArgumentParser(description="Write the operator table from the installed torch.")
    parser.add_argument("--output", type=Path, default=TABLE, help="where to write (default: the package's table.json)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    table = build()
    table["seal"] = seal_of(text_of(table))
    arguments.output.write_text(text_of(table), encoding="utf-8")
    print({section: len(value) for section, value in table.items() if isinstance(value, dict)}, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
