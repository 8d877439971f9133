"""Calls of Python's builtins, of containers' methods, and of libraries known not to touch tensors."""

from __future__ import annotations

import ast

from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.state import ANY, DISTINCT, State, weak_join
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    DICT,
    LIST,
    NONE_VALUE,
    NUMBER,
    NUMBER_VALUE,
    OTHER,
    OTHER_VALUE,
    SHAPE,
    TENSOR,
    TEXT,
    TEXT_VALUE,
    TUPLE,
    UNKNOWN,
    Link,
    Value,
)
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import anything
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.syntax.nodes import code_of

_NUMBERS = frozenset(
    [
        "len",
        "int",
        "float",
        "bool",
        "complex",
        "isinstance",
        "issubclass",
        "hasattr",
        "callable",
        "id",
        "hash",
        "ord",
        "round",
        "divmod",
    ]
)
_TEXTS = frozenset(["str", "repr", "format", "chr", "ascii", "bin", "hex", "oct", "input", "bytes"])
_SEQUENCES = frozenset(["list", "tuple", "sorted", "reversed", "set", "frozenset"])
_ARITHMETIC = frozenset(["sum", "max", "min", "abs", "pow"])


def call(calls: CallEffects, node: ast.Call, name: str, arguments: Arguments, state: State) -> Value:
    """A call of a builtin."""
    run, evaluator = calls.run, calls.evaluator
    values = arguments.positional
    if name == "id":
        run.keep(state, anything(values), "id()", node.lineno, certain=True)
    if name in _NUMBERS:
        return NUMBER_VALUE
    if name in _TEXTS:
        return TEXT_VALUE
    if name == "range":
        return Value(SHAPE)
    if name == "print":
        return NONE_VALUE
    if name == "super":
        return Value(UNKNOWN, ref=Named("builtins.super()"))
    if name in ("set", "frozenset"):
        run.keep(state, anything(values), "a set", node.lineno, certain=True)
        return OTHER_VALUE
    if name in _SEQUENCES and not values:
        return run.container(node, state, TUPLE if name == "tuple" else LIST, {})
    if name in _SEQUENCES and len(values) == 1:
        element = _copied(calls, node, values[0], state)
        return run.container(node, state, TUPLE if name == "tuple" else LIST, {ANY: element})
    if name == "dict" and not values:
        return run.container(node, state, DICT, arguments.keywords)
    if name == "enumerate" and values:
        element = evaluator.iterate(node, values[0], state)
        return run.container(
            node, state, LIST, {ANY: run.container(node.func, state, TUPLE, {0: NUMBER_VALUE, 1: element})}
        )
    if name == "zip":
        parts = {
            i: evaluator.iterate(n, v, state) for i, (n, v) in enumerate(zip(arguments.nodes, values, strict=True))
        }
        return run.container(node, state, LIST, {ANY: run.container(node.func, state, TUPLE, parts)})
    if name in _ARITHMETIC:
        return _arithmetic(calls, node, name, values, state)
    if name == "type":
        return Value(CALLABLE)
    if name in ("getattr", "setattr", "vars", "iter", "next", "map", "filter", "any", "all", "open", "zip"):
        if name in ("any", "all"):
            return NUMBER_VALUE
        return calls.unknown_call(node, arguments.all(), state)
    return calls.unknown_call(node, arguments.all(), state)


def _copied(calls: CallEffects, node: ast.Call, value: Value, state: State) -> Value:
    """The elements of a copied sequence are the same objects."""
    if value.must_be(CONTAINER) and value.objs and not value.must_be(DICT):
        return calls.evaluator.element(node, value, state)._replace(identity=None)
    return calls.evaluator.iterate(node, value, state)._replace(identity=None)


def _arithmetic(calls: CallEffects, node: ast.Call, name: str, values: list[Value], state: State) -> Value:
    run = calls.run
    flat = list(values)
    if len(values) == 1 and values[0].must_be(CONTAINER) and values[0].objs:
        flat = [calls.evaluator.element(node, values[0], state)]
    if all(v.must_be(NUMBER | SHAPE) for v in flat):
        return NUMBER_VALUE
    if any(v.may_be(TENSOR) for v in flat) and not any(v.may_be(ARRAY) for v in flat):
        if name != "abs" and (name != "sum" or len(values) > 1):  # may hand back one of its arguments
            made = run.fresh(node, state, f"{name}()", TENSOR | NUMBER, likely=True)
            calls.may_be_any(made.objs, anything(flat), state, Link.MAYBE)
            return made
        return run.fresh(node, state, f"{name}()", TENSOR, likely=any(v.likely for v in flat))
    made = run.fresh(node, state, f"{name}()", UNKNOWN)
    if anything(flat):
        calls.may_be_any(made.objs, anything(flat), state, Link.MAYBE)
    return made


def container_method(
    calls: CallEffects, node: ast.Call, name: str, base: Value, arguments: Arguments, state: State
) -> Value:
    """A method of a list, tuple or dict whose slots are known."""
    run, evaluator = calls.run, calls.evaluator
    values = arguments.positional
    if name == "insert":
        state.collapse(base.objs)
    if name in ("append", "add", "insert", "appendleft") and values:
        _add(base, values[-1], state)
        return NONE_VALUE
    if name == "extend" and values:
        _add(base, evaluator.iterate(node, values[0], state), state)
        return NONE_VALUE
    if name in ("pop", "popleft", "get", "setdefault", "popitem", "__getitem__"):
        key_node = arguments.nodes[0] if arguments.nodes else None
        key = key_node.value if isinstance(key_node, ast.Constant) and base.must_be(DICT) else None
        if name == "setdefault" and len(values) > 1:
            _add(base, values[1], state)
        element = evaluator.element(node, base, state, key)
        if name.startswith("pop"):
            state.remove(base.objs, key)
        return weak_join(element, values[1]) if name == "get" and len(values) > 1 else element
    if name == "values":
        return run.container(node, state, LIST, {ANY: evaluator.element(node, base, state)._replace(identity=None)})
    if name == "items":
        element = evaluator.element(node, base, state)._replace(identity=None)
        pair = run.container(node.func, state, TUPLE, {0: Value(TEXT | NUMBER | UNKNOWN), 1: element})
        return run.container(node, state, LIST, {ANY: pair})
    if name == "keys":
        return run.container(node, state, LIST, {ANY: Value(TEXT | NUMBER | UNKNOWN)})
    if name == "copy":
        fields = {k: v for holder in base.objs for k, v in state.fields_of(holder)}
        return run.container(node, state, base.kinds, fields)
    if name in ("index", "count"):
        return NUMBER_VALUE
    if name in ("sort", "reverse", "clear", "remove"):
        state.collapse(base.objs)
        return NONE_VALUE
    if name == "update":
        for value in arguments.all():
            element = evaluator.element(node, value, state) if value.objs else value
            _add(base, element, state)
        return NONE_VALUE
    return calls.unknown_call(node, [base, *arguments.all()], state)


def _add(base: Value, value: Value, state: State) -> None:
    """Put a value into a container; its elements stay known to be distinct while only new objects come in."""
    is_new = state.is_unheld(value)
    for holder in base.objs:
        slot = (holder, ANY)
        exact = any(True for key, held in state.fields_of(holder) if key != ANY and held.objs)
        known = state.heap.get(slot)
        distinct = is_new and len(base.objs) == 1 and not exact and (known is None or known.identity == DISTINCT)
        identity = DISTINCT if distinct else None
        loose = value._replace(identity=identity)
        state.heap[slot] = weak_join(known, loose)._replace(identity=identity) if known is not None else loose


def library_call(calls: CallEffects, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
    """A call of an imported function that isn't torch's."""
    root = qualified.split(".")[0]
    values = arguments.all()
    if root == "math":
        return NUMBER_VALUE
    if qualified in ("typing.cast", "typing_extensions.cast") and len(arguments.positional) == 2:
        return arguments.positional[1]
    if root in ("numpy", "scipy"):
        calls.run.keep(state, anything(values), f"`{code_of(node.func)}(...)`", node.lineno)
        return Value(ARRAY)
    if not anything(values) and root in (
        "time",
        "random",
        "os",
        "pathlib",
        "logging",
        "re",
        "warnings",
        "typing",
        "json",
        "sys",
        "argparse",
    ):
        return Value(NUMBER | TEXT | OTHER)
    if qualified in ("copy.deepcopy", "copy.copy") and len(values) == 1 and values[0].is_tensor:
        if qualified == "copy.copy":
            return calls.run.view(node, state, values[0], "copy.copy()", Link.VIEW, same_shape=True)
        return calls.run.fresh(node, state, "copy.deepcopy()", shape=values[0].shape, dtype=values[0].dtype)
    if qualified in ("itertools.chain", "itertools.islice", "itertools.cycle") and values:
        element = calls.evaluator.iterate(node, values[0], state)
        for index, value in enumerate(values[1:] if qualified == "itertools.chain" else ()):
            part = arguments.nodes[index + 1] if index + 1 < len(arguments.nodes) else node
            element = weak_join(element, calls.evaluator.iterate(part, value, state))
        return calls.run.container(node, state, LIST, {ANY: element._replace(identity=None)})
    if qualified == "collections.OrderedDict" and not values:
        return calls.run.container(node, state, DICT, {})
    if qualified in ("collections.deque", "collections.defaultdict") and not anything(values):
        return calls.run.container(node, state, LIST if "deque" in qualified else DICT, {})
    if qualified in ("einops.rearrange", "einops.repeat", "einops.reduce") and values:
        if qualified == "einops.rearrange" and values[0].may_be(TENSOR | UNKNOWN):
            return calls.run.view(node, state, values[0], "rearrange()", Link.MAYBE)
        return calls.run.fresh(node, state, f"{qualified}()", values[0].kinds, likely=True)
    return calls.unknown_call(node, values, state)
