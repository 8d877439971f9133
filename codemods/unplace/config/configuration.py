"""Reads the configuration file: `[tool.unplace]` of a `pyproject.toml`, or a whole `unplace.toml`.

The search goes from the folder of a file upwards, and the first folder with one of them decides; `unplace.toml` takes
precedence in a folder with both. Paths and patterns in the file count from its own folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from unplace.config.kinds import Files, Place
from unplace.config.options import SETTINGS, Options
from unplace.config.selection import guess
from unplace.config.settings import Setting, settings_of
from unplace.files.patterns import Patterns
from unplace.files.presence import is_there

NAMES = ("unplace.toml", "pyproject.toml")


class ConfigurationError(Exception):
    """Raised for an invalid configuration file; the message is `path: problem, and what to do`."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The content of a configuration file. `given` are its keys as written; for the others, the defaults hold."""

    path: str | None = None
    given: frozenset[str] = frozenset()
    exclude: Annotated[
        Patterns | None,
        Setting(Files(), "Files to leave out; those that you name are taken, without `--force-exclude`.", narrows=True),
    ] = None
    baseline: Annotated[
        str | None, Setting(Place(), "The findings that `check` leaves out, as it wrote them.", narrows=True)
    ] = None
    options: Options = field(default_factory=Options)


def find(folder: Path) -> str | None:
    """Return the configuration file that holds in a folder, or None."""
    return next((path for parent in (folder, *folder.parents) if (path := in_folder(str(parent))) is not None), None)


def in_folder(folder: str) -> str | None:
    """Return the configuration file that lies in a folder itself, or None."""
    for name in NAMES:
        path = Path(folder, name)
        if is_there(path) and path.is_file() and (name == "unplace.toml" or _has_section(path)):
            return str(path)
    return None


def _has_section(path: Path) -> bool:
    data = _contents(str(path))
    return b"unplace" in data and "unplace" in _parsed(str(path), data).get("tool", {})


def load(path: str) -> Configuration:
    """Read a configuration file; raise `ConfigurationError` where it is invalid."""
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
            values[KEYS[key].name] = KEYS[key].kind.from_toml(value, str(Path(path).absolute().parent))
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"{where}: {key}: {error}") from None
    own = {each.name: values.pop(each.name, None) for each in settings_of(Configuration)}
    return Configuration(path, frozenset(document), options=Options(**values), **own)


def _contents(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot read: {error.strerror}; check the path and its mode bits") from None


def _parsed(path: str, data: bytes) -> dict[str, Any]:
    from unplace.text import toml  # only now: most runs meet no configuration

    try:
        document: dict[str, Any] = toml.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, toml.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path}: not valid TOML: {error}; correct it, or run with --isolated") from None
    return document


KEYS = {
    each.key: each
    for each in sorted((*settings_of(Configuration), *SETTINGS), key=lambda each: (not each.narrows, not each.flags))
}


def shown(configuration: Configuration) -> list[tuple[str, str]]:
    """Return each key with its value in TOML; an empty string stands for no limit."""
    lines = []
    for key, declared in KEYS.items():
        owner = configuration.options if declared in SETTINGS else configuration
        value = getattr(owner, declared.name)
        lines.append((key, "" if value is None else declared.kind.as_toml(value)))
    return lines
