"""Records the transforms of functions: those of `torch.func`, and others that call a function with given arguments."""

from __future__ import annotations

VMAP = frozenset(["torch.vmap", "torch.func.vmap", "functorch.vmap", "torch._functorch.apis.vmap"])
"""The transform under which a tensor without the batch dimension can't take values that have it."""

_OF_FUNC = ("grad", "grad_and_value", "jacrev", "jacfwd", "hessian", "functionalize")

PASSING = (
    VMAP | {f"{package}.{name}" for package in ("torch.func", "functorch") for name in _OF_FUNC} | {"torch.compile"}
)
"""Transforms whose result takes the arguments of the function that they are given, and calls it with them.

`jvp` and `vjp` are none: they are given the arguments with the function.
"""

CHECKPOINTS = {"torch.utils.checkpoint.checkpoint": 1, "torch.utils.checkpoint.checkpoint_sequential": 2}
"""The functions that save what they call a module with, to call it again in backward, and where that begins.

checkpoint(block, x)                checkpoint_sequential(layers, segments, x)
"""

OF_CHECKPOINT = frozenset(
    ["use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop"]
)
"""The keyword arguments that a checkpoint doesn't pass on; `torch/utils/checkpoint.py` lists them."""

RUNNING = frozenset(
    [
        *CHECKPOINTS,
        *(f"torch.func.{name}" for name in ("jvp", "vjp", "linearize")),
        *(f"torch.autograd.functional.{name}" for name in ("hessian", "hvp", "jacobian", "jvp", "vhp", "vjp")),
    ]
)
"""Functions that call what they are given with the other arguments: `checkpoint(block, x)`."""

FUNCTIONAL_CALLS = frozenset(
    ["torch.func.functional_call", "torch.nn.utils.stateless.functional_call", "torch.nn.utils.functional_call"]
)
"""Functions that call a module with other parameters: `functional_call(model, params, (x,))`."""

UNBATCHED = frozenset(["new_tensor", "tensor", "as_tensor"])
"""Constructors whose result has no batch dimension, whatever they are called on."""

OF_RECEIVER = frozenset(["to", "type", "type_as", "expand_as", "view_as", "reshape_as"])
"""Methods whose result has the batch dimension of the receiver alone."""

ASKING = frozenset(["item", "tolist", "numpy", "nonzero"])
"""Methods that `vmap` can't run on a tensor with a batch dimension, because they ask for its values."""

OF_SHAPE = frozenset(
    [
        *("shape", "dtype", "device", "ndim", "size", "dim", "numel", "element_size", "layout", "requires_grad"),
        *("is_cuda", "is_floating_point", "is_complex", "is_contiguous", "get_device", "stride", "names"),
    ]
)
"""Attributes and methods of tensors that tell nothing of their values, and so have no batch dimension."""
