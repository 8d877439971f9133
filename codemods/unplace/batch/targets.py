"""Targets: the repositories to migrate, from the command line and from list files.

A list file has one repository per line, in the words of a shell:

    # models
    ../detector                 verify-command="pytest -q tests"  timeout=600
    ../segmenter                verify-command=""
    https://example.org/speech.git

Paths count from the folder of the file. `verify-command` and `timeout` (seconds for one run of the command) go before
those of the command line; an empty command means none. Empty lines and lines that begin with `#` say nothing.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from unplace.batch.origin import is_url

KEYS = ("verify-command", "timeout")


class TargetError(Exception):
    """Raised where a list of targets is wrong; the message says what is wrong, and where."""


@dataclass(frozen=True, slots=True)
class Target:
    """A repository to migrate: a folder (as an absolute path) or a URL, its name, and the settings of its own."""

    location: str
    name: str
    verify_command: str | None = None
    timeout: float | None = None


def targets(locations: Iterable[str], lists: Iterable[Path]) -> list[Target]:
    """Return the targets of the command line, then those of the list files, each under a name of its own.

    Raises `TargetError` where a list can't be read or names something twice.
    """
    here = Path.cwd()
    wanted: dict[str, Target] = {}
    for location in locations:
        _add(wanted, _target([location], here), location)
    for path in lists:
        for where, words in _lines(path):
            try:
                _add(wanted, _target(words, path.absolute().parent), words[0])
            except TargetError as error:  # noqa: PERF203
                raise TargetError(f"{where}: {error}") from None
    return list(_named(wanted.values()))


def positive(text: str) -> float:
    """Return a positive number from its text; raise `TargetError` for anything else."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise TargetError(f"{text} is not a positive number")
    return number


def _lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield `FILE:LINE` and the words of each line that has words."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise TargetError(f"{path}: cannot read: {error.strerror}; check the path") from None
    except UnicodeDecodeError:
        raise TargetError(f"{path}: is not UTF-8") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            yield f"{path}:{number}", shlex.split(line)
        except ValueError as error:
            raise TargetError(f"{path}:{number}: {error}") from None


def _target(words: list[str], folder: Path) -> Target:
    location, *settings = words
    if not location:
        raise TargetError("a target is empty; write `.` for this folder")
    given: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or key not in KEYS:
            raise TargetError(f"`{setting}` isn't one of {', '.join(f'{key}=...' for key in KEYS)}")
        given[key] = value
    timeout = positive(given["timeout"]) if "timeout" in given else None
    if not is_url(location):
        location = os.path.normpath(folder / Path(location).expanduser())
    return Target(location, "", given.get("verify-command"), timeout)


def _add(wanted: dict[str, Target], target: Target, written: str) -> None:
    place = target.location if is_url(target.location) else os.path.realpath(target.location)
    if place in wanted:
        raise TargetError(f"{written} is there twice; name each repository once")
    wanted[place] = target


def _named(wanted: Iterable[Target]) -> Iterator[Target]:
    """Yield the targets with names that are valid file names: the last part of the location, numbered if it recurs."""
    taken: set[str] = set()
    for target in wanted:
        last = re.split(r"[/:\\]", target.location.rstrip("/\\"))[-1].removesuffix(".git")
        stem = re.sub(r"[^\w.+-]", "-", last).lstrip(".-") or "repository"
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        yield Target(target.location, name, target.verify_command, target.timeout)
