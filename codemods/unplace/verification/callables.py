"""Compares two callables of this process: `unplace.verify`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import torch

from unplace.verification.examples import Maker, Program
from unplace.verification.proof import Proof, prove
from unplace.verification.pytree import tensors

Inputs = Sequence[object] | Callable[[], Sequence[object]]


def verify(before: Callable[..., object], after: Callable[..., object], inputs: Inputs) -> Proof:
    """Compare two functions or modules: values, side effects and gradients, as `unplace verify` does.

    `inputs` are the arguments, or a function that returns them. Each run gets a copy of them, and of a module, so that
    no run sees what another one did. Gradients are compared for tensors with `requires_grad` and for the parameters of
    modules. Tensors that have a history can't be copied (`ValueError`): make those in a function.

        proof = unplace.verify(old, new, (torch.randn(3, requires_grad=True),))
        assert proof.verdict == "equal", proof.differences

    The callables run in this process, without limits on time and memory; `verify_files` has those.
    """
    if not callable(inputs) and not all(tensor.is_leaf for _, tensor in tensors(tuple(inputs), "argument")):
        raise ValueError("an argument has a history, so it can't be copied; give a function that makes the arguments")
    return prove(_maker(before, inputs), _maker(after, inputs))


def _maker(function: Callable[..., object], inputs: Inputs) -> Maker:
    def make() -> Program:
        arguments = tuple(inputs() if callable(inputs) else inputs)
        memo: dict[int, object] = {}  # one for both: an argument may be a tensor of the module
        own = copy.deepcopy(function, memo) if isinstance(function, torch.nn.Module) else function
        return Program(own, arguments if callable(inputs) else copy.deepcopy(arguments, memo))

    return make
