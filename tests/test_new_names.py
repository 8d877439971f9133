"""Writes to leaves whose gradient is asked for: their values get a new name, where every read is in sight."""

from __future__ import annotations

import ast
import re
from textwrap import dedent, indent
from typing import Any

import pytest
import torch

from unplace.analysis.syntax.carried import carried, definitions_before
from unplace.config.options import Options
from unplace.transform.emit.naming import name_for_changed
from unplace.transform.rewriter import rewrite_text

HEAD = """
import functools
import torch
from torch import nn


def square(t):
    return (t ** 2).sum()


class Holder:
    def __init__(self, x):
        self.x = x

    def loss(self):
        return square(self.x)


def run(c, n):
"""
LEAF = "x = torch.tensor([1.0, 2.0, 0.5], requires_grad=True)\n"


def function(body: str) -> str:
    return HEAD + indent(LEAF + dedent(body).strip("\n"), "    ") + "\n"


def after(body: str) -> str:
    return rewrite_text(function(body), "model.py", Options()).after


def outcome(text: str, *arguments: Any) -> list[Any]:
    namespace: dict[str, Any] = {}
    exec(compile(text, "model.py", "exec"), namespace)
    return [*namespace["run"](*arguments)]


def of_a_copy(body: str) -> str:
    """Return the program whose write, as it stands, goes to a copy of the leaf."""
    asked = re.sub(r"\bx(?=\.(?:grad|register_hook|is_leaf|requires_grad)\b)|(?<=\[)x(?=[],])", "leaf", dedent(body))
    return function(f"leaf, x = x, x.clone()\n{asked.strip()}")


# -- what a person would write; the gradients are those of the write to a copy -------------------------------------


@pytest.mark.parametrize(
    ("body", "by_hand"),
    [
        pytest.param(
            """
            x[0] = 3.0
            x.register_hook(lambda gradient: gradient * 2)
            loss = square(x)
            loss.backward(inputs=[x])
            return x.grad, x.is_leaf, x.requires_grad
            """,
            """
            new_x = x.clone()
            new_x[0] = 3.0
            x.register_hook(lambda gradient: gradient * 2)
            loss = square(new_x)
            loss.backward(inputs=[x])
            return x.grad, x.is_leaf, x.requires_grad
            """,
            id="hooks and inputs mean the leaf",
        ),
        pytest.param(
            """
            w = torch.tensor([0.25, 0.75], requires_grad=True)
            x[:2] = w
            loss = square(x)
            return torch.autograd.grad(loss, [x, w])
            """,
            """
            w = torch.tensor([0.25, 0.75], requires_grad=True)
            new_x = x.clone()
            new_x[:2] = w
            loss = square(new_x)
            return torch.autograd.grad(loss, [x, w])
            """,
            id="so does what grad() is asked for",
        ),
        pytest.param(
            """
            for i in range(n):
                if i == 1:
                    break
                x[i] = 3.0
            else:
                x *= 2
            square(x).backward()
            return x.grad, x.tolist()
            """,
            """
            new_x = x.clone()
            for i in range(n):
                if i == 1:
                    break
                new_x[i] = 3.0
            else:
                new_x = new_x * 2
            square(new_x).backward()
            return x.grad, new_x.tolist()
            """,
            id="a loop that ends early",
        ),
        pytest.param(
            """
            for _ in range(n):
                if n > 1:
                    x[0] *= 2
                    x[1] *= 3
            square(x).backward()
            return (x.grad,)
            """,
            """
            new_x = x.clone()
            for _ in range(n):
                if n > 1:
                    new_x[0] = new_x[0] * 2
                    new_x[1] = new_x[1] * 3
            square(new_x).backward()
            return (x.grad,)
            """,
            id="what one round changes the next one sees",
        ),
        pytest.param(
            """
            match n:
                case 1:
                    x[0] = 3.0
                case _:
                    x[1] = 4.0
            square(x).backward()
            return (x.grad,)
            """,
            """
            new_x = x.clone()
            match n:
                case 1:
                    new_x[0] = 3.0
                case _:
                    new_x[1] = 4.0
            square(new_x).backward()
            return (x.grad,)
            """,
            id="one of several cases",
        ),
        pytest.param(
            """
            if c:
                x[0] = 2.0
                square(x).backward()
                return x.grad, x.sum()
            (x ** 3).sum().backward()
            return (x.grad,)
            """,
            """
            if c:
                new_x = x.clone()
                new_x[0] = 2.0
                square(new_x).backward()
                return x.grad, new_x.sum()
            (x ** 3).sum().backward()
            return (x.grad,)
            """,
            id="a branch that returns",
        ),
        pytest.param(
            """
            x[0] = 3.0
            with torch.no_grad():
                y = x * 2
            (x * y).sum().backward()
            gradient = x.grad
            del x
            return (gradient,)
            """,
            """
            new_x = x.clone()
            new_x[0] = 3.0
            with torch.no_grad():
                y = new_x * 2
            (new_x * y).sum().backward()
            gradient = x.grad
            del x
            return (gradient,)
            """,
            id="values read where nothing is recorded",
        ),
        pytest.param(
            """
            x[0] = 3.0
            held = Holder(x)
            held.loss().backward()
            return (x.grad,)
            """,
            """
            new_x = x.clone()
            new_x[0] = 3.0
            held = Holder(new_x)
            held.loss().backward()
            return (x.grad,)
            """,
            id="an object that is made of the values",
        ),
        pytest.param(
            """
            rest = x[1:]
            x[1] = 4.0
            rest *= 2
            (square(rest) + x.sum()).backward()
            return (x.grad,)
            """,
            """
            rest = x[1:]
            new_x = x.clone()
            rest = new_x[1:]
            new_x[1] = 4.0
            rest *= 2
            (square(rest) + new_x.sum()).backward()
            return (x.grad,)
            """,
            id="a view of before",
        ),
        pytest.param(
            """
            x[1] = 2.0
            flat = x.view(-1)
            flat[0] = 0.3
            (x * x).sum().backward()
            return (x.grad,)
            """,
            """
            new_x = x.clone()
            new_x[1] = 2.0
            flat = new_x.view(-1)
            flat[0] = 0.3
            (new_x * new_x).sum().backward()
            return (x.grad,)
            """,
            id="a view of what the new name holds",
        ),
    ],
)
def test_the_values_get_a_new_name(body: str, by_hand: str) -> None:
    assert after(body) == function(by_hand)
    with pytest.raises(RuntimeError, match="leaf"):
        outcome(function(body), True, 2)
    for c, n in ((True, 0), (False, 1), (True, 2)):
        torch.testing.assert_close(outcome(after(body), c, n), outcome(of_a_copy(body), c, n))


def test_a_script_keeps_its_leaf() -> None:
    before = f"import torch\n\n{LEAF}y = x * 2\nx[0] = 5.0  # known\nz = (x * y).sum()\nz.backward()\nprint(x.grad)\n"
    text = rewrite_text(before, "script.py", Options()).after
    assert text == (
        f"import torch\n\n{LEAF}y = x * 2\nnew_x = x.clone()\nnew_x[0] = 5.0  # known\n"
        "z = (new_x * y).sum()\nz.backward()\nprint(x.grad)\n"
    )
    namespace: dict[str, Any] = {}
    exec(compile(text, "script.py", "exec"), namespace)
    torch.testing.assert_close(namespace["x"].grad, torch.tensor([10.0, 8.0, 2.0]))


def test_an_f_string_reads_the_values() -> None:
    text = after('x[0] = 3.0\nsquare(x).backward()\nprint(f"{x.grad} of x, {x}")\n')
    assert 'print(f"{x.grad} of x, {new_x}")' in text


# -- near misses ------------------------------------------------------------------------------------------------------

READ = "square(x).backward()\nreturn (x.grad,)\n"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("held = Holder(x)\nx[0] = 3.0\nheld.loss().backward()\nreturn (x.grad,)", id="an object has it"),
        pytest.param("f = functools.partial(square, x)\nx[0] = 3.0\nf().backward()\nreturn (x.grad,)", id="a partial"),
        pytest.param("x[0] = 3.0\nf = lambda: square(x)\nf().backward()\nreturn (x.grad,)", id="a lambda reads it"),
        pytest.param("w = x\nx[0] = 3.0\nsquare(w).backward()\nreturn (x.grad,)", id="another name"),
        pytest.param("x[0] = 3.0\nw = x\nsquare(w).backward()\nreturn (w.grad,)", id="asked under another name"),
        pytest.param("x[0] = 3.0\nh = Holder(x)\nh.loss().backward()\nreturn (h.x.grad,)", id="asked of an attribute"),
        pytest.param("x[0] = 3.0\nsquare(x).backward()\nreturn [p.grad for p in [x]]", id="asked of an element"),
        pytest.param("x[0] = 3.0\nw = [x]\nreturn torch.autograd.grad(square(x), w)", id="asked of a list"),
        pytest.param("x[0] = 3.0\nc.append(x)\n" + READ, id="stored outside"),
        pytest.param("x[0] = 3.0\nc.x = x\n" + READ, id="stored in an attribute"),
        pytest.param("x[0] = 3.0\nsquare(x).backward()\nreturn x, x.grad", id="returned"),
        pytest.param("x[0] = 3.0\nsquare(x).backward()\nprint(x.grad)\nreturn [[x]]", id="returned in a list"),
        pytest.param("x[0] = 3.0\nsquare(x).backward()\nprint(x.grad)\nyield x", id="yielded"),
        pytest.param("x[0] = 3.0\nc(x).backward()\nreturn (x.grad,)", id="unknown code gets it"),
        pytest.param("if n:\n    x = torch.ones(3, requires_grad=True)\nx[0] = 3.0\n" + READ, id="made in two places"),
        pytest.param("x.zero_()\n" + READ, id="nothing of the leaf is left"),
        pytest.param("nn.init.ones_(x)\nx[0] = 3.0\n" + READ, id="initialised"),
        pytest.param("x[0] = 3.0\n" + READ.replace("return", "x.data -= x.grad\nreturn"), id="moved by its data"),
        pytest.param("opt = torch.optim.SGD([x], 0.1)\nx[0] = x[1] * 2\n" + READ, id="an optimizer has it"),
        pytest.param(
            "try:\n    x = torch.ones(3, requires_grad=True)\n    c()\nexcept ValueError:\n"
            "    if n:\n        x[0] = 3.0\n    print(x)\n" + READ,
            id="made where an error leads to the write",
        ),
        pytest.param("with c:\n    x[0] = 3.0\n" + READ, id="the error may be swallowed"),
        pytest.param("square(x).backward()\nx *= 2\n" + READ, id="changed between two gradients"),
        pytest.param(
            "for _ in range(n):\n    x[0] *= 2\n    square(x).backward()\nreturn (x.grad,)", id="and in rounds"
        ),
    ],
)
def test_a_leaf_that_other_code_means_gets_no_new_name(body: str) -> None:
    assert "new_x" not in after(body)


def test_what_is_moved_along_its_gradient_stays_the_leaf() -> None:
    text = after("for _ in range(n):\n    square(x).backward()\n    x -= 0.1 * x.grad\n    x.grad = None\nreturn [x]\n")
    assert "        with torch.no_grad():\n            x -= 0.1 * x.grad\n" in text
    outcome(text, True, 3)


def test_what_an_earlier_round_made_is_asked_for_its_gradient() -> None:
    body = """
    for _ in range(n):
        square(x).backward()
        x = (x - 0.1 * x.grad).detach().requires_grad_()
        x.clamp_(0, 1)
    return [x]
    """
    assert "            x.clamp_(0, 1)\n" in after(body)  # under `no_grad`: a new tensor would have no gradient
    outcome(after(body), True, 3)


# -- callers ----------------------------------------------------------------------------------------------------------

CALLED = """
import torch


def total(x):
    y = x * 2
    x[0] = 5.0
    {last}


a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
{calls}
"""


@pytest.mark.parametrize(
    ("last", "calls", "lines"),
    [
        (
            "return (x * y).sum()",
            "total(a).backward()\nprint(a.grad)",
            ["x = x.clone()", "x[0] = 5.0", "return (x * y).sum()"],
        ),
        (
            "(x * y).sum().backward()\n    return x.grad",
            "print(total(a))",
            ["new_x = x.clone()", "new_x[0] = 5.0", "(new_x * y).sum().backward()", "return x.grad"],
        ),
    ],
    ids=["the caller asks for the gradient", "the function does"],
)
def test_a_leaf_that_is_passed_keeps_its_gradient(last: str, calls: str, lines: list[str]) -> None:
    before = CALLED.format(last=last, calls=calls)
    text = rewrite_text(before, "script.py", Options(whole_program=True)).after
    assert [line.strip() for line in text.partition("x * 2\n")[2].splitlines()[: len(lines)]] == lines
    namespace: dict[str, Any] = {}
    exec(compile(text, "script.py", "exec"), namespace)
    torch.testing.assert_close(namespace["a"].grad, torch.tensor([10.0, 8.0, 12.0]))


@pytest.mark.parametrize("unsafe", [False, True])
def test_no_caller_gets_a_new_tensor_for_a_leaf_whose_gradient_it_asks_for(unsafe: bool) -> None:
    before = CALLED.format(last="return (x * y).sum()", calls="z = total(a)\nprint(a * 2)\nz.backward()\nprint(a.grad)")
    assert rewrite_text(before, "script.py", Options(whole_program=True, unsafe=unsafe)).after == before


def test_what_is_read_behind_the_call_in_its_statement_is_read() -> None:
    calls = "z = total(a), a * 1\nz[0].backward()\nprint(a.grad)"
    before = CALLED.format(last="return (x * y).sum()", calls=calls)
    assert rewrite_text(before, "script.py", Options(whole_program=True)).after == before


# -- names and reads --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "taken", "wanted"),
    [
        ("x", set(), "new_x"),
        ("x", {"new_x"}, "new_x_2"),
        ("_data", set(), "new_data"),
        ("new_data", set(), "new_data_changed"),
        ("_", set(), "__changed"),
    ],
)
def test_names_for_changed_copies(name: str, taken: set[str], wanted: str) -> None:
    assert name_for_changed(taken, name) == wanted


@pytest.mark.parametrize(
    ("code", "place", "lines"),
    [
        ("x = a\nchange(x)\nb = x\nx = c\nd = x", 2, [3]),
        ("x = a\nif c:\n    change(x)\n    b = x\nd = 1", 3, [4]),
        ("x = a\nif c:\n    change(x)\nelse:\n    b = x\nd = x", 2, [3, 5, 6]),
        ("x = a\nfor i in j:\n    b = x\n    change(x)\nd = x", 2, [3, 4, 5]),
        ("x = a\nfor i in j:\n    if i:\n        change(x)\n        b = x", 2, [4, 5]),
        ("for i in j:\n    x = a\n    change(x)\n    b = x", 3, [4]),
        ("x = a\nchange(x)\nx += 1\nb = x", 2, [3, 4]),
        ("x = a\nchange(x)\ndel x", 2, []),
        ("x = a\nif c:\n    x = b\nelse:\n    change(x)\nd = x", None, []),
    ],
)
def test_reads_that_a_new_name_takes_over(code: str, place: int | None, lines: list[int]) -> None:
    body = ast.parse(code).body
    around = [n for s in body for n in ast.walk(s) if isinstance(n, ast.stmt)]
    change = next(s for s in around if isinstance(s, ast.Expr))
    outermost = next(s for s in body if any(n is change for n in ast.walk(s)))
    if isinstance(outermost, ast.For) and isinstance(outermost.body[0], ast.Assign) and outermost.lineno == 1:
        outermost = change  # the loop makes what is changed
    found = carried(body, "x", change, outermost, ())
    assert (found.place.lineno if found is not None else None) == place
    assert sorted({read.lineno for read in found.reads} if found is not None else []) == lines


def test_definitions_before_a_statement_are_those_of_other_statements() -> None:
    body = ast.parse("x = a\nfor i in j:\n    x += i\nb = x").body
    assert {node.lineno for node in definitions_before(body, "x", body[-1]) if isinstance(node, ast.Name)} == {1}
    assert definitions_before(body, "y", body[-1]) == {"y"}
