"""Generated tensor programs are rewritten, and torch finds nothing wrong; and the oracle that says so isn't blind.

A failure names the seed: `python scripts/hunt.py --seed N --count 1 --keep DIR` shrinks that program. The nightly size
is `python scripts/hunt.py --count 5000 --jobs 2`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random

import pytest
import torch

from generator import forms, hunted, real, strided
from generator.assumptions import Case, holds
from generator.control import returned
from generator.kinds import Parameter, Tensor
from generator.oneline import parsed, unparsed
from generator.oracle import Fault, Result, Verdict, behaviour, judge, without_autograd
from generator.programs import HEADER, generate
from generator.shrink import shrink
from generator.unsafe import Outcome, judge_unsafe
from generator.writer import Writer
from sampling import one_in
from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.findings import Finding, Harm, Status
from unplace.diagnostics.forms import Form
from unplace.verification.examples import maker

PORTION = 50
QUICK = range(0, 600 // one_in(2), PORTION)
LARGE = 500
PART = LARGE // one_in(6)
SLOW = range(100_000, 102_500, LARGE)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def wrong_ones(first: int, dialect: str = "plain") -> list[str]:
    seeds = range(first, first + PORTION)
    verdicts = {seed: judge(generate(seed, dialect)) for seed in seeds}
    return [f"seed {seed}: {told(verdict)}" for seed, verdict in verdicts.items() if verdict.result is Result.WRONG]


def told(verdict: Verdict) -> str:
    return f"{verdict.fault and verdict.fault.value}: {'; '.join(verdict.details)}"


# -- the property ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", QUICK)
def test_generated_programs_keep_their_behaviour(first: int) -> None:
    assert wrong_ones(first) == []


@pytest.mark.parametrize("first", range(0, 100, PORTION))
def test_programs_with_more_forms_of_code_keep_their_behaviour(first: int) -> None:
    assert wrong_ones(first, "forms") == []


@pytest.mark.parametrize("first", range(0, 100, PORTION))
def test_programs_that_speak_real_code_keep_their_behaviour(first: int) -> None:
    assert wrong_ones(first, "real") == []


def test_unsafe_rewriting_is_right_where_its_assumptions_hold() -> None:
    judged = {seed: judge_unsafe(generate(seed, "real")) for seed in range(100, 100 + PORTION)}
    wrong = {seed: told(j.verdict) for seed, j in judged.items() if j.outcome is Outcome.WRONG}
    undecided = {seed: j.open for seed, j in judged.items() if j.outcome is Outcome.UNDECIDED}
    assert wrong == {}
    assert len(undecided) <= 1, undecided


@pytest.mark.slow
@pytest.mark.parametrize("first", SLOW)
def test_many_generated_programs_keep_their_behaviour(first: int) -> None:
    """None is wrong; a second run may find a little more in one of a hundred, where the first one ended an aliasing."""
    verdicts = {seed: judge(generate(seed)) for seed in range(first, first + PART)}
    wrong = {seed: verdict for seed, verdict in verdicts.items() if verdict.result is Result.WRONG}
    repeated = [seed for seed, verdict in wrong.items() if verdict.fault is Fault.REPEATED]
    assert {seed: told(verdict) for seed, verdict in wrong.items() if seed not in repeated} == {}
    assert len(repeated) <= PART / 100


# -- the generator --------------------------------------------------------------------------------------------------


def test_a_seed_is_a_program() -> None:
    assert generate(7) == generate(7)
    assert len({generate(seed) for seed in range(50)}) == 50


def test_most_programs_run_and_many_fail_in_autograd() -> None:
    verdicts = [judge(text, rewritten=text) for text in map(generate, range(300))]
    ran = [verdict for verdict in verdicts if verdict.result is not Result.DISCARDED]
    assert len(ran) >= 0.8 * len(verdicts)
    assert sum(verdict.complaint is not None for verdict in ran) >= 0.3 * len(ran)
    assert all(verdict.result is Result.RIGHT for verdict in ran)  # a program is equal to itself


def test_programs_that_speak_real_code_run_and_fail_in_autograd() -> None:
    texts = [generate(seed, "real") for seed in range(100)]
    verdicts = [judge(text, rewritten=text) for text in texts]
    ran = [verdict for verdict in verdicts if verdict.result is not Result.DISCARDED]
    assert len(ran) >= 0.85 * len(verdicts)
    assert sum(verdict.complaint is not None for verdict in ran) >= 0.5 * len(ran)
    assert all(verdict.result is Result.RIGHT for verdict in ran)


@cache
def of_real_code() -> list[str]:
    return [generate(seed, "real") for seed in range(300)]


@pytest.mark.parametrize(
    "form",
    ["suppress(Exception)", "except* Exception", "finally:", ".data = ", "lambda", ".chunk(2", "autocast", "int32",
     "@property", "__slots__", "NamedTuple", "out=", "nn.ModuleList", "self.running", "; ", "iter([", "(x * k for",
     " := ", "case _:", "continue", "break", "except* ValueError", "except KeyError:"],
)  # fmt: skip
def test_real_code_holds_this_form(form: str) -> None:
    if form.startswith("except*") and sys.version_info < (3, 11):
        pytest.skip("except* is newer")
    assert sum(form in text for text in of_real_code()) >= 3


@pytest.mark.parametrize("header", ["try:", "except .*:", "finally:", "case .*:", r"def [^:]*:", "if .*:", "with .*:"])
def test_real_code_puts_the_body_behind_this_header(header: str) -> None:
    behind = re.compile(rf"^ *{header} (?!torch)[a-z]", re.MULTILINE)
    assert sum(behind.search(generate(seed, "real")) is not None for seed in range(600)) >= 3


@cache
def of_strangers() -> list[str]:
    return [generate(seed, "hunted") for seed in range(300)]


def test_programs_of_classes_that_strangers_found_run_and_fail_in_autograd() -> None:
    verdicts = [judge(text, rewritten=text) for text in of_strangers()[:100]]
    ran = [verdict for verdict in verdicts if verdict.result is not Result.DISCARDED]
    assert len(ran) >= 0.9 * len(verdicts)
    assert sum(verdict.complaint is not None for verdict in ran) >= 0.3 * len(ran)
    assert all(verdict.result is Result.RIGHT for verdict in ran)


@pytest.mark.parametrize("maker", hunted.STATEMENTS, ids=lambda maker: f"{maker.__module__}.{maker.__name__}")
def test_each_class_that_strangers_found_is_written(maker: Callable[[Writer], bool]) -> None:
    """What it writes alone runs nearly always; the original may handle errors of its own."""
    results = Counter(judge(text, rewritten=text).result for text in (alone(maker, seed) for seed in range(20)))
    assert results[Result.RIGHT] >= 14, results


def alone(maker: Callable[[Writer], bool], seed: int) -> str:
    """A program with one statement of a kind."""
    w = Writer(Random(seed))
    w.strided = strided.restrided
    with w.function("def run(x):", [Parameter("x", Tensor((w.rows, w.columns)))]):
        assert maker(w)
        w.emit(f"return {returned(w)}")
    header = [*real.HEADER, *hunted.HEADER, *forms.HEADER, *HEADER]
    example = (
        f"def example():\n    return run, (torch.linspace(-1, 2, {w.rows * w.columns}).view({w.rows}, {w.columns}),)"
    )
    return "\n".join([*header, *w.preamble, *w.lines, "", "", example]) + "\n"


# -- the oracle notices wrong rewrites ------------------------------------------------------------------------------

X = "torch.tensor([[0.5, -1.0, 0.3], [1.2, 0.7, -0.4]], requires_grad=True)"
WRONG = {
    "an alias isn't rebound": (
        "y = x * 2; b = y; y += 1; return b",
        "y = x * 2; b = y; y = y + 1; return b",
        Fault.VALUES,
    ),
    "a view isn't derived again": (
        "y = x * 2; v = y[0]; y *= 3; return v",
        "y = x * 2; v = y[0]; y = y * 3; return v",
        Fault.VALUES,
    ),
    "a write through a view misses its base": (
        "y = x * 2; v = y[0]; v += 1; return y",
        "y = x * 2; v = y[0]; v = v + 1; return y",
        Fault.VALUES,
    ),
    "the dtype grows": (
        "y = x * 2; y += torch.ones(3, dtype=torch.float64); return y",
        "y = x * 2; y = y + torch.ones(3, dtype=torch.float64); return y",
        Fault.VALUES,
    ),
    "the dtype of a written argument grows": (
        "buffer += 1; return x",
        "buffer += 1; buffer.data = buffer.double(); return x",
        Fault.MUTATIONS,
    ),
    "a narrow dtype grows": (
        "n = torch.ones(3, dtype=torch.int32); n.cumsum_(0); return n",
        "n = torch.ones(3, dtype=torch.int32); n = n.cumsum(0); return n",
        Fault.VALUES,
    ),
    "a partial store becomes one that autograd sees": (
        "y = x * 2; y.data[0] = 0; return y",
        "y = x * 2; y[0] = 0; return y",
        Fault.GRADIENTS,
    ),
    "the caller's buffer isn't written": ("buffer += 1; return x", "buffer = buffer + 1; return x", Fault.MUTATIONS),
    "a list holds the old tensor": (
        "y = x * 2; xs = [y]; y.mul_(2); return xs",
        "y = x * 2; xs = [y]; y = y.mul(2); return xs",
        Fault.VALUES,
    ),
    "the graph is cut": ("y = x * 2; y += 1; return y", "y = x * 2; y = y.detach() + 1; return y", Fault.GRADIENTS),
    "the value is taken from the clone": (
        "y = x * 2; y[0] = y[1] * y[1]; return y.sum(0)",
        "y = x * 2; y = y.clone(); y[0] = y[1] * 1; return y.sum(0)",
        Fault.VALUES,
    ),
    "values right, gradient of the failing program wrong": (
        "y = x.exp(); y += 1; return y",
        "y = x.exp(); y = y.detach() + 1 + x - x.detach(); return y",
        Fault.GRADIENTS,
    ),
    "other random numbers": (
        "y = x * 2; y.normal_(); return x",
        "y = x * 2; y = torch.zeros(1).normal_(); return x",
        Fault.RANDOM,
    ),
    "a gradient becomes NaN": (
        "y = x * 1; m = x > 0; y[m] = torch.sqrt(y[m]); return y",
        "y = x * 1; m = x > 0; y = torch.where(m, torch.sqrt(y), y); return y",
        Fault.GRADIENTS,
    ),
    "the gradient of a piece that torch forbids to write": (
        "p = x.detach(); p.mul_(2); y = x.exp(); a, b = y; b *= b; return y",
        "p = x.detach(); p.mul_(2); y = x.exp().clone(); a, b = y[0], y[1]; b *= b.clone().detach(); return y",
        Fault.GRADIENTS,
    ),
    "it raises": ("y = x * 2; y += 1; return y", "y = x * 2; y = z + 1; return y", Fault.RAISES),
    "it doesn't compile": ("y = x * 2; y += 1; return y", "y = x * 2; y = = 1; return y", Fault.COMPILE),
    "an argument in another layout is copied by what shares the memory of a dense one": (
        "y = x * 1; y.masked_fill_(y > 0.4, 0); c = y.contiguous(); c += 1; return y",
        "y = x * 1; y = y.masked_fill(y > 0.4, 0); c = y.contiguous(); c += 1; return y",
        Fault.VALUES,
    ),
    "an argument with gaps": (
        "y = x.detach(); y += 1; return y.is_contiguous()",
        "y = x.detach(); buffer = y.data; y = y + 1; buffer.copy_(y); return y.is_contiguous()",
        Fault.VALUES,
    ),
    "the second call": (
        "run.calls = getattr(run, 'calls', 0) + 1; return x * run.calls",
        "run.calls = 1; return x * run.calls",
        Fault.VALUES,
    ),
    "a saved tensor is written": (
        "y = x.exp(); z = y * 1; z += 1; return y, z",
        "y = x.exp(); y *= 1; z = y + 1; return y, z",
        Fault.RAISES,
    ),
}


def program(body: str) -> str:
    statements = "\n".join(f"    {statement.strip()}" for statement in body.split(";"))
    example = f"def example():\n    return run, ({X}, torch.zeros(2))\n"
    return f"import torch\n\n\ndef run(x, buffer):\n{statements}\n\n\n{example}"


@pytest.mark.parametrize("name", WRONG)
def test_the_oracle_notices_a_wrong_rewrite(name: str) -> None:
    before, after, fault = WRONG[name]
    verdict = judge(program(before), rewritten=program(after))
    assert verdict.fault is fault, told(verdict)


def test_the_oracle_notices_what_is_wrong_when_it_is_compiled() -> None:
    before = program("y = x * 2; return y")
    after = program("y = x * 2; y = y + torch.compiler.is_compiling(); return y")
    assert judge(before, rewritten=after).result is Result.RIGHT
    verdict = judge(before, rewritten=after, compiled=True)
    assert verdict.fault is Fault.VALUES, told(verdict)
    assert verdict.variant == "torch.compile"


RIGHT = {
    "rebound": ("y = x.exp(); b = y; y += 1; return b, y", "y = x.exp(); b = y; y = b = y + 1; return b, y"),
    "zero and no gradient are the same": ("y = x * 2; y.zero_(); return y", "y = torch.zeros_like(x); return y"),
    "a stored value": ("y = x.exp(); y[0] = x[1]; return y", "y = x.exp(); y = y.clone(); y[0] = x[1]; return y"),
    "a piece that torch forbids to write, of what is computed after a write past autograd": (
        "p = x.detach(); p.mul_(2); y = x.exp(); a, b = y; b *= b; return y",
        "p = x.detach(); p.mul_(2); y = x.exp().clone(); a, b = y[0], y[1]; b *= b.clone(); return y",
    ),
    "two equal objects for one": ("y = x * 2; y += 1; return y, y", "y = x * 2; y = y + 1; return y, y * 1"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_the_oracle_accepts_a_right_rewrite(name: str) -> None:
    before, after = map(program, RIGHT[name])
    verdict = judge(before, rewritten=after)
    assert verdict.result is Result.RIGHT, told(verdict)
    assert verdict.fixed == ("exp" in before)


class Naive(ast.NodeTransformer):
    """`y += v` becomes `y = y + v`, and a rebinding of several names loses all but the first: a careless tool."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not isinstance(node.target, ast.Name):
            return node
        return ast.Assign([node.target], ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        return ast.Assign(node.targets[:1], node.value) if len(node.targets) > 1 else node


def naive(text: str) -> str:
    return ast.unparse(ast.fix_missing_locations(Naive().visit(ast.parse(text))))


def test_careless_rewriting_of_generated_programs_is_noticed() -> None:
    texts = [generate(seed) for seed in range(300)]
    faults = Counter(judge(text, rewritten=naive(text), variants=()).fault for text in texts)
    assert faults[Fault.VALUES] >= 20, faults
    assert faults[Fault.MUTATIONS] >= 3, faults


def test_dropping_a_part_of_the_rewriting_is_noticed() -> None:
    verdicts = [judge(text, variants=()) for text in map(generate, range(150))]
    pairs = [(generate(seed), v.after) for seed, v in enumerate(verdicts) if v.result is Result.RIGHT and v.changed]
    noticed = Counter(judge(before, rewritten=spoilt(after), variants=()).fault for before, after in pairs)
    assert noticed[Fault.VALUES] + noticed[Fault.RAISES] >= 10, noticed


def spoilt(text: str) -> str:
    """The rewriting with only the first of the names that are rebound together."""

    class Spoil(ast.NodeTransformer):
        def visit_Assign(self, node: ast.Assign) -> ast.AST:
            return ast.Assign(node.targets[:1], node.value) if len(node.targets) > 1 else node

    return ast.unparse(ast.fix_missing_locations(Spoil().visit(ast.parse(text))))


# -- assumptions ----------------------------------------------------------------------------------------------------

HELPER = """
def helper(t, k):
    t += k
    return t


def module():
    return nn.ReLU(inplace=True)


class Box:
    def __init__(self, h):
        self.h = h

    def step(self):
        self.h.mul_(2)
        return self.h
"""
SAID = Rewrite.FUNCTIONAL()
READ = "no caller reads the argument `t` after the call"
HELD = "nothing else holds the tensor in `self.h`"
RESULT = "the result of `helper(...)` is a tensor that nothing else holds"
INPUT = "nobody reads the input of the module after it was called"
WIDER = "the operands of line {line} don't have a wider dtype than `y`"
APART = "`y` and `z` don't share memory"
EVEN = "the pieces of `x.chunk(2)` are of one size"
ASSUMED = (
    # what the program says, the statement that is rewritten (its last line), the assumption, whether it holds
    ("y = x * 2; z = helper(y, 1); return z", "t += k", READ, True),
    ("y = x * 2; z = helper(y, 1); return y", "t += k", READ, False),
    ("y = x * 2; v = y[0]; z = helper(y, 1); return v", "t += k", READ, False),
    ("y = x * 2; z = helper(y * 1, 1); return y", "t += k", READ, True),
    ("b = Box(x * 2); b.step(); return b.h", "self.h.mul_(2)", HELD, True),
    ("y = x * 2; b = Box(y); b.step(); return y", "self.h.mul_(2)", HELD, False),
    ("y = x * 2; b = Box(y[0]); b.step(); return y", "self.h.mul_(2)", HELD, False),
    ("y = helper(x * 2, 1); y.mul_(2); return y", "y.mul_(2)", RESULT, True),
    ("u = x * 2; y = helper(u, 1); y.mul_(2); return u", "y.mul_(2)", RESULT, False),
    ("y = x * 2; z = module()(y); return z", "nn.ReLU(inplace=True)", INPUT, True),
    ("y = x * 2; z = module()(y); return y", "nn.ReLU(inplace=True)", INPUT, False),
    ("y = x * 2; y += 1; return y", "y += 1", "`y` is a tensor", True),
    ("y = 2; y += 1; return x * y", "y += 1", "`y` is a tensor", False),
    ("y = x * 2; y += x; return y", "y += x", WIDER, True),
    ("y = x.half(); y += x; return y", "y += x", WIDER, False),
    ("y = x.half(); y += x.sum(); return y", "y += x.sum()", WIDER, True),
    ("y = x.int(); y.add_(x.long()); return y", "y.add_(x.long())", WIDER, False),
    ("y = x * 2; y.add_(1); return y", "y.add_(1)", WIDER, True),
    ("xs = [x * 2, x * 3]; xs[0] += 1; return xs", "xs[0] += 1", "no two elements of `xs` are the same tensor", True),
    ("xs = [x * 2] * 2; xs[0] += 1; return xs", "xs[0] += 1", "no two elements of `xs` are the same tensor", False),
    ("a, b = x.chunk(2); c = a.mul_(2); return b", "c = a.mul_(2)", EVEN, True),
    ("a, b = x.chunk(2, 1); c = a.mul_(2); return b", "c = a.mul_(2)", EVEN.replace("2", "2, 1"), False),
    ("y = x * 2; z = x * 3; y += z; return y", "y += z", APART, True),
    ("y = x * 2; z = y[:, :1]; y += 1; return z", "y += 1", APART, False),
    ("y = x * 2; z = [y]; y += 1; return z", "y += 1", APART, False),
    ("t = x * 2; y, z = t[0], t[1]; y += z; return t", "y += z", APART, True),
    ("y = x * 2; z = 3; y += z; return y", "y += z", APART, True),
    ("y = x * 2; y += 1; return y", "y += 1", "the moon is made of cheese", None),
)  # fmt: skip


@pytest.mark.parametrize(("body", "line", "assumption", "answer"), ASSUMED)
def test_whether_an_assumption_holds_is_seen(body: str, line: str, assumption: str, answer: bool | None) -> None:
    text = program(body).replace("import torch\n", "import torch\nfrom torch import nn\n" + HELPER, 1)
    place = text.rindex(line)
    number = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    end = column + len(line)
    words = assumption.format(line=number)
    finding = Finding(number, column, number, end, "", Form.METHOD, Status.REWRITTEN, None, Harm.POSSIBLE, SAID)
    original = without_autograd(maker(text, "before.py"))

    def same(changed: str, for_callers: bool) -> bool:
        return not behaviour(original, without_autograd(maker(changed, "before.py")))

    def run(changed: str) -> None:
        without_autograd(maker(changed, "before.py"))

    assert original.error is None
    assert holds(Case(text, finding, same, run), words) is answer


# -- the shrinker ---------------------------------------------------------------------------------------------------


def test_a_wrong_program_becomes_small() -> None:
    text = program(
        "k = 3; a = x * 2; b = a; c = torch.sigmoid(x) + 1; names = []; names.append(k); a += c * 2; d = b.sum();"
        "return a, b, c, d"
    )

    def still_wrong(candidate: str) -> bool:
        return judge(candidate, rewritten=naive(candidate)).fault is Fault.VALUES

    assert still_wrong(text)
    small = shrink(text, still_wrong)
    body = small[small.index("def run") : small.index("def example")]
    assert still_wrong(small)
    assert len(body.splitlines()) <= 7, small


def test_statements_of_one_line_stay_in_it() -> None:
    text = "def f(x):\n    a = 1; b = 2\n    if a: b += 1; c = 3\n    else: b = 4\n    for i in x: a = 2\n"
    text += "    try: a += 1; b = a\n    except ValueError: b = 3\n    finally: c = 2; del c\n"
    text += "    match a:\n        case 1: b += 1; a = b\n    return a; pass\n"
    assert unparsed(parsed(text)) == text


def test_a_program_that_is_wrong_by_its_lines_becomes_small() -> None:
    """The order of two statements is told by their lines: what is wrong must stay in one line."""
    text = program("k = 3; y = x * 2; z = k; c = torch.sigmoid(x); y += 1; return y, c").replace(
        "\n    y += 1", "; y += 1"
    )

    def still_wrong(candidate: str) -> bool:
        return "; y += 1" in candidate and judge(candidate, rewritten=naive(candidate)).result is Result.RIGHT

    assert still_wrong(text)
    small = shrink(text, still_wrong)
    assert still_wrong(small)
    assert len(small) < len(text) - 30, small
