"""The arguments of a call."""

from __future__ import annotations

from dataclasses import dataclass, field

from unplace.analysis.training.values import Thing


@dataclass(slots=True)
class Given:
    """The arguments of a call."""

    positional: list[Thing] = field(default_factory=list)
    named: dict[str, Thing] = field(default_factory=dict)

    def all(self) -> list[Thing]:
        """Return all arguments."""
        return [*self.positional, *self.named.values()]

    def first(self, name: str = "") -> Thing | None:
        """Return the first argument, which may be given by its name."""
        return self.positional[0] if self.positional else self.named.get(name)
