"""Kinds by constraints: what the uses of a name in a function say of it, both ways, and what they don't say."""

from __future__ import annotations

import ast
import operator
import textwrap
from itertools import product
from typing import Any

import pytest
import torch

from unplace.analysis.domain.values import DICT, LIST, NUMBER, SHAPE, TENSOR, TEXT, TUPLE
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.types.evidence import Evidence
from unplace.analysis.types.inference import inferred
from unplace.analysis.types.relations import COMPARISON, ELEMENT, OPERATION, READ_AT, STORED_AT, UPDATE, Relation

PROOF, HINT, NONE = Evidence.PROOF, Evidence.HINT, Evidence.NONE
IMPORTS = "import torch\nimport torch.nn.functional as F\n"


def evidence(code: str, imports: str = IMPORTS) -> Evidence:
    """The evidence for the name `x` at its last read in the function `f`."""
    tree = ast.parse(imports + textwrap.dedent(code))
    module = ModuleIndex(tree)
    scope = next(s for s in module.scopes.by_node.values() if s.name == "f")
    reads = [n for n in ast.walk(scope.node) if isinstance(n, ast.Name) and n.id == "x" and isinstance(n.ctx, ast.Load)]
    last = max(reads, key=lambda n: (n.lineno, n.col_offset))
    return inferred(module, scope).of(last).evidence


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("v = x ** 2; x[0] = 666", HINT),
        ("x[0] = 666", NONE),
        ("x[:, 0] = 1", HINT),
        ("x[None].foo; x[0] = 1", HINT),
        ("x[i].to_numpy(); x[:, 0] = 1", NONE),  # a frame: the elements of a tensor are tensors
        ("x[i].norm(); x[:, 0] = 1", HINT),
        ("x[..., 0] = y", HINT),
        ("x[i, j] = y", NONE),  # a dictionary may have a pair as its key
        ("x[x > 0] = 1", HINT),
        ("x = y.astype(float); x[:, 0] = x[:, 0] * k", NONE),  # an array
        ("x = y.copy(); x[:, 0] = k", NONE),
        ("m = torch.rand(3) < p; x[m] = y", HINT),
        ("m = ~(torch.rand(3) < p); x[m] += y", HINT),
        ("m = q < p; x[m] = y", NONE),  # may be one truth value, for a list of two
        ("x[:3] = y", NONE),
        ("x[:3] = 1.0; return torch.max(t, x)", HINT),  # not only a dimension
        ("x[x > 0] = 1; return torch.max(t, x)", HINT),
        ("return torch.mean((x - t) ** 2), x[0]", HINT),
        ("return torch.mean((x - t) ** 2)", NONE),  # `t` may be the tensor, and `x` a number
        ("return torch.mean((x - 1) ** 2)", PROOF),
        ("return F.linear(x, t)", PROOF),
        ("return F.linear(t, x)", PROOF),
        ("return F.mse_loss(t, target=x)", PROOF),
        ("y = x; return y.sigmoid(), x", PROOF),
        ("x = helper(t); x[0] = 1; return F.relu(x)", PROOF),
        ("x = helper(t); return F.relu(x[:, 0])", PROOF),
        ("torch.sigmoid_(x); return x", PROOF),
        ("torch.nn.init.zeros_(x); return x", PROOF),
        ("y = (x * 2, 1); y[0].sigmoid_(); return x[0]", PROOF),
        ("y = (x * 2, t); h(y); y[-2].sigmoid_(); return x[0]", PROOF),  # nothing replaces an element of a tuple
        ("y = [x * 2, t]; y[0].sigmoid_(); return x[0]", PROOF),
        ("y = [x * 2, t]; h(y); y[0].sigmoid_(); return x[0]", NONE),
        ("y = [x * 2, t]; y[0] = t; y[0].sigmoid_(); return x[0]", NONE),
        ("y = [x * 2, t]; y.reverse(); y[0].sigmoid_(); return x[0]", NONE),
        ("y = [x * 2, *t]; y[0].sigmoid_(); return x[0]", NONE),
        ("y = [x * 2 for k in t]; s = [v.sigmoid_() for v in y]; return x[0]", PROOF),
        ("y = [x * 2 for k in t]; y += t; s = [v.sigmoid_() for v in y]; return x[0]", NONE),
        ("x = t[1]; torch.sigmoid_(t[1]); return x", PROOF),
        ("x = t[1]; t.append(2); torch.sigmoid_(t[1]); return x", NONE),
        ("v = x * 0.5; x[0] = 1", HINT),  # no list can be multiplied by a float
        ("v = x * 2; x[0] = 1", NONE),
        ("return torch.stack([x, t]), x", PROOF),
        ("return torch.cat((x, *t)), x", PROOF),
        ("x += torch.ones(2); return x", PROOF),
        ("for x, b in zip(xs, bs): x.mul_(b); print(x)", PROOF),
        ("for i, x in enumerate(xs): x.mul_(b); print(x)", PROOF),
        ("print([F.relu(x) for x in xs])", PROOF),
        ("for x in F.relu(t): print(x)", PROOF),
        ("a, x = t; return x.exp() + a, x", PROOF),
        ("a, x = t.shape; return x", NONE),
        ("x = torch.zeros(2) if t else torch.ones(2); return x", PROOF),
        ("x = torch.zeros(2) if t else 0; return x", NONE),
        ("x.append(1); x[0] = 2 * t", NONE),
        ("x['a'] = 1; x[0] = 2", NONE),
        ("x(1); x[0] = 2; x ** 2", NONE),
        ("x.clone(); x[0] = 1", PROOF),  # an idiom of tensors, and nothing speaks against one
        ("x.clone(); x.edges[0] = 1; return x", NONE),
        ("if isinstance(x, list): x = x[0]\nreturn F.relu(x)", NONE),
        ("try:\n    F.relu(x)\nexcept TypeError:\n    pass\nreturn x", HINT),
        ("try:\n    F.relu(x)\nexcept KeyError:\n    pass\nreturn x", PROOF),
        ("x = [1]; x = F.relu(t); return x", PROOF),
        ("x = F.relu(x); x = [1]; return x", NONE),
        ("return math.sqrt(x)", NONE),
        ("for i in range(x): pass", NONE),
        ("x = len(t); x -= 1; return x", NONE),
        ("return x == 'relu'", NONE),
    ],
)
def test_what_uses_say(body: str, expected: Evidence) -> None:
    code = f"import math\ndef f(x, t, y, i, j, xs, bs, b):\n{textwrap.indent(body, '    ')}\n"
    assert evidence(code) is expected


def test_arrays_are_as_likely_where_the_function_uses_numpy() -> None:
    code = "def f(x):\n    y = np.log(2) + torch.tensor(1)\n    x[:, 0] = 1\n    return x\n"
    assert evidence(code, "import torch\nimport numpy as np\n") is NONE
    assert evidence(code.replace("np.log", "torch.log"), "import torch\nimport numpy as np\n") is HINT
    assert evidence(code.replace("np.log(2) + torch.tensor(1)", "1"), "import torch\nimport numpy as np\n") is NONE
    assert evidence(code.replace("np.log", "abs"), "import cv2\n") is NONE


def test_a_layer_of_the_class_takes_a_tensor() -> None:
    code = """
        class M(torch.nn.Module):
            def __init__(self):
                self.lin = torch.nn.Linear(2, 2)
            def f(self, batch):
                x, y = batch
                return self.lin(x)
        """
    assert evidence(code) is PROOF
    static = code.replace("def f(self, batch)", "@staticmethod\n            def f(self, batch)")
    assert evidence(static) is NONE  # nothing tells what that is


# -- the relations, against Python and torch -----------------------------------------------------------------------

VALUES: dict[int, list[Any]] = {
    TENSOR: [torch.ones(2), torch.ones(2, dtype=torch.int64), torch.tensor(1)],
    NUMBER: [2, 0.5, True],
    TEXT: ["a%s", ""],
    LIST: [[1, 2], []],
    TUPLE: [(1, 2), ()],
    SHAPE: [torch.Size([2, 1])],
    DICT: [{}, {0: 1}],
}
KIND_OF = ((torch.Tensor, TENSOR), (str, TEXT), (list, LIST), (torch.Size, SHAPE), (tuple, TUPLE), (dict, DICT))
FUNCTIONS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
UPDATES: dict[type, Any] = {ast.Add: operator.iadd, ast.Mult: operator.imul, ast.BitOr: operator.ior}


def kind_of(value: Any) -> int:
    return next((kind for known, kind in KIND_OF if isinstance(value, known)), NUMBER)


def allows(relation: Relation, kinds: tuple[int, ...]) -> bool:
    return relation.narrowed(kinds) == kinds


def combined() -> list[tuple[int, Any, int, Any]]:
    """The pairs of values, but for tensors that count: nobody writes `[0] * torch.tensor(3)`."""
    pairs = product(VALUES.items(), repeat=2)
    counting = LIST | TUPLE | SHAPE | TEXT
    found = [(k, a, m, b) for (k, left), (m, right) in pairs for a in left for b in right]
    return [row for row in found if TENSOR not in (row[0], row[2]) or not (row[0] | row[2]) & counting]


@pytest.mark.parametrize("kind", FUNCTIONS, ids=lambda kind: kind.__name__)
def test_operators_give_what_the_relations_say(kind: type) -> None:
    relation = OPERATION[kind] if issubclass(kind, ast.operator) else COMPARISON[kind]
    for one, first, other, second in combined():
        try:
            result = FUNCTIONS[kind](first, second)
        except Exception:
            continue
        assert allows(relation, (one, other, kind_of(result))), (first, second, result)


@pytest.mark.parametrize("kind", UPDATES, ids=lambda kind: kind.__name__)
def test_augmented_assignments_give_what_the_relations_say(kind: type) -> None:
    for one, first, other, second in combined():
        if one == DICT != other:
            continue  # a dictionary takes pairs, but nobody means that
        try:
            result = UPDATES[kind](first.clone() if one == TENSOR else type(first)(first), second)
        except Exception:
            continue
        assert allows(UPDATE[kind], (one, other, kind_of(result))), (first, second, result)


INDICES: dict[str, list[Any]] = {
    "plain": [0, 1, -1],
    "several": [(0, 0)],
    "cut": [(slice(None), 0), (None, 0), ..., None, (..., 0)],
    "slice": [slice(1), slice(None)],
    "text": ["a"],
}
HELD: dict[int, list[Any]] = {
    **VALUES,
    TENSOR: [torch.ones(2, 2), torch.ones(2)],
    DICT: [{0: 1, (0, 0): 1, "a": 2, None: 1, ...: 2}],
    TEXT: ["ab"],
}


@pytest.mark.parametrize("form", INDICES)
def test_indices_give_what_the_relations_say(form: str) -> None:
    for kind, holders in HELD.items():
        for holder, index in product(holders, INDICES[form]):
            if kind == DICT and form in ("cut", "slice"):
                continue  # None, `...` and slices are no keys that people use
            try:
                result = holder[index]
            except Exception:
                continue
            assert allows(READ_AT[form], (kind, kind_of(result))), (holder, index)
            try:
                made = holder.clone() if kind == TENSOR else type(holder)(holder)
                made[index] = result
            except Exception:
                continue
            assert allows(STORED_AT[form], (kind, kind_of(result))), (holder, index)


def test_iteration_gives_what_the_relation_says() -> None:
    for kind, holders in HELD.items():
        if kind != NUMBER:
            for holder in holders:
                assert all(allows(ELEMENT, (kind, kind_of(element))) for element in holder), holder
