"""Looks around in the functions that led to a backward: how parameters are written there, and what rounds hand on.

Values are looked up as the source names them, without running code of the program: no property, no `__getitem__` but
those of Python's own containers.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import FrameType
from typing import Any

import torch
from torch.autograd.graph import Node
from torch.nn.parameter import UninitializedParameter

from unplace.observation.graphs import maker_of

_NOTHING = object()


def value_of(node: ast.AST, frame: FrameType) -> Any:
    """Return the value of a name, an attribute or an element in a frame; `_NOTHING` where it can't be told."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id, _NOTHING))
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute):
        return _attribute(value_of(node.value, frame), node.attr)
    if isinstance(node, ast.Subscript):
        return _element(value_of(node.value, frame), value_of(node.slice, frame))
    return _NOTHING


def _attribute(owner: Any, name: str) -> Any:
    held = getattr(owner, "__dict__", {})
    if name in held:
        return held[name]
    for kind in ("_modules", "_parameters", "_buffers") if isinstance(owner, torch.nn.Module) else ():
        if name in held.get(kind, {}):
            return held[kind][name]
    return _NOTHING


def _element(owner: Any, key: Any) -> Any:
    if isinstance(owner, torch.nn.ModuleList | torch.nn.Sequential | torch.nn.ModuleDict):
        owner = owner._modules
        key = str(key)
    if isinstance(owner, dict):
        return owner.get(key, _NOTHING) if isinstance(key, str | int) else _NOTHING
    if isinstance(owner, list | tuple) and isinstance(key, int) and -len(owner) <= key < len(owner):
        return owner[key]
    return _NOTHING


@cache
def _tree(path: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:  # of a cell, not all is Python
        return None


@cache
def _named(path: str, function: str, line: int) -> tuple[ast.expr, ...]:
    """Return the names, attributes and elements that a function's own source mentions, each once."""
    tree = _tree(path)
    if tree is None:
        return ()
    bodies = [tree] if function == "<module>" else [n for n in ast.walk(tree) if _is_function(n, function, line)]
    found: dict[str, ast.expr] = {}
    for node in (node for body in bodies for node in _inside(body)):
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            found.setdefault(ast.unparse(node), node)
    return tuple(found.values())


def _is_function(node: ast.AST, name: str, line: int) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name != name:
        return False
    return line in (node.lineno, *(decorator.lineno for decorator in node.decorator_list))


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield child
            yield from _inside(child)


def named_values(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """Yield what the function of a frame names, as it is written, with its value; the attributes of `self` as well."""
    code = frame.f_code
    for node in _named(code.co_filename, code.co_name, code.co_firstlineno):
        value = value_of(node, frame)
        if value is not _NOTHING:
            yield ast.unparse(node), value
    owner = frame.f_locals.get("self")
    for name, value in {**getattr(owner, "__dict__", {}), **getattr(owner, "_modules", {})}.items():
        if name.isidentifier():
            yield f"self.{name}", value


# -- parameters ----------------------------------------------------------------------------------------------------


def parameters_in(frame: FrameType, optimizer: torch.optim.Optimizer, made: str) -> Iterator[str]:
    """Yield the ways to write the list of the parameters of an optimizer in a frame, the most natural one first.

    `made` is the text of what the optimizer was given where it was made.
    """
    held = [p for group in optimizer.param_groups for p in group["params"] if not isinstance(p, UninitializedParameter)]
    wanted = [id(p) for p in held]
    is_frozen = not all(p.requires_grad for p in held)
    if not any(p.requires_grad for p in held):
        return
    node = _expression(made)
    if node is not None and _ids(_parameters(node, frame)) == wanted:
        yield _as_list(node, is_frozen)
    by_value = list(named_values(frame))
    for text, value in by_value:
        if isinstance(value, torch.nn.Module) and _ids(value.parameters()) == wanted:
            yield _filtered(f"{text}.parameters()") if is_frozen else f"list({text}.parameters())"
            break
    for text, value in by_value:
        if value is optimizer:
            condition = " if p.requires_grad" if is_frozen else ""
            yield f'[p for g in {text}.param_groups for p in g["params"]{condition}]'
            break


def _expression(text: str) -> ast.expr | None:
    if not text:
        return None
    return ast.parse(text, mode="eval").body


def _ids(values: Iterable[Any] | None) -> list[int] | None:
    return None if values is None else [id(value) for value in values]


def _parameters(node: ast.expr, frame: FrameType) -> list[Any] | None:
    """Return the tensors that an expression for parameters gives; None where it can't be told."""
    if isinstance(node, ast.Call):
        return _parameters_of_call(node, frame)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([node.left, node.right], frame)
    if isinstance(node, ast.List | ast.Tuple):
        found: list[Any] = []
        for element in node.elts:
            part = _parameters(element.value, frame) if isinstance(element, ast.Starred) else [value_of(element, frame)]
            if part is None:
                return None
            found += part
        return found
    value = value_of(node, frame)
    return list(value) if isinstance(value, list | tuple) else None


def _parameters_of_call(node: ast.Call, frame: FrameType) -> list[Any] | None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "parameters" and isinstance(node.func, ast.Attribute) and not node.args:
        owner = value_of(node.func.value, frame)
        return list(owner.parameters()) if isinstance(owner, torch.nn.Module) else None
    if name in ("list", "tuple", "chain"):
        return _joined(node.args, frame)
    return None


def _joined(nodes: Sequence[ast.expr], frame: FrameType) -> list[Any] | None:
    parts = [_parameters(node, frame) for node in nodes]
    return None if any(part is None for part in parts) else [value for part in parts for value in part or ()]


def _as_list(node: ast.expr, is_frozen: bool) -> str:
    text = ast.unparse(node)
    if is_frozen:
        return _filtered(text)
    is_iterator = isinstance(node, ast.Call) and getattr(node.func, "id", "") != "list"
    return f"list({text})" if is_iterator else text


def _filtered(text: str) -> str:
    return f"[p for p in {text} if p.requires_grad]"


# -- states --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """A value with a graph that a function names: `form` is the class that holds its tensors."""

    form: str
    nodes: tuple[Node, ...]


def graphs_in(frame: FrameType) -> Mapping[str, Held]:
    """Return the values with a graph that a frame names, and those that its modules keep in attributes."""
    found: dict[str, Held] = {}
    for text, value in named_values(frame):
        if isinstance(value, torch.nn.Module):
            for path, module in value.named_modules():
                whole = text + "".join(f"[{p}]" if p.isdigit() else f".{p}" for p in path.split(".") if p)
                for name, kept in vars(module).items():
                    _note(found, f"{whole}.{name}", kept)
        else:
            _note(found, text, value)
    return found


def _note(found: dict[str, Held], text: str, value: Any) -> None:
    tensors = _tensors(value)
    nodes = tuple(node for tensor in tensors if (node := maker_of(tensor)) is not None)
    if nodes and text not in found:
        found[text] = Held("Tensor" if isinstance(value, torch.Tensor) else type(value).__name__, nodes)


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if type(value) in (list, tuple) and value and all(isinstance(part, torch.Tensor) for part in value):
        return list(value)
    if type(value) is dict and value and all(isinstance(part, torch.Tensor) for part in value.values()):
        return list(value.values())
    return []
