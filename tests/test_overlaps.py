"""What torch does where an operand of an in-place operation overlaps the target: raise, or read what it wrote.

It raises on a partial overlap of two dense tensors, in element-wise operations, stores and `out=`; it doesn't see one
of strided tensors, nor one in matrix products. So an overlap that can't be ruled out is no proof that the code fails.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from unplace.config.options import Options
from unplace.transform.rewriter import rewrite_text

Write = Callable[[torch.Tensor], object]

REFUSED: dict[str, Write] = {
    "y[1:].add_(y[:-1])": lambda y: y[1:].add_(y[:-1]),
    "y.sub_(y[0])": lambda y: y.sub_(y[0]),
    "y.view(2, 4).sub_(y[:4])": lambda y: y.view(2, 4).sub_(y[:4]),
    "m.add_(m.t())": lambda y: y[:4].view(2, 2).add_(y[:4].view(2, 2).t()),
    "y[1:].addcmul_(y[:-1], y[:-1])": lambda y: y[1:].addcmul_(y[:-1], y[:-1]),
    "y[1:].copy_(y[:-1])": lambda y: y[1:].copy_(y[:-1]),
    "y[1:] = y[:-1]": lambda y: y.__setitem__(slice(1, None), y[:-1]),
    "y[y > 5] = y[:3]": lambda y: y.__setitem__(y > 5, y[:3]),
    "torch.exp(y[:-1], out=y[1:])": lambda y: torch.exp(y[:-1], out=y[1:]),
    "torch.cat([y[:2], y[2:7]], out=y[1:])": lambda y: torch.cat([y[:2], y[2:7]], out=y[1:]),
    "y.index_add_(0, i, y[:3])": lambda y: y.index_add_(0, torch.tensor([1, 2, 3]), y[:3]),
}

DONE: dict[str, Write] = {
    "y.add_(y)": lambda y: y.add_(y),
    "y[:4].add_(y[4:])": lambda y: y[:4].add_(y[4:]),
    "m[:, 1:3].add_(m[:, :2])": lambda y: y.view(2, 4)[:, 1:3].add_(y.view(2, 4)[:, :2]),
    "m[:, :2] = m[:, 1:3]": lambda y: y.view(2, 4).__setitem__((slice(None), slice(0, 2)), y.view(2, 4)[:, 1:3]),
    "y.masked_fill_(y > 3, y[0])": lambda y: y.masked_fill_(y > 3, y[0]),
    "m.addmm_(m, m)": lambda y: y[:4].view(2, 2).addmm_(y[:4].view(2, 2), y[:4].view(2, 2)),
    "torch.mm(m, m, out=m)": lambda y: torch.mm(y[:4].view(2, 2), y[:4].view(2, 2), out=y[:4].view(2, 2)),
}


@pytest.mark.parametrize("write", REFUSED.values(), ids=REFUSED)
def test_a_partial_overlap_of_dense_operands_raises(write: Write) -> None:
    with pytest.raises(RuntimeError, match=r"single memory location|overlap"):
        write(torch.arange(1.0, 9.0))


@pytest.mark.parametrize("write", DONE.values(), ids=DONE)
def test_torch_does_not_see_every_overlap(write: Write) -> None:
    write(torch.arange(1.0, 9.0))


def test_a_strided_operand_is_read_after_it_was_written() -> None:
    matrix = torch.tensor([[1.0, 2.0, 3.0, 4.0]] * 2)
    expected = matrix[:, 1:3] + matrix[:, :2]
    matrix[:, 1:3].add_(matrix[:, :2])
    assert not torch.equal(matrix[:, 1:3], expected)


@pytest.mark.parametrize(
    ("write", "after"),
    [
        ("a += a.t()", "a = a + a.t()"),
        ("a.add_(a.mT)", "a = a.add(a.mT)"),
        ("a.addmm_(a.t(), a)", "a.addmm_(a.t(), a)"),
    ],
)
def test_what_is_always_refused_reads_no_writes(write: str, after: str) -> None:
    before = f"import torch\n\n\ndef f(x: torch.Tensor):\n    a = x @ x\n    {write}\n    return a\n"
    assert after in rewrite_text(before, "before.py", Options()).after
