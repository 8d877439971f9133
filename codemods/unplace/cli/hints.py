"""Answers options and commands that other tools have with what does the same here."""

from __future__ import annotations

from pathlib import Path

_EVERYWHERE = {
    "--format": "`--output-format` says how to report.",
    "--reporter": "`--output-format` says how to report.",
    "--outputjson": "`--output-format json` prints JSON.",
    "--json": "`--output-format json` prints JSON.",
    "--sarif": "`--output-format sarif` prints SARIF.",
    "--config-file": "it is called `--config` here.",
    "--no-config": "it is called `--isolated` here.",
    "--project": "it is called `--config` here.",
    "--extend-exclude": "`--exclude` adds to what the configuration excludes.",
    "--extend-select": "`--select` names all rules of the run.",
    "--disable": "it is called `--ignore` here.",
    "--enable": "it is called `--select` here.",
    "--unsafe-fixes": "it is called `--unsafe` here.",
    "--no-unsafe-fixes": "it is called `--safe` here.",
    "--workers": "it is called `--jobs` here.",
    "--threads": "it is called `--jobs` here.",
    "--parallel": "it is called `--jobs` here.",
    "--no-respect-gitignore": "name ignored files to have them taken.",
    "--stdin": "give `-` as the path.",
    "--silent": "it is called `--quiet` here; `> /dev/null` leaves the exit code alone.",
    "-s": "it is called `--quiet` here; `> /dev/null` leaves the exit code alone.",
    "--verbose": "`unplace explain FILE:LINE` says all that is known of a line.",
    "-v": "`unplace explain FILE:LINE` says all that is known of a line.",
    "--color": "set NO_COLOR=1 or FORCE_COLOR=1 in the environment.",
    "--colour": "set NO_COLOR=1 or FORCE_COLOR=1 in the environment.",
    "--no-color": "set NO_COLOR=1 in the environment.",
    "--show-settings": "`unplace config` shows the settings.",
    "--show-files": "`unplace check --output-format json` names all files under `files`.",
    "--new-from-rev": "it is called `--since` here.",
    "--changed-since": "it is called `--since` here.",
    "--version": "`unplace --version` prints the version.",
    "-V": "`unplace --version` prints the version.",
    "-f": "`--output-format` says how to report.",
    "--watch": "`unplace server` shows findings while you type, in an editor.",
    "-w": "`unplace server` shows findings while you type, in an editor.",
    "--include": "name the files and folders; `--exclude` leaves out some of them.",
    "--extend-include": "name the files and folders; `--exclude` leaves out some of them.",
    "--target-version": "`--target-torch` names the oldest torch; Python's version doesn't matter.",
}

_OF_COMMANDS = {
    "check": {
        "--check": "`unplace check` writes nothing, and exits with 1 where it finds something.",
        "--no-fix": "without `--fix` nothing is written.",
        "--fix-only": "it is called `--fix` here.",
        "--write": "it is called `--fix` here.",
        "--add-noqa": "it is called `--add-ignores` here.",
        "--suppress": "it is called `--add-ignores` here.",
        "--exit-non-zero-on-fix": "`unplace check --fix --diff` exits with 1 where something would change.",
        "--stats": "it is called `--statistics` here.",
        "--max-warnings": "`--exit-zero` and a `--baseline` are what there is.",
        "--warnings": "`--all` lists every operation.",
        "--generate-baseline": "it is called `--write-baseline` here.",
        "--writebaseline": "it is called `--write-baseline` here.",
        "--baseline-file": "it is called `--baseline` here.",
        "--baselinefile": "it is called `--baseline` here.",
        "--explain": "`unplace rule CODE` explains a rule, `unplace explain FILE:LINE` an operation.",
        "--dry-run": "`unplace check` writes nothing; `--fix --diff` shows the changes.",
        "--verify": "it is an option of `unplace rewrite`.",
    },
    "rewrite": {
        "--dry-run": "`--diff` shows the changes, `--check` lists them; neither writes anything.",
        "--dryrun": "`--diff` shows the changes, `--check` lists them; neither writes anything.",
        "-n": "`--diff` shows the changes, `--check` lists them; neither writes anything.",
        "--fix": "`unplace rewrite` writes what it can; `--diff` shows it.",
        "--write": "`unplace rewrite` writes what it can; `--diff` shows it.",
        "--write-changes": "`unplace rewrite` writes what it can; `--diff` shows it.",
        "--in-place": "`unplace rewrite` writes what it can; `--diff` shows it.",
        "--inplace": "`unplace rewrite` writes what it can; `--diff` shows it.",
        "-i": "`unplace rewrite` writes what it can; `--diff` shows it.",
        "-w": "`unplace rewrite` writes what it can; `--diff` shows it.",
        "--no-format": "the code around a rewrite is never formatted.",
        "--backup": "`git diff` shows what was changed; `--diff > FILE` keeps a patch.",
        "--output": "`unplace rewrite - < FILE > NEW` reads standard input and writes to another file.",
        "-o": "`unplace rewrite - < FILE > NEW` reads standard input and writes to another file.",
        "--statistics": "`unplace check --statistics` counts the findings by rule.",
        "--add-ignores": "it is an option of `unplace check`.",
        "--exit-zero": "`unplace rewrite` exits with 0 unless `--check` is given.",
    },
    "rule": {"--list": "it is called `--all` here."},
    "explain": {"--line": "write the line behind the file: `unplace explain FILE:LINE`."},
}

_COMMANDS = {
    "fix": "`unplace check --fix` repairs what breaks backward; `unplace rewrite` removes all in-place operations.",
    "format": "`unplace rewrite` repairs files, and formats nothing.",
    "diff": "`unplace check --fix --diff` or `unplace rewrite --diff` shows the changes.",
    "lint": "`unplace check` lists the operations that break backward.",
    "analyze": "`unplace check` lists the operations that break backward.",
    "scan": "`unplace check` lists the operations that break backward.",
    "run": "`unplace diagnose PROGRAM` runs a program and explains its error.",
    "test": "`unplace verify BEFORE AFTER` compares two versions of a file.",
    "help": "`unplace --help` lists the commands.",
    "version": "`unplace --version` prints the version.",
    "rules": "`unplace rule --all` explains the rules.",
    "linter": "`unplace rule --all` explains the rules.",
    "lsp": "`unplace server` runs the language server.",
    "init": "settings are optional; `unplace config` shows those that hold.",
    "clean": "`--no-cache` keeps and takes no earlier results.",
}


def command_hint(word: str) -> str | None:
    """Return what to type instead of a word that is no command; None where nothing is known."""
    if Path(word).exists() or word.endswith((".py", ".ipynb", "/")):
        return f"paths follow a command: `unplace check {word}`."
    return _COMMANDS.get(word)


def hint(command: str, option: str) -> str | None:
    """Return what to do instead of giving a command an option that it doesn't have; None where nothing is known."""
    return _OF_COMMANDS.get(command, {}).get(option) or _EVERYWHERE.get(option)
