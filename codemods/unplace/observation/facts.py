"""Facts about operations from runs of a program: counts, which add up over runs, and their file."""

from __future__ import annotations

import ast
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from unplace.files.relative import relative
from unplace.observation.held import Holder, HolderKind
from unplace.observation.keys import OPERATIONS, Function, owned
from unplace.text.trees import parsed

HERE, OUTSIDE = ".", ""
MOST_CALLS = 6
"""The number of different calls of a function that are kept."""
VERSION = 2
"""The version of the format of the file."""


class FactsError(ValueError):
    """Raised where a file holds no facts; the message is for people."""


def inside(path: str, root: str) -> str:
    """Return the name of a file from a folder; `OUTSIDE` where it isn't in there."""
    return Path(path).relative_to(root).as_posix() if Path(path).is_relative_to(root) else OUTSIDE


@dataclass(slots=True)
class OperationFacts:
    """What runs showed of one operation that is written like an in-place one.

    `runs` counts the times it ran, `tensors` those on a tensor, and `types` the names of what else was there. Of the
    runs on tensors: `wider` had an operand that gives a new tensor another dtype, `unmeasured` operands that can't be
    compared, `recorded` wrote what takes part in a graph, `leaves` wrote a leaf, `views` a view. In `examined` runs all
    other holders of the memory were looked for, and `alone` of these found none that could read it later; `holders`
    names them. `shares` are other names of the same function for the same memory, and `same` those for the same tensor;
    in `twins` runs a container that the function names had the memory twice. `overlaps` are those of the
    examined runs with an operand in the same memory, other than the tensor itself. Of a call with `inplace=True`,
    `made` counts the classes of the modules that it made, and the runs are those of these modules. `graphs` counts the
    runs with an operand that has a graph. `kept` counts the examined runs after which something outlives the function's
    callers and has the memory: an attribute, a container, a global name. `parameters` are the runs on a parameter or
    its `.data`, and `off` those in which autograd was off.

    `callers` counts, by file, those of the examined runs in which code of that file had called the function: `HERE` is
    the function's own file, `OUTSIDE` all that isn't the project's.

    Of autograd: `refused` are the writes that torch raised at. In `searched` runs what autograd had saved was looked
    for: in `unsaved` of these it was nothing, and `overwrote` names the operations that had saved the memory. `raised`
    names those of which a backward asked for what they had saved, and failed because of the write.
    """

    runs: int = 0
    tensors: int = 0
    types: Counter[str] = field(default_factory=Counter)
    wider: int = 0
    unmeasured: int = 0
    recorded: int = 0
    leaves: int = 0
    views: int = 0
    examined: int = 0
    alone: int = 0
    holders: Counter[Holder] = field(default_factory=Counter)
    shares: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    twins: int = 0
    overlaps: int = 0
    callers: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)
    graphs: int = 0
    kept: int = 0
    off: int = 0
    parameters: int = 0
    refused: int = 0
    searched: int = 0
    unsaved: int = 0
    overwrote: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)

    @property
    def is_harmful(self) -> bool:
        """Tell whether torch raised because of the operation: at the write, or in a backward."""
        return bool(self.refused or self.raised)

    @property
    def keepers(self) -> dict[Holder, int]:
        """The holders that aren't names of callers: attributes, containers and the like."""
        return {holder: count for holder, count in self.holders.items() if holder.outlives_callers}

    def add(self, other: OperationFacts) -> None:
        """Add the counts of other runs."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def renamed(self, name: Callable[[str], str]) -> OperationFacts:
        """Return the facts with other names of the files of callers."""
        callers = Counter[str]()
        for file, count in self.callers.items():
            callers[file if file in (HERE, OUTSIDE) else name(file)] += count
        return replace(self, callers=callers)

    def document(self) -> dict[str, Any]:
        """Return the counts that aren't zero as JSON has them."""
        counts = {each.name: value for each in fields(self) if (value := getattr(self, each.name))}
        if self.holders:
            counts["holders"] = [[*holder, count] for holder, count in self.holders.items()]
        return counts

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> OperationFacts:
        """Return the facts in a JSON object; raise `TypeError` or `ValueError` where it holds something else."""
        known = cls()
        for name, value in document.items():
            if name == "holders":
                known.holders = Counter({_holder(*words): int(count) for *words, count in value})
                continue
            counted = isinstance(getattr(known, name, None), Counter)
            setattr(known, name, Counter({str(key): int(n) for key, n in value.items()}) if counted else int(value))
        return known


def _holder(kind: str, *names: str) -> Holder:
    return Holder(HolderKind(kind), *map(str, names))


Key = tuple[Function, str]
"""The function of an operation and the operation's place in it."""


@dataclass(slots=True)
class FileFacts:
    """The facts that hold for the operations of a file, by line."""

    _by_line: dict[int, list[tuple[tuple[int, ...], OperationFacts]]] = field(default_factory=dict)

    def note(self, node: ast.AST, facts: OperationFacts) -> None:
        """Take the facts about an operation."""
        self._by_line.setdefault(node.lineno, []).append((_extent(node), facts))  # type: ignore[attr-defined]

    def moved(self, move: Callable[[int], int]) -> FileFacts:
        """Return the facts for a text whose lines have moved."""
        return FileFacts({move(line): known for line, known in self._by_line.items()})

    def of(self, nodes: Iterable[ast.AST], line: int) -> OperationFacts | None:
        """Return the facts about the operation that is one of the nodes and stood in a line when the file was read."""
        extents = {_extent(node) for node in nodes}
        return next((facts for extent, facts in self._by_line.get(line, ()) if extent in extents), None)

    def makes(self, module: str, line: int, column: int) -> bool:
        """Tell whether a call at a place made modules of a class, such as `torch.nn.ReLU`; columns begin with 1."""
        return any(module in facts.made for facts in self._at(line, column))

    def blames(self, line: int, column: int) -> bool:
        """Tell whether torch raised because of an operation at a place."""
        return any(facts.is_harmful for facts in self._at(line, column))

    def _at(self, line: int, column: int) -> Iterator[OperationFacts]:
        return (facts for extent, facts in self._by_line.get(line, ()) if extent[0] == column - 1)


def _extent(node: Any) -> tuple[int, ...]:
    """Return where a node begins and ends, but for its first line, which edits above it change."""
    return node.col_offset, node.end_lineno - node.lineno, node.end_col_offset


@dataclass(slots=True)
class Observations:
    """The facts about the operations of a project, by file and key; the files are relative to the folder `root`.

    `path` is the file that they were read from. `calls` has programs that call the functions with an operation as runs
    called them, `unplace.observation.specifications`, and how often that was.
    """

    root: str
    path: str = field(default="", compare=False)
    by_file: dict[str, dict[Key, OperationFacts]] = field(default_factory=dict)
    calls: dict[str, dict[Function, Counter[str]]] = field(default_factory=dict)

    def of(self, file: str, key: Key) -> OperationFacts:
        """Return the facts about an operation, to which a run can add."""
        return self.by_file.setdefault(file, {}).setdefault(key, OperationFacts())

    def calls_of(self, file: str, function: Function) -> Counter[str]:
        """Return the calls of a function, to which a run can add."""
        return self.calls.setdefault(file, {}).setdefault(function, Counter())

    def add(self, other: Observations) -> None:
        """Add the facts of other runs, also of those that began in another folder."""
        for path, functions in other.calls.items():
            file = self._named_here(other, path)
            for function, counts in functions.items():
                known = self.calls_of(file, function)
                known.update({text: n for text, n in counts.items() if text in known or len(known) < MOST_CALLS})
        for path, operations in other.by_file.items():
            file = self._named_here(other, path)
            for key, facts in operations.items():
                self.of(file, key).add(facts.renamed(lambda caller: inside(str(Path(other.root, caller)), self.root)))

    def _named_here(self, other: Observations, path: str) -> str:
        """Return the name of a file of other observations, which may have begun in another folder."""
        return relative(str(Path(other.root, path)), self.root) or Path(other.root, path).as_posix()

    def calls_in(self, path: str) -> Mapping[Function, Counter[str]]:
        """Return the calls of the functions of a file."""
        return self.calls.get(self._file(path), {})

    def _file(self, path: str) -> str:
        """Return the name that a file has in the facts."""
        return relative(str(Path(path).absolute()), self.root) or ""

    def summary(self) -> str:
        """Return a sentence that counts the in-place operations that ran, and their runs."""
        ran = [facts for operations in self.by_file.values() for facts in operations.values() if facts.runs]
        runs, tensors = sum(facts.runs for facts in ran), sum(bool(facts.tensors) for facts in ran)
        files = sum(any(facts.runs for facts in operations.values()) for operations in self.by_file.values())
        if not ran:
            return "No in-place operation ran."
        operations = f"{len(ran):,} in-place operation{'s' * (len(ran) != 1)}"
        of_files = f"{files:,} file{'s' * (files != 1)}"
        times = f"{runs:,} time{'s' * (runs != 1)}"
        return f"{operations} of {of_files} ran {times}; {tensors:,} of them wrote to tensors."

    def has(self, path: str) -> bool:
        """Tell whether an operation of a file ran on a tensor."""
        known = self.by_file.get(self._file(path), {})
        return any(facts.tensors for facts in known.values())

    def about(self, path: str, text: str) -> FileFacts:
        """Return the facts that hold for a file as it is now; functions that changed since have none."""
        known = self.by_file.get(self._file(path))
        found = FileFacts()
        if not known:
            return found
        for each in owned(parsed(text), text):
            if isinstance(each.node, OPERATIONS) and (each.function, each.place) in known:
                found.note(each.node, known[each.function, each.place])
        return found

    def write(self, path: Path) -> None:
        """Write the facts to a file."""
        files: dict[str, Any] = {}
        for file, operations in sorted(self.by_file.items()):
            functions = files.setdefault(file, {})
            for (function, place), facts in sorted(operations.items()):
                entry = functions.setdefault(function.name, {}).setdefault(function.digest, {})
                entry[place] = facts.document()
        root = relative(self.root, str(path.absolute().parent)) or Path(self.root).as_posix()
        calls = {
            file: [[*function, dict(counts)] for function, counts in sorted(functions.items()) if counts]
            for file, functions in sorted(self.calls.items())
        }
        document = {"unplace": VERSION, "root": root, "files": files, "calls": calls}
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Observations:
    """Return the facts in a file; raise `FactsError` where it can't be read or holds something else."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["unplace"] != VERSION:
            raise FactsError(f"{path} was written by another version of unplace; run `unplace observe` again")
        found = Observations(os.path.normpath(path.absolute().parent / document["root"]), str(path))
        for file, name, digest, place, counts in _entries(document["files"]):
            found.of(file, (Function(name, digest), place)).add(OperationFacts.read(counts))
        for file, functions in document.get("calls", {}).items():
            for name, digest, counts in functions:
                found.calls_of(file, Function(name, digest)).update({str(k): int(n) for k, n in counts.items()})
    except OSError as error:
        raise FactsError(f"{path} can't be read: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, FactsError):
            raise
        raise FactsError(f"{path} holds no facts of `unplace observe`") from None
    return found


def _entries(files: Mapping[str, Any]) -> Iterable[tuple[str, str, str, str, Mapping[str, Any]]]:
    for file, functions in files.items():
        for name, digests in functions.items():
            for digest, places in digests.items():
                for place, counts in places.items():
                    yield file, name, digest, place, counts
