"""The index of one module: the facts that its text states, and the names that it imports. It never changes.

Results computed once per module are functions of the index, marked with `once`:

    @once
    def flows(module: ModuleIndex) -> Flows: ...
"""

from __future__ import annotations

import ast
import builtins
import os
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, wraps
from itertools import chain
from pathlib import PurePath
from typing import Any, Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar, cast

from unplace.analysis.domain.refs import Class, Member
from unplace.analysis.effects.model_files import Models, known_libraries
from unplace.analysis.project.asking import Asking, Trace
from unplace.analysis.project.mentions import Form
from unplace.analysis.syntax import classes
from unplace.analysis.syntax.bindings import SETTERS, Bindings, NamedStore, last_name, named_store
from unplace.analysis.syntax.imports import Imports, canonical, imported, name_for
from unplace.analysis.syntax.nodes import Parents
from unplace.analysis.syntax.reaching import Reaching
from unplace.analysis.syntax.scopes import Scope, Scopes
from unplace.files.surroundings import Question, Standing

_LOOKS_UP = re.compile(r"(?<![.\w])(?:globals|vars|exec|eval)\s*\(")

T = TypeVar("T")
P = ParamSpec("P")


class Others(Protocol):
    """The other files of a run, as a module queries them."""

    asking: Asking

    def has(self, path: str) -> bool:
        """Tell whether a file belongs to the run."""

    def find(self, module: ModuleIndex, written: str) -> Member | str:
        """Return the target of an imported name: a member of a file of the run, or a name from outside."""

    def find_starred(self, module: ModuleIndex, name: str) -> Member | str | None:
        """Return the target of a name that a module can only have from `from ... import *`."""

    def base_of(self, module: ModuleIndex, written: str) -> tuple[Member | str, Class | None]:
        """Return the target of a base class's name, and the class where it belongs to the run."""

    def locate(self, module: ModuleIndex, written: str) -> tuple[str, list[str]] | None:
        """Return the file that an imported name leads to, and the names to look up in it."""

    def module_at(self, path: str) -> ModuleIndex | None:
        """Return the index of a file of the run, as it is on disk; None where it can't be read or parsed."""

    def module_name(self, path: str) -> str:
        """Return the dotted name of a file's module."""

    def is_named_elsewhere(self, name: str, path: str) -> bool:
        """Tell whether any other file contains a name, in whatever meaning."""

    def others_with(self, name: str, shown: Iterable[str | Form], path: str) -> list[ModuleIndex]:
        """Return the other files that contain a name and show at least one of some patterns or forms."""

    def few_others_with(self, name: str, shown: Iterable[str | Form], path: str) -> list[ModuleIndex] | None:
        """Return the same files as `others_with`; None where there are more than is worth reading."""

    def told_of_others(
        self, question: Callable[[ModuleIndex], frozenset[T]], name: str, shown: Iterable[str | Form], path: str
    ) -> Iterator[T]:
        """Iterate over facts about the other files that contain a name and show one of some patterns or forms."""

    def is_method_elsewhere(self, name: str, path: str) -> bool:
        """Tell whether a class of another file that is no tensor defines a method of a name."""

    def is_posing_elsewhere(self, name: str, path: str) -> bool:
        """Tell whether a class of another file that poses as a tensor defines a method of a name."""

    def is_redefined_elsewhere(self, names: Collection[str], path: str) -> bool:
        """Tell whether a class of another file whose objects are tensors defines one of some methods anew."""

    def tells(self, question: Question, path: str) -> bool:
        """Answer a question about what lies around a file."""

    def is_imported(self, path: str, *beside: str) -> bool:
        """Tell whether another file of the run, which contains some other names, too, may import a file."""

    def handed_to_script(self, path: str) -> frozenset[str]:
        """Return the names of what the other files pass to `torch.jit.script`."""


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a module: its file, the folder from which its package is imported, and that package."""

    others: Others
    path: str
    root: str
    package: tuple[str, ...]

    @property
    def stem(self) -> str:
        """The last part of the module's name."""
        *_, folder, name = PurePath(self.path).parts
        return folder if name == "__init__.py" else name.removesuffix(".py")

    def absolute(self, written: str) -> list[str]:
        """Return the parts of an imported name, relative imports resolved; empty above the top package."""
        name = written.lstrip(".")
        level = len(written) - len(name)
        parts = name.split(".") if name else []
        if level == 0:
            return parts
        up = len(self.package) - (level - 1)
        return [*self.package[:up], *parts] if up >= 0 else []


@dataclass(slots=True, eq=False)
class ModuleScope(Scope):
    """The scope of a module, which knows its index."""

    index: ModuleIndex = field(kw_only=True)


class AttributeStore(NamedTuple):
    """A store `holder.name = value`, `del holder.name`, or `holder.name[key] = value`, which is one `of_element`."""

    scope: Scope
    node: ast.Attribute
    of_element: bool

    @property
    def is_own(self) -> bool:
        """Whether a method stores it in its own object: `self.name = value`."""
        return _is_self(self.node.value)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _may_store(stored: NamedStore | None, attribute: str) -> bool:
    """Tell whether a store by a name may be one in an attribute; the object of a method computes names of its own."""
    if stored is None:
        return True
    if isinstance(stored.name, ast.Constant):
        return stored.name.value == attribute
    is_super = isinstance(stored.holder, ast.Call) and last_name(stored.holder.func) == "super"
    return not is_super and not _is_self(stored.holder)


class ModuleIndex:
    """One module's scopes, imports, classes and calls; with a `place`, imported names lead to other files.

    `standing` is the place of its file among the files around the run, if it has one.
    """

    def __init__(
        self,
        tree: ast.Module,
        place: Place | None = None,
        text: str = "",
        standing: Standing | None = None,
        models: Models | None = None,
    ) -> None:
        """Index the module; `text` tells versions of a file apart, `models` what libraries do."""
        self.tree = tree
        self.place = place
        self.text = text
        self.standing = standing
        self.models = models or known_libraries()
        self.scopes = Scopes(ModuleScope(tree, "<module>", None, index=self))
        self.imports = Imports(node for node, _ in self.scopes.imports)
        self.classes = classes.collect(self.scopes.module, self._qualified_here, self._base_of)
        self.targets: dict[str, Member | str] = {}  # the targets of imported names
        self.answers: dict[Hashable, Any] = {}  # answers to `once` functions and to other files' queries
        self.traces: dict[Hashable, Trace] = {}  # what answers depend on in other files
        self._bindings: dict[Scope, Bindings] = {}

    def bindings(self, scope: Scope) -> Bindings:
        """Return the index of a scope's names."""
        found = self._bindings.get(scope)
        if found is None:
            found = self._bindings[scope] = Bindings.of(scope)
        return found

    def only_binding(self, name: str) -> ast.AST | None:
        """Return what alone binds a name of the module; None where nothing does, or several things do."""
        sources = self.bindings(self.scopes.module).sources.get(name, ())
        return sources[0] if len(sources) == 1 and not self.scopes.module.rebinding(name) else None

    def calls_named(self, name: str) -> list[tuple[Scope, ast.Call]]:
        """Return the calls whose callee has this last name, with the scopes that contain them."""
        return _calls(self).get(name, [])

    def stores_of(self, attribute: str) -> list[AttributeStore]:
        """Return the stores to attributes of a name, whatever they are attributes of."""
        return _attribute_stores(self).get(attribute, [])

    def stores_in_others(self, attribute: str) -> bool:
        """Tell whether the code stores something in an attribute of another object than that of the method.

        model.norm = quick
        setattr(model, "norm", quick)       or under a name that is computed
        """
        if any(not store.is_own and not store.of_element for store in self.stores_of(attribute)):
            return True
        return any(_may_store(stored, attribute) for stored in self.stores_by_name())

    def stores_by_name(self) -> Iterator[NamedStore | None]:
        """Iterate over the calls that store by a name, `setattr(module, name, value)`; None for unpacked arguments."""
        return (stored for _, _, stored in self.storing_calls())

    def storing_calls(self) -> Iterator[tuple[Scope, ast.Call, NamedStore | None]]:
        """Iterate over the same calls, each with its scope."""
        for setter in SETTERS:
            yield from ((scope, call, named_store(call)) for scope, call in self.calls_named(setter))

    def attribute_stores(self) -> Iterator[tuple[Scope, ast.Attribute]]:
        """Iterate over the attributes that are targets of assignments, with their scopes."""
        for store in chain.from_iterable(_attribute_stores(self).values()):
            if not store.of_element and isinstance(store.node.ctx, ast.Store):
                yield store.scope, store.node

    def reads_of(self, name: str) -> int:
        """Return how often a name is read, as a name or as an attribute of something."""
        return len(uses_by_name(self).get(name, ()))

    # -- names ----------------------------------------------------------------------------------------------------

    def name_for(self, scope: Scope, qualified: str) -> str | None:
        """Return a spelling of a qualified name that surely works in a scope: by an executed, unshadowed import."""
        usable: dict[str, str] = {}
        for node, where in self.scopes.imports:
            if node in getattr(where.node, "body", ()):
                for name, target in imported(node):
                    owner = self.scopes.owner(scope, name)
                    if owner is where and name not in owner.assigned and self.imports.names.get(name) == target:
                        usable[name] = target
        return name_for(usable, qualified)

    def qualified(self, scope: Scope, node: ast.expr, *, with_builtins: bool = False) -> str | None:
        """Return the qualified name of an expression made of an imported name and attributes, or of a built-in name."""
        written = self._qualified_here(scope, node) or self._qualified_by_star(scope, node)
        if written is None:
            if not with_builtins or not isinstance(node, ast.Name) or not hasattr(builtins, node.id):
                return None
            return f"builtins.{node.id}" if self.scopes.owner(scope, node.id) is None else None
        target = self.target(written)
        return self.canonical(target) if isinstance(target, str) else written

    def canonical(self, outside: str) -> str:
        """Return the name under which what no file of the run defines is known."""
        return canonical(self.models.names.get(outside, outside))

    def member(self, scope: Scope, node: ast.expr) -> Member | None:
        """Return the member of another file that an expression made of an imported name and attributes stands for."""
        written = self._qualified_here(scope, node)
        target = self.target(written) if written is not None else None
        if isinstance(node, ast.Name) and self.place is not None and self.scopes.owner(scope, node.id) is None:
            target = self.place.others.find_starred(self, node.id)
        return target if isinstance(target, Member) else None

    def _qualified_here(self, scope: Scope, node: ast.expr) -> str | None:
        """Return the qualified name of an expression, without looking into other files."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imports.names:
            return None
        owner = self.scopes.owner(scope, node.id)
        if owner is None or node.id in owner.assigned:
            return None
        return canonical(".".join([self.imports.names[node.id], *reversed(parts)]))

    def _qualified_by_star(self, scope: Scope, node: ast.expr) -> str | None:
        """Return the qualified name of an expression whose name another file imports and hands on by a star."""
        if self.place is None:
            return None
        root, parts = node, list[str]()
        while isinstance(root, ast.Attribute):
            parts.append(root.attr)
            root = root.value
        if not isinstance(root, ast.Name) or self.scopes.owner(scope, root.id) is not None:
            return None
        target = self.place.others.find_starred(self, root.id)
        return self.canonical(".".join([target, *reversed(parts)])) if isinstance(target, str) else None

    def target(self, qualified: str) -> Member | str:
        """Return the target of an imported name: a member of another file, or a name from outside."""
        if self.place is None or qualified.startswith("torch."):
            return qualified
        return self.place.others.find(self, qualified)

    def is_named_elsewhere(self, name: str) -> bool:
        """Tell whether another file of the run contains a name, in whatever meaning."""
        return self.place is not None and self.place.others.is_named_elsewhere(name, self.place.path)

    def others_with(self, name: str, shown: Iterable[str | Form]) -> list[ModuleIndex]:
        """Return the other files of the run that contain a name and show at least one of some patterns or forms."""
        return self.place.others.others_with(name, shown, self.place.path) if self.place is not None else []

    def few_others_with(self, name: str, shown: Iterable[str | Form]) -> list[ModuleIndex] | None:
        """Return the same files as `others_with`; None where there are more than is worth reading."""
        return self.place.others.few_others_with(name, shown, self.place.path) if self.place is not None else []

    def told_of_others(
        self, question: Callable[[ModuleIndex], frozenset[T]], name: str, shown: Iterable[str | Form]
    ) -> Iterator[T]:
        """Iterate over facts about the other files that contain a name and show one of some patterns or forms."""
        place = self.place
        return place.others.told_of_others(question, name, shown, place.path) if place is not None else iter(())

    def tells(self, question: Question) -> bool:
        """Answer a question about what lies around the file; a text without a file is all that there is."""
        if self.place is not None:
            return self.place.others.tells(question, self.place.path)
        if self.standing is None:
            return question is Question.PROGRAM
        return self.standing.around.tells(question, self.standing.path)

    @cached_property
    def looks_names_up(self) -> bool:
        """Whether the module may get at names by texts: it calls `globals()`, `vars()`, `exec` or `eval`."""
        return _LOOKS_UP.search(self.text) is not None

    def take(self) -> None:
        """Record that the module's functions were judged by the callers in the run alone."""
        if self.standing is not None:
            self.standing.around.taken.add(self.standing.path)

    # -- classes --------------------------------------------------------------------------------------------------

    def owns(self, scope: Scope) -> bool:
        """Tell whether a scope belongs to this module."""
        return scope.module is self.scopes.module

    def class_of(self, scope: Scope) -> Class | None:
        """Return the class that a function is a method of."""
        node = scope.enclosing_class
        return self.classes.get(node) if node is not None else None

    def descendants(self, owner: Class) -> Iterator[Class]:
        """Iterate over the classes that derive from a class, as far as this file and the file of the class know."""
        own = _descendants(self).get(owner, [])
        there = home(owner.scope).classes.values() if not self.owns(owner.scope) else ()
        return (c for c in (*own, *there) if c is not owner and owner in c.linearized())

    def _base_of(self, scope: Scope, node: ast.expr) -> tuple[str | None, Class | None]:
        """Return the qualified name of a base class, and the class where another file of the run defines it."""
        written = self._qualified_here(scope, node)
        if written is None:
            return None, None
        if self.place is None or written.startswith("torch."):
            return self.canonical(written), None
        target, found = self.place.others.base_of(self, written)
        return (self.canonical(target), None) if isinstance(target, str) else (written, found)


def home(scope: Scope) -> ModuleIndex:
    """Return the index of the module that contains a scope."""
    root = scope.module
    assert isinstance(root, ModuleScope)
    return root.index


def is_of(scope: Scope, path: str) -> bool:
    """Tell whether a scope belongs to a file, in whatever version of its text."""
    place = home(scope).place
    return place is not None and place.path == path


def from_folder(reader: ModuleIndex, other: ModuleIndex) -> str | None:
    """Return the path of another file from the folder that holds it and the reader's; None for the same file."""
    place, own = other.place, reader.place
    if other is reader or place is None or own is None:
        return None
    return path_from_folder(own.path, place.path)


def path_from_folder(reader: str, other: str) -> str:
    """Return the path of another file from the folder that holds it and the reader's."""
    shared = os.path.commonpath([PurePath(reader).parent, PurePath(other).parent])
    return PurePath(other).relative_to(shared).as_posix()


def once(question: Callable[Concatenate[ModuleIndex, P], T]) -> Callable[Concatenate[ModuleIndex, P], T]:
    """Make a function of a module, and of further arguments, remember its results on the index."""

    @wraps(question)
    def asked(module: ModuleIndex, /, *others: P.args, **named: P.kwargs) -> T:
        key, known, place = (question, *others, *named.items()), module.answers, module.place
        if key in known:
            if key in module.traces and place is not None:
                place.others.asking.reads(module.traces[key])
        elif place is None:
            known[key] = question(module, *others, **named)
        else:
            known[key], trace = place.others.asking.noted(partial(question, module, *others, **named))
            if trace.uses:
                module.traces[key] = trace
        return cast(T, known[key])

    return asked


def parents_in(module: ModuleIndex, scope: Scope) -> Parents:
    """Return the parent of each node of a scope, including the nodes of inner scopes."""
    return Parents(scope.node, module.scopes.parents)


@once
def reaching_in(module: ModuleIndex, scope: Scope) -> Reaching:
    """Return the definitions that reach the reads of a scope."""
    return _reaching(scope, has_rounds=False)


@once
def reaching_after_rounds(module: ModuleIndex, scope: Scope) -> Reaching:
    """Return the definitions that reach the reads of a scope if each `for` loop has a round."""
    return _reaching(scope, has_rounds=True)


def _reaching(scope: Scope, *, has_rounds: bool) -> Reaching:
    body = scope.node.body
    statements = body if isinstance(body, list) else [ast.copy_location(ast.Expr(body), body)]
    return Reaching(statements, binds_inside=bool(scope.of(ast.NamedExpr)), has_rounds=has_rounds)


@once
def passed_on(module: ModuleIndex) -> frozenset[str]:
    """Return the names that are arguments of some call in the module."""
    calls = (node for scope in module.scopes.by_node.values() for node in scope.of(ast.Call))
    arguments = (a for call in calls for a in (*call.args, *(k.value for k in call.keywords)))
    return frozenset(a.id for a in arguments if type(a) is ast.Name)


@once
def _calls(module: ModuleIndex) -> dict[str, list[tuple[Scope, ast.Call]]]:
    """Index all calls by the last name of the callee."""
    found: dict[str, list[tuple[Scope, ast.Call]]] = {}
    for scope in module.scopes.by_node.values():
        for call in scope.of(ast.Call):
            name = last_name(call.func)
            if name is not None:
                found.setdefault(name, []).append((scope, call))
    return found


@once
def _attribute_stores(module: ModuleIndex) -> dict[str, list[AttributeStore]]:
    """Index the stores to attributes, and to elements of what attributes hold, by the name of the attribute."""
    found: dict[str, list[AttributeStore]] = {}
    for scope in module.scopes.by_node.values():
        for target in scope.of(ast.Attribute):
            if type(target.ctx) is not ast.Load:
                found.setdefault(target.attr, []).append(AttributeStore(scope, target, False))
        for element in scope.of(ast.Subscript):
            if isinstance(element.value, ast.Attribute) and type(element.ctx) is not ast.Load:
                found.setdefault(element.value.attr, []).append(AttributeStore(scope, element.value, True))
    return found


@once
def uses_by_name(module: ModuleIndex) -> Mapping[str, Sequence[tuple[Scope, ast.expr]]]:
    """Return the reads of each name and the attributes of that name, with the scope that contains each."""
    uses: dict[str, list[tuple[Scope, ast.expr]]] = {}
    for scope in module.scopes.by_node.values():
        for name in scope.names:
            if type(name.ctx) is ast.Load:
                uses.setdefault(name.id, []).append((scope, name))
        for node in scope.of(ast.Attribute):
            uses.setdefault(node.attr, []).append((scope, node))
    return uses


@once
def _descendants(module: ModuleIndex) -> dict[Class, list[Class]]:
    """Index the module's classes by each class that they derive from."""
    found: dict[Class, list[Class]] = {}
    for derived in module.classes.values():
        for ancestor in derived.linearized():
            found.setdefault(ancestor, []).append(derived)
    return found
