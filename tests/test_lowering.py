"""The lowered copy of a file: statements stand for calls, and each node leads back to one of the file."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from unplace.analysis.project.inlinable import Functions
from unplace.analysis.project.lowering import lowered, shown
from unplace.analysis.project.module import ModuleIndex

TRAINED = "loss.backward(); opt.step()"
"""Makes the module's own code one that trains: only calls on the way to a backward and a step are replaced."""


def lower(code: str) -> tuple[ModuleIndex, list[str]]:
    """Return the index of a file, and the lines of its lowered module code, without those of the functions."""
    module = ModuleIndex(ast.parse(f"{dedent(code).strip()}\n{TRAINED}\n"))
    body = lowered(module, Functions(module)).module.tree.body
    plain = [statement for statement in body if not isinstance(statement, ast.FunctionDef | ast.ClassDef)]
    return module, ast.unparse(ast.Module(plain, [])).splitlines()[:-2]


CASES = {
    "parameters and variables": (
        """
        def half(x, scale=0.5):
            y = x * scale
            return y + x

        z = half(w)
        """,
        ["y@1 = w * 0.5", "z = y@1 + w"],
    ),
    "an argument that is no path is computed once": (
        """
        def twice(x):
            return x + x

        z = twice(net(w))
        """,
        ["x@1 = net(w)", "z = x@1 + x@1"],
    ),
    "a parameter that is bound again": (
        """
        def f(x):
            x = x + 1
            return x

        z = f(w)
        """,
        ["x@1 = w", "x@1 = x@1 + 1", "z = x@1"],
    ),
    "a call in a call": (
        """
        def g(x):
            return x.exp()

        def f(x):
            return g(x) * 2

        z = f(w)
        """,
        ["z = w.exp() * 2"],
    ),
    "a function that only has a docstring": (
        """
        def f(x):
            "Do nothing."

        if w:
            f(w)
        """,
        ["if w:", "    pass"],
    ),
    "several returns stay a call": (
        """
        def f(x):
            if x is None:
                return 0
            return x

        z = f(w)
        """,
        ["z = f(w)"],
    ),
    "a recursive function": (
        """
        def f(x):
            return f(x)

        z = f(w)
        """,
        ["z = f(w)"],
    ),
    "what may not run stays where it is": (
        """
        def f(x):
            y = x
            return y

        z = f(w) if w else [f(v) for v in w]
        """,
        ["z = f(w) if w else [f(v) for v in w]"],
    ),
    "elements": ('d = {"a": p, "b": q}\nd["a"] = r', ["d = {'a': p, 'b': q}", "d.'a' = p", "d.'b' = q", "d.'a' = r"]),
    "elements of a comprehension": (
        "d = {'a': p}\ne = {k: f(v) for k, v in d.items()}",
        ["d = {'a': p}", "d.'a' = p", "e = {k: f(v) for k, v in d.items()}", "e.'a' = f(d.'a')"],
    ),
    "objects made fit for a machine": ("net, opt = accelerator.prepare(net, opt)\nx = net(w)", ["x = net(w)"]),
    "a list that grows": ("xs = []\nxs.append(x)", ["xs = []", "xs += x"]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_call_becomes_statements(case: str) -> None:
    code, expected = CASES[case]
    _, lines = lower(code)
    assert lines == expected


def test_a_parameter_hides_a_function() -> None:
    code = f"def f(x):\n    return x.exp()\ndef train({{}}, w):\n    loss = f(w)\n    {TRAINED}\n"
    for parameter, expected in (("f", "    loss = f(w)"), ("g", "    loss = w.exp()")):
        module = ModuleIndex(ast.parse(code.format(parameter)))
        (_, train) = lowered(module, Functions(module)).module.tree.body
        assert ast.unparse(train).splitlines()[1] == expected


def test_the_optimizers_of_a_lightning_module_are_those_that_it_makes() -> None:
    code = """
        class Gan(LightningModule):
            def configure_optimizers(self):
                a = Adam(self.g.parameters())
                return [a, Adam(self.d.parameters())], []

            def training_step(self, batch):
                g, d = self.optimizers()
    """
    module = ModuleIndex(ast.parse(f"{dedent(code)}\n{TRAINED}\n"))
    (owner, *_) = lowered(module, Functions(module)).module.tree.body
    assert isinstance(owner, ast.ClassDef)
    assert ast.unparse(owner.body[1]).splitlines()[1:] == [
        "    a@1 = Adam(self.g.parameters())",
        "    g, d = [a@1, Adam(self.d.parameters())]",
    ]


def test_a_copy_that_grows_without_end_is_cut_off() -> None:
    doubling = "".join(f"def f{n}(x):\n    return f{n + 1}(x) + f{n + 1}(x)\n" for n in range(30))
    _, lines = lower(f"{doubling}z = f0(w)\nd = {{'a': w}}\n" + "d = {k: v for k, v in d.items()}\n" * 30)
    assert len(lines) < 200
    assert max(map(len, lines)) < 1000


def test_each_node_leads_to_the_file() -> None:
    module, _ = lower("def f(x):\n    y = x['a']\n    return y\nz = f(w)")
    copy = lowered(module, Functions(module))
    own = set(ast.walk(module.tree))
    made = [node for node in ast.walk(copy.module.tree) if not isinstance(node, ast.expr_context | ast.operator)]
    assert all(copy.origins[node] in own for node in made if node is not copy.module.tree)


def test_a_path_is_shown_as_the_code_spells_it() -> None:
    assert shown("self.losses@2.'d'.0") == 'self.losses["d"][0]'
