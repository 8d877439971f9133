"""Stand-ins for the transforms of `torch.func` that forbid writes in place, so that the original can run.

    torch.vmap(f)(xs)                   torch.stack([f(x) for x in xs])
    torch.func.grad(f)(x)               autograd's gradient, with copies of what it saves

`vmap` lets no tensor without the batch dimension be filled with values that have it. `grad` and `grad_and_value` don't
differentiate a function that overwrites what was saved; where they raise, they are computed once more, without a graph
of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch.overrides import _pop_mode_temporarily
from torch.utils._pytree import tree_flatten, tree_unflatten

from unplace.verification.saved_copies import saved_copies

try:
    from torch._functorch import apis, eager_transforms
    from torch._functorch.vmap import _broadcast_to_and_flatten, _process_batched_inputs
except ImportError:  # torch before 2.1, whose transforms are left as they are
    apis = None


@contextmanager
def without_transforms() -> Iterator[None]:
    """Run `torch.vmap` as a loop, and the gradients that a write in place spoils with copies of what was saved."""
    if apis is None:
        yield
        return
    vmap, grad = apis.vmap_impl, eager_transforms.grad_and_value_impl
    apis.vmap_impl = _as_loop
    eager_transforms.grad_and_value_impl = _tolerant(grad)
    try:
        yield
    finally:
        apis.vmap_impl, eager_transforms.grad_and_value_impl = vmap, grad


def _as_loop(
    function: Callable[..., Any],
    in_dims: Any,
    out_dims: Any,
    randomness: str,
    chunk_size: int | None,
    *args: Any,
    **kw: Any,
) -> Any:
    """Return what `vmap(function, in_dims, out_dims)(*args)` does, one call for each element of the batch."""
    size, dims, flat, spec = _process_batched_inputs(in_dims, args, function)
    rounds: list[list[torch.Tensor]] = []
    for index in range(size):
        given = [arg if dim is None else arg.select(dim, index) for arg, dim in zip(flat, dims, strict=True)]
        made, made_spec = tree_flatten(function(*tree_unflatten(given, spec), **kw))
        rounds.append(made)
    placed = _broadcast_to_and_flatten(out_dims, made_spec)
    assert placed is not None
    parts = zip(*rounds, strict=True)
    stacked = [every[0] if dim is None else torch.stack(every, dim) for every, dim in zip(parts, placed, strict=True)]
    return tree_unflatten(stacked, made_spec)


def _tolerant(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return `grad_and_value` that falls back on autograd with copies of what it saves."""

    def grad_and_value(function: Callable[..., Any], argnums: Any, has_aux: bool, args: Any, kwargs: Any) -> Any:
        try:
            return original(function, argnums, has_aux, args, kwargs)
        except RuntimeError as error:
            if "inplace operation" not in str(error):
                raise
            return _differentiated(function, argnums, has_aux, args, kwargs)

    return grad_and_value


def _differentiated(function: Callable[..., Any], argnums: Any, has_aux: bool, args: Sequence[Any], kwargs: Any) -> Any:
    with torch.enable_grad(), saved_copies():
        chosen = argnums if isinstance(argnums, tuple) else (argnums,)
        leaves, spec = tree_flatten([args[number] for number in chosen])
        with _pop_mode_temporarily() if torch._C._len_torch_function_stack() else nullcontext():  # no leaves to watch
            leaves = [leaf.detach().clone().requires_grad_() for leaf in leaves]
            moved = tree_unflatten([leaf.clone() for leaf in leaves], spec)
        given = list(args)
        for number, value in zip(chosen, moved, strict=True):
            given[number] = value
        result = function(*given, **kwargs)
        value = result[0] if has_aux else result
        found = torch.autograd.grad(value, leaves, allow_unused=True)
    gradients = tree_unflatten(
        [torch.zeros_like(x) if g is None else g for g, x in zip(found, leaves, strict=True)], spec
    )
    wanted = tuple(gradients) if isinstance(argnums, tuple) else gradients[0]
    return wanted, ((value.detach(), result[1]) if has_aux else value.detach())
