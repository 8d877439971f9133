"""Migrates one repository from end to end: checks it out, rewrites, verifies, commits and publishes."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from unplace.batch.describing import TITLE, body, message
from unplace.batch.job import Job, configuration_of
from unplace.batch.observing import observed
from unplace.batch.origin import Origin, SkipError, opened
from unplace.batch.outcome_records import error_records, file_records
from unplace.batch.publishing import BRANCH, PublishError, open_pull_request
from unplace.batch.records import RepositoryRecord, Result, VerificationRecord
from unplace.batch.repository_files import RepositoryFiles
from unplace.batch.standing import Meter
from unplace.batch.state_folder import replace_file
from unplace.batch.store import Store
from unplace.batch.verifying import Place, verified
from unplace.config.configuration import ConfigurationError
from unplace.config.options import from_words
from unplace.files.git import GitError
from unplace.files.keys import key_of
from unplace.observation.facts import Observations
from unplace.reporting.diff import patch
from unplace.runs.outcome import Outcome


def migrate(job: Job, meter: Meter) -> RepositoryRecord:
    """Migrate a repository and return its record; called again after being killed, it comes to the same end.

    The process must have nothing else to do: its current folder changes. `meter` notes how far the work is.
    """
    start = time.monotonic()
    migration = _Migration(job, meter, RepositoryRecord(job.name, job.target, Result.UNCHANGED))
    try:
        # The store first: a process that was given up, but still works on this repository, has it open.
        with closing(Store(job.store)) as store, _working_folder(job):
            migration.run(store)
    except SkipError as error:
        migration.note(result=Result.SKIPPED, reason=str(error))
    except (GitError, ConfigurationError, PublishError) as error:
        migration.note(result=Result.FAILED, reason=str(error))
    return replace(migration.record, seconds=time.monotonic() - start)


@contextmanager
def _working_folder(job: Job) -> Iterator[None]:
    """Create an empty work folder, also where a killed attempt left files, and delete it at the end of the block."""
    shutil.rmtree(job.work, ignore_errors=True)
    job.work.mkdir(parents=True)
    try:
        yield
    finally:
        os.chdir(job.folder)
        shutil.rmtree(job.work, ignore_errors=True)


@dataclass
class _Migration:
    """The steps of a migration; `record` holds what is known so far."""

    job: Job
    meter: Meter
    record: RepositoryRecord
    calls: Observations | None = None  # those that the repository's own command made

    @property
    def index(self) -> Path:
        """The path of Git's index of the files that are checked out."""
        return self.job.work / "index"

    def note(self, **known: object) -> None:
        """Set fields of the record."""
        self.record = replace(self.record, **known)  # type: ignore[arg-type]

    def run(self, store: Store) -> None:
        """Take all steps."""
        job, dry = self.job, self.job.settings.dry_run
        home = opened(job.target, job.clone)
        if home is not None and not dry:
            home.check_branch(BRANCH, TITLE)
            if not job.identity:
                raise GitError("git doesn't know in whose name to commit: set user.name and user.email")
        tree = self.checked_out(home)
        # A folder outside Git has no name for the state of the files that are not Python's.
        state = home.base if home is not None else str(time.time_ns())
        files, outcomes = self.analysed(store, state)
        outcomes, left_out = self.verified(outcomes, store, key_of(files.digest, state))
        self.note(found=tuple(file_records(outcomes, left_out)))
        changed = [outcome for outcome in outcomes if outcome.change is not None]
        if self.record.result is not Result.MIGRATED or dry:
            return
        if home is None:
            self.note(reason="not a Git repository, so there is a patch and no commit")
            self.write_patch(b"".join(line for o in changed if o.change for line in patch(o.path, o.change, o.edits)))
        else:
            self.publish(home, tree, changed)

    def checked_out(self, home: Origin | None) -> Path:
        """Check out the files, make their folder the current one and return it.

        `UNPLACE_REPOSITORY` tells the repository's own command where the repository itself is.
        """
        tree = Path(self.job.target)
        os.environ["UNPLACE_REPOSITORY"] = str(tree if home is None else home.folder)
        if home is not None:
            tree = self.job.work / _folder_name(self.job.target)
            home.export(tree, self.index)
        os.chdir(tree)
        return tree

    def analysed(self, store: Store, state: str) -> tuple[RepositoryFiles, list[Outcome]]:
        """Return the files, and the outcome of each under the repository's own configuration.

        `state` identifies the contents of the files that aren't Python's.
        """
        choice, told = self.job.settings.choice, configuration_of(Path.cwd())
        text = "" if told.path is None else Path(told.path).read_text("utf-8")
        files = RepositoryFiles.found(told.exclude, key_of(repr(choice), text))
        options = from_words(told.options, choice)
        settings = self.job.settings
        if settings.observe and settings.verify_command:
            given = key_of(files.digest, state)
            facts = observed(settings.verify_command, settings.timeout, files.paths, store, given, self.meter)
            if options.facts is not None:
                facts.add(options.facts)
            options, files = replace(options, facts=facts), files.under(repr(facts.by_file))
            self.calls = facts if find_spec("torch") is not None else None
        outcomes = files.outcomes(options, self.job.jobs, store, self.meter.files)
        problems = [*files.problems, *(outcome.problem for outcome in outcomes if outcome.problem is not None)]
        self.note(files=len(files.paths), lines=files.lines, errors=tuple(error_records(problems)))
        return files, outcomes

    def verified(self, outcomes: list[Outcome], store: Store, given: str) -> tuple[list[Outcome], frozenset[Place]]:
        """Return the outcomes without the rewrites that fail the repository's command, and the places of those.

        The command isn't run again where the store has its verdict for the same `given`, a key of the files.
        """
        settings = self.job.settings
        changed = [outcome for outcome in outcomes if outcome.change is not None]
        if changed:
            self.note(result=Result.MIGRATED)
        if not settings.verify_command:
            return outcomes, frozenset()
        if not changed:
            self.note(verification=VerificationRecord(settings.verify_command, "not run"))
            return outcomes, frozenset()
        given = key_of(given, repr(self.calls))
        found = verified(changed, settings.verify_command, settings.timeout, store, given, self.meter, self.calls)
        self.note(verification=found.record)
        if found.obstacle is not None:
            self.note(result=Result.SKIPPED, reason=f"nothing can be verified: {found.obstacle}")
        elif not any(outcome.change is not None for outcome in found.changed):
            self.note(result=Result.REJECTED, reason=f"`{settings.verify_command}` fails with each of the rewrites")
        after = {outcome.path: outcome for outcome in found.changed}
        return [after.get(outcome.path, outcome) for outcome in outcomes], found.left_out

    def publish(self, home: Origin, tree: Path, changed: Sequence[Outcome]) -> None:
        """Commit the changes and write the patch; push the branch and open a pull request where the settings say so."""
        settings, verification = self.job.settings, self.record.verification
        for outcome in changed:
            assert outcome.change is not None
            Path(outcome.path).write_bytes(outcome.change.after.data)
        paths = [outcome.path for outcome in changed]
        commit = home.commit(tree, self.index, paths, message(changed, verification), self.job.identity)
        commit = home.set_branch(BRANCH, commit, TITLE)
        self.note(branch=BRANCH, commit=commit)
        self.write_patch(home.patch(commit))
        if settings.push:
            home.push(BRANCH)
        if settings.open_pr_command is not None:
            text = self.job.work / "body.md"
            text.write_text(body(changed, verification), "utf-8")
            fields = {"commit": commit, "patch": str(self.job.patch), "name": self.job.name, "target": self.job.target}
            open_pull_request(settings.open_pr_command, home, text, fields)

    def write_patch(self, data: bytes) -> None:
        """Write the patch whole or not at all."""
        replace_file(self.job.patch, data)
        self.note(patch=str(self.job.patch))


def _folder_name(target: str) -> str:
    """Return the last part of a target: a package at the top of a repository is imported by its folder's name."""
    return re.split(r"[/:\\]", target.rstrip("/\\"))[-1].removesuffix(".git") or "repository"
