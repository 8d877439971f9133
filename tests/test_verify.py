"""`unplace verify` and what it is made of: loading two versions, inputs, processes with limits, reports, the API."""

from __future__ import annotations

import json
import random
import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import unplace
from unplace.cli import main
from unplace.reporting import verification as report
from unplace.testing import assert_same_gradients
from unplace.verification.compare import Quantity
from unplace.verification.loading import CannotRunError, RewrittenCannotRunError, locate, locate_versions
from unplace.verification.proof import Route, Verdict
from unplace.verification.pytree import items
from unplace.verification.resource_limits import GIB, Limits
from unplace.verification.signatures import Invention, NoValueError
from unplace.verification.versions import Result, verify_files


@pytest.fixture(autouse=True)
def _same_numbers_every_time() -> None:
    torch.manual_seed(0)


NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.layer = nn.Linear(dim, dim)
        self.norm = nn.BatchNorm1d(dim)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        y = self.layer(x).tanh()
        {write}
        return {{"loss": self.drop(self.norm(y)).sum(), "y": y}}
"""
BROKEN, FIXED, WRONG = (NET.format(write=write) for write in ("y += 1", "y = y + 1", "y = y - 1"))

FUNCTION = "import torch\n\ndef scale(x: torch.Tensor, k: int = 3):\n    y = x.exp()\n    {write}\n    return y\n"
EXAMPLE = "\n\ndef example():\n    return scale, (torch.tensor([0.5, 1.0], requires_grad=True),)\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.set_num_threads(1)


def write(files: dict[str, str] | None = None, /, **modules: str) -> None:
    for name, text in {**(files or {}), **{f"{name}.py": text for name, text in modules.items()}}.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["verify", *arguments])
    output = capfd.readouterr()
    return code, output.out, output.err


def verdicts(result: Result) -> dict[str, Verdict]:
    return {comparison.mode: comparison.proof.verdict for comparison in result.comparisons}


# -- the command ------------------------------------------------------------------------------------------------------


def test_a_right_rewrite_of_a_module_is_equal_in_training_and_evaluation(capfd: pytest.CaptureFixture[str]) -> None:
    write(old=BROKEN, new=FIXED)
    code, out, err = run(capfd, "old.py", "new.py", "--entry", "Net")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == ["arguments made from the signature: Net(), (float32[2, 4])", "Net, train: equal"]
    assert "Net, eval: equal" in lines
    assert any(line.startswith("  the original raises RuntimeError: one of the variables needed") for line in lines)
    assert "  expected gradients: finite differences of the original's forward in float64" in lines
    rows = [line.split("  ")[1] for line in lines if "equal" in line and line.startswith("  ")]
    assert rows[: len(rows) // 2] == [
        "outputs",
        "arguments afterwards",
        "state afterwards",
        "gradients of parameters",
        "gradients of inputs",
        "random numbers drawn",
    ]


@pytest.mark.parametrize("name", ["model.old.py", "my model-v1.py", "model.py.orig"])
def test_files_of_any_name_are_versions(name: str) -> None:
    write(model=FIXED)
    Path(name).write_text(f"import model\n{BROKEN}\nassert model.__file__.endswith({name!r})\n")
    assert [file.name for file in locate_versions(Path(name), Path("model.py"))] == ["model"] * 2
    assert set(verdicts(verify_files(name, "model.py", "Net")).values()) == {Verdict.EQUAL}


def test_a_mode_of_evaluation_in_which_no_version_runs_is_not_compared(capfd: pytest.CaptureFixture[str]) -> None:
    refuses = "        assert self.training, 'only for training'\n"
    sources = [text.replace("        y = ", f"{refuses}        y = ", 1) for text in (BROKEN, FIXED)]
    for folder, source in zip(("before", "after"), sources, strict=True):
        Path(folder, "nets").mkdir(parents=True)
        Path(folder, "nets/__init__.py").write_text("from nets.net import Net\n")
        Path(folder, "nets/net.py").write_text(source)
    code, out, _ = run(capfd, "before/nets", "after/nets", "--entry", "Net")
    assert code == 0
    assert "Net, train: equal\n" in out
    assert out.endswith("Net, eval: not compared\n  both programs raise AssertionError: only for training\n")


def test_a_wrong_rewrite_is_different_and_json_says_where(capfd: pytest.CaptureFixture[str]) -> None:
    write(old=BROKEN, new=WRONG)
    code, out, _ = run(capfd, "old.py", "new.py", "--entry", "Net", "--output-format", "json")
    assert code == 1
    document = json.loads(out)
    assert (document["entry"], document["verdict"], document["error"]) == ("Net", "different", None)
    assert [comparison["mode"] for comparison in document["comparisons"]] == ["train", "eval"]
    (outputs,) = [q for q in document["comparisons"][0]["quantities"] if q["quantity"] == "outputs"]
    assert outputs["verdict"] == "different"
    assert outputs["deviation"]["place"] in ("output['y']", "output['loss']")
    assert outputs["deviation"]["amount"] == pytest.approx(2.0)
    places = [difference["place"] for difference in document["comparisons"][0]["differences"]]
    assert {"output['y']", "function.norm.running_mean"} <= set(places)


def test_another_dtype_under_autocast_is_different() -> None:
    module = NET.replace("self.layer(x).tanh()", "self.layer(x)").replace("nn.BatchNorm1d(dim)", "nn.Identity()")
    write(before=module.format(write="y += self.layer.bias"), after=module.format(write="y = y + self.layer.bias"))
    found = verdicts(verify_files("before.py", "after.py", "Net"))
    assert found == {"train": Verdict.EQUAL, "eval": Verdict.EQUAL, "autocast": Verdict.DIFFERENT}


def test_example_is_the_default_and_measuring_gives_ratios() -> None:
    write(old=FUNCTION.format(write="y = y * k") + EXAMPLE, new=FUNCTION.format(write="y = y * k + 0 * y") + EXAMPLE)
    result = verify_files("old.py", "new.py", measure=True)
    texts = ["".join(text for text, _ in line) for line in report.lines(result)]
    assert texts[0] == "example: equal"
    assert texts[-1].startswith("  forward and backward, after / before: time ")
    costs = json.loads(report.document(result))["comparisons"][0]["costs"]
    assert costs["with_backward"] is True
    assert all(seconds > 0 for seconds in costs["seconds"])
    assert costs["peak_bytes"][1] > costs["peak_bytes"][0] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["old.py", "missing.py"], "can't run: missing.py: no such file"),
        (["old.py", "old.py:scale"], "no such file; what to call in old.py is named by `--entry scale`"),
        (["HEAD:old.py", "old.py"], "no such file; `git show HEAD:old.py > before.py` makes one"),
        (["old.py", "."], "a folder without `__init__.py`; name a file in it"),
        (["old.py", "old.py", "--entry", "scales"], "old.py has no `scales`. Did you mean scale?"),
        (["old.py", "old.py"], "old.py has no `example`; name what to call with --entry, or add one"),
        (["old.py", "old.py", "--entry", "nothing"], "old.py has no `nothing`; it defines scale, odd"),
        (["old.py", "old.py", "--entry", "odd"], "nothing tells what `s: str` should be"),
        (["bad.py", "old.py", "--entry", "scale"], "bad.py: cannot be imported: ZeroDivisionError"),
        (["old.py", "old.py", "--entry", "scale", "--inputs", "old.py:nothing"], "old.py defines no `nothing`"),
        (["old.py", "old.py", "--entry", "scale", "--inputs", "old.py"], "old.py is not FILE:NAME"),
        (["old.py", "old.py", "--timeout", "-1"], "-1 is not a positive number"),
        (["old.py", "old.py", "--output-format", "xml"], "xml isn't one of rich, json"),
    ],
)
def test_what_cannot_run_is_said(arguments: list[str], words: str, capfd: pytest.CaptureFixture[str]) -> None:
    write(old=FUNCTION.format(write="y += 1") + "\ndef odd(s: str): return s\n", bad="1 / 0\n")
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())


def test_the_message_shows_the_lines_to_write_and_they_work(capfd: pytest.CaptureFixture[str]) -> None:
    source = FIXED.replace("dim=4", "dim, name: str")
    write(old=source, new=source)
    code, _, err = run(capfd, "old.py", "new.py", "--entry", "Net")
    assert code == 2
    lines = [line.removeprefix("    ") for line in err.splitlines() if line.startswith("    ")]
    assert lines == [
        "import torch",
        "def example(Net):",
        "    return Net(...), (torch.randn(2, 3, requires_grad=True),)",
    ]
    write(inputs="\n".join(lines).replace("...", "3, 'a'"))
    assert run(capfd, "old.py", "new.py", "--entry", "Net", "--inputs", "inputs.py:example")[0] == 0


def test_json_of_what_cannot_run(capfd: pytest.CaptureFixture[str]) -> None:
    write(old="")
    code, out, _ = run(capfd, "old.py", "old.py", "--output-format", "json")
    assert code == 2
    assert json.loads(out)["verdict"] == "undecided"
    assert "has no `example`" in json.loads(out)["error"]


def test_what_the_code_prints_stays_out_of_the_report(capfd: pytest.CaptureFixture[str]) -> None:
    write(old=FUNCTION.format(write="print('hello')") + EXAMPLE)
    code, out, _ = run(capfd, "old.py", "old.py", "--output-format", "json")
    assert code == 0
    assert json.loads(out)["verdict"] == "equal"


# -- two versions side by side ----------------------------------------------------------------------------------------


def test_packages_and_relative_imports_work_and_sys_modules_stays() -> None:
    for side, factor in (("a", 2), ("b", 2), ("c", 3)):
        write(
            {
                f"{side}/pkg/__init__.py": "",
                f"{side}/pkg/sub/__init__.py": "from .model import f\n",
                f"{side}/pkg/factor.py": f"FACTOR = {factor}\n",
                f"{side}/pkg/sub/model.py": "from ..factor import FACTOR\nfrom pkg.factor import FACTOR as SAME\n"
                "import torch\ndef f(x: torch.Tensor): return x * FACTOR * SAME\n",
            }
        )
    modules, path = set(sys.modules), list(sys.path)
    place = "pkg/sub/model.py"
    assert verify_files(f"a/{place}", f"b/{place}", "f").verdict is Verdict.EQUAL
    assert verify_files(f"a/{place}", f"c/{place}", "f").verdict is Verdict.DIFFERENT
    assert not {name for name in set(sys.modules) - modules if name.startswith("pkg")}
    assert sys.path == path


def test_a_lone_version_is_imported_in_the_place_of_the_other() -> None:
    write(
        {
            "pkg/__init__.py": "from .model import f\n",
            "pkg/factor.py": "FACTOR = 2\n",
            "pkg/model.py": "from .factor import FACTOR\nimport torch\ndef f(x: torch.Tensor): return x * FACTOR\n",
        },
        old="from .factor import FACTOR\nimport torch\ndef f(x: torch.Tensor): return x * (FACTOR + 1)\n",
    )
    assert [file.name for file in locate_versions(Path("old.py"), Path("pkg/model.py"))] == ["pkg.model"] * 2
    assert verify_files("old.py", "pkg/model.py", "f").verdict is Verdict.DIFFERENT
    Path("old.py").write_text(Path("old.py").read_text().replace("(FACTOR + 1)", "FACTOR"))
    assert verify_files("old.py", "pkg/model.py", "f").verdict is Verdict.EQUAL
    assert locate(Path("pkg/__init__.py")).name == "pkg"


def test_a_rewritten_version_that_cannot_be_imported_is_told_apart() -> None:
    write(old=FIXED, new=FIXED + "1 / 0\n")
    with pytest.raises(RewrittenCannotRunError, match=r"new.py: cannot be imported: ZeroDivisionError"):
        verify_files("old.py", "new.py", "Net")


# -- limits -----------------------------------------------------------------------------------------------------------


def test_a_time_limit() -> None:
    write(old="import time\nimport torch\ndef f(x: torch.Tensor):\n    time.sleep(60)\n    return x\n")
    with pytest.raises(CannotRunError, match=r"timed out: importing .*old.py took more than 1.5 s"):
        verify_files("old.py", "old.py", "f", limits=Limits(seconds=1.5))


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_a_memory_limit() -> None:
    write(old="import torch\ndef f(x: torch.Tensor): return x + torch.zeros(2**29).sum()\n")
    with pytest.raises(CannotRunError, match="out of memory"):
        verify_files("old.py", "old.py", "f", limits=Limits(memory=GIB))


def test_a_process_that_dies_is_reported() -> None:
    write(old="import os\ndef f(): os._exit(7)\n")
    with pytest.raises(CannotRunError, match=r"its process died \(exit code 7\)"):
        verify_files("old.py", "old.py", "f")


def test_an_original_that_differs_from_run_to_run_is_no_judge() -> None:
    write(old="import os, torch\ndef f(x: torch.Tensor): return x * float.fromhex(os.urandom(4).hex())\n")
    result = verify_files("old.py", "old.py", "f")
    assert result.verdict is Verdict.UNDECIDED
    obstacle = result.comparisons[0].proof.obstacle
    assert obstacle is not None
    assert obstacle.startswith("the original differs from one run to the next: output: ")


# -- inputs -----------------------------------------------------------------------------------------------------------


def arguments_of(signature: str, shape: tuple[int, ...] = (4, 4)) -> tuple[object, ...]:
    scope: dict[str, Any] = {"torch": torch, "Tensor": torch.Tensor}
    exec(f"from __future__ import annotations\nfrom typing import *\ndef f({signature}): ...", scope)
    return Invention(shape).arguments(scope["f"])[0]


def shapes(signature: str) -> list[tuple[int, ...]]:
    return [tuple(value.shape) for value in arguments_of(signature) if isinstance(value, torch.Tensor)]


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("x: Tensor", [(4, 4)]),
        ("x", [(4, 4)]),
        ("x: Tensor, y: Tensor = None", [(4, 4)]),
        ('x: Float[Tensor, "batch 3 h w"], y: Float[Tensor, "batch h*w"]', [(2, 3, 3, 4), (2, 12)]),
        ('x: Float[Tensor, "b n"], y: Float[Tensor, "n=3 b"]', [(2, 3), (3, 2)]),
        ('x: Float[torch.Tensor, "... #c"]', [(2,)]),
        ("x: 'Tensor'", [(4, 4)]),
        ("x: Tensor | None", [(4, 4)]),
        ("x: Optional[Tensor]", [(4, 4)]),
    ],
)
def test_shapes_from_annotations(signature: str, expected: list[tuple[int, ...]]) -> None:
    assert shapes(signature) == expected


def test_values_from_annotations() -> None:
    assert arguments_of("n: int, p: float, b: bool") == (2, 0.5, False)
    (labels, mask) = arguments_of('x: Int64[Tensor, "b"], m: Bool[Tensor, "b"]')
    assert (labels.dtype, mask.dtype) == (torch.int64, torch.bool)  # type: ignore[attr-defined]
    (pair, many) = arguments_of("x: tuple[Tensor, int], y: list[Tensor]")
    assert [type(value) for value in pair] == [torch.Tensor, int]  # type: ignore[attr-defined]
    assert len(many) == 2  # type: ignore[arg-type]
    with pytest.raises(NoValueError, match="nothing tells what `path: 'Path'` should be"):
        arguments_of("path: Path")


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("class E(nn.Module):\n    def __init__(s):\n        super().__init__(); s.c = nn.Conv2d(3, 4, 5)\n"
         "    def forward(s, image): return s.c(image)\n", "E(), (float32[2, 3, 8, 8])"),
        ("class E(nn.Module):\n    def __init__(s):\n        super().__init__(); s.c = nn.Embedding(7, 4)\n"
         "    def forward(s, tokens): return s.c(tokens)\n", "E(), (int64[2, 4])"),
        ("def E(width=5): return nn.Linear(width, 1)\n", "E(), (float32[2, 5])"),
        ("E = nn.Linear(6, 1)\n", "Linear, (float32[2, 6])"),
        ("def E(x, *, scale: float): return x.sum(dim=3) * scale\n", "(float32[2, 3, 8, 8], scale=0.5)"),
        ("def E(x): x += 1; return x\n", "(float32[4, 4])"),
    ],
)  # fmt: skip
def test_arguments_that_fit_are_made(source: str, made: str) -> None:
    write(old=f"import torch\nfrom torch import nn\n{source}")
    result = verify_files("old.py", "old.py", "E")
    assert (result.made, result.verdict) == (made, Verdict.EQUAL)


def test_an_example_of_the_entry_is_preferred_to_its_signature() -> None:
    write(old=FUNCTION.format(write="y = y + 1") + EXAMPLE + "\n\ndef other(x: torch.Tensor): return x\n")
    assert verify_files("old.py", "old.py", "scale").made is None
    assert verify_files("old.py", "old.py", "other").made == "(float32[4, 4])"


# -- what is looked at ------------------------------------------------------------------------------------------------


class ModelOutput(OrderedDict[str, Any]):
    """As in transformers: attributes are keys."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


@dataclass
class Pair:
    first: torch.Tensor
    rest: object


def test_structures_are_looked_into() -> None:
    x = torch.ones(2)
    value = ModelOutput(loss=x, pair=Pair(x, deque([x, {"k": (x, None)}])))
    places = [place for place, item in items(value, "output") if isinstance(item, torch.Tensor)]
    assert places == [
        "output['loss']",
        "output['pair'].first",
        "output['pair'].rest[0]",
        "output['pair'].rest[1]['k'][0]",
    ]


# -- the API ----------------------------------------------------------------------------------------------------------

Function = Callable[[torch.Tensor], torch.Tensor]


def old(x: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    y += 1
    return y


def new(x: torch.Tensor) -> torch.Tensor:
    return x.exp() + 1


def cut(x: torch.Tensor) -> torch.Tensor:
    return x.exp().detach() + 1 + x - x.detach()


@pytest.mark.parametrize("size", [3, 1000])
def test_small_and_large_inputs_are_judged(size: int) -> None:
    x = torch.linspace(0, 1, size, requires_grad=True)
    proof = unplace.verify(old, new, (x,))
    assert (proof.verdict, proof.route) == (Verdict.EQUAL, Route.FINITE_DIFFERENCES)
    assert x.grad is None
    proof = unplace.verify(old, cut, lambda: (torch.linspace(0, 1, size, requires_grad=True),))
    assert proof.verdict is Verdict.DIFFERENT
    assert "gradient of argument[0]" in str(proof.differences[0])


def test_the_leaf_with_the_wrong_gradient_is_found_among_many() -> None:
    model = torch.nn.Sequential(*[torch.nn.Linear(10, 10) for _ in range(8)])

    def before(model: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
        return old(model(x))

    def after(model: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
        bias = model[5].bias
        return new(model(x)) + (bias - bias.detach()).sum()

    inputs = model, torch.randn(3, 10)
    assert unplace.verify(before, lambda m, x: new(m(x)), inputs).verdict is Verdict.EQUAL
    proof = unplace.verify(before, after, inputs)
    assert {str(found).split(" along")[0] for found in proof.differences} == {"gradient of argument[0].5.bias"}


def test_rounding_is_no_difference_but_a_small_error_is() -> None:
    x = torch.randn(1000, requires_grad=True)
    assert unplace.verify(lambda x: x.sum(), lambda x: x.flip(0).sum(), (x,)).verdict is Verdict.EQUAL
    assert unplace.verify(lambda x: x * 3, lambda x: x * 3.000001, (x,)).verdict is Verdict.DIFFERENT
    assert unplace.verify(lambda x: x > 0, lambda x: x > 0.01, (x,)).verdict is Verdict.DIFFERENT


def test_a_kink_is_judged_by_autograds_own_formulas() -> None:
    def before(x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x).exp()
        y *= 2
        return y

    zeros = torch.zeros(3, requires_grad=True)
    proof = unplace.verify(before, lambda x: torch.relu(x).exp() * 2, (zeros,))
    assert (proof.verdict, proof.route) == (Verdict.EQUAL, Route.SAVED_COPIES)


def test_code_that_insists_on_float32_is_judged_in_float32() -> None:
    weight = torch.randn(3, 3)

    def before(x: torch.Tensor) -> torch.Tensor:
        y = (x.float() @ weight).exp()
        y *= 2
        return y

    proof = unplace.verify(before, lambda x: (x.float() @ weight).exp() * 2, (torch.randn(2, 3, requires_grad=True),))
    assert proof.verdict is Verdict.EQUAL


def test_a_gradient_that_data_stores_cut_may_be_repaired_but_not_otherwise_changed() -> None:
    def state(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        h = torch.zeros_like(x)
        for _ in range(3):
            h.data = torch.tanh(h + x * weight)
        return h * weight

    def repaired(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        h = torch.zeros_like(x)
        for _ in range(3):
            h = torch.tanh(h + x * weight)
        return h * weight

    def half(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        h = torch.zeros_like(x)
        for step in range(3):
            h = torch.tanh(h + x * weight)
            h = h.detach() if step == 1 else h
        return h * weight

    inputs = torch.randn(3), torch.randn(3, requires_grad=True)
    assert unplace.verify(state, state, inputs).route is Route.AUTOGRAD
    proof = unplace.verify(state, repaired, inputs)
    assert (proof.verdict, proof.route) == (Verdict.EQUAL, Route.FINITE_DIFFERENCES)
    assert unplace.verify(state, half, inputs).verdict is Verdict.DIFFERENT


def test_what_raises_in_both_is_undecided_and_what_raises_anew_is_different() -> None:
    def fails(x: torch.Tensor) -> torch.Tensor:
        raise ValueError("no")

    x = torch.ones(2)
    proof = unplace.verify(fails, fails, (x,))
    assert (proof.verdict, proof.obstacle) == (Verdict.UNDECIDED, "both programs raise ValueError: no")
    assert unplace.verify(torch.exp, fails, (x,)).verdict is Verdict.DIFFERENT


def test_modules_and_arguments_are_copied() -> None:
    module, x = torch.nn.BatchNorm1d(2), torch.randn(4, 2)
    assert_same_gradients(module, module, x)
    assert module.num_batches_tracked == 0
    history = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(ValueError, match="give a function that makes the arguments"):
        unplace.verify(old, new, (history,))
    assert_same_gradients(old, new, x)


def test_assert_same_gradients_says_what_differs() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(AssertionError, match=r"they differ\n  gradient of argument\[0\]: 2 of 2 elements differ"):
        assert_same_gradients(old, cut, x)
    with pytest.raises(AssertionError, match="it can't be told whether they are the same: both programs raise"):
        assert_same_gradients(torch.linalg.inv, torch.linalg.inv, x)


@pytest.mark.parametrize(
    "draw", [lambda: torch.rand(1), lambda: random.random(), lambda: np.random.rand()], ids=["torch", "random", "numpy"]
)
def test_draws_from_each_generator_count(draw: Callable[[], object]) -> None:
    def draws(x: torch.Tensor, draw: Callable[[], object]) -> torch.Tensor:
        draw()
        return x

    proof = unplace.verify(lambda x, draw: x, draws, (torch.ones(2), draw))
    assert [found.quantity for found in proof.differences] == [Quantity.RANDOM]


def test_what_a_closure_shares_with_its_owner_is_as_it_was() -> None:
    weight = torch.randn(3, requires_grad=True)
    buffer = torch.zeros(3)

    def before(x: torch.Tensor) -> torch.Tensor:
        buffer.add_(1)
        return old(x * weight + buffer)

    def after(x: torch.Tensor) -> torch.Tensor:
        buffer.add_(1)
        return new(x * weight + buffer)

    copy = weight.detach().clone()
    proof = unplace.verify(before, after, (torch.randn(3),))
    assert (proof.verdict, proof.route) == (Verdict.EQUAL, Route.FINITE_DIFFERENCES)
    assert torch.equal(weight, copy)
    assert (weight.dtype, weight.requires_grad, weight.grad) == (torch.float32, True, None)
    assert torch.equal(buffer, torch.zeros(3))


def test_an_argument_that_gets_a_history_by_a_write_is_no_obstacle() -> None:
    def before(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        x[0] += weight[0]
        return x * 2

    def other(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return (x + weight * torch.tensor([1.0, 0.0, 0.0])) * 2

    weight = torch.ones(3, requires_grad=True)
    for x in (torch.zeros(3), torch.zeros(6)[::2]):
        assert unplace.verify(before, before, (x, weight)).verdict is Verdict.EQUAL
        assert {d.quantity for d in unplace.verify(before, other, (x, weight)).differences} == {Quantity.ARGUMENTS}
