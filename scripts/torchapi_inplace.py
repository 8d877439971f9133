"""Rows for everything that writes in place: methods, free functions, and functions with a parameter `inplace`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional
from torchapi_measure import Sample, changed, flat, quietly, seed, storage
from torchapi_native import Native
from torchapi_notes import INPLACE_KINDS, INPLACE_REASONS, NO_FUNCTIONAL
from torchapi_operators import Operators
from torchapi_signatures import Signature, from_python, main_signature

Row = dict[str, Any]
# Receiver and operand dtypes to run the in-place and the functional form with.
DTYPES = [
    (own, operand)
    for category in (
        ("float16", "bfloat16", "float32", "float64"),
        ("uint8", "int8", "int32", "int64"),
        ("complex64", "complex128"),
        ("bool",),
    )
    for own in category
    for operand in category
] + [("bool", "uint8"), ("float32", "int64"), ("int64", "float32"), ("complex64", "float64"), ("int64", "bool")]


def inplace_methods(native: Native, operators: Operators) -> dict[str, Row]:
    """The row of every public in-place method of torch.Tensor."""
    names = sorted(n for n in dir(torch.Tensor) if n.endswith("_") and not n.startswith("_"))
    return {name: _method(name, native, operators) for name in names}


def _method(name: str, native: Native, operators: Operators) -> Row:
    value = getattr(torch.Tensor, name)
    python = from_python(value, is_method=True)
    overloads = operators.methods.get(name, []) if python is None else [python]
    kind = INPLACE_KINDS.get(name, "value")
    functional = None if name in NO_FUNCTIONAL else name[:-1]
    row: Row = {
        "parameters": " ".join(main_signature(overloads).positional) if overloads else "self",
        "kind": kind,
        "dtype": "same",
    }
    if name in INPLACE_REASONS:
        row["reason"] = INPLACE_REASONS[name]
    groups = operators.samples([name[:-1], f"nn.functional.{name[:-1]}", name], f"Tensor.{name}")
    samples = groups["float32"] or groups["int64"]
    if functional is not None:
        row["functional"] = functional
        row["dtype"] = dtype_verdict(value, getattr(torch.Tensor, functional), samples)
    saves, _ = native.saves(native.of_kind(name, "inplace"))
    old, new = _kept(value, samples)
    if old or "self" in saves.inputs:
        row["saves_old_self"] = True
    if new or saves.result:
        row["saves_result"] = True
    return row


def dtype_verdict(in_place: Callable[..., Any], functional: Callable[..., Any], samples: list[Sample]) -> str:
    """See InplaceMethod.dtype; both forms are run on every pair of dtypes, and only runs in which both work count."""
    runs = 0
    same_dtypes: set[Any] = set()
    mixed: set[Any] = set()
    for own, operand in DTYPES:
        for sample in samples:
            results = []
            for form in (in_place, functional):
                prepared = quietly(lambda: _cast(sample, own, operand))  # noqa: B023
                seed()
                results.append(quietly(lambda: form(*prepared.args, **prepared.kwargs)))  # noqa: B023
            if not all(isinstance(result, torch.Tensor) for result in results):
                continue
            runs += 1
            if results[0].dtype != results[1].dtype:
                (same_dtypes if _is_uniform(sample, own, operand) else mixed).add(results[1].dtype)
    if runs == 0:
        return "unknown"
    if same_dtypes | mixed == {torch.bool}:
        return "bool"
    return "accumulates" if same_dtypes else "promotes" if mixed else "same"


def _cast(sample: Sample, own: str, operand: str) -> Sample:
    """The sample with the receiver in one dtype and the other value tensors in another; indices and masks stay."""
    receiver = next(flat(sample.args))
    integers = not receiver.is_floating_point()

    def change(tensor: Any) -> Any:
        if not (tensor.is_floating_point() or (integers and tensor.dtype is torch.int64)):
            return tensor.clone()
        return tensor.detach().abs().clamp(max=5).to(getattr(torch, own if tensor is receiver else operand)).clone()

    return changed(sample, change)


def _is_uniform(sample: Sample, own: str, operand: str) -> bool:
    """Whether all values of the cast sample have one dtype; int64 and bool tensors beside them are indices, masks."""
    allowed = {getattr(torch, own), torch.int64, torch.bool}
    return own == operand and all(t.dtype in allowed for t in flat(list(_cast(sample, own, operand).args)))


def _kept(method: Callable[..., Any], samples: list[Sample]) -> tuple[bool, bool]:
    """Whether autograd keeps a clone of the old receiver, and whether it keeps the receiver itself; seen by hooks."""
    old = new = False
    for sample in samples:
        packed: list[Any] = []

        def prepare(tensor: Any) -> Any:
            copy = tensor.detach().clone()
            return copy.requires_grad_() * 1 if copy.is_floating_point() else copy

        def pack(tensor: Any) -> Any:
            packed.append(tensor)  # noqa: B023
            return tensor

        prepared = quietly(lambda: changed(sample, prepare))  # noqa: B023
        receiver = None if prepared is None else next(flat(prepared.args), None)
        if receiver is None:
            continue
        before = receiver.detach().clone()
        seed()
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            done = quietly(lambda: method(*prepared.args, **prepared.kwargs))  # noqa: B023
        if done is None:
            continue
        known = {storage(tensor) for tensor in flat((prepared.args, prepared.kwargs))}
        for tensor in packed:
            new |= storage(tensor) == storage(receiver)
            if storage(tensor) not in known and tensor.shape == before.shape and tensor.dtype == before.dtype:
                old |= bool(torch.equal(tensor.detach(), before))
    return old, new


def inplace_flags() -> dict[str, int]:
    """Qualified name -> position of `inplace`."""
    found = {}
    for name in sorted(n for n in dir(functional) if not n.startswith("_")):
        signature = from_python(getattr(functional, name)) if callable(getattr(functional, name)) else None
        if signature is not None and "inplace" in signature.positional:
            found[f"torch.nn.functional.{name}"] = signature.positional.index("inplace")
    return found


def inplace_results(methods: dict[str, Row], functions: dict[str, Row], flags: dict[str, int]) -> list[str]:
    """Functions and modules that keep for backward what they have written, as `F.leaky_relu` does in place only.

    Functions with a parameter `inplace` and modules are called with it, on a sample that all of them take.
    """
    short = {name: name.rpartition(".")[2] for name in (*flags, *functions)}
    found = [name for name in functions if methods.get(short[name], {}).get("saves_result")]
    with_flag = {short[name] for name in flags if "dropout" not in name}
    measured = [name for name in functions if short[name].removesuffix("_") in with_flag and short[name] not in methods]
    for qualified in [*flags, *measured]:
        value = getattr(importlib.import_module(qualified.rpartition(".")[0]), short[qualified])
        options = {"inplace": True} if qualified in flags else {}
        extra = (0.1, 0.2) if "threshold" in qualified else ()
        if _keeps_its_result(lambda y, f=value, e=extra, o=options: f(y, *e, **_trained(f, o))):  # type: ignore[misc]
            found.append(qualified)
    for name in sorted(dir(torch.nn)):
        signature = from_python(getattr(torch.nn, name)) if isinstance(getattr(torch.nn, name), type) else None
        if signature is not None and "inplace" in signature.positional:
            extra = (0.1, 0.2) if name == "Threshold" else ()
            if _keeps_its_result(getattr(torch.nn, name)(*extra, inplace=True)):
                found.append(f"torch.nn.{name}")
    return sorted(set(found))


def _trained(function: Callable[..., Any], options: dict[str, bool]) -> dict[str, bool]:
    signature = from_python(function)
    return options | ({"training": True} if signature is not None and "training" in signature.positional else {})


def _keeps_its_result(function: Callable[[torch.Tensor], Any]) -> bool:
    """Whether backward misses the result when that is written again."""
    y = torch.linspace(-2, 2, 24).view(4, 3, 2).requires_grad_() * 1
    try:
        function(y)
        y.add_(1)
        y.sum().backward()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)
    return False


def inplace_functions(methods: dict[str, Row], native: Native, operators: Operators) -> dict[str, Row]:
    """The row of every free function that writes its first argument and says so in its name."""
    rows: dict[str, Row] = {}
    for namespace in ("torch", "torch.nn.functional", "torch.nn.init", "torch.nn.utils"):
        place = importlib.import_module(namespace)
        for name in sorted(dir(place)):
            value = getattr(place, name)
            foreach = name.startswith("_foreach_")
            named = name.endswith("_") or (
                name + "_" in dir(place) and namespace in ("torch.nn.init", "torch.nn.utils")
            )
            if not named or (name.startswith("_") and not foreach) or not callable(value):
                continue
            overloads = (
                operators.functions.get(name, []) if namespace == "torch" else native.signatures(name, "inplace")
            )
            rows[f"{namespace}.{name}"] = _function(namespace, name, overloads, value, methods)
    return rows


def _function(
    namespace: str, name: str, overloads: list[Signature], value: Callable[..., Any], methods: dict[str, Row]
) -> Row:
    python = from_python(value)
    signature = python or (main_signature(overloads) if overloads else None)
    row: Row = {"dtype": "same", "parameters": " ".join(signature.positional) if signature else "input"}
    if namespace in ("torch.nn.init", "torch.nn.utils"):
        row["kind"] = "initialiser" if namespace == "torch.nn.init" else "gradient"
        row["reason"] = INPLACE_REASONS[row["kind"]]
        return row
    if name.startswith("_foreach_"):
        return row | {"kind": "foreach", "reason": INPLACE_REASONS["foreach"], "parameters": "self"}
    method = methods.get(name)
    row["kind"] = "value" if method is None else method["kind"]
    place = importlib.import_module(namespace)
    if callable(getattr(place, name[:-1], None)) and row["kind"] not in ("random", "storage"):
        row["functional"] = f"{namespace}.{name[:-1]}"
    if method is not None:
        row["dtype"] = method["dtype"]
        row["parameters"] = method["parameters"].replace("self", "input", 1)
    if name in INPLACE_REASONS and ("functional" not in row or row["kind"] == "value"):
        row["reason"] = INPLACE_REASONS[name]
    return row
