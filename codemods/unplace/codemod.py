"""Offers the rewriter as a codemod of LibCST's own tool, for runs that apply several codemods to a tree of files.

python -m libcst.tool codemod -x unplace.codemod.RewriteInPlace --no-format PATHS

Each file is analysed by itself: its imports from the other files are unknown, and no configuration file is read.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext

from unplace import rewrite_source
from unplace.config.kinds import Flag, Given
from unplace.config.options import SETTINGS
from unplace.config.selection import SelectionError
from unplace.diagnostics.findings import Status

_GIVEN = [(setting, setting.kind) for setting in SETTINGS if isinstance(setting.kind, Given)]


class RewriteInPlace(CodemodCommand):
    """Rewrites in-place tensor operations; the arguments are those of `unplace.rewrite_source`."""

    DESCRIPTION = "Rewrite in-place PyTorch tensor operations that break autograd."

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Add the options of `unplace rewrite` that decide which edits are made."""
        for setting, kind in _GIVEN:
            flag = f"--{setting.key}"
            if isinstance(kind, Flag):
                action = argparse.BooleanOptionalAction
                arg_parser.add_argument(flag, action=action, help=setting.help)
            else:
                arg_parser.add_argument(flag, type=_understood(kind), metavar=kind.metavar, help=setting.help)

    def __init__(self, context: CodemodContext, **given: bool | str | None) -> None:
        """Take the arguments by their names in `given`; a list is one string with commas."""
        super().__init__(context)
        unknown = given.keys() - {setting.name for setting, _ in _GIVEN}
        if unknown:
            raise TypeError(f"unknown arguments: {', '.join(sorted(unknown))}")
        lists = {setting.name for setting, kind in _GIVEN if kind.is_list}
        said = {name: value for name, value in given.items() if value is not None}
        self._arguments: dict[str, Any] = {name: [v] if name in lists else v for name, v in said.items()}

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Return the rewritten module, and warn about each operation that is refused."""
        report = rewrite_source(tree.code, path=self.context.filename or "<string>", **self._arguments)
        for finding in report.findings:
            if finding.status is Status.REFUSED:
                self.warn(f"{report.path}:{finding.line}:{finding.column}: {finding.code} {finding.message}")
        for warning in report.warnings:
            self.warn(str(warning))
        if not report.changed:
            return tree
        return cst.parse_module(report.after, tree.config_for_parsing)


def _understood(kind: Given[Any]) -> Callable[[str], str]:
    """Return a converter that checks an option and returns it as it is; a bad one ends the run before any file."""

    def understood(text: str) -> str:
        try:
            kind.from_words([text] if kind.is_list else text)
        except SelectionError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        return text

    return understood
