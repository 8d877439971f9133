"""Helps test suites: `assert_same_gradients(old, new, *inputs)`."""

from __future__ import annotations

from collections.abc import Callable

from unplace.verification.callables import verify
from unplace.verification.proof import Verdict


def assert_same_gradients(f: Callable[..., object], g: Callable[..., object], *inputs: object) -> None:
    """Fail unless `f` and `g` agree on the inputs: in values, side effects, random draws and gradients.

    `f` and `g` are functions or modules. Where the backward of `f` raises an in-place error, its gradient is found by
    finite differences of its forward in float64. Raises `AssertionError` with the differences; see `unplace.verify`.

        def test_the_rewritten_attention():
            assert_same_gradients(old_attention, attention, torch.randn(2, 3, 4, requires_grad=True))
    """
    proof = verify(f, g, inputs)
    if proof.verdict is Verdict.DIFFERENT:
        raise AssertionError("\n".join(["they differ", *(f"  {difference}" for difference in proof.differences)]))
    if proof.verdict is Verdict.UNDECIDED:
        raise AssertionError(f"it can't be told whether they are the same: {proof.obstacle}")
