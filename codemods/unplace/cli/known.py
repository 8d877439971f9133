"""Leaves out the findings that baselines know: the file that an option names, or that each configuration does."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from unplace.cli.options import Settings, fail
from unplace.reporting.summary import number
from unplace.runs.baseline import Baseline, BaselineError, read
from unplace.runs.outcome import Outcome


@dataclass(slots=True)
class Known:
    """The baselines of a run; `given` is the file of the option, which goes before configurations."""

    given: str | None
    settings: Settings
    _read: dict[str, Baseline] = field(default_factory=dict)

    def without(self, outcome: Outcome) -> Outcome:
        """Return the outcome of a file without the findings that are known; end the command for an invalid baseline."""
        place = str(Path(outcome.path).absolute())
        path = self.given or self.settings.exclude.nearest.of_file(place).baseline
        if path is None or outcome.problem is not None:
            return outcome
        if path not in self._read:
            try:
                self._read[path] = read(path)
            except BaselineError as error:
                fail(str(error))
        return self._read[path].without(outcome)

    def sentences(self) -> list[str]:
        """Return what the summary says of the baselines."""
        hidden = sum(baseline.hidden for baseline in self._read.values())
        unused = sum(baseline.unused for baseline in self._read.values())
        lines = [f"Known from the baseline: {hidden:,}."] if hidden else []
        if unused:
            verb = "isn't" if unused == 1 else "aren't"
            lines.append(f"{number(unused, 'finding')} of the baseline {verb} there any more; write it anew.")
        return lines
