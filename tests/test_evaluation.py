"""The order of evaluation that the analysis goes by, against what CPython does with generated statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from unplace.analysis.syntax.evaluation import around
from unplace.analysis.syntax.liveness import Liveness
from unplace.analysis.syntax.scopes import Scope, Scopes


class _Anything:
    """A value that takes part in every operation, and is true or false as it is told to be."""

    def __init__(self, choices: Iterator[bool]) -> None:
        self._choices = choices

    def __bool__(self) -> bool:
        return next(self._choices)

    def _same(self, *_: object, **__: object) -> _Anything:
        return self

    __add__ = __iadd__ = __mul__ = __call__ = __getitem__ = __lt__ = __gt__ = __neg__ = _same
    __hash__ = object.__hash__

    def __setitem__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[_Anything]:
        return iter((self, self))

    @property
    def part(self) -> _Anything:
        return self

    def keys(self) -> tuple[str, ...]:
        return ()


_EXPRESSIONS = st.recursive(
    st.just("MARK"),
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from(["{} + {}", "{}[{}]", "{} and {}", "{} or {}", "{} < {}", "w([{}, {}])"]), inner, inner
        ),
        st.tuples(st.sampled_from(["{}({}, k={})", "{}(*{}, **{})", "{} if {} else {}"]), inner, inner, inner),
        st.tuples(st.sampled_from(["{} < {} < {}", "w(f'{{{}}}{{{}}}{{{}}}')", "{}[{}:{}]"]), inner, inner, inner),
        st.tuples(st.just("w({{{}: {}, **{}}})"), inner, inner, inner),
        st.tuples(st.just("w([{} for _ in {} if {}])"), inner, inner, inner),
        st.tuples(st.just("w({{{}: {} for _ in {} for _ in {}}})"), inner, inner, inner, inner),
        st.tuples(st.just("w(lambda k={}: {})"), inner, inner),
        st.tuples(st.sampled_from(["(y := {})", "-{}", "{}.part"]), inner),
    ),
    max_leaves=7,
)
_STATEMENTS = st.tuples(
    st.sampled_from(
        ["{}", "x = {2}", "x[{}] = {}", "x[{}], *z = {}", "x[{}] += {}", "x[{}]: int = {}", "assert {}, {}"]
    ),
    st.tuples(_EXPRESSIONS, _EXPRESSIONS, _EXPRESSIONS),
)


def _written(part: object, numbers: Iterator[int]) -> str:
    """The source of a drawn expression, in which every leaf notes its number."""
    if part == "MARK":
        return f"t({next(numbers)})"
    assert isinstance(part, tuple)
    inner = [_written(below, numbers) for below in part[1:]]
    return f"({str(part[0]).format(*inner)})"


def _marks(node: ast.AST) -> dict[int, ast.Call]:
    calls = (n for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return {call.args[0].value: call for call in calls if call.func.id == "t"}  # type: ignore[attr-defined]


@settings(max_examples=300)
@given(_STATEMENTS, st.lists(st.booleans(), min_size=8, max_size=8))
def test_what_runs_before_and_behind_a_node_is_known(
    drawn: tuple[str, tuple[object, ...]], choices: list[bool]
) -> None:
    numbers = iter(range(100))
    source = drawn[0].format(*(_written(part, numbers) for part in drawn[1]))
    try:
        code = compile(source, "drawn", "exec")
    except SyntaxError:  # `:=` where a comprehension takes its elements from
        reject()
    (statement,) = ast.parse(source).body
    ran: list[int] = []
    value = _Anything(iter(choices * 100))

    def noted(number: int) -> _Anything:
        ran.append(number)
        return value

    try:
        exec(code, {"t": noted, "w": lambda _: value, "x": value})
        is_finished = True
    except AssertionError:
        is_finished = False
    marks = _marks(statement)
    for number, node in marks.items():
        order = around(statement, node)
        assert order is not None
        before = {n for part in order.before for n in _marks(part)}
        after = {n for part in order.after for n in _marks(part)}
        for position in (i for i, n in enumerate(ran) if n == number):
            assert set(ran[:position]) <= before | {number}
            assert set(ran[position + 1 :]) <= after | {number}
        assert not order.is_sure or ran.count(number) == 1
        assert is_finished or not order.is_sure or number in ran


@pytest.mark.parametrize(
    ("statement", "is_bound"),
    [
        ("a < (y := b) < c", True),
        ("a < b < (y := c)", False),
        ("assert (y := a), b", True),
        ("assert a, (y := b)", False),
        ("(y := a) or b", True),
        ("a or (y := b)", False),
        ("b if (y := a) else c", True),
        ("(y := b) if a else c", False),
        ("lambda k=(y := a): k", True),
        ("[(y := k) for k in a]", False),
    ],
)
def test_a_name_is_dead_before_it_is_bound_for_certain(statement: str, is_bound: bool) -> None:
    tree = ast.parse(f"def run(a, b, c, y):\n    pass\n    {statement}\n    return y")
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    scopes = Scopes(Scope(tree, "<module>", None))
    liveness = Liveness(scopes.by_node[function], function.body)
    assert ("y" not in liveness.live_after(function.body[0])) is is_bound
