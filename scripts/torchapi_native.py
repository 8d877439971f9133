"""What torchgen knows: schemas, views, tags, and the tensors that autograd's formulas keep for backward."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torchgen  # type: ignore[import-untyped]
from torchapi_signatures import Signature, result_kind
from torchgen.api.autograd import match_differentiability_info  # type: ignore[import-untyped]
from torchgen.api.types import BaseCType, tensorT  # type: ignore[import-untyped]
from torchgen.gen import parse_native_yaml  # type: ignore[import-untyped]
from torchgen.packaged.autograd.load_derivatives import load_derivatives  # type: ignore[import-untyped]

# Python namespace -> prefix of the native names behind it
PREFIXES = {
    "torch": "",
    "torch.nn.functional": "",
    "torch.linalg": "linalg_",
    "torch.special": "special_",
    "torch.fft": "fft_",
}


@dataclass
class Saves:
    """What autograd keeps: parameter -> the parameter whose gradient must be needed ('' = always).

    `result` concerns calls that give one tensor, `members` the positions in the result of those that give several.
    """

    inputs: dict[str, str] = field(default_factory=dict)
    result: bool = False
    members: set[int] = field(default_factory=set)

    def join(self, other: Saves) -> None:
        """Widen by what another overload or another sample keeps."""
        for name, guard in other.inputs.items():
            self.inputs[name] = guard if self.inputs.get(name, guard) == guard else ""
        self.result |= other.result
        self.members |= other.members


class Native:
    """native_functions.yaml and derivatives.yaml of the installed torch, parsed once."""

    def __init__(self) -> None:
        root = Path(torchgen.__file__).parent / "packaged"
        native = str(root / "ATen/native/native_functions.yaml")
        tags = str(root / "ATen/native/tags.yaml")
        functions = parse_native_yaml(native, tags).native_functions
        infos, _ = load_derivatives(str(root / "autograd/derivatives.yaml"), native, tags)
        self.by_base: dict[str, list[Any]] = defaultdict(list)
        for function in functions:
            self.by_base[str(function.func.name).split(".")[0]].append(function)
        self._info: dict[str, Any] = {}
        for match in match_differentiability_info(functions, infos):
            if match.info and "Default" in match.info:
                self._info[str(match.func.func.name)] = match.info["Default"]

    def of_kind(self, base: str, kind: str) -> list[Any]:
        """The overloads of one base name ('add', 'add_') that are 'functional', 'inplace' or 'out'."""
        return [f for f in self.by_base.get(base, []) if f.func.kind().name == kind]

    def saves(self, overloads: Iterable[Any]) -> tuple[Saves, bool]:
        """The union over the overloads, and whether one of them is a composite that the formulas do not describe.

        A few composites (linear, matmul) have a formula too: it serves other backends and nested tensors only.
        """
        found, composite = Saves(), False
        for function in overloads:
            info = self._info.get(str(function.func.name))
            if function.has_composite_implicit_autograd_kernel:
                composite = True
            elif info is not None and info.has_derivatives:
                found.join(_saved(function, info))
        return found, composite

    def outs(self, base: str) -> int:
        """How many tensors the out= of a function takes; 0: none."""
        return max((len(f.func.arguments.out) for f in self.of_kind(base, "out")), default=0)

    def tags(self, base: str) -> set[str]:
        """Tags that every functional overload carries, and those that any does, marked 'any:'."""
        overloads = [set(f.tags) for f in self.of_kind(base, "functional")]
        if not overloads:
            return set()
        return set.intersection(*overloads) | {f"any:{tag}" for tags in overloads for tag in tags}

    def aliased(self, base: str) -> list[str]:
        """Parameters that a result may look at, by the schemas."""
        names: dict[str, None] = {}
        for function in self.of_kind(base, "functional"):
            for a in function.func.schema_order_arguments():
                if a.annotation is not None and not a.annotation.is_write:
                    names[a.name] = None
        return list(names)

    def written(self, base: str) -> list[str]:
        """Parameters that the functional overloads write all the same, by the schemas."""
        names: dict[str, None] = {}
        for function in self.by_base.get(base, []):
            if function.func.kind().name in ("inplace", "out"):
                continue
            for a in function.func.schema_order_arguments():
                if a.annotation is not None and a.annotation.is_write:
                    names[a.name] = None
        return list(names)

    def signatures(self, base: str, kind: str = "functional") -> list[Signature]:
        """The overloads of one kind as Python sees them ('self' is called 'input' there)."""
        return [_signature(f) for f in self.of_kind(base, kind)]


def _signature(function: Any) -> Signature:
    arguments = function.func.arguments
    positional = [a.name for a in arguments.flat_positional]
    tensors = {a.name for a in function.func.schema_order_arguments() if a.type.is_tensor_like()}
    returns = [str(r.type) for r in function.func.returns]
    if len(returns) > 1 or any(r.startswith("Tensor") and r.endswith("]") for r in returns):
        kind = "tensors"
    else:
        kind = result_kind(returns[0]) if returns else "other"

    def python(name: str) -> str:
        return "input" if name == "self" else name

    return Signature(
        positional=tuple(python(name) for name in positional),
        keywords=tuple(a.name for a in arguments.flat_kwarg_only),
        tensors=frozenset(python(name) for name in tensors),
        result=kind,
    )


def _saved(function: Any, info: Any) -> Saves:
    """The tensors that the autograd node of one overload keeps, as torchgen's gen_variable_type.py decides it."""
    arguments = list(function.func.schema_order_arguments())
    with_derivative = [a for a in arguments if any(a.name in d.var_names for d in info.derivatives)]
    with_derivative = [a for a in with_derivative if a.type.is_tensor_like()]
    any_list = any(a.type.is_list_like() is not None for a in with_derivative)

    def guard(attribute: Any) -> str:
        if any_list or "backward" in info.name or len(with_derivative) <= 1:
            return ""
        if attribute.nctype.type != BaseCType(tensorT):
            return ""
        used_in = [d for d in info.derivatives if attribute in d.saved_inputs]
        if len(used_in) != 1:
            return ""
        if len(used_in[0].var_names) != 1:
            wrapped = rf"wrap_opt_if\({attribute.nctype.name},\s*grad_input_mask\[(\d+)\]\)"
            guarded = re.search(wrapped, used_in[0].formula)
            return str(used_in[0].var_names[int(guarded.group(1))]) if guarded else ""
        return str(used_in[0].var_names[0])

    def is_tensor(attribute: Any) -> bool:
        text = str(attribute.nctype.type)
        return "at', name='Tensor'" in text or "TensorList" in text

    names = function.func.returns
    results = ["result"] if len(names) == 1 else [r.name or f"result{i}" for i, r in enumerate(names)]
    saves = Saves()
    for attribute in filter(is_tensor, info.all_saved_inputs):
        saves.inputs[str(attribute.nctype.name)] = guard(attribute)
    for attribute in filter(is_tensor, info.all_saved_outputs):
        name = str(attribute.nctype.name)
        if len(results) == 1:
            saves.result = True
        else:
            saves.members |= {results.index(name)} if name in results else set(range(len(results)))
    return saves
