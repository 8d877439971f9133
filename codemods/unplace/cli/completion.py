"""Completes commands, options and their values in the shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Completion = Callable[[str], list[str]]
"""A function that maps the text typed so far to its possible completions."""

SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


def for_named_shell(arguments: Sequence[str]) -> int | None:
    """Print or install the completion for the shell that is named behind the option; return the exit code.

        unplace --show-completion zsh

    None for all other arguments; an option without a name is Typer's, which asks what shell is around.
    """
    if len(arguments) != 2 or arguments[0] not in ("--show-completion", "--install-completion"):
        return None
    import typer
    from typer.completion import get_completion_script, install  # type: ignore[attr-defined]  # as its options do

    option, shell = arguments
    if shell not in SHELLS:
        typer.echo(f"Error: Invalid value for {option}: {shell} isn't one of {', '.join(SHELLS)}.", err=True)
        return 2
    if option == "--show-completion":
        typer.echo(get_completion_script(prog_name="unplace", complete_var="_UNPLACE_COMPLETE", shell=shell))
    else:
        _, path = install(shell, "unplace")
        typer.echo(f"The completion for {shell} is in {path}; it takes effect in the next terminal.")
    return 0


def one_of(words: Iterable[str]) -> Completion:
    """Return a completion to one of the words."""
    known = tuple(words)

    def completed(incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return completed


def several_of(words: Iterable[str]) -> Completion:
    """Return a completion to several of the words, with commas between them."""
    complete = one_of(words)

    def completed(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{word}" for word in complete(last)]

    return completed
