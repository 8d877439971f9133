"""Access paths: what an expression spells, what a path prints, and how the file's quotes get into it."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.config.options import Options
from unplace.text.positions import Text
from unplace.transform.emit import bindings
from unplace.transform.rewriter import rewrite_text
from unplace.transform.verdicts import Copy, Rebind

_NAMES = st.sampled_from(["x", "self", "state", "été", "_h2"])
_KEYS = st.one_of(st.integers(0, 9), st.booleans(), st.none(), st.text(max_size=5), st.just(...), st.binary(max_size=2))
_PATHS = st.builds(
    lambda root, steps: _built(AccessPath(root), steps),
    _NAMES,
    st.lists(st.one_of(st.tuples(st.just("attribute"), _NAMES), st.tuples(st.just("element"), _KEYS)), max_size=4),
)
_SOURCES = st.recursive(
    _NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, _NAMES).map("{0[0]}.{0[1]}".format),
        st.tuples(inner, st.sampled_from(["0", "-1", "'k'", "i", ":", "1:, None", "...", "i + 1", "()", "x[0]"])).map(
            "{0[0]}[{0[1]}]".format
        ),
        st.tuples(inner, _NAMES).map("{0[0]}({0[1]})".format),
        st.tuples(inner, _NAMES).map("({0[0]} + {0[1]})".format),
        st.tuples(inner, _NAMES).map("({0[0]}, {0[1]})".format),
        inner.map("(await {})".format),
    ),
    max_leaves=5,
)


def _built(path: AccessPath, steps: list[tuple[str, object]]) -> AccessPath:
    for kind, value in steps:
        path = path.attribute(str(value)) if kind == "attribute" else path.element(value)
    return path


def _parsed(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


@given(_PATHS)
def test_a_path_reads_what_it_prints(path: AccessPath) -> None:
    assert AccessPath.of(_parsed(str(path))) == path


@given(_SOURCES)
def test_a_path_prints_what_the_expression_says(source: str) -> None:
    node = _parsed(source)
    assert str(AccessPath.of(node)) == ast.unparse(node)


@given(_PATHS, st.booleans())
def test_the_quotes_of_the_file_change_no_place(path: AccessPath, prefers_double: bool) -> None:
    text = Text('a = "b" "c"' if prefers_double else "a = 'b' 'c'")
    assert AccessPath.of(_parsed(bindings.written(text, path))) == path


@pytest.mark.parametrize(
    ("source", "root", "is_name"),
    [
        ("x", "x", True),
        ("self.h", "self", False),
        ("xs[0].data", "xs", False),
        ("f(x)", "f(x)", False),
        ("f(x).h", "f(x)", False),
        ("(a + b).h", "(a + b)", False),
    ],
)
def test_where_a_path_starts(source: str, root: str, is_name: bool) -> None:
    path = AccessPath.of(_parsed(source))
    assert (path.root, path.is_name) == (root, is_name)


def test_spellings_of_one_element_are_one_path() -> None:
    assert AccessPath.of(_parsed("d['k']")) == AccessPath.of(_parsed('d[ "k" ]')) == AccessPath("d").element("k")
    assert AccessPath.of(_parsed("d[1]")) == AccessPath.of(_parsed("d[True]"))
    assert AccessPath.of(_parsed("d[i]")) != AccessPath.of(_parsed("d['i']"))


def test_what_recipes_bind_is_written_in_the_style_of_the_file() -> None:
    text = Text('import torch\n\nd = {"k": 1}\n')
    places = (AccessPath("b"), AccessPath("d").element("k"))
    view = Binding((AccessPath("v"), AccessPath("w")), "b['x'][0]")
    assert bindings.cloned(text, Copy(places, (view,), ())) == ['b = d["k"] = b.clone()', 'v = w = b["x"][0]']
    assert bindings.targets(text, Rebind(places, (), ())) == ("b", 'd["k"]')
    assert bindings.targets(text, Rebind(places, (), (), is_unpacked=True)) == ('b, d["k"]',)
    assert bindings.lines(text, [Binding(places, "y.chunk(2)", is_unpacked=True)]) == ['b, d["k"] = y.chunk(2)']


@pytest.mark.parametrize("key", ["it's it's", 'a"b', "a'b", "\\", "k"])
def test_a_string_with_quotes_in_it_stays_one(key: str) -> None:
    text = Text('a = "b" "c" "d"')
    code = text.quoted(f"d[{key!r}] + e['x']")
    assert ast.dump(ast.parse(code)) == ast.dump(ast.parse(f"d[{key!r}] + e['x']"))
    assert code.endswith('e["x"]')


def _rewritten(*lines: str) -> str:
    """The body of a function on tensors after its rewriting."""
    before = "\n    ".join(["import torch\n\n\ndef run(x: torch.Tensor):", *lines]) + "\n"
    return rewrite_text(before, "before.py", Options()).after


def test_a_place_that_is_bound_already_isnt_bound_twice() -> None:
    after = _rewritten('d = {"k": torch.sin(x)}', 'y = d[ "k" ] = d["k"].add_(1)', 'return d["k"] * y')
    assert 'y = d[ "k" ] = d["k"].add(1)\n' in after


def test_a_call_takes_what_it_wrote_in_the_quotes_of_the_file() -> None:
    helper = "\n\ndef _shift(h, k):\n    h += k\n"
    after = _rewritten('d = {"k": torch.sin(x)}', '_shift(d["k"], 2)', 'return d["k"] * x' + helper)
    assert 'd["k"] = _shift(d["k"], 2)\n' in after
