"""What a call does: which memory its result looks at, what it writes, what it keeps."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from unplace import torchapi
from unplace.analysis.domain.refs import Bound, Class, Function, Instance, ModuleList, Named, TorchModule
from unplace.analysis.domain.state import ANY, State
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    LIST,
    MODULE,
    NAMESPACE,
    NONE_VALUE,
    NUMBER,
    OTHER,
    OTHER_VALUE,
    SHAPE,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    Base,
    Link,
    Objs,
    Origin,
    Tracked,
    Value,
)
from unplace.analysis.effects import layers, operators, saves
from unplace.analysis.effects.summaries import instantiate
from unplace.analysis.interpret import builtin_calls
from unplace.analysis.interpret.arguments import Arguments, bind_parameters, is_true, is_unknown_flag
from unplace.analysis.interpret.run import Run, anything
from unplace.analysis.interpret.stores import share_memory
from unplace.analysis.interpret.walking import Evaluation
from unplace.analysis.queries.layouts import SHARED
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.types import evidence
from unplace.analysis.types.evidence import Evidence
from unplace.analysis.types.kinds import of_annotation
from unplace.diagnostics.forms import WRITERS, Proof, WriteKind

_MODULE_ITSELF = frozenset(
    [
        "train",
        "eval",
        "to",
        "cuda",
        "cpu",
        "float",
        "double",
        "half",
        "bfloat16",
        "requires_grad_",
        "apply",
        "share_memory",
        "to_empty",
        "compile",
    ]
)
_PARAMETERS = frozenset(["parameters", "named_parameters", "buffers", "named_buffers"])
_REGISTERED = frozenset(
    ["parameters", "named_parameters", "buffers", "named_buffers", "state_dict", "modules", "children"]
)


class Calls:
    """Evaluates call expressions."""

    def __init__(self, evaluator: Evaluation) -> None:
        """Works on the evaluator's run."""
        self.evaluator = evaluator
        self.run: Run = evaluator.run

    def call(self, node: ast.expr, state: State) -> Value:
        """The value of a call expression."""
        assert isinstance(node, ast.Call)
        func = node.func
        if isinstance(func, ast.Attribute):
            base = self.evaluator.evaluate(func.value, state)
            is_alternative = func.attr == "from_pretrained" and base.must_be(CALLABLE) and isinstance(base.ref, Named)
            if not base.must_be(NAMESPACE) and not is_alternative:  # nn.Embedding.from_pretrained(...)
                return self._method(node, func, base, state)
            callee = self.evaluator.attribute_of(func, base, state)
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
                result.exact = False
                if value.must_be(CONTAINER) and value.objs:
                    value = self.evaluator.element(argument, value, state)
            result.positional.append(value)
            result.nodes.append(argument)
        for keyword in node.keywords:
            value = self.evaluator.evaluate(keyword.value, state)
            if keyword.arg is None:
                result.exact = False
                result.positional.append(value)
                result.nodes.append(keyword.value)
            else:
                result.keywords[keyword.arg] = value
                result.keyword_nodes[keyword.arg] = keyword.value
        return result

    def apply(self, node: ast.Call, callee: Value, arguments: Arguments, state: State) -> Value:
        """Call a value."""
        ref = callee.ref
        if isinstance(ref, Named):
            return self.named(node, ref.qualified, arguments, state)
        if isinstance(ref, Function):
            return self.function(node, ref, arguments, state, None)
        if isinstance(ref, Bound):
            return self._bound(node, ref, arguments, state)
        if isinstance(ref, Class):
            return self._instantiate(node, ref, arguments, state)
        if isinstance(ref, TorchModule):
            return layers.called(self, node, ref, arguments, state)
        if isinstance(ref, Instance) and (forward := self.run.program.method(ref.of, "forward")) is not None:
            return self.function(node, forward, arguments, state, callee)
        inherited = self._torch_ancestor(ref.of) if isinstance(ref, Instance) else None
        if inherited is not None and arguments.positional:
            return operators.module_result(self, node, inherited, arguments.all(), state)
        return self.unknown_call(node, arguments.all(), state, callee)

    def _torch_ancestor(self, of: Class) -> torchapi.ModuleClass | None:
        """The class of torch whose `forward` a class inherits, where nothing else can bring one along."""
        family = {*of.linearized(), *self.run.program.descendants(of)}
        methods = {s.name for cls in family for s in cls.node.body if isinstance(s, ast.FunctionDef)}
        names = of.all_bases() - {cls.node.name for cls in family}
        found = torchapi.module(next(iter(names))) if len(names) == 1 else None
        is_like_it = found is not None and not found.is_container and (found.inplace is None or found.ignores_inplace)
        return found if is_like_it and not methods & {"forward", "__call__"} else None

    # -- code out of sight ----------------------------------------------------------------------------------------

    def unknown_call(self, node: ast.Call, values: list[Value], state: State, callee: Value | None = None) -> Value:
        """Code that isn't in this file: it may keep what it is given, change what it can reach, and hand it back."""
        self.run.cannot_follow(node, state)
        label = f"`{code_of(node.func)}(...)`"
        given = anything(values)
        for value in [*values, *([callee] if callee is not None else [])]:
            given |= value.objs
            if isinstance(value.ref, Function):
                given |= self._captured(value.ref, state)
        if given:
            reachable = given = state.reachable(given)
            self.run.keep_all(state, reachable, label, node.lineno)
            self._clobber(node, reachable, state)
        for value in values:
            if value.may_be(TENSOR | UNKNOWN) and value.objs:
                self.run.save(state, value, label, node, certain=False)
        is_module = callee is not None and (callee.must_be(MODULE) or self._is_own_attribute(node.func))
        kinds = TENSOR if is_module and any(v.is_tensor for v in values) else UNKNOWN
        result = self.evaluator.unknown(node, state, f"the result of {label}")
        if kinds == TENSOR:  # which what is called isn't, nor a module or another object
            others = [v for v in values if v.may_be(TENSOR | CONTAINER | UNKNOWN)]
            given -= anything([v for v in (*values, callee) if v is not None and v not in others]) - anything(others)
        if given:
            self.may_be_any(result.objs, given, state, Link.CALL)
        if kinds == TENSOR:
            return result._replace(kinds=TENSOR, likely=True)
        return result

    def _is_own_attribute(self, node: ast.expr) -> bool:
        """`self.block` in an nn.Module: what is called there with tensors is a module in all likelihood."""
        if not isinstance(node, ast.Attribute):
            return False
        holder = self.run.values.get(node.value)
        return holder is not None and holder.must_be(MODULE) and isinstance(holder.ref, Instance)

    def may_be_any(self, objs: Objs, given: Objs, state: State, link: Link) -> None:
        """Let new objects possibly be (or look into) some of those given."""
        for obj in objs:
            state.bases[obj] = Base(given, link)

    def clobber(self, node: ast.AST, objs: Objs, state: State) -> None:
        """Code out of sight may have stored anything in the slots of these objects."""
        self._clobber(node, state.reachable(objs), state)

    def _clobber(self, node: ast.AST, reachable: Objs, state: State) -> None:
        for slot, value in list(state.heap.items()):
            if slot[0] in reachable and value.objs:
                foreign = self.run.foreign((node, "stored", slot[1]), Origin.CALL, "what a call stored", 0, UNKNOWN)
                state.heap[slot] = value._replace(
                    objs=value.objs | foreign.objs, identity=(node, slot[1]), shape=None, dtype=None
                )

    # -- named functions ------------------------------------------------------------------------------------------

    def named(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        """A call of something imported or builtin."""
        if qualified.startswith("builtins."):
            return builtin_calls.call(self, node, qualified[9:], arguments, state)
        writes = WRITERS.get(qualified)
        if writes is not None and (operand := arguments.at(0, "")) is not None:
            return self._write_first(node, writes, qualified, operand, arguments, state)
        if not qualified.startswith("torch."):
            return builtin_calls.library_call(self, node, qualified, arguments, state)
        inplace = torchapi.inplace_function(qualified)
        first = arguments.at(0, "input")
        if inplace is not None and first is not None:
            return self._write_first(node, WriteKind.FUNCTION, qualified, first, arguments, state)
        position = torchapi.inplace_flag(qualified)
        if position is not None and first is not None and is_true(arguments.at(position, "inplace")):
            return self._write_first(node, WriteKind.FLAG, qualified, first, arguments, state)
        if position is not None and first is not None and is_unknown_flag(arguments.at(position, "inplace"), arguments):
            return self.maybe_in_place(node, qualified, first[1], state)
        if "out" in arguments.keywords and not arguments.keywords["out"].must_be(NONE_VALUE.kinds):
            return self._out(node, qualified, arguments, state)
        if qualified == "torch.nn.Parameter":
            flag = arguments.at(1, "requires_grad")
            tracked = Tracked.LEAF if arguments.exact and (flag is None or is_true(flag)) else Tracked.MAYBE
            place = (node, "parameter")
            made = self.run.foreign(place, Origin.REGISTERED, "a parameter", node.lineno, TENSOR, tracked=tracked)
            data = arguments.at(0, "data")
            if data is not None:
                share_memory(self.run, node, made, data[1], state)
            return made
        if operators.is_tensor_class(qualified):
            return operators.of_tensor_class(self, node, qualified, arguments, state)
        operator = torchapi.function(qualified)
        self.prove_tensor(qualified, arguments, state)
        if operator is not None:
            return operators.result(self, node, operator, arguments.bind(operator.parameters), arguments, state)
        of = qualified.removesuffix(".from_pretrained")
        if torchapi.module(of) is not None:
            if of != qualified:  # the given weights become its parameter
                self.run.keep(state, anything(arguments.all()), f"`{code_of(node.func)}(...)`", node.lineno)
            return self._make_module(node, of, arguments, state)
        if qualified.startswith(("torch.optim.", "torch.utils.data.")) or qualified in _CONTEXTS:
            self.run.keep(state, anything(arguments.all()), f"`{code_of(node.func)}(...)`", node.lineno)
            return Value(OTHER, ref=Named(qualified))
        return self.unknown_call(node, arguments.all(), state)

    def prove_tensor(self, qualified: str, arguments: Arguments, state: State) -> None:
        """Note that what a function or module of torch was given as its first argument has to be a tensor."""
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
        if kind.value.proof is Proof.FORM and "_foreach_" not in name:
            value = state.narrow_to_tensor(value)
        value = self.run.write(node, kind, target, value, state, name, others)
        inplace = torchapi.inplace_function(name)
        if inplace is not None and inplace.kind in ("metadata", "detach"):
            self.run.forget_shapes(state, value)
        if torchapi.saves_result_in_place(name):
            self.run.save(state, value, f"{name.rsplit('.', 1)[-1]}()", node, "result")
        return value

    def maybe_in_place(self, node: ast.Call, label: str, value: Value, state: State, key: Hashable = None) -> Value:
        """A call that may overwrite and hand back its input, or make a new tensor."""
        if not value.objs:
            return self.run.fresh(node, state, f"{label}()", key=key, likely=value.likely)
        made = self.run.view(node, state, value, f"{label}()", Link.MAYBE, key=key, same_shape=True)
        self.run.save(state, made, f"{label}()", node, certain=False)
        return made

    def _out(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        target, value = arguments.keyword_nodes["out"], arguments.keywords["out"]
        if isinstance(target, ast.Tuple):
            parts = [self.run.values[e] for e in target.elts]
            value = value._replace(kinds=TENSOR, objs=anything(parts), identity=None)
        self.run.write(node, WriteKind.OUT, target, value, state, qualified, tuple(arguments.positional))
        return arguments.keywords["out"]

    def _make_module(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        module = torchapi.module(qualified)
        assert module is not None
        inplace: bool | None = False
        if module.inplace is not None and not module.ignores_inplace:
            given = arguments.at(module.inplace, "inplace")
            inplace = True if is_true(given) else None if is_unknown_flag(given, arguments) else False
        parts, last = layers.of_sequential(arguments) if qualified == "torch.nn.Sequential" else (None, None)
        if qualified in ("torch.nn.ModuleList", "torch.nn.ModuleDict"):
            listed = arguments.positional[0].objs if arguments.positional else frozenset()
            members = tuple(held for _, held in state.reachable_slots(listed))
            return Value(MODULE, ref=ModuleList(members) if members else None, tracked=Tracked.NO)
        if qualified == "torch.nn.ParameterList":
            return Value(MODULE)
        return Value(MODULE, ref=TorchModule(qualified, node, inplace, parts, last), tracked=Tracked.NO)

    # -- functions of this file -----------------------------------------------------------------------------------

    def function(
        self,
        node: ast.Call,
        function: Function,
        arguments: Arguments,
        state: State,
        receiver: Value | None,
        key: Hashable = "result",
    ) -> Value:
        """A call of a function of this file, by its summary; `key` tells the results of several at one node apart."""
        program = self.run.program
        bound = bind_parameters(function, arguments, receiver)
        if bound is None:
            return self.unknown_call(node, [*arguments.all(), *([receiver] if receiver else [])], state)
        summary = program.summary(function)
        if summary is None:
            return self.unknown_call(node, list(bound.values()), state)
        nodes = arguments.named_nodes(bound)
        for name in sorted(summary.writes & nodes.keys()):
            others = tuple(value for other, value in bound.items() if other != name)
            self.run.hand(node, function.scope, name, nodes[name], bound[name], others, state)
        bound = {name: self._with_captures(value, state) for name, value in bound.items()}
        captured = state.reachable(self._captured(function, state))
        if captured:
            self._clobber(node, captured, state)
            for obj in captured:
                self.run.save(state, Value(UNKNOWN, frozenset((obj,))), f"{code_of(node.func)}()", node, certain=False)
        for name in summary.keeps:
            if name in bound:
                certain = name in summary.surely_keeps
                self.run.keep(state, bound[name].objs, f"`{code_of(node.func)}(...)`", node.lineno, certain=certain)
        if summary.keeps_outer:
            self.run.keep(state, captured, f"`{code_of(node.func)}(...)`", node.lineno)
        for name in summary.replaces & bound.keys():
            called = f"`{code_of(node.func)}(...)`, which replaces its data,"
            self.run.keep(state, bound[name].objs, called, node.lineno, certain=True)
        for name in summary.reshapes & bound.keys():
            self.run.forget_shapes(state, bound[name])
        for name in summary.changes:
            if name in bound:
                self.clobber(node, bound[name].objs, state)
        for name in summary.writes & bound.keys():
            self.run.becomes_tracked(state, bound[name])
        for name, value in bound.items():
            if name in summary.saves and value.may_be(TENSOR | UNKNOWN):
                certain = name in summary.surely_saves
                self.run.save(state, value, f"{code_of(node.func)}()", node, name, certain=certain)
        return instantiate(self, node, summary.result, bound, captured, state, key)

    def _with_captures(self, value: Value, state: State) -> Value:
        """A function that is handed on brings along what it captures."""
        if not isinstance(value.ref, Function):
            return value
        return value._replace(objs=value.objs | self._captured(value.ref, state))

    def _captured(self, function: Function, state: State) -> Objs:
        """What an inner function can reach of the names that are bound here."""
        return anything(
            [state.env[n] for n in sorted(function.captured(self.run.scope)) if n in state.env and state.env[n].objs]
        )

    def _bound(self, node: ast.Call, ref: Bound, arguments: Arguments, state: State) -> Value:
        if isinstance(ref.receiver.ref, Instance):
            method = self.run.program.method(ref.receiver.ref.of, ref.name)
            if method is not None:
                return self.function(node, method, arguments, state, ref.receiver)
        return self.unknown_call(node, [ref.receiver, *arguments.all()], state)

    def _instantiate(self, node: ast.Call, of: Class, arguments: Arguments, state: State) -> Value:
        """A new object of a class of this file; its constructor may keep its arguments."""
        stored = arguments.stored_in(of.fields) if of.fields is not None else None
        if stored is not None:
            made = self.run.fresh(node, state, of.node.name, OTHER, tracked=Tracked.NO, ref=Instance(of))
            for name, value in stored.items():
                promised = of_annotation(of.declared.get(name))
                if value.kinds & UNKNOWN and not promised & UNKNOWN:
                    value = value._replace(kinds=promised)
                state.heap.update({(obj, name): value for obj in made.objs})
            return made
        self.run.cannot_follow(node, state)
        label = f"`{code_of(node.func)}(...)`"
        self.run.keep(state, anything(self._stored(of, arguments)), label, node.lineno, certain=True)
        self.run.keep(state, anything(arguments.all()), label, node.lineno)
        kinds = MODULE if of.is_module else OTHER
        return self.run.foreign((node, "instance"), Origin.CALL, of.node.name, node.lineno, kinds, ref=Instance(of))

    def _stored(self, of: Class, arguments: Arguments) -> list[Value]:
        """The arguments that the constructor of a class is seen to keep."""
        if not any(value.is_tensor and value.objs for value in arguments.all()):
            return []
        init = self.run.program.method(of, "__init__")
        bound = bind_parameters(init, arguments, OTHER_VALUE) if init is not None else None
        summary = self.run.program.summary(init) if init is not None and bound is not None else None
        if bound is None or summary is None:
            return []
        return [value for name, value in bound.items() if name in summary.keeps and value.is_tensor]

    # -- methods --------------------------------------------------------------------------------------------------

    def _method(self, node: ast.Call, func: ast.Attribute, base: Value, state: State) -> Value:
        name = func.attr
        if name == "backward" and not any(k.arg in ("retain_graph", "create_graph") for k in node.keywords):
            state.let_go()
        is_super = isinstance(base.ref, Named) and base.ref.qualified == "builtins.super()"
        is_object = isinstance(base.ref, Instance) or is_super  # with a method of its own
        is_inplace = torchapi.inplace_method(name) is not None and base.may_be(TENSOR | UNKNOWN) and not is_object
        proved = is_inplace and evidence.of_name(name) is Evidence.PROOF
        if proved or (base.is_tensor and base.likely and evidence.of_call(node) is Evidence.PROOF):
            base = state.narrow_to_tensor(base)
        if base.is_tensor:
            return self.tensor_method(node, func, base, self.arguments(node, state), state)
        if isinstance(base.ref, Instance):
            callee = self.evaluator.attribute_of(func, base, state)
            self.run.values[func] = callee
            arguments = self.arguments(node, state)
            if callee.ref is None and base.must_be(MODULE) and (name in _MODULE_ITSELF or name in _REGISTERED):
                return self._module_method(node, name, base, state)
            if callee.ref is None and callee.kinds & UNKNOWN:
                return self.unknown_call(node, [base, *arguments.all()], state, callee)
            return self.apply(node, callee, arguments, state)
        if base.must_be(CALLABLE) and isinstance(base.ref, Class):
            return self._class_method(node, name, base.ref, state)
        arguments = self.arguments(node, state)
        if base.must_be(MODULE) or (base.kinds & UNKNOWN and name in _PARAMETERS):
            return self._module_method(node, name, base, state, arguments)
        if base.must_be(CONTAINER) and base.objs:
            return builtin_calls.container_method(self, node, name, base, arguments, state)
        if base.must_be(TEXT):
            return Value(TEXT | NUMBER | LIST)
        if base.must_be(SHAPE | NUMBER):
            return Value(NUMBER)
        if base.must_be(ARRAY):
            return self.run.fresh(node, state, "an array", ARRAY | NUMBER)
        if is_inplace:
            self.run.write(node, WriteKind.METHOD, func.value, base, state, name, tuple(arguments.all()))
            return base
        operator = torchapi.tensor_method(name)
        found = evidence.of_call(node) if operator is not None and base.may_be(TENSOR | UNKNOWN) else Evidence.NONE
        if found and not self._is_unlike_tensors(func.value):
            guess = base._replace(kinds=TENSOR, likely=base.likely or found is Evidence.HINT)
            return self.tensor_method(node, func, guess, arguments, state)
        result = self.unknown_call(node, [base, *arguments.all()], state)
        dtype = operators.cast_dtype(name, arguments)
        return result._replace(dtype=dtype) if dtype is not None else result

    def _is_unlike_tensors(self, node: ast.expr) -> bool:
        """Whether a name is used somewhere as no tensor can be."""
        return isinstance(node, ast.Name) and node.id in self.run.program.module.bindings(self.run.scope).unlike_tensors

    def _class_method(self, node: ast.Call, name: str, of: Class, state: State) -> Value:
        """`C.method(...)`: a static method, a class method, `Function.apply` or an explicit receiver."""
        arguments = self.arguments(node, state)
        return self.unknown_call(node, arguments.all(), state)

    def tensor_method(
        self, node: ast.Call, func: ast.Attribute, base: Value, arguments: Arguments, state: State
    ) -> Value:
        """A method of a tensor."""
        name = func.attr
        inplace = torchapi.inplace_method(name)
        if inplace is not None:
            functional = torchapi.tensor_method(inplace.functional) if inplace.functional else None
            if functional is not None:  # before the write, because `y.mul_(y)` overwrites what it saves
                # in place, autograd keeps a copy of the old receiver but the operands themselves
                shadow = base._replace(objs=frozenset())
                bound = dict(zip(functional.parameters, [shadow, *arguments.positional], strict=False))
                saves.note(self.run, state, functional, {**bound, **arguments.keywords}, None, node)
            operands = tuple(arguments.all())
            base = self.run.write(node, WriteKind.METHOD, func.value, base, state, name, operands)
            if inplace.kind in ("flag", "detach"):
                for obj in base.objs:
                    state.definitions.pop(obj, None)
            if name == "set_" and operands:
                self.run.forget_shapes(state, base)
                share_memory(self.run, node, base, operands[0], state)
            if inplace.kind == "metadata":
                self.run.forget_shapes(state, base)
                return base._replace(shape=None)
            if inplace.saves_result and not (functional is not None and saves.keeps_no_result(functional, operands)):
                self.run.save(state, base, f"{name}()", node, "result")
            if name == "share_memory_":
                self.run.laid_out.update(dict.fromkeys(state.roots(base.objs), SHARED))
            if name == "requires_grad_":
                return self.run.require_grad(state, base, arguments.nodes[0] if arguments.nodes else None)
            return base
        operator = torchapi.tensor_method(name)
        if operator is None:
            return self.unknown_call(node, [base, *arguments.all()], state)
        if name == "retain_grad":
            self.run.keep(state, base.objs, "retain_grad()", node.lineno, certain=True)
        if name == "numpy":
            self.run.keep(state, base.objs, "the NumPy array that shares its memory", node.lineno, certain=True)
            return Value(ARRAY)
        if "out" in arguments.keywords:
            return self._out(node, f"torch.{name}", arguments, state)
        bound = {**dict(zip(operator.parameters, [base, *arguments.positional], strict=False)), **arguments.keywords}
        return operators.result(self, node, operator, bound, arguments, state)

    def _module_method(
        self, node: ast.Call, name: str, base: Value, state: State, arguments: Arguments | None = None
    ) -> Value:
        if name in _MODULE_ITSELF:
            return base
        if name in _REGISTERED:
            kinds = UNKNOWN if name in ("state_dict", "modules", "children") else TENSOR
            tracked = Tracked.LEAF if name.endswith("parameters") else Tracked.MAYBE
            element = self.run.foreign(
                (node, "registered"), Origin.REGISTERED, f"`{name}()`", node.lineno, kinds, tracked=tracked
            )
            if name.startswith("named_"):
                pair = self.run.container(node, state, TUPLE, {0: Value(TEXT), 1: element})
                return self._sequence(node, pair, state)
            return self._sequence(node, element, state)
        if name == "forward":
            return self.apply(node, base, arguments or Arguments(), state)
        values = arguments.all() if arguments is not None else []
        return self.unknown_call(node, [base, *values] if base.objs else values, state)

    def _sequence(self, node: ast.AST, element: Value, state: State) -> Value:
        made = self.run.fresh(node, state, "a sequence", LIST, key="sequence", tracked=Tracked.NO)
        for obj in made.objs:
            state.heap[(obj, ANY)] = element
        return made


_CONTEXTS = frozenset(
    {
        "torch.no_grad",
        "torch.enable_grad",
        "torch.inference_mode",
        "torch.set_grad_enabled",
        "torch.autocast",
        "torch.manual_seed",
        "torch.device",
        "torch.Generator",
        "torch.set_default_dtype",
        "torch.Size",
    }
)
