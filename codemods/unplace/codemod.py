"""The rewriter as a command of LibCST's own tool, for runs that do several codemods over a tree of files.

python -m libcst.tool codemod -x unplace.codemod.RewriteInPlace --no-format PATHS

Each file is looked at by itself: what it imports from the others isn't known, and no configuration file is read.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext

from unplace import rewrite_source
from unplace.config.selection import SelectionError, parse_codes, parse_harms, parse_release
from unplace.diagnostics.findings import Status
from unplace.rules import codes


class RewriteInPlace(CodemodCommand):
    """Rewrites in-place tensor operations; the arguments mean what those of `unplace.rewrite_source` mean."""

    DESCRIPTION = "Rewrite in-place PyTorch tensor operations that break autograd."

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The options of `unplace rewrite` that say which edits are made."""
        arg_parser.add_argument("--unsafe", action="store_true", help="Take edits that rest on an assumption, too.")
        arg_parser.add_argument(
            "--preserve-dtype",
            action="store_true",
            help="Cast results back wherever their dtype isn't known to stay the same.",
        )
        release = _understood(parse_release)
        selected = _understood(lambda text: parse_codes([text], codes()))
        harms = _understood(lambda text: parse_harms([text]))
        arg_parser.add_argument(
            "--target-torch",
            type=release,
            metavar="VERSION",
            help="The oldest torch that rewritten code has to run on.",
        )
        arg_parser.add_argument(
            "--select", type=selected, metavar="CODE,...", help="Only these rules (codes or prefixes)."
        )
        arg_parser.add_argument(
            "--ignore", type=selected, metavar="CODE,...", help="Not these rules (codes or prefixes)."
        )
        arg_parser.add_argument("--only", type=harms, metavar="HARM,...", help="Only operations of this harm.")

    def __init__(
        self,
        context: CodemodContext,
        unsafe: bool = False,
        preserve_dtype: bool = False,
        target_torch: str | None = None,
        select: str | None = None,
        ignore: str | None = None,
        only: str | None = None,
    ) -> None:
        super().__init__(context)
        self.unsafe = unsafe
        self.preserve_dtype = preserve_dtype
        self.target_torch = target_torch
        self.select = select
        self.ignore = ignore
        self.only = only

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The module rewritten; what is refused becomes a warning."""
        report = rewrite_source(
            tree.code,
            path=self.context.filename or "<string>",
            unsafe=self.unsafe,
            preserve_dtype=self.preserve_dtype,
            target_torch=self.target_torch,
            select=None if self.select is None else [self.select],
            ignore=[] if self.ignore is None else [self.ignore],
            only=None if self.only is None else [self.only],
        )
        for finding in report.findings:
            if finding.status is Status.REFUSED:
                self.warn(f"{report.path}:{finding.line}:{finding.column}: {finding.code} {finding.message}")
        for warning in report.warnings:
            self.warn(str(warning))
        if not report.changed:
            return tree
        return cst.parse_module(report.after, tree.config_for_parsing)


def _understood(parse: Callable[[str], object]) -> Callable[[str], str]:
    """Takes the text of an option as it is, where it can be parsed: else the run ends before its first file."""

    def understood(text: str) -> str:
        try:
            parse(text)
        except SelectionError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        return text

    return understood
