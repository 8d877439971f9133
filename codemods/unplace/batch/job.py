"""What is to be done with one repository: plain values, which go to another process or machine as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from unplace.batch.folder import PROGRESS, WORK
from unplace.config.configuration import NAMES, Configuration, load

TIMEOUT = 3600.0
"""Seconds for one run of a verification command, unless something else is said."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for all repositories of a run. `timeout` are the seconds for one run of the verification command.

    `choice` is what the command line says of the rules, in its words; it goes before a repository's configuration.
    """

    dry_run: bool = False
    verify_command: str | None = None
    timeout: float = TIMEOUT
    push: bool = False
    open_pr_command: str | None = None
    choice: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """One repository of a run. `folder` is the state folder, which all workers must see under this path.

    `identity` are Git's variables that say in whose name to commit; none where nobody knows.
    """

    name: str
    target: str
    folder: str
    settings: Settings
    jobs: int = 1
    identity: dict[str, str] = field(default_factory=dict)

    @property
    def store(self) -> Path:
        """The database of what is known of the files."""
        return Path(self.folder, "files", f"{self.name}.sqlite")

    @property
    def clone(self) -> Path:
        """Where a URL is cloned to."""
        return Path(self.folder, "clones", f"{self.name}.git")

    @property
    def work(self) -> Path:
        """The folder for what is there during the work only."""
        return Path(self.folder, WORK, self.name)

    @property
    def patch(self) -> Path:
        """Where the patch is written."""
        return Path(self.folder, "patches", f"{self.name}.patch")

    @property
    def progress(self) -> Path:
        """The file that says how many files are done, and of how many."""
        return self.work / PROGRESS


def to_json(value: Job | Settings) -> str:
    """A job, or the settings of a run, as JSON."""
    return json.dumps(asdict(value))


def settings_from(text: str) -> Settings:
    """The settings that `to_json` made this of."""
    return Settings(**json.loads(text))


def job_from(text: str) -> Job:
    """The job that `to_json` made this of."""
    values = json.loads(text)
    return Job(**{**values, "settings": Settings(**values["settings"])})


def configuration_of(folder: Path) -> Configuration:
    """The configuration in the top folder of a repository; raises `ConfigurationError` where it can't be understood."""
    for name in NAMES:
        if (folder / name).is_file():
            told = load(str(folder / name))
            if name == "unplace.toml" or told.given:
                return told
    return Configuration()
