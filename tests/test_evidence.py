"""What the use of an object says of its kind: names that other classes have too prove nothing."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from unplace.analysis.types import evidence, kinds
from unplace.analysis.types.evidence import Evidence
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Status
from unplace.torchapi.shared_names import COMMON, RARE
from unplace.transform.rewriter import rewrite_text

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

import shared_names  # noqa: E402


def findings(source: str) -> list[Finding]:
    """What is reported with --unsafe."""
    return list(rewrite_text(source, "case.py", Options(unsafe=True)).findings)


@pytest.mark.parametrize("cls", [*shared_names.BUILTIN, *shared_names.STANDARD, torch.nn.Module, torch.optim.Optimizer])
def test_names_of_everyday_classes_say_nothing(cls: type) -> None:
    assert shared_names.tensor_names([cls]) <= COMMON


def test_names_of_arrays_say_nothing() -> None:
    assert shared_names.tensor_names([pytest.importorskip("numpy").ndarray]) <= COMMON


@pytest.mark.parametrize("cls", [torch.UntypedStorage, torch.Size, *shared_names.classes(["torch.distributions.*"])])
def test_names_of_rare_classes_prove_nothing(cls: type) -> None:
    assert shared_names.tensor_names([cls]) <= COMMON | RARE


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sigmoid", Evidence.PROOF),
        ("masked_fill_", Evidence.PROOF),
        ("clone", Evidence.HINT),
        ("sub", Evidence.NONE),  # pandas
        ("requires_grad_", Evidence.NONE),  # modules
        ("transform_boxes_", Evidence.NONE),
    ],
)
def test_what_a_name_says(name: str, expected: Evidence) -> None:
    assert evidence.of_name(name) is expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("x.view(b, -1)", Evidence.PROOF),
        ("x.view(np.uint8)", Evidence.NONE),  # arrays
        ("x.view(c)", Evidence.NONE),
        ("x.transpose(1, 2)", Evidence.PROOF),
        ("x.transpose(1, 0)", Evidence.NONE),  # matrices
        ("x.transpose(0, 2, 1)", Evidence.NONE),
        ("x.flatten(1)", Evidence.PROOF),
        ("x.flatten('F')", Evidence.NONE),
        ("x.repeat(2, 1)", Evidence.NONE),
        ("x.repeat(1, 1, n)", Evidence.PROOF),
        ("x.permute(2, 0, 1)", Evidence.PROOF),
        ("x.expand(-1, n)", Evidence.PROOF),
        ("x.expand(shape)", Evidence.HINT),  # distributions
    ],
)
def test_what_a_call_with_sizes_says(call: str, expected: Evidence) -> None:
    node = expression(call)
    assert isinstance(node, ast.Call)
    assert evidence.of_call(node) is expected


@pytest.mark.parametrize(
    "text", ["Boxes", "data.Batch", "'Boxes'", "Boxes | None", "Optional[Boxes]", "Tensor | Boxes"]
)
def test_an_annotation_that_names_a_class(text: str) -> None:
    assert kinds.names_a_class(expression(text))


@pytest.mark.parametrize(
    "text", ["Any", "object", "T", "Tensor", "ArrayLike", "int", "list[Boxes]", "Optional[Tensor]"]
)
def test_an_annotation_that_leaves_tensors_possible(text: str) -> None:
    assert not kinds.names_a_class(expression(text))


def expression(text: str) -> ast.expr:
    """The annotation as Python parses it."""
    return ast.parse(text, mode="eval").body


UNTOUCHED = {
    "a parameter of another class": """
from geometry import Boxes

def inverse(boxes: Boxes, scale):
    before = boxes.clone()
    boxes *= scale
    return before, boxes
""",
    "a module that is frozen": """
import torch

def load(path):
    model = make(path)
    model.requires_grad_(False)
    return model
""",
    "a graph with named features": """
import torch
from data import load

def augment(path):
    data = load(path)
    before = data.clone()
    data["x"] = torch.zeros(3)
    return before, data
""",
    "a module's answer with named parts": """
import torch

class Attack(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        scalars = self.update(x)
        scalars["loss"] = 1.0
        return scalars
""",
    "an input with named parts": """
import torch

class Model(torch.nn.Module):
    def forward(self, batch):
        batch["feat"] = torch.tanh(batch["feat"])
        batch |= {}
        return batch
""",
    "what is called": """
import torch

def total(metric, x: torch.Tensor):
    kept = metric.clone()
    metric(x)
    metric += 1
    return kept
""",
    "a counter in an attribute": """
import torch

class Loop:
    def __init__(self):
        self.step = 0

    def run(self, x: torch.Tensor):
        self.step += 1
        self.step *= 2
        return x
""",
    "the state of an optimizer": """
import torch

class Sgd(torch.optim.Optimizer):
    def reset(self):
        self.state |= {}
        self.param_groups += []
""",
}


@pytest.mark.parametrize("case", UNTOUCHED)
def test_what_is_no_tensor_is_not_reported(case: str) -> None:
    assert findings(UNTOUCHED[case]) == []


UNCLEAR = {
    "a counter": """
import torch

def tally(seen):
    counts = load()
    counts.subtract(seen)
    counts["a"] += 1
    return counts
""",
    "a data frame": """
import pandas as pd
import torch

def table(path):
    df = load(path)
    total = df.sub(1).abs()
    df[df > 0] = 0
    df += 1
    return df, total
""",
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_what_may_be_a_tensor_is_kept_as_something_unknown(case: str) -> None:
    found = rewrite_text(UNCLEAR[case], "case.py", Options()).findings
    assert found
    assert all(f.status is Status.KEPT and f.message.startswith("unknown kind") for f in found)
    assert all(any(a.endswith("is a tensor") for a in f.assumptions) for f in findings(UNCLEAR[case]) if f.edits)


HARDLY = {
    "a number that counts": """
import torch

class Recipe:
    def __init__(self):
        self.step = 0

    def resume(self, state):
        self.step = state["epochs"] * self.size

    def train(self, batches):
        for batch in batches:
            torch.sigmoid(self.model(batch)).mean().backward()
            self.step += 1
            self.log(self.step)
""",
    "an array": """
import numpy as np
import torch
from copy import deepcopy

def apply(coords: np.ndarray, k):
    coords = deepcopy(coords).astype(float)
    coords[..., 0] = coords[..., 0] * k
    return coords
""",
}


@pytest.mark.parametrize("case", HARDLY)
def test_what_is_hardly_a_tensor_is_no_assumption(case: str) -> None:
    assert [f.assumptions for f in findings(HARDLY[case]) if f.edits] == []


REPORTED = {
    "a number becomes a tensor": """
import torch

class Scheduler:
    def __init__(self):
        self.total = 0

    def step(self, output: torch.Tensor):
        self.total += output / 6
        return self.total
""",
    "the data of a module's weight": """
import torch

def scale(net):
    for m in net.modules():
        if isinstance(m, (torch.nn.Conv2d, torch.nn.Linear)):
            m.weight.data *= 2
""",
    "a loop variable": """
import torch

def scaled(rows):
    for row in rows:
        print(row.sigmoid())
        row += 1
""",
    "a tensor by its class": """
import torch

def draw(out):
    box = torch.Tensor([[1.0, 2.0]])
    box[..., 0] = out
    return box
""",
    "a declared field": """
import torch
from dataclasses import dataclass

@dataclass
class Robot:
    heading: torch.Tensor

def turn(start, w):
    robot = Robot(start)
    robot.heading += w
    return robot
""",
}


@pytest.mark.parametrize("case", REPORTED)
def test_what_is_a_tensor_is_reported(case: str) -> None:
    assert len(findings(REPORTED[case])) == 1


def test_a_hint_is_an_assumption() -> None:
    source = "import torch\n\n\ndef f(x):\n    before = x.roll(1)\n    x += 1\n    return before, x\n"
    (found,) = findings(source)
    assert "`x` is a tensor" in found.assumptions
    assert not rewrite_text(source, "case.py", Options()).changed


STORING = """
import torch

KEY, OTHER = 'energy', 'forces'


class Keys:
    ENERGY = 'energy'


def f(inputs, e, key):
    inputs[{}] = e
    return inputs
"""


@pytest.mark.parametrize("key", ["KEY", "Keys.ENERGY", "KEY if key else OTHER", "f'{KEY}_0'"])
def test_what_stores_under_a_text_is_no_tensor(key: str) -> None:
    assert findings(STORING.format(key)) == []
    assert findings(STORING.format("key"))
