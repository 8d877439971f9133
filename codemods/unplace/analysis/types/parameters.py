"""Values of parameters: by their annotations, their defaults, their uses in the body, their class and their callers."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from functools import partial

from unplace.analysis.domain.refs import Class, Instance, Named, join_refs
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    DICT,
    LIST,
    MODULE,
    NONE,
    NUMBER,
    OTHER,
    SHAPE,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    UNKNOWN_VALUE,
    Value,
)
from unplace.analysis.interpret.run import Analysis, Run
from unplace.analysis.project import vmapped
from unplace.analysis.project.calling import calls_of, calls_of_objects, is_object_of, parameters_of
from unplace.analysis.project.module import parents_in, reaching_in
from unplace.analysis.syntax.bindings import root_name
from unplace.analysis.syntax.classes import OF_INSTANCES, is_class_method, is_static
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types import kinds
from unplace.analysis.types.evidence import Evidence
from unplace.analysis.types.inference import inferred
from unplace.diagnostics.forms import target_of
from unplace.torchapi import modes

_NO_INPUTS = CONTAINER | TEXT | SHAPE | ARRAY | OTHER
"""The kinds that no module takes for a tensor."""


def value_of(program: Analysis, scope: Scope, argument: ast.arg) -> Value:
    """Return the value of a parameter, without the objects that it may be."""
    node = scope.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    owner = program.module.class_of(scope)
    if owner is not None and node.args.args and argument is node.args.args[0] and not is_static(node):
        if is_class_method(node):
            return Value(CALLABLE, ref=None if any(True for _ in program.descendants(owner)) else owner)
        return Value(kinds.of_instance(owner), ref=Instance(owner))
    if owner is not None and argument in scope.parameters[:1] and _takes_context(owner, scope.name):
        return Value(OTHER, ref=Named(modes.FUNCTION_CONTEXT))
    if owner is not None and scope.name == "backward" and owner.derives_from(modes.FUNCTION):
        return Value(TENSOR)
    if argument is node.args.vararg or argument is node.args.kwarg:
        return Value(UNKNOWN)
    annotated = kinds.of_annotation(argument.annotation)
    default = default_of(node.args, argument)
    if not annotated & UNKNOWN:
        is_none = isinstance(default, ast.Constant) and default.value is None
        return Value(annotated | (NONE if is_none else 0))
    of = _annotated_class(program, scope, argument.annotation)
    if of is not None and not of.is_tensor and (default is None or isinstance(default, ast.Constant)):
        return Value(kinds.of_instance(of) | (0 if default is None else NONE), ref=Instance(of))
    return _unannotated(program, scope, argument, default, owner)


def _takes_context(owner: Class, method: str) -> bool:
    """Tell whether the first argument of a static method is the context of a custom autograd function."""
    with_context = modes.OF_FUNCTIONS - ({"forward"} if owner.defines("setup_context") else set())
    return method in with_context and owner.derives_from(modes.FUNCTION)


def _annotated_class(program: Analysis, scope: Scope, annotation: ast.expr | None) -> Class | None:
    """Return the class of the run that an annotation names, `state: State`, where nothing else is bound to the name.

    A class that stands in for a missing package (`except ImportError`) says nothing about the arguments.
    """
    if scope.parent is None or not isinstance(annotation, ast.Name | ast.Attribute):
        return None
    of = program.estimate(scope.parent, annotation).ref
    outer = of.scope.parent.node if isinstance(of, Class) and of.scope.parent is not None else None
    return of if isinstance(of, Class) and of.node in getattr(outer, "body", ()) else None


def _unannotated(
    program: Analysis, scope: Scope, argument: ast.arg, default: ast.expr | None, owner: Class | None
) -> Value:
    none = NONE if isinstance(default, ast.Constant) and default.value is None else 0
    by_default = kinds.of_default(default)
    if by_default == NUMBER or by_default & TEXT:
        return Value(by_default)
    is_of_class = kinds.names_a_class(argument.annotation)
    found = inferred(program.module, scope).of(argument).evidence if not is_of_class else Evidence.NONE
    if found is Evidence.PROOF:
        return Value(TENSOR | none)
    callers = _from_callers(program, scope, argument.arg)
    if callers is not None:
        return callers._replace(kinds=callers.kinds | none)
    if by_default & (NUMBER | CONTAINER) and not found:
        return Value(by_default)
    takes_tensors = owner is not None and (owner.is_module or owner.derives_from(modes.FUNCTION))
    is_input = takes_tensors and scope.name == "forward" and argument.annotation is None
    if is_input and default is None:
        passed = _inputs(program, scope, argument.arg)
        if any(value.must_be(_NO_INPUTS) for value in passed):
            return Value(passed[0].kinds if len({value.kinds for value in passed}) == 1 else UNKNOWN)
        if _may_be_tensor(program, scope, argument):
            used = inferred(program.module, scope).of(argument)
            return Value(TENSOR, likely=not used.is_like_array)
    if not found and _is_applied(program, scope):
        return Value(MODULE, likely=True)
    return Value(TENSOR | none, likely=True) if found else Value(UNKNOWN | none)


def _is_applied(program: Analysis, scope: Scope) -> bool:
    """Tell whether a function is applied to the modules of a network: `net.apply(init_weights)`."""
    if not program.module.reads_of(scope.name):
        return False
    return any(
        isinstance(call.func, ast.Attribute)
        and len(call.args) == 1
        and getattr(call.args[0], "attr", getattr(call.args[0], "id", None)) == scope.name
        and program.estimate(caller, call.func.value).may_be(MODULE | UNKNOWN)
        for caller, call in program.module.calls_named("apply")
    )


def _may_be_tensor(program: Analysis, scope: Scope, argument: ast.arg) -> bool:
    """Tell whether the body uses an argument as no size and no sequence, and only with attributes that a tensor has."""
    bindings = program.module.bindings(scope)
    found = inferred(program.module, scope).of(argument)
    if bindings.replaces_elements(argument.arg) or not found.may_be_tensor:
        return False
    return argument.arg not in bindings.iterated or found.is_like_array


def _inputs(program: Analysis, scope: Scope, name: str) -> tuple[Value, ...]:
    """Return the values that the calls of a module in this file pass for an input of its `forward`."""
    question = "inputs", scope, name
    passed = partial(_passed_to_object, program, scope, name)
    return program.answer(question, lambda: tuple(program.estimate(*one) for one in passed()), ())


def _passed_to_object(program: Analysis, scope: Scope, name: str) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over the arguments that calls of an object pass to its `forward` or `__call__`, with their scopes."""
    owner = program.module.class_of(scope) if scope.name in OF_INSTANCES else None
    for caller, call in calls_of_objects(program, owner) if owner is not None else ():
        argument = argument_for(scope, call, name)
        if owner is not None and argument is not None and is_object_of(program, caller, call.func, owner):
            yield caller, argument


def _from_callers(program: Analysis, scope: Scope, name: str) -> Value | None:
    """Return the join of the values that calls in the run pass for a parameter; None if no call matches."""
    if scope.name == "<lambda>" and not vmapped.names_vmap(program.module):
        return None
    return program.answer(("callers", scope, name), lambda: _join_of_callers(program, scope, name), None)


def _join_of_callers(program: Analysis, scope: Scope, name: str) -> Value | None:
    passes = [p for p in _passed(program, scope, name) if not _is_of_unseen_class(program, *p)]
    found = [program.estimate(*one) for passed in passes for one in _assigned(program, *passed)]
    found += _batched(program, scope, name)
    if _may_be_written(scope, name) or scope.name == "__init__":
        found.append(program.passed_elsewhere(scope, name))
    found = [v for v in found if v.kinds != UNKNOWN]
    if not found:
        return None
    seen = 0
    for value in found:
        seen |= value.kinds
    likely = any(v.likely for v in found)
    return Value(seen, likely=likely, ref=_record_of_all(found) or _open_choice(found))


def _is_of_unseen_class(program: Analysis, scope: Scope, argument: ast.expr) -> bool:
    """Tell whether an argument is a parameter of the caller that is annotated with a class which isn't seen.

    def build(config: BertConfig):
        return Attention(config)        says nothing of what `Attention` takes
    """
    if not isinstance(argument, ast.Name) or argument.id in program.module.bindings(scope).sources:
        return False
    given = next((parameter for parameter in scope.parameters if parameter.arg == argument.id), None)
    if given is None or default_for(scope, given.arg) is not None or not kinds.names_a_class(given.annotation):
        return False
    return _annotated_class(program, scope, given.annotation) is None


def _batched(program: Analysis, scope: Scope, name: str) -> Iterator[Value]:
    """Iterate over the values that `vmap` passes for a parameter: tensors, or parts of what is given, of its kind."""
    for use in vmapped.uses(program):
        if use.function.scope is scope and vmapped.levels_given(use).get(name, vmapped.NO_LEVELS).certain:
            used = inferred(program.module, scope)
            parameter = next(a for a in scope.parameters if a.arg == name)
            given = [program.estimate(*one) for one in vmapped.passed(program, scope, name)]
            whole = [value for value in given if value.kinds in (TENSOR, LIST, TUPLE, DICT)]
            known = [Value(value.kinds, likely=value.likely) for value in whole]
            is_likely = used.of(parameter).may_be_tensor
            yield from known or ([Value(TENSOR, likely=True)] if is_likely else [])


def _record_of_all(found: list[Value]) -> Instance | None:
    """Return an object of the dataclass or named tuple that all of these values are objects of, if there is one.

    Of other classes, callers out of sight may pass objects with other methods.
    """
    classes = {value.ref.of if isinstance(value.ref, Instance) else None for value in found}
    of = classes.pop() if len(classes) == 1 else None
    return Instance(of) if of is not None and of.fields is not None else None


def _open_choice(found: list[Value]) -> Hashable:
    """Return what some values stand for, of which callers out of sight may pass others: modules, functions, classes."""
    refs = [value.ref for value in found if value.ref is not None and value.may_be(MODULE | CALLABLE | OTHER)]
    choice: Hashable = None
    for ref in refs:
        choice = join_refs(choice, ref, is_open=True)
    return choice


def contents(program: Analysis, scope: Scope, argument: ast.arg) -> Value:
    """Return the value of the elements of a container passed for a parameter: by annotation, default or callers."""
    annotated = kinds.of_elements(argument.annotation)
    if annotated == UNKNOWN:
        annotated = kinds.of_default_elements(default_for(scope, argument.arg))
    if annotated != UNKNOWN or scope.name == "<lambda>":
        return Value(annotated)

    def found() -> Value:
        passes = [*_passed(program, scope, argument.arg), *_passed_to_object(program, scope, argument.arg)]
        return _all_tensors([program.contents(*one) for one in dict.fromkeys(passes)])

    return program.answer(("contents", scope, argument.arg), found, UNKNOWN_VALUE)


def extra(program: Analysis, scope: Scope, argument: ast.arg) -> Value:
    """Return the value of the arguments that calls pass to `*args`: by annotation or callers."""
    annotated = kinds.of_annotation(argument.annotation)
    if annotated != UNKNOWN or scope.name == "<lambda>":
        return Value(annotated)
    named = len(parameters_of(scope))

    def found() -> Value:
        passes = [(caller, one) for caller, call in calls_of(program, scope) for one in call.args[named:]]
        return _all_tensors([program.estimate(*one) for one in dict.fromkeys(passes)])

    return program.answer(("extra", scope, argument.arg), found, UNKNOWN_VALUE)


def _all_tensors(found: list[Value]) -> Value:
    if not found or any(v.kinds != TENSOR for v in found):
        return Value(UNKNOWN)
    return Value(TENSOR, likely=any(v.likely for v in found))


def _passed(program: Analysis, scope: Scope, name: str) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over the arguments that calls in this file pass for a parameter, with the scope of each call."""
    for caller, call in calls_of(program, scope):
        argument = argument_for(scope, call, name)
        if argument is not None:
            yield caller, argument
    if scope.name == "__call__":
        yield from _passed_to_object(program, scope, name)


def _assigned(program: Analysis, scope: Scope, argument: ast.expr) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over what an argument may be: of a name that is bound several times, what was assigned to it last.

    state = State(h, c)
    state = step(state, x)          a `State`, though `state` is then what `step` returns
    """
    module, found = program.module, list[ast.expr]()
    if isinstance(argument, ast.Name) and len(module.bindings(scope).sources.get(argument.id, ())) > 1:
        for bound in reaching_in(module, scope).seen_by.get(argument, ()):
            statement = parents_in(module, scope).get(bound) if isinstance(bound, ast.Name) else None
            if argument.id in scope.volatile or not isinstance(statement, ast.Assign) or statement.targets != [bound]:
                found.clear()
                break
            found.append(statement.value)
    yield from ((scope, one) for one in found or [argument])


def _may_be_written(scope: Scope, name: str) -> bool:
    """Tell whether something that looks like an in-place operation would write a parameter."""
    targets = (target_of(node) for node in scope.suspects)
    return any(root_name(target) == name for target in targets if target is not None)


def default_of(arguments: ast.arguments, argument: ast.arg) -> ast.expr | None:
    """Return the default value of a parameter, or None."""
    positional = [*arguments.posonlyargs, *arguments.args]
    if argument in positional:
        offset = positional.index(argument) - (len(positional) - len(arguments.defaults))
        return arguments.defaults[offset] if offset >= 0 else None
    if argument in arguments.kwonlyargs:
        return arguments.kw_defaults[arguments.kwonlyargs.index(argument)]
    return None


def default_for(scope: Scope, name: str) -> ast.expr | None:
    """Return the default value of the parameter of a name, or None."""
    if isinstance(scope.node, ast.Module | ast.ClassDef):
        return None
    argument = next((a for a in scope.parameters if a.arg == name), None)
    return default_of(scope.node.args, argument) if argument is not None else None


def has_lasting_default(scope: Scope, parameter: str) -> bool:
    """Tell whether a parameter's default may be a tensor, which all calls that omit the argument share."""
    default = default_for(scope, parameter)
    return default is not None and not isinstance(default, ast.Constant)


def argument_for(scope: Scope, call: ast.Call, name: str) -> ast.expr | None:
    """Return the argument of a call that a parameter receives, or None if it can't be told."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = parameters_of(scope)
    if name in names and names.index(name) < len(call.args):
        return call.args[names.index(name)]
    return None


def passed_for(program: Analysis, scope: Scope, name: str) -> Iterator[tuple[Run, ast.expr]]:
    """Iterate over what calls in the file pass for a parameter, with the runs of the functions that call."""
    for caller, call in calls_of(program, scope):
        run, given = program.run(caller), argument_for(scope, call, name)
        if run is not None and given is not None:
            yield run, given
