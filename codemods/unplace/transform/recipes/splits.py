"""Outputs of a splitting operation, which torch forbids writing: they are cut with an operation that allows it.

    a, b = y.chunk(2, dim=1)            a, b = y.tensor_split(2, dim=1)
    a, b = y.split([k, n - k])          a, b = y.tensor_split([k])
    a, b = y.unbind(1)                  a, b = y[:, 0], y[:, 1]
    a, b = y                            a, b = y[0], y[1]
    parts = y.split(k)                  parts = y.tensor_split(list(range(k, len(y), k)))
    rows = list(y)                      rows = [y[i] for i in range(len(y))]
    rows = y.unbind()                   rows = tuple(y[i] for i in range(len(y)))

The pieces hold the same elements in the same memory as before, so a write to the whole or to a piece is seen as it was.
They are ordinary views from then on: the next round decides about the write.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from unplace.analysis.domain.state import HIDDEN
from unplace.analysis.domain.values import Obj
from unplace.analysis.queries.operands import operands
from unplace.analysis.syntax.nodes import own_nodes, whole_number
from unplace.analysis.types import evidence
from unplace.analysis.types.evidence import Evidence
from unplace.diagnostics.catalogue import Assumption, Rewrite
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.reasons import Reason
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit.layout import new_index
from unplace.transform.emit.snippet import precedence
from unplace.transform.recipes import rows
from unplace.transform.recipes.pieces import called, gives_rows, maker_of, taken_rows
from unplace.transform.rule import is_number, is_repeatable, missing
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside

_INDEX = {0: "[{}]", 1: "[:, {}]", 2: "[:, :, {}]", -1: "[..., {}]"}


@dataclass(frozen=True, slots=True)
class _Cut:
    """The edits for one splitting operation, and the assumptions they rest on."""

    edits: tuple[Edit, ...]
    assumptions: tuple[Reason, ...] = ()


def writable(site: Site, text: Text) -> Aside | None:
    """Return the edits that allow the write; None if it concerns no forbidden piece, or one can't be cut otherwise.

    Where only unseen code could make it hit a piece, they would be for nothing.
    """
    if site.is_untracked() or site.harm()[0] is Harm.POSSIBLE or rows.hides_builtins(site):
        return None
    makers = {maker_of(site, obj) for obj in _concerned(site)}
    if not makers or None in makers:
        return None
    cuts: list[_Cut] = []
    for node in own_nodes(site.run.scope.node):
        for maker in [maker for maker in makers if maker is not None and _makes(node, maker)]:
            cut = _cut(site, node, maker, text)
            if cut is None:
                return None
            makers.discard(maker)
            cuts.append(cut)
    if makers or not cuts:
        return None
    edits = tuple(sorted({edit for cut in cuts for edit in cut.edits}))
    assumptions = tuple(dict.fromkeys(a for cut in cuts for a in cut.assumptions))
    return Aside(edits, Rewrite.PIECES_CUT(), assumptions)


def _concerned(site: Site) -> Iterator[Obj]:
    """Iterate over the forbidden pieces that the operation writes, or that are read later and share its memory."""
    state = site.state
    forbidden = {obj for obj, base in state.bases.items() if base.forbidden}
    if not forbidden:
        return
    live = site.live()
    held = [v for name, v in state.env.items() if name in live or name.startswith(HIDDEN)]
    seen = {o for v in (site.value, *held, *state.heap.values()) for o in v.objs}
    for obj in seen:
        cut = forbidden & state.bases.roots(obj)
        if cut and state.may_share(frozenset((obj,)), site.roots()):
            yield from cut


def _makes(node: ast.AST, maker: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        return node.value is maker or (
            len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple) and maker in node.targets[0].elts
        )
    if isinstance(node, ast.For):
        return node.iter is maker
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return any(generator.iter is maker for generator in node.generators)
    return node is maker and isinstance(node, ast.Call)


def _cut(site: Site, node: ast.AST, maker: ast.AST, text: Text) -> _Cut | None:
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return _comprehended(site, node, maker, text)
    value = node.value if isinstance(node, ast.Assign) else node.iter if isinstance(node, ast.For) else node
    assert isinstance(value, ast.expr)
    held = site.run.values.get(value)
    if isinstance(node, ast.For) and (held is None or held.is_tensor or not isinstance(value, ast.Call)):
        return _loop(site, node, text)
    names = node.targets[0].elts if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) else None
    if names is not None and any(isinstance(name, ast.Starred) for name in names):
        names = None
    if held is not None and held.is_tensor:
        return _unpacked(site, value, 0, len(names), text, value) if names is not None else None
    if not isinstance(value, ast.Call):
        return None
    tensor = taken_rows(site, value)
    if tensor is not None:
        return _generated(site, value, tensor, text, "list" if called(value) == "list" else "tuple")
    cut = _call(site, value, len(names) if names is not None else None, text)
    return replace(cut, assumptions=(*_of_kind(site, value), *cut.assumptions)) if cut is not None else None


def _of_kind(site: Site, call: ast.Call) -> tuple[Reason, ...]:
    """Return the assumption that a method's receiver is a tensor, if needed; torch's functions take only tensors."""
    tensor = next(iter(operands(site.run, call) or ()), None)
    held = site.run.values.get(tensor) if tensor is not None else None
    is_sure = held is not None and held.is_tensor and not held.likely
    if tensor is None or tensor in call.args or is_sure or evidence.of_call(call) is Evidence.PROOF:
        return ()
    return (Assumption.TENSOR(name=ast.unparse(tensor)),)


def _loop(site: Site, loop: ast.For, text: Text) -> _Cut | None:
    """Turn `for row in y:` into `for i in range(len(y)): row = y[i]`."""
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    for target in targets:
        held = site.state.env.get(target.id) if isinstance(target, ast.Name) else None
        if held is not None and any(o in site.state.bases and site.state.bases[o].forbidden for o in held.objs):
            assert isinstance(target, ast.Name)
            aside = rows.reindexed(site, loop, target.id, text)
            return _Cut(aside.edits) if aside is not None else None
    return None


def _unpacked(site: Site, tensor: ast.expr, dim: int, count: int, text: Text, whole: ast.expr) -> _Cut | None:
    """Replace an unpacked tensor by its rows, `y[0], y[1]`."""
    if dim not in _INDEX or not is_repeatable(site.run, tensor):
        return None
    name = _text(tensor, text)
    items = ", ".join(name + _INDEX[dim].format(position) for position in range(count))
    return _Cut((Edit(*text.span(whole), items),))


def _text(tensor: ast.expr, text: Text) -> str:
    return text.slice(tensor) if precedence(tensor) == 20 else f"({text.slice(tensor)})"


def _call(site: Site, call: ast.Call, count: int | None, text: Text) -> _Cut | None:
    """Replace a call of `chunk`, `split` or `unbind` by one whose outputs may be written."""
    arguments = operands(site.run, call)
    if arguments is None or not isinstance(call.func, ast.Attribute):
        return None
    keywords = {k.arg: k.value for k in call.keywords}
    name, position = call.func.attr, 1 if call.func.attr == "unbind" else 2
    if keywords.keys() - {"dim"} or len(arguments) < position:
        return None
    dim = keywords.get("dim", arguments[position] if len(arguments) > position else None)
    if name == "unbind":
        return _unbound(site, call, arguments[0], _number(dim), count, text)
    space = site.program.module.qualified(site.run.scope, call.func.value)
    if missing(site, "torch.tensor_split") is not None or space not in (None, "torch"):  # `torch.functional.split`
        return None
    if name == "chunk":
        return _chunked(call, arguments[0], arguments[1], count, text)
    return _split(site, call, arguments, dim, count, text) if name == "split" else None


def _number(node: ast.expr | None) -> int | None:
    """Return the integer that an expression spells out; 0 where there is no expression, None for any other one."""
    return 0 if node is None else whole_number(node)


def _unbound(
    site: Site, call: ast.Call, tensor: ast.expr, dim: int | None, count: int | None, text: Text
) -> _Cut | None:
    if dim is None or dim not in _INDEX:
        return None
    if count is not None:
        return _unpacked(site, tensor, dim, count, text, call)
    size = "len({})" if dim == 0 else f"{{}}.size({dim})"
    return _listed(site, call, tensor, _INDEX[dim].format("{i}"), f"range({size})", text)


def _comprehended(site: Site, node: ast.ListComp | ast.GeneratorExp, maker: ast.AST, text: Text) -> _Cut | None:
    """Let a comprehension take the rows of a tensor by index: `[y[i] for i in range(len(y))]` for `[r for r in y]`."""
    value = site.run.values.get(maker) if isinstance(maker, ast.expr) else None
    if value is None or not value.is_tensor or value.likely or not isinstance(maker, ast.expr):
        return None
    if isinstance(node, ast.ListComp) and gives_rows(node) and not node.generators[0].ifs:
        return _generated(site, node, maker, text, "list")
    return _generated(site, maker, maker, text, "generator")


_AROUND = {"list": "[{}]", "tuple": "tuple({})", "generator": "({})"}


def _generated(site: Site, node: ast.expr, tensor: ast.expr, text: Text, form: str) -> _Cut | None:
    """Replace what takes the rows of a tensor by `[y[i] for i in range(len(y))]`."""
    if not is_repeatable(site.run, tensor):
        return None
    generator = _by_index(site, tensor, "[{i}]", "range(len({}))", text)
    return _Cut((Edit(*text.span(node), _AROUND[form].format(generator)),))


def _by_index(site: Site, tensor: ast.expr, item: str, counts: str, text: Text) -> str:
    """Return `y[i] for i in range(len(y))`."""
    name, index = _text(tensor, text), new_index(site.run.taken_names())
    return f"{name}{item.format(i=index)} for {index} in {counts.format(name)}"


def _listed(site: Site, call: ast.Call, tensor: ast.expr, item: str, counts: str, text: Text) -> _Cut | None:
    """Replace a call by `tuple(y[i] for i in range(len(y)))`, or by a list where it is unpacked or looped over."""
    if not is_repeatable(site.run, tensor):
        return None
    generator = _by_index(site, tensor, item, counts, text)
    is_used_up = any(_uses_up(n, call) for n in own_nodes(site.run.scope.node))
    return _Cut((Edit(*text.span(call), f"[{generator}]" if is_used_up else f"tuple({generator})"),))


def _uses_up(node: ast.AST, value: ast.expr) -> bool:
    """Tell whether a node loops over a value or unpacks it, so that a list does as well as a tuple."""
    if isinstance(node, ast.For):
        return node.iter is value
    return isinstance(node, ast.Assign) and node.value is value and isinstance(node.targets[0], ast.Tuple)


def _chunked(call: ast.Call, tensor: ast.expr, pieces: ast.expr, count: int | None, text: Text) -> _Cut | None:
    """Replace `chunk` by `tensor_split`, which cuts alike where all pieces have one size, and into halves."""
    number = _number(pieces)
    if number is None or number < 1:
        return None
    is_exact = number == 2 and count == 2
    assumption = Assumption.ONE_SIZE(call=ast.unparse(call))
    return _Cut((_renamed(call, text),), () if is_exact else (assumption,))


def _renamed(call: ast.Call, text: Text) -> Edit:
    assert isinstance(call.func, ast.Attribute)
    _, end = text.span(call.func)
    return Edit(end - len(call.func.attr), end, "tensor_split")


def _split(
    site: Site, call: ast.Call, arguments: list[ast.expr], dim: ast.expr | None, count: int | None, text: Text
) -> _Cut | None:
    """Replace `split`, which takes the sizes of the pieces, by `tensor_split`, which takes the cut positions."""
    tensor, sizes = arguments[:2]
    if isinstance(sizes, ast.List | ast.Tuple):
        if not sizes.elts or any(isinstance(e, ast.Starred) for e in sizes.elts):
            return None
        numbers = [_number(size) for size in sizes.elts[:-1]]
        if None not in numbers:
            places = [str(sum(n for n in numbers[: i + 1] if n is not None)) for i in range(len(numbers))]
        elif len(sizes.elts) == 2:
            places = [text.slice(sizes.elts[0])]
        else:
            return None
        return _Cut((_renamed(call, text), Edit(*text.span(sizes), f"[{', '.join(places)}]")))
    size, name = _number(sizes), text.slice(sizes)
    if not is_number(site, sizes) or not isinstance(sizes, ast.Constant | ast.Name | ast.Attribute):
        return None
    if count is not None:
        places = [str(size * i) if size is not None else f"{i} * {name}" if i > 1 else name for i in range(1, count)]
        return _Cut((_renamed(call, text), Edit(*text.span(sizes), f"[{', '.join(places)}]")))
    along = _number(dim)
    if along is None or not is_repeatable(site.run, tensor):
        return None
    whole = _text(tensor, text)
    end = f"len({whole})" if along == 0 else f"{whole}.size({along})"
    steps = f"1, {end}" if size == 1 else f"{name}, {end}, {name}"
    return _Cut((_renamed(call, text), Edit(*text.span(sizes), f"list(range({steps}))")))
