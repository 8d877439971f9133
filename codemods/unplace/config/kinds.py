"""Defines the kinds of values that settings have: how each is read and written, wherever a setting is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from unplace.config.selection import SelectionError, listed, parse_codes, parse_harms, parse_release
from unplace.diagnostics.findings import Harm
from unplace.files.globs import is_valid
from unplace.files.patterns import Patterns
from unplace.observation.facts import FactsError, Observations, read
from unplace.rules import codes
from unplace.torchapi.releases import Release

T = TypeVar("T")

Auto = Literal["auto"]
AUTO: Auto = "auto"
"""The value of a flag that each file decides by itself."""


class Kind(ABC, Generic[T]):
    """Reads and writes the values of a setting; raises `TypeError` or `ValueError` for an invalid one.

    `words` describe the values of a configuration file. Values that name rules apply file by file (`Options.wanted`).
    """

    words: ClassVar[str]
    names_rules: ClassVar[bool] = False

    @abstractmethod
    def from_toml(self, value: object, folder: str) -> T:
        """Read the value of a key of a configuration file in `folder`."""

    @abstractmethod
    def as_toml(self, value: T) -> str:
        """Write a value as a configuration file has it."""


class Given(Kind[T]):
    """A kind of value that the command line and callers in Python can give, too.

    On the command line, `metavar` stands for the value, and `choices` are the words that it consists of; flags have
    neither.
    """

    metavar: ClassVar[str | None] = None
    is_list: ClassVar[bool] = False

    def choices(self) -> tuple[str, ...]:
        """Return the words that a value is made of, where there is a choice of them."""
        return ()

    @abstractmethod
    def from_words(self, given: Any) -> T:
        """Read the value that the command line gives: a bool for a flag, a string, or, for lists, strings."""

    @abstractmethod
    def from_python(self, name: str, given: Any) -> T:
        """Read the value that a caller gives for the argument `name`."""


class Flag(Given[T]):
    """A kind of value that an option without a value gives; `off` is the name of its negation on the command line."""

    def __init__(self, off: str | None = None) -> None:
        self.off = off


class Truth(Flag[bool]):
    """A flag."""

    words = "true or false"

    def from_toml(self, value: object, folder: str) -> bool:
        """Read `true` or `false`."""
        if not isinstance(value, bool):
            raise TypeError("must be true or false")
        return value

    def as_toml(self, value: bool) -> str:
        """Write `true` or `false`."""
        return str(value).lower()

    def from_words(self, given: Any) -> bool:
        """Take the flag as it is."""
        return bool(given)

    def from_python(self, name: str, given: Any) -> bool:
        """Take the truth of an argument."""
        return bool(given)


class Decision(Flag["bool | Auto"]):
    """A flag that each file decides by itself as long as nobody gives it."""

    words = 'true, false or "auto"'

    def from_toml(self, value: object, folder: str) -> bool | Auto:
        """Read `true`, `false` or `"auto"`."""
        if value == AUTO:
            return AUTO
        if not isinstance(value, bool):
            raise TypeError('must be true, false or "auto"')
        return value

    def as_toml(self, value: bool | Auto) -> str:
        """Write `true`, `false` or `"auto"`."""
        return _quoted(AUTO) if value == AUTO else str(value).lower()

    def from_words(self, given: Any) -> bool:
        """Take the flag as it is."""
        return bool(given)

    def from_python(self, name: str, given: Any) -> bool | Auto:
        """Take `"auto"`, or the truth of an argument."""
        return AUTO if given == AUTO else bool(given)


class Version(Given["Release | None"]):
    """A release of torch, `"2.1"`."""

    words = "version, as a string"
    metavar = "VERSION"

    def from_toml(self, value: object, folder: str) -> Release:
        """Read a string."""
        if not isinstance(value, str):
            raise TypeError('must be a string, such as "2.1"')
        return parse_release(value)

    def as_toml(self, value: Release | None) -> str:
        """Write a string."""
        return _quoted(str(value))

    def from_words(self, given: Any) -> Release:
        """Read a text."""
        return parse_release(given)

    def from_python(self, name: str, given: Any) -> Release:
        """Read a text."""
        if not isinstance(given, str):
            raise TypeError(f'{name} must be a text such as "2.1", not {given!r}')
        return parse_release(given)


class Codes(Given["frozenset[str] | None"]):
    """Rules, by their codes or prefixes of these."""

    words = "list of codes or prefixes"
    names_rules = True
    metavar = "CODE,..."
    is_list = True

    def choices(self) -> tuple[str, ...]:
        """Return the codes of all rules."""
        return codes()

    def from_toml(self, value: object, folder: str) -> frozenset[str]:
        """Read a list of strings."""
        return parse_codes(_strings(value), codes())

    def as_toml(self, value: frozenset[str] | None) -> str:
        """Write a sorted list."""
        return _as_list(sorted(value or ()))

    def from_words(self, given: Any) -> frozenset[str]:
        """Read texts such as `UNP001,UNP003`."""
        return parse_codes(given, codes())

    def from_python(self, name: str, given: Any) -> frozenset[str]:
        """Read a list of texts."""
        return parse_codes(listed(name, given, "UNP001"), codes())


class Harms(Given["frozenset[Harm] | None"]):
    """Kinds of harm."""

    words = "list of `harmful`, `possible`, `harmless`"
    metavar = "HARM,..."
    is_list = True

    def choices(self) -> tuple[str, ...]:
        """Return the words for all kinds of harm."""
        return tuple(harm.value for harm in Harm)

    def from_toml(self, value: object, folder: str) -> frozenset[Harm]:
        """Read a list of strings."""
        return parse_harms(_strings(value))

    def as_toml(self, value: frozenset[Harm] | None) -> str:
        """Write a sorted list."""
        return _as_list(sorted(harm.value for harm in value or ()))

    def from_words(self, given: Any) -> frozenset[Harm]:
        """Read texts such as `harmful,possible`."""
        return parse_harms(given)

    def from_python(self, name: str, given: Any) -> frozenset[Harm]:
        """Read a list of texts."""
        return parse_harms(listed(name, given, "harmful"))


class ModelFiles(Given["tuple[tuple[str, str], ...]"]):
    """What functions and layers of libraries do, by the paths and texts of the files that say so."""

    words = "list of paths of files"
    metavar = "FILE,..."
    is_list = True

    def from_toml(self, value: object, folder: str) -> tuple[tuple[str, str], ...]:
        """Read the files at paths from the folder of the configuration file."""
        return _models(Path(folder, path) for path in _strings(value))

    def as_toml(self, value: tuple[tuple[str, str], ...]) -> str:
        """Write the paths."""
        return _as_list([path for path, _ in value])

    def from_words(self, given: Any) -> tuple[tuple[str, str], ...]:
        """Read the files at paths such as `mmcv.toml,own.toml`."""
        try:
            return _models(Path(path.strip()) for each in given for path in each.split(","))
        except ValueError as error:
            raise SelectionError(str(error)) from None

    def from_python(self, name: str, given: Any) -> tuple[tuple[str, str], ...]:
        """Read the files at paths."""
        return _models(map(Path, listed(name, given, "mmcv.toml")))


def _models(paths: Iterable[Path]) -> tuple[tuple[str, str], ...]:
    """Return the paths and texts of files of models; raise `ValueError` for what isn't one."""
    from unplace.analysis.effects.model_files import ModelsError, known_libraries  # only now: most runs are given none

    try:
        files = tuple((str(path), path.read_text("utf-8")) for path in paths)
        known_libraries(files)
    except OSError as error:
        raise ValueError(f"{error.filename}: cannot read: {error.strerror}") from None
    except ModelsError as error:
        raise ValueError(str(error)) from None
    return files


class FactsFile(Given["Observations | None"]):
    """Facts from runs of the program, by the file that `unplace observe` wrote."""

    words = "path of a file"
    metavar = "FILE"

    def from_toml(self, value: object, folder: str) -> Observations:
        """Read the file at a path from the folder of the configuration file; before the first run there is none."""
        if not isinstance(value, str):
            raise TypeError('must be a string, such as "unplace-facts.json"')
        path = Path(folder, value)
        return read(path) if path.exists() else Observations(folder, str(path))

    def as_toml(self, value: Observations | None) -> str:
        """Write the path."""
        return _quoted(value.path if value is not None else "")

    def from_words(self, given: Any) -> Observations:
        """Read the file at a path."""
        try:
            return read(Path(given))
        except FactsError as error:
            raise SelectionError(str(error)) from None

    def from_python(self, name: str, given: Any) -> Observations:
        """Read the file at a path."""
        return read(Path(given))


class Place(Kind["str | None"]):
    """A file, by its path."""

    words = "path of a file"

    def from_toml(self, value: object, folder: str) -> str:
        """Read a path from the folder of the configuration file."""
        if not isinstance(value, str):
            raise TypeError('must be a string, such as "unplace-baseline.json"')
        return str(Path(folder, value))

    def as_toml(self, value: str | None) -> str:
        """Write the path."""
        return _quoted(value or "")


class Files(Kind["Patterns | None"]):
    """Files and folders, by patterns that count from the folder of the configuration file."""

    words = "list of patterns as in `.gitignore`"

    def from_toml(self, value: object, folder: str) -> Patterns:
        """Read a list of strings."""
        return Patterns(folder, tuple(map(_pattern, _strings(value))))

    def as_toml(self, value: Patterns | None) -> str:
        """Write a list."""
        return _as_list(value.lines if value is not None else ())


class CodesOfFiles(Kind["tuple[tuple[Patterns, frozenset[str]], ...]"]):
    """Rules for the files that a pattern names."""

    words = "table of patterns with codes"
    names_rules = True

    def from_toml(self, value: object, folder: str) -> tuple[tuple[Patterns, frozenset[str]], ...]:
        """Read a table."""
        if not isinstance(value, Mapping):
            raise TypeError('must be a table, such as { "tests/" = ["UNP005"] }')
        files, rules = Files(), Codes()
        return tuple((files.from_toml([key], folder), rules.from_toml(named, folder)) for key, named in value.items())

    def as_toml(self, value: tuple[tuple[Patterns, frozenset[str]], ...]) -> str:
        """Write a table in one line."""
        rows = (f"{_quoted(patterns.lines[0])} = {_as_list(sorted(named))}" for patterns, named in value)
        return f"{{ {', '.join(rows)} }}" if value else "{}"


def _strings(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise TypeError('must be a list of strings, such as ["..."]')
    return value


def _pattern(line: str) -> str:
    if not is_valid(line):
        raise ValueError(f"{line} is no pattern, as nothing can match it; correct it, or leave it out")
    return line


def _as_list(parts: Any) -> str:
    return f"[{', '.join(map(_quoted, parts))}]"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
