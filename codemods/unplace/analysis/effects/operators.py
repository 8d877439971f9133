"""The result of one of torch's own operators: its memory, shape and dtype, and what autograd saves for it."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping

from unplace.analysis.domain.dtypes import floating, lowered, promoted, raised
from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.state import ANY, State
from unplace.analysis.domain.values import (
    ARRAY,
    CONTAINER,
    FLOATS,
    INTEGERS,
    NUMBER,
    OTHER,
    SHAPE,
    TENSOR,
    TUPLE,
    UNKNOWN,
    Base,
    Link,
    Origin,
    Token,
    Tracked,
    Value,
)
from unplace.analysis.effects import saves
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.arithmetic import is_untracked
from unplace.analysis.interpret.run import Run, anything
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.queries.layouts import SHARED, layout_of
from unplace.analysis.syntax.nodes import code_of, walk
from unplace.torchapi import ModuleClass, Operator, Result, View, autocast

_OVERLAPPING = frozenset(
    ["expand", "expand_as", "broadcast_to", "broadcast_tensors", "meshgrid", "unfold", "as_strided"]
)
_SAME_SHAPE = frozenset(
    [
        "clone",
        "contiguous",
        "detach",
        "to",
        "float",
        "double",
        "half",
        "bfloat16",
        "long",
        "int",
        "bool",
        "short",
        "char",
        "byte",
        "cpu",
        "cuda",
        "type_as",
        "type",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "rand_like",
        "randn_like",
        "randint_like",
        "masked_fill",
        "softmax",
        "log_softmax",
        "cumsum",
        "cumprod",
        "flip",
        "roll",
        "dropout",
        "normalize",
        "layer_norm",
        "batch_norm",
        "tril",
        "triu",
        "nan_to_num",
        "requires_grad_",
        "detach_",
        "sort",
        "argsort",
        "scatter",
        "index_add",
        "index_fill",
        "index_copy",
        "scatter_add",
        "masked_scatter",
        "index_put",
        "logical_not",
        "isnan",
        "isinf",
        "isfinite",
        "bitwise_not",
    ]
)
CASTS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
}
_DTYPE_NAMES = {**CASTS, **{n: n for n in CASTS.values()}, "cfloat": "complex64", "complex64": "complex64"}
_DEFAULT_FLOAT = frozenset(["zeros", "ones", "empty", "rand", "randn", "eye", "linspace", "logspace"])
_CONSTRUCTORS = frozenset(
    [
        "zeros",
        "ones",
        "empty",
        "full",
        "rand",
        "randn",
        "randint",
        "eye",
        "arange",
        "linspace",
        "tensor",
        "as_tensor",
        "from_numpy",
    ]
)
_COPYING = frozenset(["cat", "clone", "concat", "concatenate", "hstack", "pad", "repeat", "stack", "tile", "vstack"])
_KEEP_INTEGERS = frozenset(
    [
        *("abs", "absolute", "add", "addcmul", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or"),
        *("bitwise_right_shift", "bitwise_xor", "ceil", "clamp", "clamp_max", "clamp_min", "clip", "clone", "conj"),
        *("fix", "floor", "floor_divide", "fmax", "fmin", "fmod", "gcd", "hardtanh", "heaviside", "lcm"),
        *("masked_fill", "maximum", "minimum", "mul", "multiply", "nan_to_num", "neg", "negative", "positive", "pow"),
        *("relu", "relu6", "remainder", "round", "rsub", "sgn", "sign", "square", "sub", "subtract", "threshold"),
        *("trunc", "where", "__and__", "__or__", "__xor__"),
    ]
)
"""The element-wise operations that give integers for integers."""

_SHARING = frozenset(["from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack", "from_file"])
_INDICES = frozenset(
    ["argmax", "argmin", "argsort", "nonzero", "searchsorted", "bucketize", "bincount", "randperm", "multinomial"]
)
_LEGACY = frozenset(f"torch.{kind}Tensor" for kind in ("", *(name.title() for name in CASTS), "BFloat16"))


def is_tensor_class(qualified: str) -> bool:
    """Whether a name is that of `torch.Tensor` or one of its old kinds, such as `torch.FloatTensor`."""
    return qualified in _LEGACY


def of_tensor_class(calls: CallEffects, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
    """A call of such a class: a new tensor, unless it is given one, whose memory it then shares."""
    given = anything([v for v in arguments.all() if v.may_be(TENSOR | UNKNOWN)])
    if not given:
        return calls.run.fresh(node, state, f"{qualified}()", tracked=Tracked.NO, is_new=True)
    return calls.run.view(node, state, Value(TENSOR, given), f"{qualified}()", Link.MAYBE)


def result(
    calls: CallEffects,
    node: ast.expr,
    operator: Operator,
    bound: Mapping[str, Value],
    arguments: Arguments,
    state: State,
) -> Value:
    """What a call of `operator` returns, given its arguments by parameter name."""
    values = list(bound.values())
    kind = _result_of(operator, bound)
    if kind in (Result.NUMBER, Result.BOOL):
        return Value(NUMBER)
    if kind is Result.SHAPE:
        return Value(SHAPE)
    if kind is Result.OTHER:
        return Value(OTHER, ref=Named(operator.name))
    if kind is Result.UNKNOWN:
        return calls.unknown_call(node, values, state) if isinstance(node, ast.Call) else Value(UNKNOWN)
    looked_at = bound.get(operator.view_of) if operator.view_of else None
    if looked_at is None:
        looked_at = next((v for v in values if v.may_be(TENSOR | CONTAINER)), values[0] if values else None)
    if kind is Result.TENSORS:
        return _sequence(calls, node, operator, looked_at, values, state)
    if operator.variadic and looked_at is not None:
        looked_at = looked_at._replace(objs=frozenset().union(*(v.objs for v in values)))
    if short(operator) in _SHARING and any(v.may_be(ARRAY | UNKNOWN | OTHER) for v in values[:1]):
        label = f"the result of `{code_of(node.func)}(...)`" if isinstance(node, ast.Call) else "shared memory"
        shared = calls.run.foreign((node, "shared"), Origin.CALL, label, node.lineno, TENSOR)
        if short(operator) == "from_file":
            calls.run.laid_out.update(dict.fromkeys(shared.objs, SHARED))
        return shared
    made = _tensor(calls, node, operator, looked_at, values, arguments, state)
    if short(operator) in _COPYING:
        calls.run.copied |= made.objs
    layout = layout_of(node) if isinstance(node, ast.Call) else None
    if layout is not None:
        calls.run.laid_out.update(dict.fromkeys(made.objs, layout))
    saves.note(calls.run, state, operator, bound, made, node)
    return made


def _result_of(operator: Operator, bound: Mapping[str, Value]) -> Result:
    """What the operator returns with these arguments: `x.size(0)` is a number, `x.max(1)` a pair."""
    for name, other in operator.result_when.items():
        given = bound.get(name)
        is_overload = other is Result.TENSORS and given is not None and given.may_be(TENSOR)  # torch.max(a, b)
        if given is not None and not is_overload:
            return other
    return operator.result


def short(operator: Operator) -> str:
    """The last part of an operator's name."""
    return operator.name.rsplit(".", 1)[-1]


def _tensor(
    calls: CallEffects,
    node: ast.expr,
    operator: Operator,
    looked_at: Value | None,
    values: list[Value],
    arguments: Arguments,
    state: State,
) -> Value:
    run = calls.run
    dtype = dtype_of(run, operator, looked_at, values, arguments)
    if run.autocast and not operator.elementwise and operator.view is View.NEVER:
        dtype = None
    if dtype is None and operator.view is not View.NEVER and short(operator) in ("to", "einsum"):
        dtype = (node, "dtype")  # another one than that of what it may look at
    shape = shape_of(operator, values)
    is_cast = short(operator) == "type"  # returns its receiver where the type is the same
    if looked_at is not None and operator.view is View.MAYBE and _differ(dtype, looked_at.dtype):
        looked_at = None  # a tensor of another dtype is a copy
    if (operator.view is View.NEVER and not is_cast) or looked_at is None:
        made = run.fresh(
            node,
            state,
            f"{short(operator)}()",
            is_new=is_constructor(short(operator)),
            shape=shape,
            dtype=dtype,
            tracked=tracked_of(calls, operator, values, arguments, state),
            likely=bool(values) and values[0].likely and not operator.name.startswith("torch."),
        )
        if "requires_grad" in arguments.keywords and made.tracked is not Tracked.NO:
            run.leaves |= made.objs
        return made
    tensors = sum(1 for v in values if v.may_be(TENSOR | UNKNOWN))
    if operator.variadic and operator.saves and tensors > 1 and not any(v.may_be(CONTAINER) for v in values):
        return run.fresh(node, state, f"{short(operator)}()", dtype=dtype)  # several operands are combined into one
    link = Link.VIEW if operator.view is View.ALWAYS else Link.MAYBE
    tracked = Tracked.NO if short(operator) == "detach" else None
    base = looked_at
    if base.may_be(CONTAINER):
        return calls.unknown_call(node, values, state) if isinstance(node, ast.Call) else base
    return run.view(
        node,
        state,
        base,
        f"{short(operator)}()",
        link,
        same_shape=shape is not None,
        overlapping=short(operator) in _OVERLAPPING,
        tracked=tracked,
        dtype=dtype,
    )


def _differ(first: Token, second: Token) -> bool:
    """Whether two dtypes are known and not the same; torch's default dtype may be any float."""
    return isinstance(first, str) and isinstance(second, str) and first != second and "default" not in (first, second)


def _sequence(
    calls: CallEffects, node: ast.expr, operator: Operator, looked_at: Value | None, values: list[Value], state: State
) -> Value:
    run = calls.run
    if operator.view is View.MULTI and looked_at is not None and looked_at.objs:
        looked_at = looked_at._replace(objs=frozenset().union(*(v.objs for v in values)))
        overlapping = short(operator) in _OVERLAPPING
        piece = None if overlapping else (node, ANY)
        element = run.view(
            node,
            state,
            looked_at,
            f"{short(operator)}()",
            Link.VIEW,
            key="piece",
            piece=piece,
            forbidden=not operator.writable,
            overlapping=overlapping,
        )
        return run.container(node, state, TUPLE, {ANY: element})
    tracked = Tracked.NO if is_untracked(run, *members(values, state)) else Tracked.MAYBE
    fields: dict[Hashable, Value] = {
        index: run.fresh(node, state, f"{short(operator)}()", key=index, tracked=tracked) for index in range(4)
    }
    if operator.view is View.MAYBE and looked_at is not None:
        for value in fields.values():
            for obj in value.objs:
                state.bases[obj] = Base(looked_at.objs, Link.MAYBE)
    saves.note(run, state, operator, dict(zip(operator.parameters, values, strict=False)), None, node)
    return run.container(node, state, TUPLE, fields)


def tracked_of(
    calls: CallEffects, operator: Operator, values: list[Value], arguments: Arguments, state: State
) -> Tracked:
    """Whether the result can be part of an autograd graph."""
    flag = arguments.keyword_nodes.get("requires_grad")
    if flag is not None and not (isinstance(flag, ast.Constant) and flag.value is False):
        return Tracked.LEAF if isinstance(flag, ast.Constant) else Tracked.MAYBE
    name = short(operator)
    if operator.result_bool or name in _INDICES or is_constructor(name):
        return Tracked.NO
    return Tracked.NO if is_untracked(calls.run, *members(values, state)) else Tracked.MAYBE


def is_constructor(name: str) -> bool:
    """Whether an operator makes a tensor of constants or random numbers, whatever tensors it is given."""
    return name in _CONSTRUCTORS or name.startswith("new_") or name.endswith("_like")


def members(values: list[Value], state: State) -> list[Value]:
    """The values that can be tensors, containers replaced by what they hold."""
    found: list[Value] = []
    for value in values:
        if value.must_be(CONTAINER) and value.objs:
            held = [v for holder in value.objs for _, v in state.fields_of(holder)]
            found.extend(members(held, state) if len(held) < 50 else held)
        elif value.may_be(TENSOR | UNKNOWN | CONTAINER):
            found.append(value)
    return found


def shape_of(operator: Operator, values: list[Value]) -> Token:
    """The shape of the result where it is that of the first argument for certain."""
    if not values:
        return None
    first = values[0]
    if short(operator) in _SAME_SHAPE and first.may_be(TENSOR | UNKNOWN):
        return first.shape
    if operator.elementwise:
        shapes = {v.shape for v in values if v.may_be(TENSOR | UNKNOWN)}
        if len(shapes) == 1:
            return shapes.pop()
    return None


def dtype_of(run: Run, operator: Operator, looked_at: Value | None, values: list[Value], arguments: Arguments) -> Token:
    """The dtype of the result, or None where it doesn't follow."""
    name = short(operator)
    if operator.result_bool:
        return "bool"
    if name in CASTS and len(values) == 1:
        return CASTS[name]
    if name == "to":
        return _dtype_of_to(run, looked_at, arguments)
    if name == "type_as":
        return values[1].dtype if len(values) > 1 else None
    explicit = arguments.keyword_nodes.get("dtype")
    if explicit is not None:
        return given_dtype(run, explicit)
    if name in _INDICES:
        return "int64"
    if name in _DEFAULT_FLOAT:
        return "default"
    if name in ("tensor", "as_tensor", "full", "arange") and arguments.nodes:
        return literal_dtype(arguments.nodes[-1 if name == "full" else 0])
    if name in ("new_tensor", "tensor", "as_tensor", "arange", "full", "from_numpy", "view"):
        return looked_at.dtype if name == "view" and looked_at is not None else None
    dtypes = [v.dtype for v in values if v.may_be(TENSOR | UNKNOWN)]
    if name in ("sum", "prod", "cumsum", "cumprod") and dtypes and dtypes[0] in INTEGERS:
        return "int64"
    if not dtypes:
        return None
    if name in autocast.LOWERED:
        return lowered(dtypes[0])  # without autocast all operands have it
    first = dtypes[0]
    for other in dtypes[1:]:
        first = promoted(first, other)
    if (
        isinstance(first, str)
        and first not in FLOATS
        and operator.view is View.NEVER
        and not short(operator).endswith("_like")
    ):
        return None
    if operator.elementwise and operator.view is View.NEVER and name not in _KEEP_INTEGERS:
        first = first if isinstance(first, str) else floating(first)
    return raised(first) if name in autocast.RAISED else first


def _dtype_of_to(run: Run, base: Value | None, arguments: Arguments) -> Token:
    """The dtype that `x.to(...)` gives: that of a tensor or dtype it is given, or its own where that is a device."""
    given = [*arguments.nodes[:2], *(n for name, n in arguments.keyword_nodes.items() if name in ("dtype", "other"))]
    dtypes = [given_dtype(run, node) for node in given if not is_device(node)]
    if not dtypes and arguments.exact:
        return base.dtype if base is not None else None
    return next((dtype for dtype in dtypes if dtype is not None), None)


def is_device(node: ast.expr) -> bool:
    """Whether an argument of `.to()` is a device or a switch, and no dtype."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return isinstance(node, ast.Constant) or "device" in name


def given_dtype(run: Run, node: ast.expr) -> Token:
    """The dtype that an expression stands for: `torch.float64`, `x.dtype`, a parameter that is never rebound, `x`."""
    if isinstance(node, ast.Attribute):
        holder = run.values.get(node.value) if node.attr == "dtype" else None
        return named_dtype(node) if holder is None else holder.dtype
    if not isinstance(node, ast.Name):
        return None
    value = run.values.get(node)
    if value is not None and value.must_be(TENSOR):
        return value.dtype
    if "dtype" not in node.id or node.id in run.scope.volatile:
        return None
    sources = run.program.module.bindings(run.scope).sources.get(node.id, [])
    argument = next((a for a in run.scope.parameters if a.arg == node.id), None)
    if argument is not None or len(sources) != 1:
        return argument if not sources else None
    return given_dtype(run, sources[0]) if isinstance(sources[0], ast.Attribute) else None


def cast_dtype(name: str, arguments: Arguments) -> str | None:
    """The dtype that a casting method asks for: `x.to(torch.float64)`, `x.double()`."""
    if name in CASTS and not arguments.nodes and not arguments.keywords:
        return CASTS[name]
    given = [*arguments.nodes, *arguments.keyword_nodes.values()]
    return next((d for n in given if (d := named_dtype(n)) is not None), None) if name == "to" else None


def module_dtype(qualified: str, dtype: Token) -> Token:
    """The dtype of what a module of torch makes of a tensor of this dtype."""
    name = qualified.rsplit(".", 1)[-1]
    if name.startswith("Embedding"):
        return None  # that of its weights
    return lowered(dtype) if autocast.lowers(name) else raised(dtype) if autocast.raises(name) else dtype


def literal_dtype(node: ast.expr) -> str | None:
    """The dtype that torch infers for a number or a nested display of numbers."""
    leaves = [
        n for n in walk(node) if isinstance(n, ast.expr) and not isinstance(n, ast.List | ast.Tuple | ast.UnaryOp)
    ]
    types = {type(n.value) if isinstance(n, ast.Constant) else None for n in leaves}
    if types == {bool}:
        return "bool"
    if types and types <= {int, bool}:
        return "int64"
    return "default" if types and types <= {int, bool, float} else None


def named_dtype(node: ast.expr) -> str | None:
    """`torch.float64` and the like by name."""
    return _DTYPE_NAMES.get(node.attr) if isinstance(node, ast.Attribute) else None


def module_result(
    calls: CallEffects, node: ast.Call, module: ModuleClass, values: list[Value], state: State, key: Hashable = None
) -> Value:
    """What a module of torch returns when it is called."""
    run = calls.run
    first = values[0]
    if module.saves_input and run.grad.records:
        for position, value in enumerate(values):
            part = f"*{position}" if key is None else ""
            run.save(state, value, f"{module.name}()", node, part)
            for index, held in state.reachable_slots(value.objs) if value.must_be(CONTAINER) else ():
                run.save(state, held, f"{module.name}()", node, f"{part}.{index}")
    if module.result is Result.TENSOR:
        if module.view is View.NEVER:
            dtype = None if run.autocast else module_dtype(module.name, first.dtype)
            made = run.fresh(node, state, f"{module.name}()", key=key, dtype=dtype)
        else:
            link = Link.VIEW if module.view is View.ALWAYS else Link.MAYBE
            made = run.view(node, state, first, f"{module.name}()", link, key=key)
        if module.saves_result:
            run.save(state, made, f"{module.name}()", node, "result")
        return made
    if module.result is Result.TENSORS:
        fields: dict[Hashable, Value] = {
            index: run.fresh(node, state, f"{module.name}()", key=(key, index)) for index in range(2)
        }
        if module.saves_result:
            for value in fields.values():
                run.save(state, value, f"{module.name}()", node)
        if module.name.rsplit(".", 1)[-1] in ("LSTM", "LSTMCell") and len(fields) == 2 and module.name.endswith("LSTM"):
            states = {i: run.fresh(node, state, "LSTM()", key=(key, "state", i)) for i in range(2)}
            fields[1] = run.container(node, state, TUPLE, states)
        return run.container(node, state, TUPLE, fields)
    return calls.unknown_call(node, values, state)
