"""Parameters and results of torch's callables: from the stubs in the wheel, from Python signatures, from schemas."""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NUMBERS = {"int", "_int", "float", "_float", "complex", "_complex", "number", "Number", "SymInt", "_symint", "Scalar"}
BOOLS = {"bool", "_bool"}
SHAPES = {"Size", "torch.Size", "_size", "tuple[int, ...]", "tuple[_int, ...]", "list[_int]", "SymInt[]", "int[]"}


@dataclass(frozen=True)
class Signature:
    """One overload as Python sees it; `tensors` are the parameters that can be tensors or sequences of tensors."""

    positional: tuple[str, ...]
    keywords: tuple[str, ...]
    tensors: frozenset[str]
    result: str
    variadic: bool = False


def result_kind(annotation: str | None) -> str:
    """The value of `unplace.torchapi.Result` that an annotation stands for."""
    if annotation is None or "Any" in annotation or annotation == "Self | None":
        return "unknown"
    text = annotation.strip("'\"").replace("torch.Tensor", "Tensor").replace("typing.", "")
    text = text.replace("torch._tensor.Tensor", "Tensor")
    if text in {"Tensor", "Self", "Parameter"}:
        return "tensor"
    if text in SHAPES:
        return "shape"
    if "|" not in text and (text.startswith("torch.return_types.") or "Tensor" in text):
        return "tensors"
    parts = {part.strip() for part in text.split("|")}
    if parts <= BOOLS:
        return "bool"
    if parts <= NUMBERS:
        return "number"
    return "unknown" if "Tensor" in text else "other"


def _from_def(node: ast.FunctionDef, is_method: bool) -> Signature:
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    variadic = [arguments.vararg] if arguments.vararg else []
    annotated = [*plain, *variadic, *arguments.kwonlyargs]
    tensors = {a.arg for a in annotated if a.annotation is not None and "Tensor" in ast.unparse(a.annotation)}
    if is_method:
        tensors.add("self")
    return Signature(
        positional=tuple(a.arg for a in [*plain, *variadic]),
        keywords=tuple(a.arg for a in arguments.kwonlyargs),
        tensors=frozenset(tensors),
        result=result_kind(ast.unparse(node.returns) if node.returns else None),
        variadic=bool(variadic),
    )


def from_stub(path: Path, class_name: str | None = None) -> dict[str, list[Signature]]:
    """Every overload of every function of a stub file, or of the methods of one class in it."""
    body: Iterable[ast.stmt] = ast.parse(path.read_text(encoding="utf-8")).body
    if class_name is not None:
        body = next(node for node in body if isinstance(node, ast.ClassDef) and node.name == class_name).body
    found: dict[str, list[Signature]] = defaultdict(list)
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found[node.name].append(_from_def(node, class_name is not None))
    return dict(found)


def from_python(function: Callable[..., Any], is_method: bool = False) -> Signature | None:
    """The signature of a function written in Python, or None for a builtin."""
    try:
        parameters = inspect.signature(function).parameters.values()
        returns = inspect.signature(function).return_annotation
    except (TypeError, ValueError):
        return None
    kinds = inspect.Parameter
    places = (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD, kinds.VAR_POSITIONAL)
    plain = [p for p in parameters if p.kind in places]
    if any(p.kind is kinds.VAR_KEYWORD for p in parameters) and any(p.kind is kinds.VAR_POSITIONAL for p in plain):
        return None  # a decorator's wrapper: it tells nothing
    tensors = {p.name for p in parameters if "Tensor" in str(p.annotation) and "Callable" not in str(p.annotation)}
    tensors |= {p.name for p in parameters if p.annotation is kinds.empty and p.default is kinds.empty}
    if is_method and plain:
        tensors.add(plain[0].name)
    named = inspect.isclass(returns) and not hasattr(returns, "__args__")
    text = None if returns is inspect.Signature.empty else returns.__name__ if named else str(returns)
    return Signature(
        positional=tuple(p.name for p in plain),
        keywords=tuple(p.name for p in parameters if p.kind is kinds.KEYWORD_ONLY),
        tensors=frozenset(tensors),
        result=result_kind(text),
        variadic=any(p.kind is kinds.VAR_POSITIONAL for p in plain),
    )


def current(overloads: list[Signature]) -> list[Signature]:
    """Without the deprecated overloads that take alpha, beta and value before the tensors."""
    scales = {name for signature in overloads for name in signature.keywords} & {"alpha", "beta", "value"}
    kept = [s for s in overloads if not scales & set(s.positional)] or overloads
    return [s for s in kept if s.positional[:1] != ("self",) or "self" in s.tensors] or kept


def main_signature(overloads: list[Signature]) -> Signature:
    """The overload whose parameter names the table uses: the longest current one, then that with most tensors."""
    overloads = current(overloads)
    best = max(overloads, key=lambda s: (len(s.positional), len(s.tensors & set(s.positional)), s.variadic))
    variadic = any(s.variadic and len(s.positional) == len(best.positional) for s in overloads)
    return Signature(best.positional, best.keywords, best.tensors, joined_result(overloads), variadic)


def joined_result(overloads: Iterable[Signature]) -> str:
    """The result that all overloads share, else 'unknown'."""
    kinds = {s.result for s in overloads}
    return kinds.pop() if len(kinds) == 1 else "unknown"
