"""Records the functions that draw what in-place methods draw: the same numbers, from the same generator."""

from __future__ import annotations

from dataclasses import dataclass

from unplace.torchapi.releases import Release


@dataclass(frozen=True, slots=True)
class Draw:
    """The functions that draw what a method draws: the short one takes `given` arguments, the other all of them.

    `is_dense` tells that they do so for dense memory only, `is_contiguous` for contiguous memory only.
    """

    function: str
    short: str | None = None
    given: tuple[int, ...] = ()
    is_dense: bool = False
    is_contiguous: bool = False


DRAWING = {
    "bernoulli_": Draw("torch.ops.aten.bernoulli", is_contiguous=True),
    "cauchy_": Draw("torch.ops.aten.cauchy"),
    "exponential_": Draw("torch.ops.aten.exponential"),
    "geometric_": Draw("torch.ops.aten.geometric"),
    "log_normal_": Draw("torch.ops.aten.log_normal"),
    "normal_": Draw("torch.ops.aten.normal_functional", "torch.randn_like", (0,), is_dense=True),
    "random_": Draw("torch.ops.aten.random", "torch.randint_like", (1, 2)),
    "uniform_": Draw("torch.ops.aten.uniform", "torch.rand_like", (0,)),
}
"""Measured in all layouts: values, and the state of the generator afterwards."""

SINCE = Release(2, 0)
"""A release that has the functions of `torch.ops.aten` which draw; the stubs of torch don't tell the first one."""
