"""Buffers with a batch dimension: under `vmap`, a tensor that batched values are written into is made of a batched one.

    def f(x):                       def f(x):
        out = torch.zeros(3)            out = x.new_zeros(3, dtype=torch.get_default_dtype())
        out[0] = x[0]                   out[0] = x[0]

What isn't a plain constructor gets the batch dimension by a sum: `m = base.clone()` becomes
`m = base + x.new_zeros((), dtype=base.dtype)`. The next round decides about the writes, which `vmap` then allows.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from unplace import torchapi
from unplace.analysis.domain.graph import LEAF
from unplace.analysis.domain.refs import TorchModule
from unplace.analysis.domain.values import FLOATS, NONE, NUMBER, SHAPE, TENSOR, TEXT, Origin, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.batches import Batch, runs_batched_only, values_of
from unplace.analysis.project.program import Program
from unplace.analysis.project.vmapped import NO_LEVELS, mapped
from unplace.analysis.queries.unbatched import Lacking, asks_for_values, lacks
from unplace.analysis.syntax.nodes import code_of, walk
from unplace.diagnostics.catalogue import Assumption, Forbids, Rewrite
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.torchapi import modules, results, transforms
from unplace.transform.decisions import Decision
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside, Copy, Refuse, Verdict


def unfit(site: Site, verdict: Verdict) -> Refuse | None:
    """Return why a clone can't help a write that `vmap` forbids: it has the batch dimension no more than the tensor."""
    forbidden = site.forbidden()
    if forbidden is None or not isinstance(verdict, Copy) or site.options.functional:
        return None
    if forbidden.reason.kind is Forbids.BATCHED_MASK:
        return Refuse(Refusal.BATCHED_MASK())
    if not forbidden.is_unbatched:
        return None
    line = asks_for_values(site.program, site.run)
    if line is not None:
        return Refuse(Refusal.ASKS_FOR_VALUES(line=Line(line)))
    lasts = any(
        lacking.owner.origin in (Origin.ATTRIBUTE, Origin.GLOBAL, Origin.REGISTERED) for lacking in _lacking(site)
    )
    return Refuse(Refusal.UNBATCHED_LASTS() if lasts else Refusal.UNBATCHED())


def made_batched(decided: Mapping[ast.stmt, list[Decision]], text: Text) -> dict[ast.stmt, Aside]:
    """Return the edits that give written tensors the batch dimension where they are made: one for all their writes."""
    makers: dict[ast.expr, list[Site]] = {}
    found: dict[ast.stmt, Aside] = {}
    for decisions in decided.values():
        refused = [d.site for d in decisions if _is_refused(d)]
        if not refused:
            continue
        places = {_maker(site) for site in refused}
        maker = places.pop() if len(places) == 1 else None
        if maker is not None:
            makers.setdefault(maker, []).extend(refused)
    for maker, sites in makers.items():
        made = _Making(maker, sites, text).batched()
        if made is not None:
            edit, source, assumptions = made
            for site in sites:
                forbidden = site.forbidden()
                assert forbidden is not None
                told = Rewrite.MADE_BATCHED(forbidden=forbidden.reason, source=source)
                found[site.statement] = Aside((edit,), told, assumptions)
    return found


def _is_refused(decision: Decision) -> bool:
    verdict = decision.verdict
    return isinstance(verdict, Refuse) and verdict.reason.kind is Refusal.UNBATCHED


# -- where the tensor is made ---------------------------------------------------------------------------------------


def _lacking(site: Site) -> list[Lacking]:
    return list(lacks(site.program, site.run, site.write))


def _maker(site: Site) -> ast.expr | None:
    """Return the one expression that makes the written tensor, here or in the callers that pass it."""
    makers = {_made_by(site.program, lacking) for lacking in _lacking(site)}
    return makers.pop() if len(makers) == 1 else None


def _made_by(program: Program, lacking: Lacking) -> ast.expr | None:
    batch, owner = lacking.batch, lacking.owner
    if owner.parameter is None:
        key = batch.run.names.key_of(owner) if batch.run is not None else None
        node = key[0] if isinstance(key, tuple) else None
        return node if isinstance(node, ast.Call | ast.BinOp) and program.module.owns(batch.scope) else None
    caller, call = batch.caller, batch.call
    callee = mapped(caller.program, caller.scope, call.func) if caller is not None and call is not None else None
    given = callee.given(call).get(owner.parameter) if callee is not None and call is not None else None
    value = (
        caller.run.values.get(given) if caller is not None and caller.run is not None and given is not None else None
    )
    if caller is None or value is None or len(value.objs) != 1:
        return None
    (passed,) = value.objs
    return _made_by(program, Lacking(caller, passed, lacking.needed)) if passed.parameter != owner.parameter else None


# -- how it is made -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Source:
    """An expression of a tensor with batch dimensions that can stand where the buffer is made."""

    code: str
    value: Value
    levels: frozenset[Hashable]
    is_proved: bool


class _Making:
    """The expression that makes a tensor, the writes to it that `vmap` forbids, and the batches in which it does."""

    def __init__(self, maker: ast.expr, sites: list[Site], text: Text) -> None:
        self._maker = maker
        self._sites = sites
        self._text = text
        self._program = sites[0].program
        self._batches: dict[Batch, frozenset[Hashable]] = {}
        for site in sites:
            for lacking in _lacking(site):
                batch = lacking.batch
                while batch.caller is not None and not _contains(batch.scope.node, maker):
                    batch = batch.caller
                self._batches[batch] = self._batches.get(batch, frozenset()) | lacking.needed

    def batched(self) -> tuple[Edit, str, tuple[Reason, ...]] | None:
        """Return the edit of the call, the name of what has the batch dimension, and what is assumed of it."""
        scopes = {batch.scope for batch in self._batches}
        run = self._program.run(scopes.pop()) if len(scopes) == 1 else None
        if run is None or not _contains(run.scope.node, self._maker):
            return None
        chosen = self._chosen(run)
        if not chosen:
            return None
        first, *rest = chosen
        doubts: list[Reason] = []
        code = self._constructed(run, first) or self._added(run, first, doubts)
        if code is None:
            return None
        code += "".join(f" + {source.code}.new_zeros(())" for source in rest)
        parent = run.parents.get(self._maker)
        if " + " in code and not isinstance(parent, ast.Assign | ast.AnnAssign | ast.Return):
            code = f"({code})"
        tensors = (Assumption.TENSOR(name=source.code) for source in chosen if not source.is_proved)
        assumptions = (*tensors, *doubts)
        return Edit(*self._text.span(self._maker), code), first.code, assumptions

    # -- what it is made of -----------------------------------------------------------------------------------------

    def _chosen(self, run: Run) -> list[_Source]:
        """Return as few sources as have all dimensions in all batches."""
        sources = list(self._sources(run))
        needed = frozenset((batch, level) for batch, levels in self._batches.items() for level in levels)
        for proved in (True, False):
            usable = [source for source in sources if source.is_proved or not proved]
            chosen: list[_Source] = []
            left = needed
            while left and (best := max(usable, key=lambda s: len(s.levels & left), default=None)) is not None:
                if not best.levels & left:
                    break
                chosen.append(best)
                left -= best.levels
            if not left:
                return chosen
        return []

    def _sources(self, run: Run) -> Iterator[_Source]:
        """Iterate over what may be used: names in the call, then in what is written, then parameters."""
        written = [part for site in self._sites if site.run is run for part in _written(site.statement)]
        nodes = [n for part in (self._maker, *written) for n in walk(part) if isinstance(n, ast.expr)]
        seen: set[str] = set()
        names = [n for n in nodes if isinstance(n, ast.Name)]
        names += [n for n in run.values if isinstance(n, ast.Name)]
        for name in names:
            if name.id not in seen and self._is_bound(run, name.id):
                seen.add(name.id)
                yield from self._source(run, name, written)
        for node in nodes:
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                if isinstance(node.slice, ast.Constant) and self._is_bound(run, node.value.id):
                    yield from self._source(run, node, written)
        yield from self._parameters(run, {code_of(n) for n in nodes})

    def _parameters(self, run: Run, written: set[str]) -> Iterator[_Source]:
        """Iterate over the parameters of a module that `functional_call` runs: `self.w`, and `self.fc.weight`.

        What is written, or makes the layer called for it, comes first.
        """
        found: dict[str, Value] = {}
        for node, value in run.values.items():
            if isinstance(node, ast.Attribute) and value.graph == LEAF and value.kinds == TENSOR:
                found.setdefault(code_of(node), value)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                callee = run.values.get(node.func)
                ref = callee.ref if callee is not None else None
                if isinstance(ref, TorchModule) and modules.has_weight(ref.qualified):
                    found.setdefault(f"{code_of(node.func)}.weight", Value(TENSOR))
        for code, value in sorted(found.items(), key=lambda item: not {item[0], item[0].rpartition(".")[0]} & written):
            receiver = code.partition(".")[0]
            known = {batch: batch.arguments.get(receiver, NO_LEVELS).certain for batch in self._batches}
            levels = frozenset((batch, level) for batch, certain in known.items() for level in certain)
            if levels and receiver == _receiver(run):
                yield _Source(code, value, levels, is_proved=not value.likely)

    def _source(self, run: Run, node: ast.expr, written: list[ast.expr]) -> Iterator[_Source]:
        value = run.values.get(node)
        known = {batch: values_of(self._program, batch).of(node).certain for batch in self._batches}
        levels = frozenset((batch, level) for batch, found in known.items() for level in found)
        if value is None or not levels or value.kinds & _NO_TENSOR:
            return
        is_proved = value.kinds == TENSOR and not value.likely
        if not is_proved and isinstance(node, ast.Name):
            keywords = self._maker.keywords if isinstance(self._maker, ast.Call) else ()
            described = (k.value for k in keywords if k.arg in ("dtype", "device"))
            is_proved = any(isinstance(d, ast.Attribute) and code_of(d.value) == node.id for d in described)
        if not is_proved and runs_batched_only(self._program, run.scope):
            is_stored = any(ast.dump(part) == ast.dump(node) for part in written)
            is_proved = is_stored or run.inference.of(node).is_like_array or _is_used_as_tensor(run, node)
        yield _Source(code_of(node), value, levels, is_proved)

    def _is_bound(self, run: Run, name: str) -> bool:
        """Tell whether a name stands for one tensor from before the buffer is made."""
        sources = run.program.module.bindings(run.scope).sources.get(name, [])
        if name in run.scope.volatile or any(n.id == name and isinstance(n.ctx, ast.Del) for n in run.scope.names):
            return False
        if any(a.arg == name for a in run.scope.parameters):
            return not sources
        if name not in run.scope.bound:
            return True  # of an enclosing function, which has it before this one is called
        statements = [s for s in walk(run.scope.node) if isinstance(s, ast.Assign) and _binds(s, name)]
        if len(sources) != 1 or len(statements) != 1:
            return False
        return run.flow.is_behind(statements[0], run.statement_of(self._maker))

    # -- the new call -----------------------------------------------------------------------------------------------

    def _constructed(self, run: Run, source: _Source) -> str | None:
        """Return the constructor of the same size as a method of the source: `x.new_zeros(3)` for `torch.zeros(3)`."""
        call, module = self._maker, self._program.module
        if not isinstance(call, ast.Call):
            return None
        qualified = module.qualified(run.scope, call.func) or ""
        name = qualified.removeprefix("torch.")
        options = {k.arg: k.value for k in call.keywords}
        if not options.keys() <= results.FILLED_OPTIONS or any(isinstance(a, ast.Starred) for a in call.args):
            return None
        receiver = call.func.value if isinstance(call.func, ast.Attribute) and not qualified else None
        of = code_of(receiver) if isinstance(receiver, ast.Name) else None
        arguments = [self._source_of(a) for a in call.args]
        if name.endswith("_like") and isinstance(call.args[0] if call.args else None, ast.Name):
            of = arguments[0]
            name, arguments = name.removesuffix("_like"), [f"{of}.shape", *arguments[1:]]
        elif of is not None and isinstance(call.func, ast.Attribute):
            name = call.func.attr.removeprefix("new_")
        elif name == "eye" and len(arguments) == 1 and (diagonal := module.name_for(run.scope, "torch.diag_embed")):
            rest = self._options(run, source, options, None, "ones")
            return f"{diagonal}({source.code}.new_ones({', '.join([*arguments, *rest])}))" if rest is not None else None
        if name not in results.FILLED:
            return None
        if "size" in options:
            arguments.insert(0, self._source_of(options["size"]))
        rest = self._options(run, source, options, of, name)
        return f"{source.code}.new_{name}({', '.join([*arguments, *rest])})" if rest is not None else None

    def _options(
        self, run: Run, source: _Source, options: Mapping[str | None, ast.expr], of: str | None, name: str
    ) -> list[str] | None:
        """Return the keywords that give the tensor the dtype and device that it had; None where they have no name."""
        found: list[str] = []
        dtype, device = options.get("dtype"), options.get("device")
        if dtype is not None:
            found += [f"dtype={self._source_of(dtype)}"] if code_of(dtype) != f"{source.code}.dtype" else []
        elif of is not None:
            found.append(f"dtype={of}.dtype")
        elif name == "full":
            given = self._maker.args if isinstance(self._maker, ast.Call) else []
            filling = given[1] if len(given) > 1 else None
            kind = type(filling.value) if isinstance(filling, ast.Constant) else None
            if kind is not float:
                named = self._named(run, results.DTYPE_OF_LITERALS[kind]) if kind in results.DTYPE_OF_LITERALS else None
                return None if named is None else [f"dtype={named}"]
            found += self._default(run, source)
        else:
            found += self._default(run, source)
        if device is not None and code_of(device) != f"{source.code}.device":
            found.append(f"device={self._source_of(device)}")
        return None if None in found else found

    def _default(self, run: Run, source: _Source) -> list[str]:
        """Return the keyword for torch's default dtype, unless the source is known to have it."""
        if source.value.dtype == "default":
            return []
        return [f"dtype={self._named(run, 'torch.get_default_dtype') or 'torch.get_default_dtype'}()"]

    def _named(self, run: Run, qualified: str) -> str | None:
        return self._program.module.name_for(run.scope, qualified)

    def _added(self, run: Run, source: _Source, doubts: list[Reason]) -> str | None:
        """Return the sum of the tensor and a zero with the batch dimension: `base + x.new_zeros(())`."""
        made, value = self._maker, run.values.get(self._maker)
        if value is None or value.kinds != TENSOR or value.likely or value.dtype == "bool":
            return None
        if isinstance(made, ast.Call) and not isinstance(made.func, ast.Attribute):
            return None
        if isinstance(made, ast.BinOp) and not isinstance(made.op, _SUMMABLE):
            return None
        base, option = _cloned(made), ""
        whole = self._source_of(made if base is None else base)
        known = value.dtype if isinstance(value.dtype, str) else None
        if not (known in FLOATS and source.value.dtype in FLOATS):
            named = self._named(run, f"torch.{known}") if known is not None and known not in FLOATS else None
            dtype = f"{whole}.dtype" if base is not None else named
            option = f", dtype={dtype}" if dtype is not None else ""
        if base is None and not option and known not in FLOATS:
            doubts.append(Assumption.NOT_WIDER(line=Line(made.lineno), name=self._sites[0].name))
        return f"{whole} + {source.code}.new_zeros((){option})"

    def _source_of(self, node: ast.expr) -> str:
        start, end = self._text.span(node)
        return self._text.text[start:end]


def _receiver(run: Run) -> str | None:
    """Return the name of the receiver of a method."""
    parameters = run.scope.parameters if run.scope.enclosing_class is not None else ()
    return parameters[0].arg if parameters else None


def _is_used_as_tensor(run: Run, node: ast.expr) -> bool:
    """Tell whether a name with a batch dimension is used as lists and dictionaries of tensors can't be."""
    if not isinstance(node, ast.Name):
        return False
    if any(run.inference.of(a).is_like_array for a in run.scope.parameters if a.arg == node.id):
        return True
    for user in run.scope.nodes:
        if isinstance(user, ast.Attribute | ast.Subscript) and getattr(user.value, "id", "") == node.id:
            parent = run.parents.get(user)
            if isinstance(user, ast.Subscript):
                is_operand = isinstance(parent, ast.BinOp) and not isinstance(parent.op, ast.Add | ast.Mult)
                if isinstance(user.slice, ast.Slice) and (is_operand or run.inference.of(user).is_like_array):
                    return True
            elif user.attr in transforms.OF_SHAPE:
                return True
            elif torchapi.is_tensor_member(user.attr) and isinstance(parent, ast.Call):
                if not any(hasattr(container, user.attr) for container in (dict, list, tuple)):
                    return True
    return False


def _cloned(node: ast.expr) -> ast.Name | ast.Attribute | None:
    """Return `base` for `base.clone()`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "clone":
        return None
    base = node.func.value
    return base if isinstance(base, ast.Name | ast.Attribute) and not node.args and not node.keywords else None


_SUMMABLE = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.Pow)
_NO_TENSOR = NUMBER | NONE | TEXT | SHAPE


def _contains(node: ast.AST, part: ast.AST) -> bool:
    return any(part is n for n in ast.walk(node))


def _binds(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for target in statement.targets for n in ast.walk(target))


def _written(statement: ast.stmt) -> Iterable[ast.expr]:
    """Return what a statement stores or combines with what is there."""
    if isinstance(statement, ast.Assign):
        return statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
    if isinstance(statement, ast.AugAssign):
        return [statement.value]
    return [n for n in ast.iter_child_nodes(statement) if isinstance(n, ast.expr)]
