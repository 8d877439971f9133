"""Reads the statements that mean another one, in code that trains: `losses.append(loss)` adds to what is summed later.

Lowering replaces them. None of the questions needs more than the statement itself, and the function around it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeGuard

from unplace.analysis.syntax.bindings import bound_by, last_name
from unplace.analysis.syntax.nodes import own_nodes
from unplace.analysis.syntax.reaching import path_of
from unplace.torchapi import members, modules

_WRAPPING = frozenset(["DataParallel", "DistributedDataParallel", "DDP", "initialize", "prepare", "setup"])


class BoundNames(NamedTuple):
    """How often a function, or the module's own code, binds each name, and the paths of names bound to nothing else.

    net, opt = self.net, self.opt           {"net": [self.net], "opt": [self.opt]}

    A statement that `wraps` objects counts for none: it binds their names to the same objects.
    """

    counts: Mapping[str, int]
    paths: Mapping[str, list[ast.expr]]

    @classmethod
    def of(cls, function: ast.AST) -> BoundNames:
        """Return the index of a function, without the functions inside it."""
        arguments = getattr(function, "args", None)
        nodes = [*own_nodes(function), *(ast.walk(arguments) if arguments is not None else ())]
        wrapped = {part for node in nodes if wraps(node) for part in ast.walk(node)}
        own = [node for node in nodes if node not in wrapped]
        counts = Counter([*bound_by(own), *(node.arg for node in own if isinstance(node, ast.arg))])
        paths: dict[str, list[ast.expr]] = {}
        for node in own:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                for target, value in paired(node.targets[0], node.value):
                    if isinstance(target, ast.Name) and path_of(value) is not None:
                        paths.setdefault(target.id, []).append(value)
        return cls(counts, {name: values for name, values in paths.items() if len(values) == counts[name]})


def results_without_graph(function: ast.FunctionDef) -> list[int]:
    """Return the places in the tuple that a function returns in which no result has a graph: `loss, state.detach()`."""
    given = [node.value for node in own_nodes(function) if isinstance(node, ast.Return) and node.value is not None]
    tuples = [value.elts for value in given if isinstance(value, ast.Tuple)]
    if not tuples or len(tuples) < len(given) or len({len(each) for each in tuples}) > 1:
        return []
    return [place for place, each in enumerate(zip(*tuples, strict=True)) if all(map(_is_detached, each))]


def _is_detached(node: ast.expr) -> bool:
    made = node.func if isinstance(node, ast.Call) else node
    return isinstance(made, ast.Attribute) and made.attr in members.DETACHED


def paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Iterate over the parts of a target, each with what it is bound to."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for part, each in zip(target.elts, value.elts, strict=True):
            yield from paired(part, each)
    else:
        yield target, value


def wraps(node: ast.AST) -> TypeGuard[ast.Assign]:
    """Tell whether a statement binds objects to themselves, fit for a machine: `opt = accelerator.prepare(opt)`."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    target = node.targets[0]
    bound = list(map(path_of, target.elts if isinstance(target, ast.Tuple) else [target]))
    given = list(map(path_of, node.value.args))[: len(bound)]
    return last_name(node.value.func) in _WRAPPING and None not in bound and bound == given


def added(node: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    """Return the list and the new element of `losses.append(loss)`; None for any other statement."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "append":
        return None
    holder = call.func.value
    return (holder, call.args[0]) if len(call.args) == 1 and path_of(holder) is not None else None


def child(node: ast.stmt) -> tuple[str, ast.expr, ast.expr] | None:
    """Return name, module and child of `module.add_module("head", head)`; None for any other statement."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or len(call.args) != 2:
        return None
    name = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    if not isinstance(name, str) or call.func.attr not in modules.REGISTERING or path_of(call.func.value) is None:
        return None
    return name, call.func.value, call.args[1]


def key_of(node: ast.Subscript, given: Mapping[str, ast.expr]) -> str | int | None:
    """Return the key of an element that is given by a text or a number, or by a name that stands for one."""
    index = given.get(node.slice.id) if isinstance(node.slice, ast.Name) else node.slice
    key = index.value if isinstance(index, ast.Constant) else None
    return key if isinstance(key, str | int) and not isinstance(key, bool) else None


def items(node: ast.DictComp) -> tuple[ast.expr, str, str] | None:
    """Return the dictionary, and the names of key and value, of `{k: ... for k, v in nets.items()}`."""
    (first, *others), key = node.generators, node.key
    call, target = first.iter, first.target
    if others or first.ifs or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr != "items" or not isinstance(target, ast.Tuple) or not isinstance(key, ast.Name):
        return None
    match [name.id for name in target.elts if isinstance(name, ast.Name)]:
        case [first_name, second_name] if first_name == key.id:
            return call.func.value, first_name, second_name
    return None
