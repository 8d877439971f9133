"""Watches a run from inside torch: the leaves that the code makes, its own `backward()` calls, its detached reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.overrides import TorchFunctionMode

BACKWARD = frozenset({torch.Tensor.backward, torch.autograd.backward})
DETACHED_READS = frozenset({torch.Tensor.detach, torch.Tensor.item, torch.Tensor.tolist, torch.Tensor.__float__})
DATA_READ, DATA_STORE = torch.Tensor.data.__get__, torch.Tensor.data.__set__


@dataclass(slots=True)
class Read:
    """One detached read: what the program got, a copy of its value at the time, and its version."""

    got: object
    value: object
    version: int | None

    @property
    def was_written(self) -> bool:
        """True where the program wrote to what it got: it read `x.data` for a store, not for its value."""
        return isinstance(self.got, torch.Tensor) and self.version is not None and self.got._version != self.version


@dataclass(slots=True)
class DetachedReads:
    """The values that a first run read past autograd (`x.data`, `x.detach()`, `x.item()`), for later runs to reuse.

    For autograd they are constants; a finite difference must treat them as constants too. `x.data[i] = v` reads
    `x.data` only to write to it: such a read is made anew, so that the write arrives.
    """

    reads: list[Read] = field(default_factory=list)
    position: int | None = None

    def replayed(self) -> DetachedReads:
        """Return the same values for one more run, which reads them from the first one on."""
        return DetachedReads(self.reads, 0)

    def read(self, compute: Callable[[], object], *, has_own_version: bool = False) -> object:
        """Return the value of the next read: `compute()` in the first run, a copy of what that gave in later ones.

        `has_own_version` tells that the result doesn't share the version counter of the tensor that is read, so that
        writes to it can be recognised. Raises `RuntimeError` where a later run reads more often than the first.
        """
        if self.position is None:
            got = compute()
            version = got._version if has_own_version and isinstance(got, torch.Tensor) else None
            self.reads.append(Read(got, _copy(got), version))
            return got
        if self.position == len(self.reads):
            raise RuntimeError("a finite difference changed the course of the program: more detached reads than before")
        self.position += 1
        read = self.reads[self.position - 1]
        return compute() if read.was_written else _copy(read.value)


def _cuts_graph(target: Any, value: Any) -> bool:
    """Tell whether a store to a tensor's `.data` keeps a gradient from flowing; one to a parameter's doesn't."""
    is_parameter = target.is_leaf and target.requires_grad
    return not is_parameter and bool(target.requires_grad or value.requires_grad)


def _is_leaf(result: torch.Tensor) -> bool:
    """Tell whether a tensor gets a gradient itself; a view that is taken under `no_grad` only looks so."""
    if not result.requires_grad or (result._is_view() and result._base is not None and result._base.requires_grad):
        return False
    return bool(result.is_leaf) and not is_functorch_wrapped_tensor(result)  # `torch.func.grad` makes leaves of its own


def _copy(value: object) -> object:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


class Recorder(TorchFunctionMode):  # type: ignore[misc]
    """A mode that notes the leaves that the code makes, its `backward()` calls, and `.data` stores that cut a graph.

    `known` are the leaves that exist already. `on_leaf` is called with each new leaf. With `backward=False` the
    code's own `backward()` calls do nothing. With `reads`, detached reads go through it.
    """

    def __init__(
        self,
        known: Sequence[torch.Tensor] = (),
        *,
        backward: bool = True,
        reads: DetachedReads | None = None,
        on_leaf: Callable[[torch.Tensor], None] | None = None,
    ) -> None:
        super().__init__()
        self.leaves = list(known)
        self.differentiated = False
        self.cuts_graph = False
        self._backward = backward
        self._reads = reads
        self._on_leaf = on_leaf

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: Sequence[type],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Run a function of torch and take notes; torch calls this in place of each of its functions."""
        keywords = kwargs or {}
        if func in BACKWARD:
            self.differentiated = True
            if not self._backward:
                return None
        if func == DATA_STORE and torch.is_grad_enabled():
            self.cuts_graph = self.cuts_graph or _cuts_graph(*args)
        if self._reads is not None and (func in DETACHED_READS or func == DATA_READ):
            return self._reads.read(lambda: func(*args, **keywords), has_own_version=func == DATA_READ)
        result = func(*args, **keywords)
        if isinstance(result, torch.Tensor) and _is_leaf(result):
            self._adopt(result)
        return result

    def _adopt(self, leaf: torch.Tensor) -> None:
        if all(leaf is not known for known in self.leaves):
            self.leaves.append(leaf)
            if self._on_leaf is not None:
                self._on_leaf(leaf)
