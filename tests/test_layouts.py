"""However a module is laid out: the same is rewritten, in the layout's own line ends, and nothing around it changes."""

from __future__ import annotations

import ast
import re
import sys
import zlib
from pathlib import Path
from random import Random

import pytest

from fuzzing.layouts import ENCODINGS, rearranged
from sampling import one_in
from unplace.config.options import Options
from unplace.runs.outcome import Change, Outcome, rewrite_bytes
from unplace.text.edits import Edit
from unplace.text.integrity import TouchedError, check

FIXTURES = sorted(Path(__file__).parent.glob("fixtures/*/*/before.py"))
PORTIONS = 12


def rewritten(data: bytes, *, unsafe: bool = True) -> Outcome:
    outcome = rewrite_bytes(data, "model.py", Options(unsafe=unsafe))
    assert outcome.problem is None, str(outcome.problem)
    return outcome


def tree_of(text: str) -> str:
    return ast.dump(ast.parse(text))


def moves_lines(change: Change) -> bool:
    """Tell whether lines that a change keeps come in another order."""
    before, after = change.before.text.splitlines(), change.after.text.splitlines()
    return [line for line in before if line in after] != [line for line in after if line in before]


def examine(path: Path, number: int) -> str | None:
    """What is wrong with the rewriting of a fixture in another layout, one of many."""
    data = path.read_bytes()
    plain = rewritten(data).change
    if plain is None or b"\r" in data:
        return None
    seed = zlib.crc32(path.parent.name.encode()) + number  # its own, however many fixtures there are
    random = Random(seed)
    encoding = random.choice(list(ENCODINGS))
    change = rewritten(ENCODINGS[encoding](rearranged(data.decode(), random), random)).change
    grows = [plain.before.text.count(sign) < plain.after.text.count(sign) for sign in ("\n", ".append(")]
    takes_lines = any(grows) or moves_lines(plain)  # and where there are none to be had, another recipe does it
    where = f"{path.parent.name}, seed {seed}, {encoding}"
    if change is None:
        return None if takes_lines else f"{where}: nothing is rewritten"
    if tree_of(change.after.text) != tree_of(plain.after.text) and not takes_lines:
        return f"{where}: something else is rewritten"
    ends = set(re.findall(rb"\r\n|\r|\n", change.after.data))
    if len(ends) > 1 and encoding != "mixed line ends":
        return f"{where}: line ends {ends}"
    return None


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_the_layout_makes_no_difference(portion: int) -> None:
    assert [fault for path in FIXTURES[portion :: 3 * PORTIONS] if (fault := examine(path, 0))] == []


@pytest.mark.slow
@pytest.mark.parametrize("portion", range(PORTIONS))
def test_the_layout_makes_no_difference_to_any_fixture(portion: int) -> None:
    some = FIXTURES[portion :: PORTIONS * one_in(2)]
    assert [fault for number in (1, 2) for path in some if (fault := examine(path, number))] == []


HEAD = "import torch\n\n\n"
EXAMPLES = {
    "a line that a backslash continues": (
        "def f(x: torch.Tensor) \\\n    -> torch.Tensor: \\\n    y = x.exp(); y += 1; return y\n",
        "def f(x: torch.Tensor) \\\n    -> torch.Tensor: \\\n    y = x.exp(); y = y + 1; return y\n",
    ),
    "a helper whose block is continued": (
        "def _g(h: torch.Tensor): \\\n    h *= 2\n\n\n"
        "def f(x: torch.Tensor):\n    y = x.exp()\n    _g(y)\n    return y\n",
        "def _g(h: torch.Tensor): \\\n    h = h * 2; return h\n\n\n"
        "def f(x: torch.Tensor):\n    y = x.exp()\n    y = _g(y)\n    return y\n",
    ),
    "a line behind a comment that ends in a backslash": (
        "def f(x: torch.Tensor, limit: float):\n    y = x.exp()\n    for row in y:  # one \\\n"
        "        if row.sum() > limit:\n            break\n        row[0] = 0.0\n    return y\n",
        "def f(x: torch.Tensor, limit: float):\n    y = x.exp().clone()\n    for i in range(len(y)):  # one \\\n"
        "        row = y[i]\n        if row.sum() > limit:\n            break\n        row[0] = 0.0\n    return y\n",
    ),
    "a tuple in parentheses over two lines": (
        "def _g(h: torch.Tensor):\n    h += 1\n    return h.sin(), h.cos()\n\n\n"
        "def f(x: torch.Tensor):\n    y = x.exp()\n    (\n        a,  # one\n        b,  # two\n    ) = _g(y)\n"
        "    return a, b, y\n",
        "def _g(h: torch.Tensor):\n    h = h + 1\n    return h.sin(), h.cos(), h\n\n\n"
        "def f(x: torch.Tensor):\n    y = x.exp()\n    (\n        a,  # one\n        b, y  # two\n    ) = _g(y)\n"
        "    return a, b, y\n",
    ),
    "what is returned over two lines": (
        "def _g(h: torch.Tensor):\n    h += 1\n    return (\n        h.sin(),\n        h.cos(),  # two\n    )\n\n\n"
        "def _k(h: torch.Tensor):\n    h += 1\n    return (h.sin()\n        .cos())\n\n\n"
        "def f(x: torch.Tensor):\n    y = x.exp()\n    a, b = _g(y)\n    c = _k(y)\n    return a, b, c, y\n",
        "def _g(h: torch.Tensor):\n    h = h + 1\n    return (\n        h.sin(),\n        h.cos(), h  # two\n    )"
        "\n\n\n"
        "def _k(h: torch.Tensor):\n    h = h + 1\n    return (h.sin()\n        .cos()), h\n\n\n"
        "def f(x: torch.Tensor):\n    y = x.exp()\n    a, b, y = _g(y)\n    c, y = _k(y)\n    return a, b, c, y\n",
    ),
    "a blank before the bracket of a call": (
        "def f(x: torch.Tensor):\n    y = x.exp()\n    y.mul_ (2)\n    return y\n",
        "def f(x: torch.Tensor):\n    y = x.exp()\n    y = y.mul (2)\n    return y\n",
    ),
    "an annotation in two lines": (
        "def _g(h: torch\n       .Tensor) -> None:\n    h *= 2\n\n\n"
        "def f(x: torch.Tensor):\n    y = x.exp()\n    _g(y)\n    return y\n",
        "def _g(h: torch\n       .Tensor) -> (torch\n       .Tensor):\n    h = h * 2\n    return h\n\n\n"
        "def f(x: torch.Tensor):\n    y = x.exp()\n    y = _g(y)\n    return y\n",
    ),
    "form feeds in the indentation": (
        "def f(x: torch.Tensor):\n\x0c    y = x.exp()\n\x0c    v = y[0]\n    y += 1\n    return y, v\n",
        "def f(x: torch.Tensor):\n\x0c    y = x.exp()\n\x0c    v = y[0]\n"
        "    y = y + 1\n    v = y[0]\n    return y, v\n",
    ),
    "match": (
        "def f(x: torch.Tensor, k):\n    y = x.exp()\n    match k:\n        case [1, *_]: y += 1  # a\n"
        "        case {'a': b} if b:\n            y *= b\n    return y\n",
        "def f(x: torch.Tensor, k):\n    y = x.exp()\n    match k:\n        case [1, *_]: y = y + 1  # a\n"
        "        case {'a': b} if b:\n            y = y * b\n    return y\n",
    ),
    "a walrus and a nested f-string": (
        "def f(x: torch.Tensor):\n    y = x.exp()\n    if (n := len(x)) > 1: y += n; print(f'{n:>{n}} {\"a\"!r:{3}}')\n"
        "    return y\n",
        "def f(x: torch.Tensor):\n    y = x.exp()\n"
        "    if (n := len(x)) > 1: y = y + n; print(f'{n:>{n}} {\"a\"!r:{3}}')\n    return y\n",
    ),
    "decorators and a very long line": (
        f"@(lambda g: g)\ndef f(x: torch.Tensor):\n    y = x.exp(); z = [{'0, ' * 5000}]; y += 1; return y  # é\n",
        f"@(lambda g: g)\ndef f(x: torch.Tensor):\n    y = x.exp(); z = [{'0, ' * 5000}]; y = y + 1; return y  # é\n",
    ),
}
if sys.version_info >= (3, 11):
    EXAMPLES["except*"] = (
        "def f(x: torch.Tensor):\n    y = x.exp()\n    try:\n        y += 1\n    except* ValueError:\n        pass\n",
        "def f(x: torch.Tensor):\n    y = x.exp()\n    try:\n        y = y + 1\n"
        "    except* ValueError:\n        pass\n",
    )
if sys.version_info >= (3, 12):
    EXAMPLES["type parameters"] = (
        "type T = int\n\n\ndef f[A: int](x: torch.Tensor):\n    y = x.exp()\n"
        "    y += len(f'{'a' + f'{'b'}'}')\n    return y\n",
        "type T = int\n\n\ndef f[A: int](x: torch.Tensor):\n    y = x.exp()\n"
        "    y = y + len(f'{'a' + f'{'b'}'}')\n    return y\n",
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    before, after = EXAMPLES[name]
    change = rewritten((HEAD + before).encode(), unsafe=False).change
    assert change is not None
    assert change.after.text == HEAD + after


@pytest.mark.parametrize(
    "statement",
    ["y.mul_ (2)", "y[0] \\\n    = 1", "torch.exp(x, out  # here\n    =y)", "y. data = x", "y.mul_ \\\n    (2)"],
)
def test_no_layout_hides_an_operation(statement: str) -> None:
    outcome = rewritten(f"{HEAD}def f(x: torch.Tensor):\n    y = x.exp()\n    {statement}\n    return y\n".encode())
    assert len(outcome.findings) == 1


# -- the check that nothing else changes isn't blind ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        ("y += 1\n", [(0, 6, "y = y + 1")]),
        ("y += 1", [(0, 6, "y = y + 1\ny = 2")]),
        ("y += 1\r\nz = '''\r'''\r\n", [(6, 6, "\r\nv = y")]),
        ("if a: y += 1  # é\n", [(6, 12, "y = y + 1"), (17, 17, "\nv = y")]),
        ("def f(y):\n    if (y or\n        1): y += 1\n    y += 1\n", [(35, 41, "y = y + 1"), (46, 52, "y = y + 1")]),
        ("for x in f(y):\n    x += 1\n", [(9, 13, "f(z)"), (19, 19, "x = z\n    "), (19, 25, "x = x + 1")]),
        ("try:\n    f()\nexcept E:\n    y += 1\nelse:\n    y += 1\n", [(27, 33, "y = 1"), (44, 50, "y = 1")]),
    ],
)
def test_edits_that_keep_to_themselves(text: str, edits: list[tuple[int, int, str]]) -> None:
    check(text, applied(text, edits), [Edit(*edit) for edit in edits])


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        ("y += 1; z\n", [(0, 6, "y = y + 1  #")]),
        ("y += 1\nz = 2\n", [(0, 6, "y = y + 1 \\")]),
        ("y += 1\nz = 2\n", [(0, 6, "y = '''"), (13, 13, "'''")]),
        ("def f():\n    y += 1; z\n", [(13, 19, "y = y + 1  #")]),
        ("def f():\n    y += 1\n    -z\n", [(13, 19, "y = y + 1 \\")]),
        ("def f():\n    y += 1\n    z = 2\n", [(13, 19, "y = '''"), (29, 29, "'''")]),
        ("if a:\n    y += 1\nelse:\n    -z\n", [(10, 16, "y = '''"), (27, 29, "'''")]),
        ("return(x)\n", [(6, 9, "y")]),
        ("yes = 1\n", [(1, 1, " ")]),
    ],
)
def test_edits_that_reach_further_are_noticed(text: str, edits: list[tuple[int, int, str]]) -> None:
    with pytest.raises(TouchedError, match="change the code around them"):
        check(text, applied(text, edits), [Edit(*edit) for edit in edits])


def applied(text: str, edits: list[tuple[int, int, str]]) -> str:
    for start, end, replacement in reversed(edits):
        text = text[:start] + replacement + text[end:]
    return text
