"""Changes of parameters in constructors, which torch forbids: by default they are put under `torch.no_grad()`."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
import torch

from unplace.config.options import Options
from unplace.transform.rewriter import rewrite_text

HEAD = """
import torch
from torch import nn


def fill(table, dim):
    angles = torch.arange(3.0)[:, None] / 10 ** (torch.arange(dim) / dim)
    table[:, 0::2] = torch.sin(angles[:, 0::2])
    table[:, 1::2] = torch.cos(angles[:, 1::2])
    {last}
    table = table.to("cpu")


class Model(nn.Module):
    def __init__(self, vectors, freeze=False):
        super().__init__()
        self.emb = nn.Embedding(3, 4)
        {body}
"""


def made(text: str) -> Any:
    namespace: dict[str, Any] = {}
    exec(compile(text, "model.py", "exec"), namespace)
    return namespace["Model"](torch.full((3, 4), 0.5))


def program(body: str, last: str = "table.detach_()") -> str:
    return HEAD.format(last=last, body=dedent(body).strip().replace("\n", "\n        "))


@pytest.mark.parametrize(
    ("body", "last"),
    [
        ("self.emb.weight.copy_(vectors)", "pass"),
        ("self.emb.weight[1:] = vectors[1:]", "pass"),
        ("self.emb.weight.copy_(vectors)\nif freeze:\n    self.emb.weight.requires_grad = False", "pass"),
        ("fill(self.emb.weight, 4)", "table.detach_()"),
        ("fill(self.emb.weight, 4)", "table.requires_grad = False"),
        ("fill(self.emb.weight, 4)", "table.requires_grad_(False)"),
    ],
)
def test_what_torch_never_allowed_is_allowed_then(body: str, last: str) -> None:
    before = program(body, last)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        made(before)
    after = rewrite_text(before, "model.py", Options()).after
    with torch.no_grad():
        expected = made(before).emb.weight
    assert torch.equal(made(after).emb.weight[1:], expected[1:])


@pytest.mark.parametrize(
    ("body", "last"),
    [
        ("fill(self.emb.weight, 4)", "y = table * 2; table.detach_()"),  # its gradient may be asked for
        ("fill(self.emb.weight, 4)", "table.detach()"),
        ("fill(self.emb.weight, 4)", "table.requires_grad_(True)"),
        ("if freeze:\n    self.emb = vectors.emb\nself.emb.weight.copy_(vectors)", "pass"),
    ],
)
def test_what_another_reading_of_the_code_allows_is_left(body: str, last: str) -> None:
    before = program(body, last)
    assert "    with torch.no_grad():\n        table" not in rewrite_text(before, "model.py", Options()).after
    assert "with torch.no_grad():\n            self" not in rewrite_text(before, "model.py", Options()).after
