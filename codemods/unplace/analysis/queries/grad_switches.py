"""Finds writes whose tensor may have a graph from before autograd was switched off, as far as the code tells.

h = torch.sin(x)                            def encode(self, x):
with torch.set_grad_enabled(train):             with self.mode():       which may give `torch.no_grad()`
    h += 1                                          ...

Where recording is off, `h` keeps its graph when it is written in place; a new tensor would have none.
"""

from __future__ import annotations

from unplace.analysis.domain.gradmode import GradMode
from unplace.analysis.domain.values import Origin
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.recording import may_be_off


def may_keep_graph(run: Run, write: Write) -> bool:
    """Tell whether a write may happen where recording is off, to a tensor that was made where it may be on."""
    roots, record = write.state.roots(write.value.objs), write.record
    if record.mode is GradMode.EITHER:
        return record.switch is None or any(run.switched.get(root) is not record.switch for root in roots)
    is_given = record.mode.is_of_caller and any(root.origin is not Origin.FRESH for root in roots)
    return is_given and may_be_off(run.program.module, run.scope)
