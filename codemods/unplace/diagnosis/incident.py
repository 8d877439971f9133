"""The facts about one failure as the observation found them; `advice` says what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from unplace.diagnosis.noted_writes import Write
from unplace.diagnosis.places import Place
from unplace.observation.errors import Kind


@dataclass(frozen=True, slots=True)
class Saved:
    """A value that an operation kept for backward, or the view that an operation made.

    `role` is autograd's name for it (`result`, `self`, `other`, ...), empty where it has none. `tick` is the moment at
    which the operation was recorded; `inside` is the operation whose derivative it belongs to, in double backward.
    `is_function` marks a custom `Function`.
    """

    op: str
    role: str
    place: Place
    tick: int
    is_function: bool = False
    inside: str | None = None

    @property
    def is_own_result(self) -> bool:
        """True where the value is (one of) the operation's own results."""
        return self.role.startswith(("result", "output"))


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a block of memory: a `parameter`, `buffer` or `gradient` (`kind`) and the class that holds it."""

    kind: str
    name: str
    holder: str

    def __str__(self) -> str:
        """Return a phrase such as ``parameter `weight` of Linear``."""
        return f"{self.kind} `{self.name}` of {self.holder}"


@dataclass(frozen=True, slots=True)
class Incident:
    """The facts about one failure.

    `raised_at` is the line that raised; for a failing backward, the line that called it. `writes` are those that made
    the saved value stale, oldest first; for an error at the write itself, that write alone. `backward_between` is a
    line that called backward after the value had been saved; `continued_at` is the operation of the failing graph that
    goes on from a graph older than that call, and `is_recurrent` tells that the same line made a part of that older
    graph. `is_constant` tells that the saved value doesn't require grad.
    """

    kind: Kind
    error: str
    raised_at: Place
    saved: Saved | None = None
    writes: tuple[Write, ...] = ()
    owner: Owner | None = None
    backward_between: Place | None = None
    continued_at: Place | None = None
    is_constant: bool = False
    is_recurrent: bool = False
