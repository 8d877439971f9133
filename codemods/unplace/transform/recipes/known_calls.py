"""Tells which functions a run knows all calls of, and what it has to assume for that."""

from __future__ import annotations

from dataclasses import dataclass, field

from unplace.analysis.project.program import Program
from unplace.analysis.project.programs import is_closed, is_of_application, is_program
from unplace.analysis.project.whole import are_calls_known
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.scopes import Scope
from unplace.config.kinds import AUTO
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.reasons import Reason
from unplace.transform.spanning import is_private


@dataclass(slots=True)
class KnownCalls:
    """The functions of a run of which all calls are known."""

    program: Program
    options: Options
    _known: dict[Scope, bool] = field(default_factory=dict)
    _whole: dict[Program, bool] = field(default_factory=dict)

    def are_all(self, scope: Scope) -> bool:
        """Tell whether nothing beside the run calls a function, and all calls of it in the run are known."""
        home = self.program.home_of(scope)
        if not self.is_whole(home) or not self._are_known(scope):
            return False
        if self.options.whole_program == AUTO:
            home.module.take()
        return True

    def is_closed(self, scope: Scope) -> bool:
        """Tell whether a scope is a module whose names only its own code can read."""
        return scope.is_module and self.options.whole_program is not False and is_closed(self.program.home_of(scope))

    def is_whole(self, home: Program) -> bool:
        """Tell whether the run has all files that may use the functions of one."""
        if self.options.whole_program != AUTO:
            return self.options.whole_program
        if home not in self._whole:
            self._whole[home] = is_program(home) or is_of_application(home)
        return self._whole[home]

    def assumed(self, scope: Scope) -> tuple[Reason, ...] | None:
        """Return what has to be assumed for the known calls to be all; None where the run itself has others.

        Code outside the run doesn't call a function whose name begins with an underscore.
        """
        if self.are_all(scope):
            return ()
        if not self.options.spans_files or scope.name in OF_INSTANCES or not self._are_known(scope):
            return None
        return () if is_private(scope.name) else (Assumption.NO_CALLS_OUTSIDE(name=scope.name),)

    def _are_known(self, scope: Scope) -> bool:
        if scope not in self._known:
            self._known[scope] = are_calls_known(self.program, scope)
        return self._known[scope]
