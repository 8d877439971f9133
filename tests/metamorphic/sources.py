"""Programs of one or two files, which are run without files and rewritten like any run."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from metamorphic.files import TOOLS
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Status
from unplace.runs.across import across
from unplace.runs.many import rewrite_files
from unplace.transform.rewriter import rewrite_text
from unplace.verification.examples import Maker, Program, maker


@dataclass(frozen=True)
class Sources:
    """The text of a program, and that of the file `tools.py` from which it imports, if there is one."""

    main: str
    tools: str = ""

    def maker(self) -> Maker:
        """The program of its `example()`, with all modules anew for each run."""
        make = maker(self.main, "main.py")
        if not self.tools:
            return make
        code = compile(self.tools, f"{TOOLS}.py", "exec", dont_inherit=True)

        def with_tools() -> Program:
            tools = ModuleType(TOOLS)
            tools.__file__ = f"{TOOLS}.py"
            outer = sys.modules.get(TOOLS)
            sys.modules[TOOLS] = tools
            try:
                exec(code, vars(tools))
                return make()
            finally:
                if outer is None:
                    del sys.modules[TOOLS]
                else:
                    sys.modules[TOOLS] = outer

        return with_tools

    def rewritten(self, *, unsafe: bool = False, whole: bool = False) -> Rewritten:
        """What becomes of all files in one run, which may be all of a program."""
        if not self.tools:
            report = rewrite_text(self.main, "main.py", Options(unsafe=unsafe, strict=not unsafe, whole_program=whole))
            return Rewritten(Sources(report.after), tuple(report.findings), ())
        texts = {"main.py": self.main, f"{TOOLS}.py": self.tools}
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(Path(folder, name)) for name in texts]
            for path, text in zip(paths, texts.values(), strict=True):
                Path(path).write_text(text, "utf-8")
            options = Options(unsafe=unsafe, strict=not unsafe, whole_program=whole, spans_later=True)
            outcomes = across(list(rewrite_files(paths, options, jobs=1)), lambda _: options)
        problems = [outcome.problem for outcome in outcomes if outcome.problem is not None]
        assert not problems, problems
        main, tools = (
            text if outcome.change is None else outcome.change.after.text
            for outcome, text in zip(outcomes, texts.values(), strict=True)
        )
        return Rewritten(Sources(main, tools), *(outcome.findings for outcome in outcomes))

    def __str__(self) -> str:
        return f"{self.main}\n# ---- {TOOLS}.py\n{self.tools}" if self.tools else self.main


@dataclass(frozen=True)
class Rewritten:
    """Rewritten sources and the findings of both files."""

    sources: Sources
    of_main: tuple[Finding, ...]
    of_tools: tuple[Finding, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.of_tools + self.of_main

    @property
    def assumptions(self) -> Iterable[str]:
        """What the applied edits rest on."""
        rewritten = (finding for finding in self.findings if finding.status is Status.REWRITTEN)
        return (words for finding in rewritten for words in finding.assumptions)
