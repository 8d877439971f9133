"""Evaluates calls: the views they return, the memory they write, the arguments that escape."""

from __future__ import annotations

import ast
import sys
from collections.abc import Hashable, Iterable

from unplace import torchapi
from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.gradmode import entered
from unplace.analysis.domain.graph import LEAF, NO_GRAPH, RESULTS, SEEN, UNSEEN, of_all
from unplace.analysis.domain.refs import (
    Bound,
    Choice,
    Class,
    Function,
    Instance,
    LibraryLayer,
    ModuleList,
    Named,
    Partial,
    TensorMethod,
    TorchModule,
    alternatives,
)
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import (
    CALLABLE,
    CALLED,
    CONTAINER,
    DICT,
    LAYER_CALLED,
    MODULE,
    NAMESPACE,
    NONE_VALUE,
    NUMBER,
    NUMBER_VALUE,
    OTHER,
    PARAMETER_MADE,
    TENSOR,
    UNKNOWN,
    Base,
    Link,
    Origin,
    Value,
)
from unplace.analysis.effects import layers, operators
from unplace.analysis.effects.applying import apply, keep
from unplace.analysis.effects.call import Call, Elements
from unplace.analysis.effects.clobbering import clobber
from unplace.analysis.effects.effect import EVERY, Effect, Returned
from unplace.analysis.effects.graphs import of_arguments
from unplace.analysis.interpret import (
    checkpoints,
    indirect_calls,
    inherited,
    mapped_calls,
    method_calls,
    modelled_calls,
    own_calls,
    partials,
    registered,
)
from unplace.analysis.interpret.arguments import Arguments, is_true_given, is_unknown_flag
from unplace.analysis.interpret.arithmetic import note_rank
from unplace.analysis.interpret.attributes import attribute_of
from unplace.analysis.interpret.choices import either
from unplace.analysis.interpret.rounds import has_round
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.slots import is_any_module
from unplace.analysis.interpret.stores import flagged_write, may_write, share_memory
from unplace.analysis.interpret.walking import Evaluation
from unplace.analysis.interpret.writes import anything
from unplace.analysis.project import named_tuples
from unplace.analysis.project.calling import run_by_calling
from unplace.analysis.project.layerwise import is_hooked_elsewhere
from unplace.analysis.project.members import spread_keys
from unplace.analysis.project.module import home
from unplace.analysis.project.patched import patched_names
from unplace.analysis.project.replaced import changed_later
from unplace.analysis.project.switches import may_switch
from unplace.analysis.project.unfollowed import cached_functions, has_forward_hooks, has_keeping_hooks
from unplace.analysis.queries.layouts import layout_of
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.liveness import SEES_ALL, SEES_LOCALS
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.types.own_methods import is_of_posing_class
from unplace.diagnostics.forms import PARTIAL, WRITERS, Proof, WriteKind, is_true
from unplace.torchapi import modes, modules, results, transforms


class Calls:
    """The evaluator of call expressions."""

    def __init__(self, evaluator: Evaluation) -> None:
        """Evaluate calls in the evaluator's run."""
        self.evaluator = evaluator
        self.run: Run = evaluator.run

    @property
    def elements(self) -> Elements:
        """The evaluator that knows the elements of containers."""
        return self.evaluator

    def call(self, node: ast.expr, state: State) -> Value:
        """Return the value of a call expression."""
        assert isinstance(node, ast.Call)
        func = node.func
        if isinstance(func, ast.Attribute):
            base = self.evaluator.evaluate(func.value, state)
            owner = base.ref.qualified if base.must_be(CALLABLE) and isinstance(base.ref, Named) else None
            is_of_class = owner is not None and (func.attr == "from_pretrained" or owner in results.TENSOR_CLASSES)
            if not base.must_be(NAMESPACE) and not is_of_class:  # nn.Embedding.from_pretrained(...)
                return self._cached(node, method_calls.of_method(self, node, func, base, state), state)
            callee = attribute_of(self.evaluator, func, base, state)
            self.run.values[func] = callee
        else:
            callee = self.evaluator.evaluate(func, state)
        return self.apply(node, callee, self.arguments(node, state), state)

    def arguments(self, node: ast.Call, state: State) -> Arguments:
        """Evaluate the arguments, left to right."""
        result = Arguments()
        for argument in node.args:
            value = self.evaluator.evaluate(argument, state)
            if isinstance(argument, ast.Starred):
                result.exact, result.spread = False, None
                if value.must_be(CONTAINER) and value.objs:
                    value = self.evaluator.element(argument, value, state)
            result.positional.append(value)
            result.nodes.append(argument)
        for keyword in node.keywords:
            value = self.evaluator.evaluate(keyword.value, state)
            if keyword.arg is None:
                names = self._keys(keyword.value, value, state)
                result.exact = False
                result.spread = None if names is None or result.spread is None else result.spread | names
                if value.must_be(CONTAINER) and value.objs:
                    value = self.evaluator.element(keyword.value, value, state)
                result.rest.append(value)
            else:
                result.keywords[keyword.arg] = value
                result.keyword_nodes[keyword.arg] = keyword.value
        return result

    def apply(self, node: ast.Call, callee: Value, arguments: Arguments, state: State) -> Value:
        """Return the result of calling a value; a cache keeps it, and a forward hook may, with a module's arguments."""
        made = self._cached(node, self._apply(node, callee, arguments, state), state)
        if callee.may_be(MODULE) and self._may_be_hooked(node.func):
            given = frozenset(obj for value in (made, *arguments.all()) for obj in value.objs)
            is_certain = has_keeping_hooks(self.run.program)
            self.run.keep(state, given, f"a hook of `{code_of(node.func)}(...)`", node.lineno, certain=is_certain)
        return made

    def _keys(self, node: ast.expr, value: Value, state: State) -> frozenset[str] | None:
        """Return the keys of a dictionary that is known whole: `{"device": device, "dtype": dtype}`."""
        if not value.must_be(DICT) or len(value.objs) != 1:
            return None
        (holder,) = value.objs
        keys = [key for key, _ in state.fields_of(holder)]
        if holder.origin is not Origin.FRESH:  # without regard to the flow, only the source tells
            scope = self.run.scope
            return spread_keys(home(scope), scope, node.id) if isinstance(node, ast.Name) else None
        is_whole = not any((holder, key) in state.heap.partly or key == ANY for key in keys)
        names = frozenset(key for key in keys if isinstance(key, str))
        return names if is_whole and len(names) == len(keys) else None

    def _cached(self, node: ast.Call, made: Value, state: State) -> Value:
        """Return the result of a call, which a cache keeps."""
        if last_name(node.func) in cached_functions(self.run.program.module):
            self.run.keep(state, made.objs, f"the cache of `{code_of(node.func)}`", node.lineno, certain=True)
        return made

    def _may_be_hooked(self, callee: ast.expr) -> bool:
        """Tell whether the file hooks modules, or another one a module in an attribute of the callee's name."""
        module, name = self.run.program.module, last_name(callee)
        return has_forward_hooks(module) or (name is not None and is_hooked_elsewhere(module, name))

    def _apply(self, node: ast.Call, callee: Value, arguments: Arguments, state: State) -> Value:
        ref = callee.ref
        if isinstance(ref, Choice):
            return either(self, node, callee, lambda one, own: self.apply(node, one, arguments.copy(), own), state)
        if isinstance(ref, Partial):
            return partials.called(self, node, ref, arguments, state)
        if isinstance(ref, Named) and not callee.must_be(OTHER):  # what `torch.vmap(f)` has made is another function
            return self.named(node, ref.qualified, arguments, state)
        if isinstance(ref, Function):
            return own_calls.of_function(self, node, ref, arguments, state, None)
        if isinstance(ref, TensorMethod):
            return method_calls.of_bound(self, node, ref, callee, arguments, state)
        if isinstance(ref, Bound):
            return own_calls.of_bound(self, node, ref, arguments, state)
        if isinstance(ref, Class):
            return own_calls.of_class(self, node, ref, arguments, state)
        if isinstance(ref, TorchModule):
            return layers.called(self, node, ref, arguments, state)
        if isinstance(ref, LibraryLayer):
            return modelled_calls.of_layer(self, node, ref, arguments, state)
        found = self._of_instance(node, callee, ref, arguments, state) if isinstance(ref, Instance) else None
        return found if found is not None else self.unknown_call(node, arguments.all(), state, callee)

    def _of_instance(
        self, node: ast.Call, callee: Value, ref: Instance, arguments: Arguments, state: State
    ) -> Value | None:
        method = run_by_calling(self.run.program, ref)
        if method is not None:
            return own_calls.of_function(self, node, method, arguments, state, callee)
        return inherited.of_instance(self, node, ref.of, arguments, state)

    # -- unseen code ----------------------------------------------------------------------------------------------

    def unknown_call(self, node: ast.Call, values: list[Value], state: State, callee: Value | None = None) -> Value:
        """Return the result of a call into unseen code, which may keep, write and return whatever it can reach."""
        self.run.cannot_follow(node, state)
        name = last_name(node.func)
        may_be_seen = name in SEES_ALL or bool(patched_names(self.run.program.module))  # the code may be in sight
        method_calls.of_handed(self.run, node, values, state)
        label = f"`{code_of(node.func)}(...)`"
        given = anything([*values, *(state.env.values() if name in SEES_LOCALS else ())])
        for value in [*values, *([callee] if callee is not None else [])]:
            given |= value.objs
            for ref in alternatives(value.ref):
                if isinstance(ref, Function):
                    own_calls.hand_captured(self.run, node, ref, state)
                    given |= self.run.captured_by(ref, state)
        if given:
            reachable = given = state.reachable(given)
            is_kept, part = name in modules.KEEPERS, "" if may_be_seen else CALLED
            self.run.keep_all(state, reachable, label, node.lineno, certain=is_kept, part=part)
            clobber(self.run, node, reachable, state)
        if any(is_any_module(self.run, value) for value in values):
            self.run.changes_any = True
            clobber(self.run, node, frozenset(h for h in state.heap.holders if h.origin is not Origin.FRESH), state)
        for value in values:
            if value.may_be(TENSOR | UNKNOWN) and value.objs:
                self.run.save(state, value, label, node, graph=UNSEEN, certain=False)
        is_module = callee is not None and (callee.must_be(MODULE) or self._is_own_attribute(node.func))
        kinds = TENSOR if is_module and any(v.is_tensor for v in values) else UNKNOWN
        is_holder = self._holds_arguments(node) or _is_view_of_tensors(self.run, node.func)
        operator = None if may_be_seen or is_holder else LAYER_CALLED if kinds == TENSOR else CALLED
        result = self.evaluator.unknown(node, state, f"the result of {label}", operator=operator)
        if kinds == TENSOR:  # neither the callee nor a module or other object is the result
            others = [v for v in values if v.may_be(TENSOR | CONTAINER | UNKNOWN)]
            given -= anything([v for v in (*values, callee) if v is not None and v not in others]) - anything(others)
        if given:
            for obj in result.objs:
                state.bases[obj] = Base(given, Link.EITHER if is_holder else Link.CALL)
        self._lay_out(node, result)
        graph = of_all([RESULTS, SEEN if is_module else NO_GRAPH, of_arguments(self.run, state, values)])
        if kinds == TENSOR:
            return result._replace(kinds=TENSOR, likely=True, graph=graph)
        return result._replace(graph=graph)

    def _holds_arguments(self, node: ast.Call) -> bool:
        """Tell whether a call is one of a class, or of Python's own functions: `iter(x)`, `partial(f, x)`, `Box(x)`."""
        module, scope = self.run.program.module, self.run.scope
        name = module.qualified(scope, node.func, with_builtins=True)
        for obj in self.run.values[node.func].objs if name is None and node.func in self.run.values else ():
            maker = self.run.names.key_of(obj)  # get = attrgetter("t"), then get(box)
            made = (
                module.qualified(scope, maker[0].func)
                if isinstance(maker, tuple) and isinstance(maker[0], ast.Call)
                else None
            )
            name = made if made is not None and made.startswith("operator.") else name
        is_of_python = name is not None and name.partition(".")[0] in sys.stdlib_module_names
        return is_of_python or (name or code_of(node.func)).rpartition(".")[2][:1].isupper()

    def _is_own_attribute(self, node: ast.expr) -> bool:
        """Tell whether a callee is an attribute of an `nn.Module` (`self.block`), which is most likely a module."""
        if not isinstance(node, ast.Attribute):
            return False
        holder = self.run.values.get(node.value)
        return holder is not None and holder.must_be(MODULE) and isinstance(holder.ref, Instance)

    # -- named functions ------------------------------------------------------------------------------------------

    def named(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        """Return the result of calling an imported or built-in name."""
        writes = WRITERS.get(qualified)
        if writes is not None and (operand := arguments.at(0, "")) is not None:
            return self._write_first(node, writes, qualified, operand, arguments, state)
        indirect_calls.of_handed(self, node, qualified, arguments, state)
        written = indirect_calls.of_class_or_operator(self, node, qualified, arguments, state)
        if written is not None:
            return written
        held = registered.of_getattr(self, node, arguments, state) if qualified == "builtins.getattr" else None
        if qualified == PARTIAL:
            held = partials.made(node, arguments)
        elif qualified in transforms.CHECKPOINTS:
            held = checkpoints.called(self, node, qualified, arguments, state)
        elif qualified == "builtins.map":
            held = mapped_calls.of_map(self, node, arguments, state)
        elif qualified == "builtins.filter":
            held = mapped_calls.of_filter(self, node, arguments, state)
        elif qualified in named_tuples.FUNCTIONS and (of := named_tuples.made_by(home(self.run.scope), node)):
            held = Value(CALLABLE, ref=of)
        elif qualified == "dataclasses.replace" and arguments.positional:
            held = own_calls.of_replacing(self, node, arguments.positional.pop(0), arguments, state)
        if held is not None:
            return held
        if not qualified.startswith("torch."):
            return modelled_calls.of_function(self, node, qualified, arguments, state)
        inplace = torchapi.inplace_function(qualified)
        first = arguments.at(0, "input")
        if inplace is not None and first is not None:
            return self._write_first(node, WriteKind.FUNCTION, qualified, first, arguments, state)
        position = torchapi.inplace_flag(qualified)
        if position is not None and first is not None and is_true_given(arguments.at(position, "inplace")):
            return self._write_first(node, WriteKind.FLAG, qualified, first, arguments, state)
        if position is not None and first is not None and is_unknown_flag(arguments.at(position, "inplace"), arguments):
            return self.maybe_in_place(node, qualified, first, state)
        if "out" in arguments.keywords and not arguments.keywords["out"].must_be(NONE_VALUE.kinds):
            return self.out(node, qualified, arguments, state)
        if qualified == modules.PARAMETER:
            return self._parameter(node, arguments, state)
        if qualified in modules.REPARAMETRISING and (module := arguments.at(0, "module")) is not None:
            return module[1]
        if qualified in results.VARIABLES or qualified in results.TENSOR_CLASSES:
            return self._of_class(node, qualified, arguments, state)
        operator = torchapi.function(qualified)
        if operator is not None and self._may_pose(operator.short, arguments):
            return self.unknown_call(node, arguments.all(), state)
        self.prove_tensor(qualified, arguments, state)
        if operator is not None:
            return self.operator(node, operator, arguments.bind(operator.parameters), arguments, state)
        return self._object_of_torch(node, qualified, arguments, state)

    def operator(
        self, node: ast.Call, operator: torchapi.Operator, bound: dict[str, Value], arguments: Arguments, state: State
    ) -> Value:
        """Return the result of one of torch's operators, given its arguments by parameter name."""
        effect = operators.effect_of(self.run, node, operator, bound, arguments, state)
        made = apply(Call(self, node, bound, state, f"{operator.short}()"), effect)
        if made.may_be(TENSOR):
            if operator.elementwise:
                note_rank(self.run, made, bound.values())
            elif operator.short in results.REDUCING and is_true(arguments.keyword_nodes.get("keepdim")):
                note_rank(self.run, made, list(bound.values())[:1])
            self._lay_out(node, made, arguments.all() if operator.short in modes.OVER_STORAGE else ())
        return made

    def _lay_out(self, node: ast.Call, made: Value, storages: Iterable[Value] = ()) -> None:
        """Note the layout of what a call makes, if it asks for one, or makes it over a storage that has one."""
        laid_out = self.run.laid_out
        layout = layout_of(node) or next((laid_out[o] for s in storages for o in s.objs if o in laid_out), None)
        if layout is not None:
            self.run.laid_out.update(dict.fromkeys(made.objs, layout))

    def _parameter(self, node: ast.Call, arguments: Arguments, state: State) -> Value:
        """Return a new parameter, which shares memory with its `data`."""
        flag = arguments.at(1, "requires_grad")
        graph = LEAF if arguments.exact and (flag is None or is_true_given(flag)) else UNSEEN
        returned = Returned(TENSOR, outside=Origin.REGISTERED, graph=graph, label=PARAMETER_MADE)
        made = apply(Call(self, node, {}, state), Effect(returned))
        data = arguments.at(0, "data")
        if data is not None:
            share_memory(self.run, node, made, data[1], state)
        return made

    def _of_class(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        """Return what one of the classes of tensors makes."""
        if qualified in results.VARIABLES:
            return self._variable(node, arguments, state)
        bound, dtype = arguments.bind(()), results.TENSOR_CLASSES[qualified]
        made = operators.of_tensor_class(qualified, bound, len(arguments.positional), dtype)
        return apply(Call(self, node, bound, state), made)

    def _variable(self, node: ast.Call, arguments: Arguments, state: State) -> Value:
        """Return a tensor that takes over the memory of another one, and gets a gradient itself where that is asked."""
        first, flag = arguments.at(0, "data"), arguments.at(1, "requires_grad")
        if first is None or not arguments.exact:
            return self.unknown_call(node, arguments.all(), state)
        data = state.narrow_to_tensor(first[1])
        made = apply(Call(self, node, {"data": data}, state), operators.of_variable(data, flag and flag[0]))
        if flag is not None and made.graph:
            self.run.leaves |= made.objs
        return made

    def _object_of_torch(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        """Return what another function of torch does: a new module, optimizer, context manager, or a number."""
        if qualified in modes.ENVIRONMENT:
            return NUMBER_VALUE
        if results.works_on_each(qualified) and arguments.exact:
            return self._of_each(node, qualified, arguments, state)
        of = qualified.removesuffix(".from_pretrained")
        keeping = Effect(Returned(OTHER, ref=Named(qualified)), keeps=frozenset((EVERY,)))
        call = Call(self, node, arguments.bind(()), state)
        if torchapi.module(of) is not None:
            if of != qualified or any(value.is_tensor for value in arguments.all()):
                keep(call, keeping)  # the given weights become its parameter
            return self._make_module(node, of, arguments, state)
        if qualified == modes.SET_GRAD_ENABLED:
            state.record = entered(Value(OTHER, ref=Named(qualified)), node, state.record)
        if qualified.startswith(modes.OBJECTS) or qualified in modes.CONTEXTS:
            return apply(call, keeping)
        return self.unknown_call(node, arguments.all(), state)

    def _of_each(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        """Return the new tensors of a function that does to each tensor of a list what an operator does to one."""
        operator = torchapi.function(results.of_one(qualified))
        bound, name = arguments.bind(()), f"{qualified.rpartition('.')[2]}()"
        made = operators.of_each(self.run, name, operator, bound, state)
        return apply(Call(self, node, bound, state, name), made)

    def _may_pose(self, name: str, arguments: Arguments) -> bool:
        """Tell whether what is given to a function of torch may be an object that poses as a tensor."""
        is_open = any(value.kinds & UNKNOWN or value.likely for value in arguments.positional[:1])
        return is_open and is_of_posing_class(home(self.run.scope), name)

    def prove_tensor(self, qualified: str, arguments: Arguments, state: State) -> None:
        """Narrow the first argument of a function or module of torch that accepts nothing but a tensor there."""
        if not arguments.positional or not torchapi.takes_tensor(qualified):
            return
        value = arguments.positional[0]
        if (value.kinds & UNKNOWN or value.likely) and not value.may_be(NUMBER):
            arguments.positional[0] = self.run.values[arguments.nodes[0]] = state.narrow_to_tensor(value)

    def _write_first(
        self,
        node: ast.Call,
        kind: WriteKind,
        name: str,
        first: tuple[ast.expr, Value],
        arguments: Arguments,
        state: State,
    ) -> Value:
        target, value = first
        others = tuple(v for v in arguments.all() if v is not value)
        inplace = torchapi.inplace_function(name)
        if kind.value.proof is Proof.FORM and (inplace is None or inplace.kind != "foreach"):
            value = state.narrow_to_tensor(value)
        value = self.run.write(node, kind, target, value, state, name, others)
        if inplace is not None and inplace.kind in ("metadata", "detach"):
            self.run.forget_shapes(state, value)
        if torchapi.saves_result_in_place(name):
            self.run.save(state, value, f"{name.rsplit('.', 1)[-1]}()", node, "result", graph=value.graph)
        return value

    def maybe_in_place(
        self,
        node: ast.Call,
        label: str,
        given: tuple[ast.expr, Value],
        state: State,
        key: Hashable = None,
        source: ast.Call | None = None,
    ) -> Value:
        """Return the result of a call that either overwrites and returns its input, or makes a new tensor."""
        target, value = given
        if value.objs:
            is_one = key is not None or self.run.alternative is not None
            flagged_write(self.run, node, target, value, state, label, source, is_one_of_several=is_one)
        call = Call(self, node, {"input": value}, state, f"{label}()")
        return apply(call, operators.perhaps_in_place(label, call.bound, "input"), key)

    def out(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        """Record the write of a function into `out=`, and return that argument."""
        target, value = arguments.keyword_nodes["out"], arguments.keywords["out"]
        if isinstance(target, ast.Tuple):
            parts = [self.run.values[e] for e in target.elts]
            value = value._replace(kinds=TENSOR, objs=anything(parts), identity=None)
        operands = tuple(arguments.positional)
        self.run.write(node, WriteKind.OUT, target, value, state, qualified, operands)
        if not value.is_tensor and value.kinds & UNKNOWN:  # `out=None` asks for a new tensor
            may_write(self.run, node, WriteKind.OUT, target, value, operands, state, qualified)
        return arguments.keywords["out"]

    def _make_module(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        module = torchapi.module(qualified)
        assert module is not None
        inplace: bool | None = False
        if module.inplace is not None and not module.ignores_inplace:
            given = arguments.at(module.inplace, "inplace")
            inplace = True if is_true_given(given) else None if is_unknown_flag(given, arguments) else False
            if inplace is not None and may_switch(self.run.program.module, not inplace):
                inplace = None
        if qualified == modules.SEQUENTIAL:
            net = Value(MODULE, ref=layers.of_sequential(self.run, node, arguments, state), graph=NO_GRAPH)
            return changed_later(self.run.program, node, net)
        if qualified in modules.MODULE_CONTAINERS:
            listed = arguments.positional[0].objs if arguments.positional else frozenset()
            slots = list(state.reachable_slots(listed))
            members, is_exact = tuple(held for _, held in slots), [key for key, _ in slots] == [*range(len(slots))]
            is_filled = bool(node.args) and has_round(self.run, node.args[0])
            made = ModuleList(members, is_exact, qualified == modules.MODULE_DICT, is_filled)
            held = Value(MODULE, ref=made, graph=NO_GRAPH)
            return changed_later(self.run.program, node, held)
        if qualified == modules.PARAMETER_LIST:
            return Value(MODULE)
        return Value(MODULE, ref=TorchModule(qualified, node, inplace), graph=NO_GRAPH)


def _is_view_of_tensors(run: Run, function: ast.expr) -> bool:
    """Tell whether a method of an unknown object has the name of one that gives a view of a tensor: `t.squeeze`."""
    owner = run.values.get(function.value) if isinstance(function, ast.Attribute) else None
    method = torchapi.tensor_method(last_name(function)) if owner is not None and owner.may_be(UNKNOWN) else None
    return method is not None and method.view is not torchapi.View.NEVER
