"""Implements `unplace migrate`: rewrites many repositories, each on a branch of its own."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unplace.batch.records import Result
from unplace.cli.files import print_error
from unplace.cli.options import NOTHING, Chosen, fail, takes_settings
from unplace.cli.parsing import Command

if TYPE_CHECKING:
    from unplace.batch.job import Settings
    from unplace.batch.run_state import RunState
    from unplace.batch.targets import Target

app = typer.Typer(add_completion=False, rich_markup_mode=None)

STATE = "unplace-migrate"
_PASSING = "unplace-dry-run-"
REPORTS = (".html", ".jsonl", ".md")

EXAMPLES = """
\b
Examples:
  unplace migrate --dry-run --report report.html ~/src/*    show what would change in each repository
  unplace migrate ~/src/* --verify-command "pytest -q"      commit the edits with which the tests pass
  unplace migrate ~/src/* --verify-command "pytest -q" --observe    also edits that the tests show to be right
  unplace migrate --from-file repositories.txt              with a command and a time limit for each
  unplace migrate --resume                                  go on after an interruption
  unplace migrate --status                                  how far it is
  unplace migrate --from-file repositories.txt --engine dask --address tcp://10.0.0.1:8786

\b
Exit codes:
  0  every repository is migrated, or has nothing to rewrite
  1  some were skipped, or no edit in them passed the verification
  2  some could not be handled, or the command line is wrong
"""

_Engine = tuple[str, str | None, str | None]
"""The engine's name, address, and number of processes, as given."""

Targets = Annotated[
    list[str] | None, typer.Argument(metavar="TARGETS", help="Repositories: folders, or URLs as git takes them.")
]
FromFile = Annotated[
    list[str] | None, typer.Option("--from-file", metavar="FILE", help="Take targets from a file, one per line.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing but the report.")]
VerifyCommand = Annotated[
    str | None,
    typer.Option(metavar="COMMAND", help="Run a command, such as the tests, before and after; keep only what holds."),
]
Timeout = Annotated[
    str | None, typer.Option(metavar="SECONDS", help="Time for one run of the command.  [default: 3600]")
]
Push = Annotated[bool, typer.Option("--push", help="Push the branches to their remotes.")]
OpenPr = Annotated[
    str | None,
    typer.Option(metavar="TEMPLATE", help="Run this for each commit, with {branch}, {title}, {body_file} filled in."),
]
Report = Annotated[
    list[str] | None, typer.Option(metavar="FILE", help="Write a report: .html, .jsonl or .md, as often as you like.")
]
Observe = Annotated[
    bool,
    typer.Option("--observe", help="Run the command under observation first, and take what it shows as evidence."),
]
StateFolder = Annotated[
    str | None,
    typer.Option(
        "--state",
        metavar="FOLDER",
        help=f"Where the run keeps what it knows, and its patches.  [default: {STATE}; a dry run keeps nothing]",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the run in the state folder.")]
Status = Annotated[bool, typer.Option("--status", help="Say how far the run in the state folder is.")]
EngineName = Annotated[str, typer.Option("--engine", metavar="local|dask|ray", help="The engine that does the work.")]
Address = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Where the Dask scheduler or Ray cluster is.")]
Jobs = Annotated[
    str | None, typer.Option(metavar="N", help="Processes of the local engine.  [default: one per processor]")
]


@app.command(cls=Command, epilog=EXAMPLES)
@takes_settings()
def migrate(
    targets: Targets = None,
    from_file: FromFile = None,
    dry_run: DryRun = False,
    verify_command: VerifyCommand = None,
    timeout: Timeout = None,
    observe: Observe = False,
    push: Push = False,
    open_pr_command: OpenPr = None,
    report: Report = None,
    chosen: Chosen = NOTHING,
    state: StateFolder = None,
    resume: Resume = False,
    status: Status = False,
    engine: EngineName = "local",
    address: Address = None,
    jobs: Jobs = None,
) -> None:
    """Rewrite many repositories, each on a branch `unplace/migrate` of its own.

    Each repository's last commit is checked out elsewhere, rewritten as by `unplace rewrite` and its own configuration,
    verified, and committed on the branch; a patch is written, too. With --only harmful, only what `unplace check` lists
    is repaired. Your checkouts and uncommitted changes are never touched.
    """
    reports = [_report(path) for path in report or []]
    wanted = _wanted(targets, from_file)
    run = _settings(
        dry_run=dry_run,
        verify_command=verify_command,
        timeout=timeout,
        observe=observe,
        push=push,
        open_pr_command=open_pr_command,
        chosen=chosen,
    )
    _check_usage(wanted, run, (engine, address, jobs), resume=resume, status=status)
    if status:
        _print_status(Path(state or STATE).absolute())
        return
    from unplace.batch.run_state import StateError

    try:
        with _folder(state, is_passing=dry_run and engine == "local") as folder:
            code = _migrate(folder, wanted, run, (engine, address, jobs), reports, resume=resume)
    except StateError as error:
        fail(f"unplace migrate: {error}")
    raise typer.Exit(code)


@contextlib.contextmanager
def _folder(named: str | None, *, is_passing: bool) -> Iterator[Path]:
    """Provide the state folder; where none is named, one that is passing goes with the block."""
    if is_passing and named is None:
        import tempfile  # takes a while, and most runs need none

        with tempfile.TemporaryDirectory(prefix=_PASSING, ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    else:
        yield Path(named or STATE).absolute()


def _report(path: str) -> Path:
    """Return the path of a report; end the command now if the report could not be written at the end of the run."""
    if Path(path).suffix not in REPORTS:
        raise typer.BadParameter(f"{path} ends in none of {', '.join(REPORTS)}.", param_hint="--report")
    if not Path(path).parent.is_dir():
        raise typer.BadParameter(f"{Path(path).parent} is no folder.", param_hint="--report")
    if Path(path).suffix == ".html":
        try:
            importlib.import_module("unplace.reporting.page")
        except ImportError as error:
            fail(f"unplace migrate: {error}")
    return Path(path)


def _wanted(locations: Sequence[str] | None, lists: Sequence[str] | None) -> list[Target]:
    from unplace.batch.targets import TargetError, targets

    try:
        return targets(locations or [], map(Path, lists or []))
    except TargetError as error:
        fail(f"unplace migrate: {error}")


def _settings(
    *,
    dry_run: bool,
    verify_command: str | None,
    timeout: str | None,
    observe: bool,
    push: bool,
    open_pr_command: str | None,
    chosen: Chosen,
) -> Settings:
    """Return the settings of the run; raise `BadParameter` for invalid ones."""
    from unplace.batch.job import TIMEOUT, Settings
    from unplace.batch.publishing import FIELDS, unknown_fields
    from unplace.batch.targets import TargetError, positive
    from unplace.config.options import Options, from_words
    from unplace.config.selection import SelectionError

    if dry_run and (push or open_pr_command is not None):
        raise typer.BadParameter("makes no commits to push or propose.", param_hint="--dry-run")
    try:
        unknown = unknown_fields(open_pr_command or "")
    except ValueError as error:
        raise typer.BadParameter(
            f"{error} (a brace itself is written twice).", param_hint="--open-pr-command"
        ) from None
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise typer.BadParameter(f"{{{unknown[0]}}} isn't one of {known}.", param_hint="--open-pr-command")
    try:
        from_words(Options(), chosen)
        seconds = TIMEOUT if timeout is None else positive(timeout)
    except (SelectionError, TargetError) as error:
        raise typer.BadParameter(str(error)) from None
    return Settings(dry_run, verify_command, seconds, push, open_pr_command, dict(chosen), observe)


def _check_usage(
    wanted: Sequence[Target],
    chosen: Settings,
    engine: _Engine,
    *,
    resume: bool,
    status: bool,
) -> None:
    """Raise `BadParameter` for targets and options that don't go together."""
    from unplace.batch.engines import ENGINES
    from unplace.batch.job import Settings

    name, address, jobs = engine
    if name not in ENGINES:
        raise typer.BadParameter(f"{name} isn't one of {', '.join(ENGINES)}.", param_hint="--engine")
    if name == "local" and address is not None:
        raise typer.BadParameter("only goes with --engine dask or ray.", param_hint="--address")
    if jobs is not None and not (jobs.isdecimal() and int(jobs)):
        raise typer.BadParameter(f"{jobs} is not a number of processes (1 or more).", param_hint="--jobs")
    if (resume or status) and (wanted or chosen != Settings()):
        option = "--resume" if resume else "--status"
        raise typer.BadParameter("takes targets and settings from the run as it was begun.", param_hint=option)
    if chosen.observe and not chosen.verify_command and not any(target.verify_command for target in wanted):
        raise typer.BadParameter("only goes with --verify-command.", param_hint="--observe")
    if not (resume or status or wanted):
        raise typer.BadParameter("name some repositories, or --from-file, --resume, --status.", param_hint="TARGETS")


def _print_status(folder: Path) -> None:
    from unplace.batch.run_state import RunState, is_active
    from unplace.reporting.migrating import status

    if not Path(folder, "state.sqlite").exists():
        fail(f"unplace migrate: {folder} holds no run; --state names its folder")
    with contextlib.closing(RunState(folder)) as state:
        settings, progress = state.settings(), state.progress()
        for line in status(progress, is_active=is_active(folder), dry_run=settings is not None and settings.dry_run):
            print(line)  # noqa: T201


def _migrate(
    folder: Path,
    wanted: Sequence[Target],
    chosen: Settings,
    engine: _Engine,
    reports: Sequence[Path],
    *,
    resume: bool,
) -> int:
    """Run the migration, write its reports and return the exit code."""
    from unplace.batch.run_state import RunState, locked
    from unplace.batch.state_folder import prepare

    prepare(folder)
    with locked(folder), contextlib.closing(RunState(folder)) as state:
        settings = _begun(state, wanted, chosen, resume=resume)
        try:
            _run(state, settings, engine)
        except KeyboardInterrupt:
            print_error(f"Interrupted{_how_to_go_on(settings, folder)}.")
            return 130
        for path in reports:
            _write_report(path, state, dry_run=settings.dry_run)
        results = state.progress().results
    return _exit_code(results)


def _how_to_go_on(settings: Settings, folder: Path) -> str:
    if settings.dry_run and folder.name.startswith(_PASSING):
        return "; nothing is kept of a dry run without --state"
    return "; `unplace migrate --resume` goes on"


def _begun(state: RunState, wanted: Sequence[Target], chosen: Settings, *, resume: bool) -> Settings:
    """Begin a new run, or resume one, and return its settings."""
    from unplace.batch.run_state import StateError

    known = state.settings()
    if resume:
        if known is None:
            raise StateError(f"{state.folder} holds no run that could go on; --state names its folder")
        state.take_up()
        return known
    if known is not None and (left := len(state.open_targets())):
        progress = state.progress()
        raise StateError(
            f"{state.folder} holds a run with {left} of {progress.total} repositories to do: go on with --resume, "
            "name another folder with --state, or delete it"
        )
    state.begin(chosen, wanted)
    return chosen


def _run(state: RunState, settings: Settings, engine: _Engine) -> None:
    """Migrate the repositories that are still open, and show the progress."""
    from unplace.batch import engines
    from unplace.batch.dispatch import dispatch
    from unplace.reporting.migrating import displayed, summary
    from unplace.runs.many import processors

    name, address, jobs = engine
    processes = int(jobs) if jobs else processors()
    try:
        with (
            engines.engine(name, address, processes) as hands,
            displayed(dry_run=settings.dry_run) as display,
        ):
            for record in dispatch(state, hands, settings):
                progress = state.progress()
                if record is not None:
                    display.show(record, progress)
                display.update(progress)
    except engines.EngineError as error:
        fail(f"unplace migrate: {error}{_how_to_go_on(settings, state.folder)}")
    print_error(f"{summary(state.progress(), dry_run=settings.dry_run)}.")


def _write_report(path: Path, state: RunState, *, dry_run: bool) -> None:
    if path.suffix == ".html":
        from unplace.reporting.page import write_page

        write_page(state.records(), path, dry_run=dry_run)
        return
    from unplace.reporting.migration import json_lines, markdown

    if path.suffix == ".md":
        path.write_text(markdown(state.records(), dry_run=dry_run), "utf-8")
        return
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in json_lines(state.records(), dry_run=dry_run))


def _exit_code(results: Iterable[Result]) -> int:
    found = set(results)
    if Result.FAILED in found:
        return 2
    return 1 if found & {Result.REJECTED, Result.SKIPPED} else 0
