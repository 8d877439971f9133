"""Describes settings: each is declared once, for configuration files, commands, callers in Python and reports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, get_type_hints

from unplace.config.kinds import Flag, Given, Kind
from unplace.config.selection import SelectionError


@dataclass(frozen=True, slots=True)
class Setting:
    """The declaration of a setting, as an annotation of its field: `help` is a sentence that says what it does.

    A setting that `narrows` leaves operations or files out, and doesn't change the verdicts on the others. One of
    `edits` is about what is written, so commands that write nothing have no option for it.
    """

    kind: Kind[Any]
    help: str
    narrows: bool = False
    edits: bool = False
    name: str = ""

    @property
    def key(self) -> str:
        """The key in a configuration file, and the command-line option after `--`."""
        return self.name.replace("_", "-")

    @property
    def flags(self) -> tuple[str, ...]:
        """The command-line options: `--unsafe` and `--safe`; empty where only configuration files have the setting."""
        if not isinstance(self.kind, Given):
            return ()
        off = (f"--{self.kind.off or f'no-{self.key}'}",) if isinstance(self.kind, Flag) else ()
        return (f"--{self.key}", *off)

    def read(self, words: Any) -> Any:
        """Return the value that the command line gives; raise `SelectionError` for an invalid one."""
        assert isinstance(self.kind, Given)
        try:
            return self.kind.from_words(words)
        except SelectionError as error:
            error.option = f"--{self.key}"
            raise

    @property
    def meaning(self) -> str:
        """The description of the key: the help, with the options that do the same."""
        same = f"; as {' and '.join(f'`{flag}`' for flag in self.flags)}" if self.flags else ""
        return f"{self.help[0].lower()}{self.help[1:].removesuffix('.')}{same}"


def settings_of(cls: type) -> tuple[Setting, ...]:
    """Return the settings among the fields of a dataclass, in their order: those annotated with a `Setting`."""
    hints = get_type_hints(cls, include_extras=True)
    marks = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return tuple(replace(mark, name=name) for name, found in marks.items() for mark in found)
