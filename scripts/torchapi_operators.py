"""Rows of the table for methods, attributes and functions that do not write in place."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torchapi_calls import CALLS, HAND_ONLY
from torchapi_facts import Facts, operator_row
from torchapi_fixed import FIXED_ATTRIBUTES, FIXED_METHODS, fixed_function
from torchapi_measure import Measured, Sample, measure
from torchapi_native import PREFIXES, Native
from torchapi_notes import NATIVE_NAMES, POSITIONAL
from torchapi_samples import by_name, hand_samples, opinfo_samples
from torchapi_signatures import Signature, current, from_python, from_stub, main_signature

Row = dict[str, Any]
STUBS = Path(torch.__file__).parent

# Namespace -> prefixes under which OpInfo may know its functions, the likeliest first.
OPINFO = {
    "torch": ("", "nn.functional.", "linalg.", "special."),
    "torch.nn.functional": ("nn.functional.", ""),
    "torch.linalg": ("linalg.",),
    "torch.special": ("special.", ""),
    "torch.fft": ("fft.",),
    "torch.masked": ("masked.",),
    "torch.signal.windows": ("signal.windows.",),
    "torch.sparse": ("sparse.",),
}


class Operators:
    """Builds rows; parses the stubs and OpInfo once."""

    def __init__(self, native: Native) -> None:
        self.native = native
        self.infos = by_name()
        self.functions = from_stub(STUBS / "_C/_VariableFunctions.pyi")
        self.methods = from_stub(STUBS / "_C/__init__.pyi", "TensorBase")
        self.neural = from_stub(STUBS / "nn/functional.pyi")

    def samples(self, names: list[str], key: str) -> dict[str, list[Sample]]:
        """Hand-written samples for `key`, and those of the first of the OpInfo names that exists."""
        groups = hand_samples(CALLS.get(key, ()))
        infos = [] if key in HAND_ONLY else next((self.infos[n] for n in names if n in self.infos), [])
        for dtype, samples in opinfo_samples(infos).items():
            groups.setdefault(dtype, []).extend(samples)
        return groups

    def infos_of(self, names: list[str]) -> list[Any]:
        """The OpInfos under the first of the names that exists."""
        return next((self.infos[n] for n in names if n in self.infos), [])

    def function(self, namespace: str, name: str, value: Callable[..., Any]) -> Row:
        """The row of a free function."""
        key = f"{namespace}.{name}"
        fixed = fixed_function(key)
        if fixed is not None:
            return fixed
        base = f"{PREFIXES[namespace]}{NATIVE_NAMES.get(key, name)}" if namespace in PREFIXES else ""
        if namespace == "torch.nn.functional" and inspect.isfunction(value):
            base = ""  # a native function of that name may be something else: aten::unfold is the view
        overloads = self._function_overloads(namespace, name, value, base)
        names = [prefix + name for prefix in OPINFO.get(namespace, ())]
        return self._row(key, name, base, value, overloads, names, "input")

    def _function_overloads(self, namespace: str, name: str, value: Callable[..., Any], base: str) -> list[Signature]:
        python = from_python(value)
        if namespace == "torch.nn.functional" and name in self.neural:
            stubbed = self.neural[name]
            if python is not None:
                merged = main_signature(stubbed)
                return [Signature(python.positional, python.keywords, merged.tensors, merged.result, python.variadic)]
            return stubbed
        if namespace == "torch" and name in self.functions and python is None:
            return self.functions[name]
        if python is not None:
            stub = [s for s in self.functions.get(name, []) if namespace == "torch"]
            return [python] if not stub or python.result != "unknown" else [python, *stub]
        return self.native.signatures(base)

    def _row(
        self,
        key: str,
        name: str,
        base: str,
        value: Callable[..., Any],
        overloads: list[Signature],
        names: list[str],
        receiver: str,
    ) -> Row:
        main = main_signature(overloads) if overloads else Signature((), (), frozenset(), "unknown")
        if key in POSITIONAL:
            main = replace(main, positional=tuple(POSITIONAL[key].split()))
        measured = measure(value, main.positional, self.samples(names, key), self.infos_of(names))
        facts = Facts(key, name, base, main, tuple(current(overloads)), measured, receiver)
        return operator_row(facts, self.native)

    def methods_and_attributes(self) -> tuple[dict[str, Row], dict[str, Row]]:
        """The rows of everything public on torch.Tensor that does not end in an underscore."""
        methods, attributes = {}, {}
        for name in sorted(n for n in dir(torch.Tensor) if not n.startswith("_") and not n.endswith("_")):
            value = getattr(torch.Tensor, name)
            if callable(value):
                methods[name] = self._method(name, value)
            else:
                attributes[name] = self._attribute(name)
        methods["__getitem__"] = self._method("__getitem__", torch.Tensor.__getitem__)
        methods["__iter__"] = {
            "parameters": "self",
            "result": "tensors",
            "view": "multi",
            "view_of": "self",
            "writable": False,
        }
        return methods, attributes

    def _method(self, name: str, value: Callable[..., Any]) -> Row:
        key = f"Tensor.{name}"
        if name in FIXED_METHODS:
            return FIXED_METHODS[name]
        python = from_python(value, is_method=True)
        overloads = self.methods.get(name, []) if python is None else [python]
        stubs = self.methods.get(name) or self.functions.get(name)
        if python is not None and stubs:
            tensors = frozenset({"self"}.union(*(s.tensors for s in stubs))) & {*python.positional, *python.keywords}
            result = python.result if python.result != "unknown" else main_signature(stubs).result
            overloads = [Signature(python.positional, python.keywords, tensors, result, python.variadic)]
        if not overloads:
            return {"parameters": "self", "result": "unknown", "saves": ["*"], "view": "maybe"}
        names = [name, f"nn.functional.{name}", f"linalg.{name}", f"special.{name}"]
        return self._row(key, name, name, value, overloads, names, "self")

    def _attribute(self, name: str) -> Row:
        if name in FIXED_ATTRIBUTES:
            return FIXED_ATTRIBUTES[name]

        def read(tensor: Any) -> Any:
            return getattr(tensor, name)

        read_signature = Signature(("self",), (), frozenset({"self"}), "unknown")
        names = [name]
        groups = self.samples(names, f"Tensor.{name}")
        groups["float32"] += hand_samples(("x", "v"))["float32"]
        measured: Measured = measure(read, ("self",), groups, [])
        return operator_row(Facts(f"Tensor.{name}", name, "", read_signature, (), measured, "self"), self.native)

    def constructors(self) -> dict[str, Row]:
        """Classes that build tensors when they are called."""
        copying = {"parameters": "data", "result": "tensor", "view": "maybe", "view_of": "data"}
        rows: dict[str, Row] = {
            f"torch.{prefix}Tensor": copying
            for prefix in ("", "Float", "Double", "Half", "BFloat16", "Byte", "Char", "Short", "Int", "Long", "Bool")
        }
        for name in ("Parameter", "Buffer"):
            rows[f"torch.nn.{name}"] = {"parameters": "data", "result": "tensor", "view": "always", "view_of": "data"}
        return rows

    def reflected(self) -> dict[str, Row]:
        """The rows of `number OP tensor`, by operator."""
        calls: dict[str, Callable[[Any, Any], Any]] = {
            "+": lambda x, n: n + x,
            "-": lambda x, n: n - x,
            "*": lambda x, n: n * x,
            "/": lambda x, n: n / x,
            "//": lambda x, n: n // x,
            "%": lambda x, n: n % x,
            "**": lambda x, n: n**x,
            "&": lambda x, n: n & x,
            "|": lambda x, n: n | x,
            "^": lambda x, n: n ^ x,
            "<<": lambda x, n: n << x,
            ">>": lambda x, n: n >> x,
        }
        signature = Signature(("self", "other"), (), frozenset({"self"}), "tensor")
        rows = {}
        for operator, call in calls.items():
            measured = measure(call, ("self", "other"), hand_samples(("x, 2", "x, 0.5", "v, 3")), [])
            if measured.runs == 0:  # bits
                measured = measure(call, ("self", "other"), {"int64": hand_samples(("i, 2",))["float32"]}, [])
            rows[operator] = operator_row(Facts("", operator, "", signature, (), measured, "self"), self.native)
            rows[operator]["elementwise"] = True
        return rows
