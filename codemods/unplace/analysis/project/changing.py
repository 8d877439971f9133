"""What a run still knows after files got other contents: the answers that depend on none of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

from unplace.analysis.project.asking import Trace
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.project.program import Program


class Outdated:
    """What depends on files with other contents, or on a reading that has another answer now.

    Nor is a file as it was if what is known of the bases of its classes isn't.
    """

    def __init__(
        self,
        traces: Iterable[Hashable],
        bases: Mapping[str, Iterable[Hashable]],
        has_changed: Callable[[Hashable], bool],
    ) -> None:
        """Start from the traces of all answers, those of the bases in each file, and a test for what they read."""
        readers: dict[Hashable, list[Hashable]] = {trace: [path] for path in bases for trace in bases[path]}
        known = set[Hashable]()
        todo = [*traces, *readers]
        while todo:
            trace = todo.pop()
            if isinstance(trace, Trace) and trace not in known:
                known.add(trace)
                todo += trace.uses
                for use in trace.uses:
                    readers.setdefault(use, []).append(trace)
        self._found = set[Hashable]()
        todo = [read for read in readers if not isinstance(read, Trace) and has_changed(read)]
        while todo:
            found = todo.pop()
            if found not in self._found:
                self._found.add(found)
                todo += readers.get(found, ())

    def __contains__(self, known: Hashable) -> bool:
        return known in self._found


def traces_in(module: ModuleIndex) -> Iterator[Hashable]:
    """Iterate over what the answers about a module depend on."""
    yield from module.traces.values()
    for known in module.answers.values():
        yield from known.traces() if isinstance(known, Program) else ()


def forget(module: ModuleIndex, outdated: Outdated, traces: Mapping[Hashable, Hashable]) -> None:
    """Forget the outdated answers about a module; `traces` are those of the run's queries, by question."""
    assert module.place is not None
    path = module.place.path
    for written in [each for each in module.targets if traces.get(("find", path, each)) in outdated]:
        del module.targets[written]
    for key, known in [*module.answers.items()]:
        if (module.traces.get(key) or traces.get(key)) in outdated:
            del module.answers[key]
            module.traces.pop(key, None)
        elif isinstance(known, Program):
            known.forget(outdated)
