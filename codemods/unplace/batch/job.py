"""A job: what is to be done with one repository, as plain values that go to another process or machine as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from unplace.batch.state_folder import PROGRESS, WORK
from unplace.config.configuration import NAMES, Configuration, load

TIMEOUT = 3600.0
"""The default limit in seconds for one run of a verification command."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings for all repositories of a run; `timeout` is in seconds, for one run of the verification command.

    `choice` is what the command line says of the rules, in its words; it goes before a repository's configuration. With
    `observe`, the verification command is run under observation first, and what it shows is evidence.
    """

    dry_run: bool = False
    verify_command: str | None = None
    timeout: float = TIMEOUT
    push: bool = False
    open_pr_command: str | None = None
    choice: Mapping[str, Any] = field(default_factory=dict)
    observe: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One repository of a run. `folder` is the state folder, which all workers must see under this path.

    `identity` are the environment variables that tell Git in whose name to commit; empty where that isn't known.
    """

    name: str
    target: str
    folder: str
    settings: Settings
    jobs: int = 1
    identity: dict[str, str] = field(default_factory=dict)

    @property
    def store(self) -> Path:
        """The path of the database with the outcomes of the repository's files."""
        return Path(self.folder, "files", f"{self.name}.sqlite")

    @property
    def clone(self) -> Path:
        """The folder into which a URL is cloned."""
        return Path(self.folder, "clones", f"{self.name}.git")

    @property
    def work(self) -> Path:
        """The folder for what is needed only during the work."""
        return Path(self.folder, WORK, self.name)

    @property
    def patch(self) -> Path:
        """The path to which the patch is written."""
        return Path(self.folder, "patches", f"{self.name}.patch")

    @property
    def progress(self) -> Path:
        """The path of the file that tells how far the work is."""
        return self.work / PROGRESS


def to_json(value: Job | Settings) -> str:
    """Return a job, or the settings of a run, as JSON."""
    return json.dumps(asdict(value))


def settings_from(text: str) -> Settings:
    """Return the settings that `to_json` turned into this text."""
    return Settings(**json.loads(text))


def job_from(text: str) -> Job:
    """Return the job that `to_json` turned into this text."""
    values = json.loads(text)
    return Job(**{**values, "settings": Settings(**values["settings"])})


def configuration_of(folder: Path) -> Configuration:
    """Return the configuration in a repository's top folder; raise `ConfigurationError` where it isn't valid."""
    for name in NAMES:
        if (folder / name).is_file():
            told = load(str(folder / name))
            if name == "unplace.toml" or told.given:
                return told
    return Configuration()
