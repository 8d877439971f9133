"""One side of a comparison, and the runs that it can make; in this process, or in another (`worker`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch

from unplace.verification import reference
from unplace.verification.examples import Maker
from unplace.verification.observe import Gradient, Observation, observe
from unplace.verification.reference import Directions
from unplace.verification.saved_copies import saved_copies


class Side(Protocol):
    """A program that can be run. Every run starts from fresh arguments and the same random state."""

    def observe(self, *, wide: bool = False, backward: bool = True) -> Observation:
        """Run and differentiate; with `wide` in float64, with `backward=False` without the code's own `backward()`."""
        ...

    def forward_only(self, *, wide: bool = False) -> Observation:
        """Run without autograd."""
        ...

    def with_saved_copies(self, *, wide: bool = False) -> Observation:
        """Run and differentiate with copies of what autograd saves, so that no write in place can disturb it."""
        ...

    def finite_differences(self) -> tuple[Gradient, ...]:
        """Return the gradient of the forward, element by element; raise `RuntimeError` where the forward raises."""
        ...

    def slopes(self, directions: Directions) -> tuple[torch.Tensor, ...]:
        """Return the derivatives of the forward along directions; raise `RuntimeError` where the forward raises."""
        ...


@dataclass(frozen=True, slots=True)
class Local:
    """A side that runs in this process."""

    make: Maker

    def observe(self, *, wide: bool = False, backward: bool = True) -> Observation:
        """See `Side`."""
        return observe(self.make, backward=backward, wide=wide)

    def forward_only(self, *, wide: bool = False) -> Observation:
        """See `Side`."""
        return reference.forward_only(self.make, wide=wide)

    def with_saved_copies(self, *, wide: bool = False) -> Observation:
        """See `Side`."""
        with saved_copies():
            return self.observe(wide=wide, backward=False)

    def finite_differences(self) -> tuple[Gradient, ...]:
        """See `Side`."""
        return reference.finite_differences(self.make)

    def slopes(self, directions: Directions) -> tuple[torch.Tensor, ...]:
        """See `Side`."""
        return reference.slopes(self.make, directions)
