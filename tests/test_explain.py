"""`unplace explain`: the facts behind a verdict, and why something that looks like an operation is none."""

from __future__ import annotations

import ast
import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from unplace.cli import main
from unplace.config.options import Options
from unplace.diagnostics.forms import target_of
from unplace.reporting import explained
from unplace.text.source import read_source
from unplace.transform.explanation import Explanation, LineReport, explain

ROOT = Path(__file__).parents[1]


def report(code: str, marker: str = "# here", column: int | None = None, **options: bool) -> LineReport:
    """The report on the line of the code that has the marker."""
    code = textwrap.dedent(code)
    line = next(number for number, text in enumerate(code.split("\n"), 1) if marker in text)
    return explain(code, "model.py", Options(**options), line, column)


def only(code: str) -> Explanation:
    (explanation,) = report(code).explanations
    return explanation


def steps(explanation: Any) -> list[tuple[int, str]]:
    return [(step.line, str(step.says)) for step in explanation.evidence]


FORWARD = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=True)  # made
    def forward(self, x):
        x += 1  # parameter
        h = self.linear(x)
        h.mul_(2)  # module
        return self.act(h)  # called
"""


def test_all_facts_of_a_harmful_operation() -> None:
    found = only("""\
        import torch
        def f(x: torch.Tensor):
            y = torch.exp(x)
            view = y[0]
            other = y
            store = [y]
            dead = y
            y += 1  # here
            other = other + view
            return other, store
        def train():
            f(torch.ones(3, requires_grad=True) * 1)
        """)
    assert (found.line, found.column, found.code, found.form) == (8, 5, "y += 1", "augmented assignment")
    assert (found.target, found.kind) == ("y", "a tensor")
    assert steps(found) == [(3, "torch.exp() gives a tensor")]
    assert [(a.name, a.relation, a.made, a.reads) for a in found.aliases] == [
        ("view", "a view of it", 4, (9,)),
        ("other", "the same tensor", 5, (9,)),
        ("store", "holds it", 6, (10,)),
        ("dead", "the same tensor", 7, ()),
    ]
    assert [(saved.operation, saved.line, saved.certain) for saved in found.saved] == [("exp()", 3, True)]
    assert found.holders == ()
    assert found.grad_mode == "recording, unless the caller turned it off"
    assert found.finding is not None
    assert (found.finding.harm.value, found.finding.status.value) == ("harmful", "rewritten")


def test_reads_in_the_next_round_of_a_loop_count() -> None:
    found = only("""\
        import torch
        def f(x: torch.Tensor):
            y = x * 2
            b = y
            for _ in range(3):
                z = b * 2
                y += 1  # here
            return z
        """)
    assert [(a.name, a.reads) for a in found.aliases] == [("b", (6,))]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def f(y: torch.Tensor):\n    y += 1  # here", "parameter of `f`, annotated so"),
        ("def f(y):\n    y.unsqueeze(0)\n    y += 1  # here", "only a tensor can be used like this, so `y` is one"),
        ("def f(y):\n    y += 1  # here\nf(torch.ones(2))", "passes `torch.ones(2)` for `y`: a tensor"),
        ("def f(x: torch.Tensor):\n    y = 2 * x\n    y += 1  # here", "computes with `x`, a tensor"),
        ("def f(x: torch.Tensor):\n    y = x.mean(0)\n    y += 1  # here", "the tensor method .mean() gives a tensor"),
        ("def f(x: torch.Tensor):\n    y = x[0]\n    y += 1  # here", "a tensor, as part of `x`, a tensor"),
        ("def f(x: torch.Tensor):\n    y = x.T\n    y += 1  # here", ".T of a tensor is a tensor"),
        ("def f(x: torch.Tensor):\n    for y in x:\n        y += 1  # here", "`y` runs over `x`, a tensor"),
        ("def f(x: torch.Tensor):\n    y, z = x.chunk(2)\n    y += 1  # here", "`y` is unpacked from"),
        ("y = torch.ones(2)\ndef f():\n    global y\n    y += 1  # here", "assigns it in the module: a tensor"),
        (
            "def g():\n    return torch.ones(2)\ndef f():\n    y = g()\n    y += 1  # here",
            "`g` (line 2) gives a tensor",
        ),
        (
            "class A:\n    def __init__(self):\n        self.y = torch.ones(2)\n"
            "    def f(self):\n        self.y += 1  # here",
            "A.__init__ assigns it to `self.y`: a tensor",
        ),
    ],
)
def test_why_something_is_a_tensor(code: str, says: str) -> None:
    explanation = only(f"import torch\n{code}\n")
    assert explanation.kind.startswith("a tensor")
    assert any(says in str(step.says) for step in explanation.evidence), explanation.evidence


def test_modules_and_inputs_of_forward() -> None:
    (parameter,) = report(FORWARD, "# parameter").explanations
    assert steps(parameter) == [(8, "parameter of `forward` of an nn.Module: inputs of `forward` are tensors")]
    assert list(map(str, parameter.holders)) == ["the caller passed it: `x`"]
    (called,) = report(FORWARD, "# module").explanations
    assert steps(called) == [(10, "the module `self.linear` is a torch.nn.Linear (line 6), which gives a tensor")]


def test_a_method_of_something_unknown_is_no_module() -> None:
    code = FORWARD.replace("x += 1  # parameter", "y = load(); isinstance(y, str); x = y.exp(); x += 1  # parameter")
    (found,) = report(code, "# parameter").explanations
    assert steps(found) == [(9, "`y.exp` is called like the method of a tensor, which gives a tensor")]


def test_a_module_is_explained_by_its_calls_and_at_its_calls() -> None:
    (made,) = report(FORWARD, "# made").explanations
    assert report(FORWARD, "# called").explanations == (made,)
    assert made.code == "self.act(h)"
    assert made.finding is not None
    assert made.finding.line == 7


def test_a_module_without_calls() -> None:
    found = report("from torch import nn\nact = nn.ReLU(inplace=True)  # here\n")
    assert found.explanations == ()
    assert [finding.code for finding in found.others] == ["UNP006"]


def test_a_column_picks_one_of_several() -> None:
    code = "import torch\ndef f(x: torch.Tensor, z: torch.Tensor):\n    x += 1; z += 1  # here\n"
    assert [e.target for e in report(code).explanations] == ["x", "z"]
    assert [e.target for e in report(code, column=5).explanations] == ["x"]
    assert [e.target for e in report(code, column=13).explanations] == ["z"]
    assert [e.target for e in report(code, column=60).explanations] == ["x", "z"]


@pytest.mark.parametrize("code", ["def f(i):\n    i += 1  # here", "def f(a):\n    a.b += 1  # here"])
def test_an_operation_on_something_unknown(code: str) -> None:
    found = only(f"import torch\n{code}\n")
    assert found.kind == "something unknown"
    assert "if it is, annotate it" in found.finding.message


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        ("def f():\n    n = 0\n    n += 1  # here", "a number", "`n` is a number, and only writes to tensors count"),
        ("def f(xs: list):\n    xs += [1]  # here", "a list", "`xs` is a list, and only writes to tensors count"),
        ("def f():\n    d = {}\n    d['k'] = 1  # here", "a dict", "`d` is a dict, and only writes to tensors count"),
        ("def f(x: torch.Tensor):\n    x @= x  # here", "a tensor", "tensors have no in-place matrix product"),
        ("def f(x: torch.Tensor):\n    x.foo_()  # here", "a tensor", "`foo_` is no in-place method that is known"),
        ("def f(x: torch.Tensor):\n    x.foo_(2)  # here", "a tensor", "`foo_` is no in-place method that is known"),
        ("def f(m):\n    m.eval_()  # here", "something unknown", "`eval_` is no in-place method that is known"),
        ("def f(x: torch.Tensor):\n    foo_(x)  # here", "a tensor", "`foo_` is no in-place function that is known"),
        ("torch.foo_()  # here", "an imported module", "`torch.foo_` is no in-place function that is known"),
        ("def f():\n    n = 2\n    torch.relu_(n)  # here", "a number", "`n` is a number, and only writes to tensors"),
        ("def f(x: torch.Tensor):\n    return 1\n    x.foo_()  # here", "something unknown", "can't be reached"),
        ("def f(x: torch.Tensor):\n    return 1\n    x += 1  # here", "something unknown", "can't be reached"),
    ],
)
def test_why_something_is_no_operation(code: str, kind: str, reason: str) -> None:
    found = report(f"import torch\n{code}\n")
    assert found.explanations == ()
    (candidate,) = found.candidates
    assert candidate.kind == kind
    assert reason in candidate.reason


def test_what_is_unknown_is_traced_to_its_source() -> None:
    (candidate,) = report("def f(a):\n    d = a\n    c = g(d)\n    c += 1  # here\n").candidates
    assert steps(candidate) == [(3, "the result of `g` isn't known: it isn't defined in this file")]
    (candidate,) = report("def f(a):\n    d = a\n    d += 1  # here\n").candidates
    assert steps(candidate) == [(2, "the same as `a`"), (1, "parameter of `f`, without annotation")]


def test_an_ignored_operation_is_explained_and_its_comment_named(capfd: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_text(FORWARD.replace("# module", "# unplace: ignore[UNP002]"))
    assert main(["explain", "model.py:11"]) == 0
    out = capfd.readouterr().out
    assert "verdict    would be rewritten (safe): " in out
    assert "\n  ignored    by the comment in line 11: it stays as it is\n" in out
    Path("model.py").write_text("# unplace: skip-file\n" + FORWARD)
    first = report(f"# unplace: skip-file\n{FORWARD}", "# module").explanations[0].evidence[0]
    assert "module" in str(first.says)


def test_what_is_only_rewritten_behind_others_has_theirs_in_its_patch(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = (ROOT / "tests/regressions/data_replaced_behind_a_loop_over_rows.py").read_text("utf-8")
    file = tmp_path / "a.py"
    file.write_text(text.replace("s.div_(w)", "s.div_(2)"), "utf-8")
    assert main(["explain", f"{file}:12"]) == 0
    out = capfd.readouterr().out
    assert "(safe): `s` is rebound, which repairs the gradient that `.data` cuts silently\n" in out
    assert "+        s = s.sigmoid()" in out
    assert "+        s = s.div(2)" in out


def test_a_line_with_nothing_in_it() -> None:
    assert report("import torch\nx = 1  # here\n") == LineReport((), (), ())


def test_every_line_of_the_fixtures_can_be_explained() -> None:
    paths = sorted((ROOT / "tests/fixtures").glob("*/*/before.py"))[::8]
    count = 0
    for path in paths:
        source = read_source(path.read_bytes())
        nodes = [node for node in ast.walk(ast.parse(source.text)) if target_of(node) is not None]
        for line in {node.lineno for node in nodes}:  # type: ignore[attr-defined]
            found = explain(source.text, path.name, Options(), line)
            assert found.explanations or found.candidates or found.others
            assert all(e.evidence and e.finding is not None for e in found.explanations)
            assert list(explained.lines(found, path.name, line, source))
            count += 1
    assert count > 30


# The command


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(FORWARD)


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["explain", *arguments])
    output = capfd.readouterr()
    return code, output.out, output.err


def test_the_text(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "model.py:9") == (
        0,
        """\
model.py:9:9: x += 1  (augmented assignment)
  verdict    refused (unsafe): needs --unsafe, which assumes: no caller reads the argument `x` after the call
  harm       possible
  target     `x`, a tensor
             line 8: x -- parameter of `forward` of an nn.Module: inputs of `forward` are tensors
  aliases    none in this function
  held by    the caller passed it: `x`
  saved      by nothing in this function
  grad mode  recording, unless the caller turned it off
  edit       with --unsafe:
--- ./model.py
+++ ./model.py
@@ -6,7 +6,7 @@
         self.linear = nn.Linear(3, 3)
         self.act = nn.ReLU(inplace=True)  # made
     def forward(self, x):
-        x += 1  # parameter
+        x = x + 1  # parameter
         h = self.linear(x)
         h.mul_(2)  # module
         return self.act(h)  # called

""",
        "",
    )
    assert run(capfd, "model.py:2")[1] == "model.py:2: nothing here is written like an in-place operation\n"


def test_the_other_files_of_the_working_folder_count(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So `explain` says what `check` in that folder says."""
    Path("utils.py").write_text("import torch\ndef pad(h):\n    h += 1\n    return h\n")
    Path("net.py").write_text(
        "import torch\nfrom utils import pad\ndef f(x):\n    return pad(torch.tanh(x))\n"
        "def train():\n    f(torch.ones(3, requires_grad=True))\n"
    )
    assert "harm       harmful" in run(capfd, "utils.py:3")[1]
    Path("unplace.toml").write_text('exclude = ["net.py"]\n')
    assert "harm       possible" in run(capfd, "utils.py:3")[1]
    Path("unplace.toml").unlink()
    Path("apart").mkdir()
    monkeypatch.chdir("apart")
    assert "harm       possible" in run(capfd, "../utils.py:3")[1]


def test_the_json(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "--output-format", "json", "--unsafe", "model.py:9:9")
    document = json.loads(out)
    assert code == 0
    assert list(document) == ["version", "path", "line", "sites", "modules", "candidates"]
    (site,) = document["sites"]
    assert site["verdict"]["status"] == "rewritten"
    assert site["verdict"]["assumptions"] == ["no caller reads the argument `x` after the call"]
    assert "+        x = x + 1  # parameter\n" in site["verdict"]["patch"]
    assert site["evidence"][0]["line"] == 8


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("model.py", "model.py is no FILE:LINE or FILE:LINE:COLUMN, counted from 1; `unplace check --all model.py`"),
        ("model.py:0", "model.py:0 is no FILE:LINE"),
        ("model.py:99", "model.py:99: the file has only 12 lines"),
        ("odd.py:9", "odd.py:9: the file has only 2 lines"),
        ("cr.py:9", "cr.py:9: the file has only 3 lines"),
        ("text.md:1", "text.md: has no block of Python"),
        ("missing.py:3", "missing.py: cannot read: No such file or directory; check the path"),
        ("bad.py:1", "bad.py:1:5: cannot parse: '(' was never closed"),
    ],
)
def test_what_cannot_be_explained(place: str, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("bad.py").write_text("x = (\n")
    Path("odd.py").write_text("x = '\u2028'\n\fy = 1\n")
    Path("cr.py").write_bytes(b"x = 1\ry = 2\rz = 3")
    Path("text.md").write_text("# y += 1\n")
    code, out, err = run(capfd, place)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())


BLOCK = """\
# A title

> ```python
> import torch
> def f(x: torch.Tensor):
>     y = x.exp()
>     y += 1; y.foo_(); return y
> ```
"""


def test_a_block_of_markdown(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.md").write_text(BLOCK)
    code, out, err = run(capfd, "a.md:7")
    assert (code, err) == (0, "")
    assert out.startswith("a.md:7:7: y += 1  (augmented assignment)\n")
    assert "\n->     y += 1; y.foo_(); return y\n+>     y = y + 1; y.foo_(); return y\n" in out
    assert "\na.md:7:15: y.foo_()  (no in-place operation)\n" in out
    document = json.loads(run(capfd, "a.md:7:7", "--output-format", "json")[1])
    assert [(site["column"], site["verdict"]["column"]) for site in document["sites"]] == [(7, 7)]
    assert run(capfd, "a.md:1")[1] == "a.md:1: nothing here is written like an in-place operation\n"


def test_lines_that_a_lone_cr_ends_are_counted(capfd: pytest.CaptureFixture[str]) -> None:
    Path("cr.py").write_bytes(FORWARD.replace("\n", "\r").encode())
    assert run(capfd, "cr.py:9")[1].startswith("cr.py:9:9: x += 1  (augmented assignment)\n")


def test_a_block_of_markdown_beside_one_that_is_left_alone(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text("```python\nimport torch\nx = torch.zeros(3)\nx += 1\n```\n\n```python\n>>> torch\n```\n")
    assert main(["explain", "a.md:4"]) == 0
    assert "warning: a.md:8: cannot parse: invalid syntax" in capfd.readouterr().err
