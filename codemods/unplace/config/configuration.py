"""The configuration file: `[tool.unplace]` of a `pyproject.toml`, or a whole `unplace.toml`.

The first folder from the working folder upwards that has one of them decides for the run; in one folder `unplace.toml`
wins. Paths and patterns in it count from its own folder.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unplace.config.selection import guess, parse_codes, parse_harms, parse_release
from unplace.diagnostics.findings import Harm
from unplace.files.globs import is_valid
from unplace.files.patterns import Patterns
from unplace.files.presence import is_there
from unplace.rules import codes
from unplace.torchapi.releases import Release

NAMES = ("unplace.toml", "pyproject.toml")


class ConfigurationError(Exception):
    """What is wrong with a configuration file: `path: what, and what to do`."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a configuration file says; `None` where it says nothing. `given` are its keys as written."""

    path: str | None = None
    given: frozenset[str] = frozenset()
    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    only: frozenset[Harm] | None = None
    exclude: Patterns | None = None
    per_file_ignores: tuple[tuple[Patterns, frozenset[str]], ...] = ()
    unsafe: bool = False
    preserve_dtype: bool = False
    target_torch: Release | None = None


def find(folder: Path) -> str | None:
    """The configuration file that holds in a folder."""
    for parent in (folder, *folder.parents):
        for name in NAMES:
            path = parent / name
            if is_there(path) and path.is_file() and (name == "unplace.toml" or _has_section(path)):
                return str(path)
    return None


def _has_section(path: Path) -> bool:
    data = _contents(str(path))
    return b"unplace" in data and "unplace" in _parsed(str(path), data).get("tool", {})


def load(path: str) -> Configuration:
    """Read a configuration file; raises `ConfigurationError` where it can't be understood."""
    document = _parsed(path, _contents(path))
    where = path
    if Path(path).name == "pyproject.toml":
        where = f"{path}: [tool.unplace]"
        document = document.get("tool", {}).get("unplace", {})
        if not isinstance(document, dict):
            raise ConfigurationError(f"{where}: must be a table")
    values: dict[str, Any] = {}
    for key, value in document.items():
        if key not in KEYS:
            hint = " Leave out the header `[tool.unplace]` here." if key == "tool" else guess(key, KEYS)
            raise ConfigurationError(f"{where}: unknown key `{key}`.{hint} Known: {', '.join(KEYS)}.")
        try:
            values[key.replace("-", "_")] = KEYS[key].read(value, str(Path(path).absolute().parent))
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"{where}: {key}: {error}") from None
    return Configuration(path, frozenset(document), **values)


def _contents(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot read: {error.strerror}; check the path and its mode bits") from None


def _parsed(path: str, data: bytes) -> dict[str, Any]:
    if sys.version_info >= (3, 11):  # only now: most runs meet no configuration
        import tomllib as toml
    else:
        import tomli as toml

    try:
        document: dict[str, Any] = toml.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, toml.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path}: not valid TOML: {error}; correct it, or run with --isolated") from None
    return document


def _strings(value: object, _: str = "") -> list[str]:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise TypeError('must be a list of strings, such as ["..."]')
    return value


def _codes(value: object, _: str) -> frozenset[str]:
    return parse_codes(_strings(value), codes())


def _harms(value: object, _: str) -> frozenset[Harm]:
    return parse_harms(_strings(value))


def _patterns(value: object, folder: str) -> Patterns:
    return Patterns(folder, tuple(map(_pattern, _strings(value))))


def _pattern(line: str) -> str:
    if not is_valid(line):
        raise ValueError(f"{line} is no pattern, as nothing can match it; correct it, or leave it out")
    return line


def _ignores_by_pattern(value: object, folder: str) -> tuple[tuple[Patterns, frozenset[str]], ...]:
    if not isinstance(value, Mapping):
        raise TypeError('must be a table, such as { "tests/" = ["UNP005"] }')
    return tuple((_patterns([pattern], folder), _codes(ignored, folder)) for pattern, ignored in value.items())


def _truth(value: object, _: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError("must be true or false")
    return value


def _release(value: object, _: str) -> Release:
    if not isinstance(value, str):
        raise TypeError('must be a string, such as "2.1"')
    return parse_release(value)


@dataclass(frozen=True, slots=True)
class Key:
    """How a key's value is read (given the folder of the file), and what people are told of it."""

    read: Callable[[object, str], Any]
    kind: str
    meaning: str


KEYS = {
    "select": Key(_codes, "list of codes or prefixes", "these rules only; as `--select`"),
    "ignore": Key(_codes, "list of codes or prefixes", "not these rules; as `--ignore`"),
    "only": Key(_harms, "list of `harmful`, `unknown`, `harmless`", "operations of this harm only; as `--only`"),
    "exclude": Key(
        _patterns,
        "list of patterns as in `.gitignore`",
        "files to leave out; those that you name are taken, without `--force-exclude`",
    ),
    "per-file-ignores": Key(
        _ignores_by_pattern, "table of patterns with codes", "rules that don't hold in these files"
    ),
    "unsafe": Key(_truth, "true or false", "take edits that rest on an assumption, too; as `--unsafe` and `--safe`"),
    "preserve-dtype": Key(
        _truth,
        "true or false",
        "cast results back wherever their dtype isn't known to stay; as `--preserve-dtype` and `--no-preserve-dtype`",
    ),
    "target-torch": Key(
        _release, "version, as a string", "the oldest torch that rewritten code has to run on; as `--target-torch`"
    ),
}


def shown(configuration: Configuration) -> list[tuple[str, str]]:
    """Each key with its value as TOML has it; without one where there is no such limit."""
    lines = []
    for key in KEYS:
        value = getattr(configuration, key.replace("-", "_"))
        lines.append((key, "" if value is None else _as_toml(value)))
    return lines


def _as_toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Release):
        return _quoted(str(value))
    if isinstance(value, Patterns):
        return _as_list(value.lines)
    if isinstance(value, tuple):
        rows = (f"{_quoted(patterns.lines[0])} = {_as_list(sorted(ignored))}" for patterns, ignored in value)
        return f"{{ {', '.join(rows)} }}" if value else "{}"
    return _as_list(sorted(part.value if isinstance(part, Harm) else part for part in value))


def _as_list(parts: Any) -> str:
    return f"[{', '.join(map(_quoted, parts))}]"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
