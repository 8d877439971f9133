"""The files of one run: the file that an import refers to, and the queries that one file makes about another."""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

from unplace.analysis.domain.refs import GENERAL, Class, Function, Member, Variant
from unplace.analysis.domain.state import weak_join
from unplace.analysis.domain.values import UNKNOWN, UNKNOWN_VALUE, Value
from unplace.analysis.effects.effect import Effect
from unplace.analysis.effects.model_files import ModelTexts, known_libraries
from unplace.analysis.project.asking import Asking
from unplace.analysis.project.basis import Around, Basis, Grounds, Reading, Word
from unplace.analysis.project.calling import calls_elsewhere
from unplace.analysis.project.changing import Outdated, forget, traces_in
from unplace.analysis.project.compiled import handed_over
from unplace.analysis.project.exports import binds, reexported, starred
from unplace.analysis.project.locating import Files
from unplace.analysis.project.mentions import Asked, Form, Mentions, Query, defining, deriving, renaming
from unplace.analysis.project.module import ModuleIndex, Place
from unplace.analysis.project.module import home as home_of
from unplace.analysis.project.overriding import is_derived
from unplace.analysis.project.program import Program
from unplace.analysis.project.resolution import Resolution
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.own_methods import POSING, own_methods, posing_methods, tensor_methods
from unplace.analysis.types.parameters import argument_for
from unplace.files.surroundings import RUNNING, Question, Standing, Surroundings, importing
from unplace.text.source import SourceError, read_source
from unplace.text.trees import parsed

T = TypeVar("T")
_MOST_OPEN = 6_000_000
"""Maximum number of characters in the parsed files that are kept although nothing uses them."""

_MOST_READ = 24
"""Maximum number of files that are read for the derived classes or stores of an attribute: more tell little."""

_MOST_RELATED = 100
"""Maximum number of files with derived classes of a class that are told apart by their names."""


class Project:
    """The files of one run, each parsed when another one asks for a name in it.

    Each has one program, as long as its index is kept, which remembers what was asked about the file. Answers depend
    neither on the order in which files are handled nor on how processes share them (see `Asking`); each process has its
    own `Project`.
    """

    def __init__(
        self, files: Iterable[str], changed: Mapping[str, bytes] | None = None, around: Surroundings | None = None
    ) -> None:
        """Start with the absolute paths of the files; `changed` has the bytes of those that aren't as on disk."""
        self.asking = Asking()
        self.files = Files(frozenset(files), self.asking.reads)
        self.around = around or Surroundings(self.files.paths)
        self._models: ModelTexts = ()
        self._changed = dict(changed or {})
        self._mentions = Mentions(self.files.paths, self._changed)
        self._modules: WeakValueDictionary[str, ModuleIndex] = WeakValueDictionary()
        self._recent: OrderedDict[str, ModuleIndex] = OrderedDict()
        self._open = 0  # characters in `_recent`
        self._broken: set[str] = set()
        self._in_hand = ""
        self._traces: dict[Hashable, Hashable] = {}  # what answers depend on
        self._of_bases: dict[str, set[Hashable]] = {}  # what is known of the bases of a file's classes depends on
        self._told: dict[tuple[Hashable, str], Any] = {}  # see `_told_of`
        self._posing: dict[str, frozenset[str]] = {}  # see `is_posing_elsewhere`, by the file that asks
        self._families: dict[tuple[tuple[str, ...], str], tuple[frozenset[str], frozenset[Asked]]] = {}
        self._begun: dict[Program, None] = {}  # those asked for the file in hand

    def copy(self) -> Project:
        """Return a project of the same files that can be changed apart; no file is read again."""
        return Project(self.files.paths, self._mentions.contents, self.around)

    def change(self, contents: Mapping[str, bytes]) -> None:
        """Give files of the run other contents; what depends on none of them stays known."""
        self.end()
        self._in_hand = ""
        self._changed |= contents
        words, queries = self._mentions.change(contents)

        def has_changed(read: Hashable) -> bool:
            if isinstance(read, Word):
                return read.name in words
            return read in contents or (isinstance(read, tuple) and read[0] in queries)

        known = (trace for module in self._modules.values() for trace in traces_in(module))
        outdated = Outdated((*self._traces.values(), *known), self._of_bases, has_changed)
        for path in {path for path in (*self._modules, *self._of_bases) if path in contents or path in outdated}:
            self._modules.pop(path, None)
            self._of_bases.pop(path, None)
            if path in self._recent:
                self._open -= len(self._recent.pop(path).text)
        self._broken -= contents.keys()
        for module in self._modules.values():
            forget(module, outdated, self._traces)
        told = self._told.items()
        self._told = {(of, path): known for (of, path), known in told if path not in contents and path not in outdated}
        self._traces = {question: trace for question, trace in self._traces.items() if trace not in outdated}
        self._families.clear()
        vars(self).pop("_scripting", None)

    def __reduce__(self) -> tuple[type[Project], tuple[tuple[str, ...]]]:
        return Project, (tuple(sorted(self.files.paths)),)

    def begin(self, path: str, text: str, models: ModelTexts = ()) -> Program:
        """Return the program of the next file, by `models` of libraries; raises `SyntaxError` as CPython's parser."""
        if models != self._models:
            self._models, self._open = models, 0
            for table in (self._modules, self._recent, self._traces, self._of_bases, self._told, self._families):
                table.clear()
        is_first = self._take_in_hand(path)  # later rounds have a text that differs from the one on disk
        self._package(path)
        module = self._modules.get(path)
        if module is None or module.text != text:
            known, module = module, self._parsed(path, text)
            if known is None and is_first:
                self._modules[path] = module
        self.asking.reads(*self._of_bases.get(path, ()))
        return self._program(module)

    def _take_in_hand(self, path: str) -> bool:
        """Start to record what the result for a file depends on, unless that was the last file; tell whether so."""
        if path == self._in_hand:
            return False
        self._in_hand = path
        self.asking.begin()
        self.around.taken.clear()
        return True

    def end(self) -> None:
        """Close the programs that were asked: the findings of the file in hand are known."""
        for program in self._begun:
            program.close()
        self._begun.clear()

    def basis(self, path: str) -> Basis:
        """Return the other files and names that the result for the last handled file depends on.

        It covers all rounds over that file, from the first one on.
        """
        if path != self._in_hand:
            return Basis()  # the file was handled without a `Program`
        bases = self._of_bases
        found = self.asking.all_reads(
            lambda read: bases.get(read, ()) if isinstance(read, str) and read != path else ()
        )
        files = sorted(read for read in found if isinstance(read, str) and read != self._in_hand)
        readings = cast("list[Reading]", [read for read in found if not isinstance(read, str)])
        answers = Grounds(self.files, self._mentions, self.around).answers(readings)
        return Basis(tuple(files), answers, frozenset(self.around.taken))

    # -- files ----------------------------------------------------------------------------------------------------

    def module_at(self, path: str) -> ModuleIndex | None:
        """Return the index of a file of the run, as it is on disk; None where it can't be read or parsed."""
        self.asking.reads(path)
        self._package(path)
        found = self._modules.get(path)
        if found is None and path not in self._broken:
            try:
                data = self._changed[path] if path in self._changed else Path(path).read_bytes()
                found = self._modules[path] = self._parsed(path, read_source(data).text)
            except (OSError, SourceError, SyntaxError, ValueError):  # reported when it is that file's turn
                self._broken.add(path)
        if found is not None:
            self._open += len(found.text) if path not in self._recent else 0
            self._recent[path] = found
            self._recent.move_to_end(path)
            while self._open > _MOST_OPEN and len(self._recent) > 1:
                self._open -= len(self._recent.popitem(last=False)[1].text)
        return found

    def _parsed(self, path: str, text: str) -> ModuleIndex:
        folder, package = Path(path).parent, self._package(path)
        root = folder.parents[len(package) - 1] if package else folder
        place = Place(self, path, str(root), package)
        return ModuleIndex(parsed(text), place, text, Standing(self.around, path), known_libraries(self._models))

    def _package(self, path: str) -> tuple[str, ...]:
        """Return the package of the module in a file."""
        return self.files.package(str(Path(path).parent))

    def has(self, path: str) -> bool:
        """Tell whether a file belongs to the run."""
        return path in self.files.paths

    def is_imported_beside_torch(self, path: str) -> bool:
        """Tell whether another file that mentions torch imports a file; the file becomes the one in hand."""
        self._take_in_hand(path)
        return self.is_imported(path, "torch")

    def tells(self, question: Question, path: str) -> bool:
        """Answer a question about what lies around a file."""
        self.asking.reads(Around(question, path))
        return self.around.tells(question, path)

    def is_imported(self, path: str, *beside: str) -> bool:
        """Tell whether another file of the run, which contains some other names, too, may import a file."""
        name = Path(path).parent.name if Path(path).stem == "__init__" else Path(path).stem
        return bool(self._listed(Query.of((name, *beside), importing(name)), path))

    def has_program(self, is_one: Callable[[Program], bool]) -> bool:
        """Tell whether a file of the run is a program of its own, by a test for one that may be."""
        question = "program", ""
        if question not in self._traces:
            programs = self.programs_with
            self._told[question] = self._noted(question, lambda: any(map(is_one, programs(frozenset(), "", RUNNING))))
        self.asking.reads(self._traces[question])
        return bool(self._told[question])

    def is_named_elsewhere(self, name: str, path: str) -> bool:
        """Tell whether any other file of the run contains a name, in whatever meaning."""
        self.asking.reads(Word(name, path))
        return self._mentions.are_elsewhere(name, path)

    def others_with(self, name: str, shown: Iterable[str | Form], path: str) -> list[ModuleIndex]:
        """Return the other files that contain a name and show at least one of some patterns or forms."""
        return self._readable(self._naming(name, shown, path))

    def few_others_with(self, name: str, shown: Iterable[str | Form], path: str) -> list[ModuleIndex] | None:
        """Return the same files as `others_with`; None where there are more than is worth reading."""
        files = self._naming(name, shown, path)
        return self._readable(files) if len(files) <= _MOST_READ else None

    def _naming(self, name: str, shown: Iterable[str | Form], path: str) -> tuple[str, ...]:
        return self._listed(Query.of((name,), shown), path) if self.is_named_elsewhere(name, path) else ()

    def _readable(self, files: Iterable[str]) -> list[ModuleIndex]:
        return [module for module in map(self.module_at, files) if module is not None]

    def told_of_others(
        self, question: Callable[[ModuleIndex], frozenset[T]], name: str, shown: Iterable[str | Form], path: str
    ) -> Iterator[T]:
        """Iterate over facts about the other files that contain a name and show one of some patterns or forms."""
        for file in self._naming(name, shown, path):
            yield from self._told_of(question, file)

    def is_method_elsewhere(self, name: str, path: str) -> bool:
        """Tell whether a class of another file that is no tensor defines a method of a name."""
        return name in self.told_of_others(own_methods, name, (defining(name),), path)

    def is_posing_elsewhere(self, name: str, path: str) -> bool:
        """Tell whether a class of another file that poses as a tensor defines a method of a name."""
        question = ("posing", path)
        if question not in self._traces:
            self._posing[path] = self._noted(question, lambda: self._posing_elsewhere(path))
        self.asking.reads(self._traces[question])
        return name in self._posing[path]

    def _posing_elsewhere(self, path: str) -> frozenset[str]:
        """Return the names of the methods of the classes of other files that pose as a tensor."""
        files = {file for name in POSING for file in self._listed(Query.of((name,), (defining(name),)), path)}
        return frozenset().union(*(self._told_of(posing_methods, file) for file in files))

    def is_redefined_elsewhere(self, names: Collection[str], path: str) -> bool:
        """Tell whether a class of another file whose objects are tensors defines one of some methods anew."""
        files = self._listed(Query.of(("Tensor",), (deriving("Tensor"),)), path)
        return any(not self._told_of(tensor_methods, file).isdisjoint(names) for file in files)

    def overriding(self, owner: Class, known: Sequence[Class], name: str) -> list[Class] | None:
        """Return the classes that derive from a class, or from `known` ones that do, and may have their own attribute.

        None where they may be in more files than is worth reading: the base class of a large package.
        """
        place = home_of(owner.scope).place
        if place is None or not self.is_named_elsewhere(name, place.path):
            return []
        family = self._family((owner.node.name, *(cls.node.name for cls in known)), place.path)
        self.asking.reads(*family)
        files = sorted(file for file in family if self._mentions.may_override(file, name))
        if len(files) > _MOST_READ or len(family) > _MOST_RELATED:
            return None
        classes = [cls for module in self._readable(files) for cls in module.classes.values()]
        return [cls for cls in classes if cls not in known and is_derived(cls, owner)]

    def _family(self, names: tuple[str, ...], path: str) -> frozenset[str]:
        """Return the other files with classes that may derive, by their names, from one of some names.

        Where there are more than are told apart, some are left out.
        """
        known = self._families.get((names, path))
        if known is None:
            files: set[str] = set()
            asked: dict[str, Asked] = {}
            todo = [*filter(str.isascii, names)]
            while todo and len(files) <= _MOST_RELATED:
                base = todo.pop()
                if base not in asked:
                    asked[base] = Query.of((base,), (deriving(base), renaming(base))), path
                    found = self._mentions.others_with(*asked[base])
                    files.update(found)
                    todo += [name for file in found for name in self._mentions.derived_in(file, base)]
            known = self._families[names, path] = frozenset(files), frozenset(asked.values())
        self.asking.reads(*known[1])
        return known[0]

    def _told_of(self, question: Callable[[ModuleIndex], frozenset[T]], path: str) -> frozenset[T]:
        """Return facts about a file that many files ask for, none where it can't be read: they outlive its index."""
        self.asking.reads(path)
        if (question, path) not in self._told:
            module = self.module_at(path)
            self._told[question, path] = question(module) if module is not None else frozenset()
        return cast("frozenset[T]", self._told[question, path])

    def programs_with(self, names: frozenset[str], path: str, patterns: tuple[str, ...] = ()) -> list[Program]:
        """Return the programs of the other files that contain all of some names, and match one of the patterns."""
        return [p for p in map(self.program_at, self._listed(Query.of(names, patterns), path)) if p is not None]

    def are_readable(self, names: frozenset[str], path: str) -> bool:
        """Tell whether the other files that contain all of some names can be read and parsed; notebooks can't."""
        return all(self.module_at(file) is not None for file in self._listed(Query.of(names, ()), path))

    def _listed(self, query: Query, path: str) -> tuple[str, ...]:
        """Return the other files that a query is about, and record that the answer depends on which they are."""
        self.asking.reads((query, path))
        return self._mentions.others_with(query, path)

    def program_at(self, path: str) -> Program | None:
        """Return the program of a file as it is on disk."""
        module = self.module_at(path)
        return self._program(module) if module is not None else None

    def handed_to_script(self, path: str) -> frozenset[str]:
        """Return the names of what the other files of the run pass to `torch.jit.script`."""
        files = self._naming("script", (), path)
        self.asking.reads(*files)
        return frozenset().union(*(self._scripting.get(file, ()) for file in files))

    @cached_property
    def _scripting(self) -> dict[str, frozenset[str]]:
        contents = self._mentions.contents.items()
        return {path: names for path, text in contents if (names := handed_over(text))}

    # -- names ----------------------------------------------------------------------------------------------------

    def find(self, module: ModuleIndex, written: str) -> Member | str:
        """Return the target of a name imported in a module: a member of a file of the run, or a name from outside.

        Re-exports are followed, also those of outside names: `from .core import Tensor` leads to `torch.Tensor`.
        """
        assert module.place is not None
        question = ("find", module.place.path, written)
        found = module.targets.get(written)
        if found is None:
            found = self._noted(question, lambda: Resolution(self).imported(module, written)) or written
            module.targets[written] = found
        self.asking.reads(self._traces.get(question, module.place.path))
        return found

    def base_of(self, module: ModuleIndex, written: str) -> tuple[Member | str, Class | None]:
        """Return the target of a base class's name, and the class where it belongs to the run."""
        assert module.place is not None
        found, trace = self.asking.noted(lambda: self._base_of(module, written))
        self._of_bases.setdefault(module.place.path, set()).add(trace)
        return found

    def _base_of(self, module: ModuleIndex, written: str) -> tuple[Member | str, Class | None]:
        target = self.find(module, written)
        return target, self.class_named(target) if isinstance(target, Member) else None

    def _noted(self, question: Hashable, work: Callable[[], T]) -> T:
        """Run a query and return its answer; remember what it depends on, for all who ask again."""
        answer, self._traces[question] = self.asking.noted(work)
        return answer

    def may_offer(self, path: str, name: str) -> bool:
        """Tell whether a file from which everything is imported may have a name."""
        self.asking.reads(path)
        return self._mentions.may_bind(path, name)

    def locate(self, module: ModuleIndex, written: str) -> tuple[str, list[str]] | None:
        """Return the file that an imported name leads to, and the names to look up in it."""
        place = module.place
        assert place is not None
        parts = place.absolute(written)
        root = self._root(place, written, parts)
        if root is None:
            return None
        base = module.imports.module_of(written)
        least = len(place.absolute(base) or ()) if base is not None else 1
        for length in range(len(parts), max(least, 1) - 1, -1):
            path = self.files.file(root, parts[:length])
            if path is not None:
                outer = self.files.file(root, parts[:-1]) if length == len(parts) > 1 else None
                if outer is not None and self._is_shadowed(outer, parts):
                    return outer, parts[-1:]
                return path, parts[length:]
        return None

    def module_of(self, module: ModuleIndex, written: str) -> str | None:
        """Return the file of the module from which a module imports; None where it isn't one of the run."""
        place = module.place
        assert place is not None
        parts = place.absolute(written)
        root = self._root(place, written, parts)
        return self.files.file(root, parts) if root is not None else None

    def _root(self, place: Place, written: str, parts: list[str]) -> str | None:
        """Return the folder in which the search for an imported module starts."""
        if not parts:
            return None
        return place.root if written[0] == "." else self.files.root(place.root, place.package, parts[0])

    def find_starred(self, module: ModuleIndex, name: str) -> Member | str | None:
        """Return the target of a name that a module can only have from `from ... import *`."""
        if not starred(module) or module.place is None:
            return None
        question = ("starred", module.place.path, name)
        if question not in module.answers:
            module.answers[question] = self._noted(question, lambda: Resolution(self).starred(module, name))
        self.asking.reads(self._traces[question])
        return cast("Member | str | None", module.answers[question])

    def module_name(self, path: str) -> str:
        """Return the dotted name of a file's module, relative to the folder from which its package is imported."""
        own = Path(path)
        return ".".join([*self._package(path), *([own.stem] if own.stem != "__init__" else [])])

    def _is_shadowed(self, outer: str, parts: list[str]) -> bool:
        """Tell whether a package binds the name of one of its own modules to something else."""
        package = self.module_at(outer)
        if package is None or package.place is None or not binds(package, parts[-1]):
            return False
        imported = reexported(package, parts[-1])
        return imported is None or package.place.absolute(imported) != parts

    # -- queries --------------------------------------------------------------------------------------------------

    def value(self, member: Member) -> Value:
        """Return the value of a name that a module defines, without regard to the flow."""
        home = self.module_at(member.path)
        return self._program(home).guess(home.scopes.module, member.name) if home is not None else UNKNOWN_VALUE

    def class_named(self, member: Member) -> Class | None:
        """Return the class that a module defines under a name; None where the name isn't known to be a class."""
        home = self.module_at(member.path)
        only = home.only_binding(member.name) if home is not None else None
        if home is not None and isinstance(only, ast.ClassDef):
            return home.classes.get(only)
        ref = self.value(member).ref
        return ref if isinstance(ref, Class) else None

    def estimate(self, scope: Scope, source: ast.expr) -> Value:
        """Return the value of an expression of another file, without regard to the flow up to it."""
        return self._program(home_of(scope)).estimate(scope, source)

    def elements_of(self, scope: Scope, source: ast.expr) -> Value:
        """Return the join of the elements of a list or dictionary that an expression of another file creates."""
        return self._program(home_of(scope)).elements_of(scope, source)

    def passed(self, program: Program, scope: Scope, name: str) -> Value:
        """Return the join of the values that calls in other files than its own pass for a parameter.

        A caller that passes its own parameter on is asked what its callers pass.
        """
        values: list[Value] = []
        for caller, call in calls_elsewhere(program, scope):
            argument = argument_for(scope, call, name)
            value = self.estimate(caller, argument) if argument is not None else UNKNOWN_VALUE
            if value.kinds == UNKNOWN and isinstance(argument, ast.Name):
                if any(parameter.arg == argument.id for parameter in caller.parameters):
                    value = self._program(home_of(caller)).passed_elsewhere(caller, argument.id)
            values += [value] if value.kinds != UNKNOWN else []
        return reduce(weak_join, values) if values else UNKNOWN_VALUE

    def summary(self, asking: Program, function: Function, variant: Variant = GENERAL) -> Effect | None:
        """Return the effect of calling a function of another file; None when it isn't known.

        The classes of the asking file that derive from the function's class are taken into account.
        """
        home = home_of(function.scope)
        derived = asking.derived_from(function.owner) if function.owner is not None else ()
        return self._program(home, asking.module, derived).summary(function, variant=variant)

    def _program(
        self, module: ModuleIndex, asking: ModuleIndex | None = None, derived: tuple[Class, ...] = ()
    ) -> Program:
        """Return the program of a file, which lasts as long as its index.

        One that knows of `derived` classes lasts as long as the index of the file which asks.
        """
        keeper = asking if asking is not None and derived else module
        question = "program", module, derived
        if question not in keeper.answers:
            keeper.answers[question] = Program(module, self, derived)
        found: Program = keeper.answers[question]
        self._begun[found] = None
        return found
