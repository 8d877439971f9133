"""What torch says about the facts on transforms that `torchapi.transforms` and `docs/rewrite.md` keep by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import func
from torch.autograd import functional

from unplace.torchapi import transforms
from unplace.verification.transforms import without_transforms

Fill = Callable[[torch.Tensor], torch.Tensor]
BATCH = torch.linspace(0.5, 1.5, 12, dtype=torch.float64).reshape(3, 4)
CONSTANT = torch.ones(4, dtype=torch.float64)


def filled(make: Fill) -> Fill:
    """A function that fills the tensor that `make` gives."""

    def fill(x: torch.Tensor) -> torch.Tensor:
        out = make(x)
        out[0] = x[0]
        for i in range(1, 4):
            out[i] = x[i] ** 2 * x[i - 1]
        return out

    return fill


def stacked(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([x[0], *(x[i] ** 2 * x[i - 1] for i in range(1, 4))])


def runs(function: Fill, transform: Callable[[Fill], torch.Tensor]) -> bool:
    """Tell whether a transform runs a function, and differentiates it like one without writes."""
    try:
        found = transform(function)
    except RuntimeError as error:
        if "is not possible because there exists a Tensor" not in str(error):
            raise
        return False
    return torch.allclose(found, transform(stacked))


def total(function: Fill) -> Fill:
    return lambda x: (function(x) ** 2).sum()


MAKERS: dict[str, tuple[Fill, bool]] = {
    "zeros_like": (torch.zeros_like, True),
    "empty_like": (torch.empty_like, True),
    "ones_like": (torch.ones_like, True),
    "new_zeros": (lambda x: x.new_zeros(4), True),
    "new_empty": (lambda x: x.new_empty(4), True),
    "new_full": (lambda x: x.new_full((4,), 2.0), True),
    "clone": (lambda x: x.clone(), True),
    "sum with a zero": (lambda x: CONSTANT + x.new_zeros(()), True),
    "diag_embed": (lambda x: torch.diag_embed(x.new_ones(4))[0], True),
    "zeros": (lambda x: torch.zeros(x.shape, dtype=x.dtype, device=x.device), False),
    "new_tensor": (lambda x: x.new_tensor([1.0, 2.0, 3.0, 4.0]), False),
    "tensor": (lambda x: torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=x.dtype), False),
    "copy of a constant": (lambda x: CONSTANT.clone(), False),
    "to": (lambda x: CONSTANT.float().to(x), False),
    "type": (lambda x: CONSTANT.float().type(x.dtype), False),
    "type_as": (lambda x: CONSTANT.float().type_as(x), False),
    "expand_as": (lambda x: CONSTANT[:1].expand_as(x).clone(), False),
    "view_as": (lambda x: CONSTANT.clone().view_as(x), False),
    "reshape_as": (lambda x: CONSTANT.clone().reshape_as(x), False),
}


@pytest.mark.parametrize("name", MAKERS)
def test_which_tensors_have_the_batch_dimension(name: str) -> None:
    make, is_batched = MAKERS[name]
    assert runs(filled(make), lambda f: torch.vmap(f)(BATCH)) == is_batched


def test_the_tables_name_what_has_no_batch_dimension_of_its_own() -> None:
    without = {name for name, (_, is_batched) in MAKERS.items() if not is_batched}
    assert without >= transforms.OF_RECEIVER | {"new_tensor", "tensor"}


BATCHED: dict[str, Callable[[Fill], torch.Tensor]] = {
    "vmap": lambda f: torch.vmap(f)(BATCH),
    "vmap(grad)": lambda f: torch.vmap(func.grad(total(f)))(BATCH),
    "vmap(jacrev)": lambda f: torch.vmap(func.jacrev(f))(BATCH),
    "vmap(jacfwd)": lambda f: torch.vmap(func.jacfwd(f))(BATCH),
    "vmap(hessian)": lambda f: torch.vmap(func.hessian(total(f)))(BATCH),
    "grad(vmap)": lambda f: func.grad(lambda x: (torch.vmap(f)(x) ** 2).sum())(BATCH),
}
ALONE: dict[str, Callable[[Fill], torch.Tensor]] = {
    "grad": lambda f: func.grad(total(f))(BATCH[0]),
    "jacrev": lambda f: func.jacrev(f)(BATCH[0]),
    "jacfwd": lambda f: func.jacfwd(f)(BATCH[0]),
    "hessian": lambda f: func.hessian(total(f))(BATCH[0]),
    "vjp": lambda f: func.vjp(f, BATCH[0])[1](BATCH[1])[0],
    "jvp": lambda f: func.jvp(f, (BATCH[0],), (BATCH[1],))[1],
    "vmap of vjp": lambda f: torch.vmap(func.vjp(f, BATCH[0])[1])(BATCH)[0],
    "vmap over tangents": lambda f: torch.vmap(lambda v: func.jvp(f, (BATCH[0],), (v,))[1])(BATCH),
    "jacobian": lambda f: functional.jacobian(f, BATCH[0], vectorize=True),
    "jacobian, forward": lambda f: functional.jacobian(f, BATCH[0], vectorize=True, strategy="forward-mode"),
    "hessian, vectorized": lambda f: functional.hessian(total(f), BATCH[0], vectorize=True),
}


@pytest.mark.parametrize("name", [*BATCHED, *ALONE])
def test_only_vmap_refuses_to_fill_a_tensor_without_the_batch_dimension(name: str) -> None:
    fill = filled(lambda x: torch.zeros(4, dtype=x.dtype))
    assert runs(fill, {**BATCHED, **ALONE}[name]) == (name in ALONE)
    assert runs(filled(torch.zeros_like), {**BATCHED, **ALONE}[name])


def test_select_scatter_has_a_wrong_gradient_under_vmap() -> None:
    def scattered(x: torch.Tensor) -> torch.Tensor:
        return torch.select_scatter(torch.zeros(4, dtype=x.dtype), x[1] * x[0], 0, 0)

    def put(x: torch.Tensor) -> torch.Tensor:
        return torch.zeros(4, dtype=x.dtype).index_put((torch.tensor(0),), x[1] * x[0])

    found = [func.grad(lambda x, f=f: (torch.vmap(f)(x) ** 2).sum())(BATCH) for f in (scattered, put)]
    assert not torch.allclose(*found)
    assert torch.allclose(found[1], func.grad(lambda x: ((x[:, 1] * x[:, 0]) ** 2).sum())(BATCH))


# -- the reference ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BATCHED)
def test_the_reference_runs_vmap_as_a_loop(name: str) -> None:
    fill = filled(lambda x: torch.zeros(4, dtype=x.dtype))
    with without_transforms():
        found = BATCHED[name](fill)
    assert torch.allclose(found, BATCHED[name](stacked))
    assert not runs(fill, BATCHED[name])


def test_the_reference_runs_vmap_along_other_dimensions_and_with_several_results() -> None:
    def both(
        x: torch.Tensor, pair: dict[str, torch.Tensor], scale: float
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        return x * scale, {"sum": pair["a"] + pair["b"] * x.sum()}

    mapped = torch.vmap(both, in_dims=(1, {"a": 0, "b": None}, None), out_dims=(1, 0))
    given = BATCH, {"a": BATCH.T, "b": CONSTANT[:3]}, 2.0
    expected = mapped(*given)
    with without_transforms():
        found = mapped(*given)
    torch.testing.assert_close(found, expected)


def test_the_reference_differentiates_what_a_write_spoils() -> None:
    def loss(x: torch.Tensor) -> torch.Tensor:
        y = x.exp()
        y += 1
        return y.sum()

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        func.grad(loss)(BATCH)
    with without_transforms():
        gradient, (value, kept) = func.grad_and_value(lambda x: (loss(x), x), has_aux=True)(BATCH)
        pair = func.grad(lambda x, y: loss(x * y), argnums=(0, 1))(BATCH, CONSTANT)
    assert torch.allclose(gradient, BATCH.exp())
    assert torch.allclose(value, loss(BATCH))
    assert torch.allclose(kept, BATCH)
    assert torch.allclose(pair[0], (BATCH * CONSTANT).exp())
    assert pair[1].shape == CONSTANT.shape
