"""The effect record against torch: what it says of writes, views and saved tensors is what torch's samples do.

`test_torchapi.py` looks at the operator table; here it is the record that the analysis applies, worked out for the
arguments of each sample.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from unplace import torchapi
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import LIST, NONE, NUMBER, OTHER, SHAPE, TENSOR, TEXT, Link, Names, Origin, Value
from unplace.analysis.effects import operators
from unplace.analysis.effects.effect import RETURNED, Effect, Returned, View
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.project.program import Program
from unplace.config.options import Options
from unplace.diagnostics.findings import Harm
from unplace.torchapi import members, modes, modules, results
from unplace.transform.rewriter import rewrite_text

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")
sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

import torchapi_measure  # noqa: E402
from torchapi_fixed import fixed_function  # noqa: E402
from torchapi_measure import Sample, flat, labelled, quietly, storage, transposed  # noqa: E402
from torchapi_operators import OPINFO  # noqa: E402
from torchapi_samples import by_name  # noqa: E402

SAMPLES = 4  # of each operator; the table itself is measured on many more


class Bound:
    """A sample as the analysis sees it: its arguments by parameter, and who is who."""

    def __init__(self, operator: torchapi.Operator, sample: Sample) -> None:
        module = ModuleIndex(ast.parse(""))
        self.run = Run(Program(module), module.scopes.module)
        self.state = State()
        self.names = Names()
        self.arguments = Arguments(
            [self.value(v) for v in sample.args],
            [self.node(v) for v in sample.args],
            {name: self.value(v) for name, v in sample.kwargs.items()},
            {name: self.node(v) for name, v in sample.kwargs.items()},
        )
        keywords = [ast.keyword(name, node) for name, node in self.arguments.keyword_nodes.items()]
        call = ast.Call(ast.Name("f", ast.Load()), list(self.arguments.nodes), keywords)
        self.parameters = self.arguments.bind(operator.parameters)
        self.effect = operators.effect_of(self.run, call, operator, self.parameters, self.arguments, self.state)
        self.last = operator.parameters[-1] if operator.parameters else ""

    def value(self, given: Any) -> Value:
        """What the analysis knows of an argument."""
        key = ("argument", len(self.names.by_key))
        if isinstance(given, torch.Tensor):
            obj = self.names.obj(key, Origin.PARAMETER, "x", 1)
            return Value(TENSOR, frozenset((obj,)), obj, obj, obj)
        if isinstance(given, torch.Size) or (
            isinstance(given, (list, tuple)) and all(isinstance(v, int) for v in given)
        ):
            return Value(SHAPE)
        if isinstance(given, (list, tuple)):
            holder = self.names.obj(key, Origin.PARAMETER, "xs", 1)
            for index, held in enumerate(given):
                self.state.heap[(holder, index)] = self.value(held)
            return Value(LIST, frozenset((holder,)), holder)
        kinds = NONE if given is None else TEXT if isinstance(given, str) else 0
        return Value(kinds or (NUMBER if isinstance(given, (int, float, complex)) else OTHER))

    @staticmethod
    def node(given: Any) -> ast.expr:
        """How the argument is written."""
        is_constant = given is None or isinstance(given, (str, int, float, complex))
        return ast.Constant(given) if is_constant else ast.Name("x", ast.Load())

    def named(self, names: set[str]) -> set[str]:
        """Names of the record as torch's: extra arguments by the variadic parameter that takes them."""
        return {self.last if name.startswith("*") else name for name in names}


def looked_at(returned: Returned | None) -> set[str] | None:
    """The parameters that a result, or what is in it, may look at; None: any."""
    if returned is None:
        return None
    found = set(returned.parameters) | ({returned.same} if returned.same is not None else set())
    if isinstance(returned.source, View):
        found |= set(returned.source.of)
    for _, element in returned.elements:
        found |= looked_at(element) or set()
    return found


def is_view(effect: Effect) -> bool:
    """Whether the result looks at its argument for certain."""
    source = effect.returned.source if effect.returned is not None else None
    return isinstance(source, View) and source.link is Link.VIEW


def samples() -> Iterator[tuple[str, torchapi.Operator, Any, Sample]]:
    infos = by_name()
    for key in torchapi.table._table()["functions"]:
        namespace, _, name = key.rpartition(".")
        operator = torchapi.function(key)
        assert operator is not None
        found = next((infos[p + name] for p in OPINFO.get(namespace, ()) if p + name in infos), [])
        if fixed_function(key) is not None or not found or torch.float32 not in found[0].supported_dtypes("cpu"):
            continue
        if found[0].variant_test_name == "in_place" or not hasattr(importlib.import_module(namespace), name):
            continue
        function = getattr(importlib.import_module(namespace), name)
        torchapi_measure.seed()
        drawn = found[0].sample_inputs_func(found[0], torch.device("cpu"), torch.float32, found[0].supports_autograd)
        for given in quietly(lambda: list(islice(drawn, SAMPLES))) or ():  # noqa: B023
            yield key, operator, function, Sample((given.input, *given.args), dict(given.kwargs))


def middle(tensor: Any) -> Any:
    """A copy in the middle of a graph, if it can be in one."""
    copy = tensor.detach().clone()
    return copy.requires_grad_() * 1 if torchapi_measure.is_real_valued(copy) else copy


@pytest.mark.filterwarnings("ignore")
def test_the_record_of_an_operator_is_what_torch_does() -> None:
    counts = dict.fromkeys(("run", "views", "saves"), 0)
    wrong: set[str] = set()
    for key, operator, function, sample in samples():
        plain = torchapi_measure.changed(sample, torchapi_measure.copied)
        before = {id(t): t._version for t in flat((plain.args, plain.kwargs))}
        result = quietly(lambda: (function(*plain.args, **plain.kwargs),))  # noqa: B023
        if result is None:
            continue
        bound = Bound(operator, plain)
        effect, given = bound.effect, labelled(plain, operator.parameters)
        counts["run"] += 1
        written = {name for name, tensor in given if tensor._version != before[id(tensor)]}
        if not written <= bound.named(set(effect.writes)):
            wrong.add(f"{key} writes {sorted(written)}")
        places = {storage(t) for t in flat(result)} - {None}
        shared = {name for name, tensor in given if storage(tensor) in places}
        counts["views"] += bool(shared)
        said = looked_at(effect.returned)
        if said is not None and not shared <= bound.named(said):
            wrong.add(f"{key} returns a view of {sorted(shared)}")
        if is_view(effect) and not shared and any(t.numel() for t in flat(result)):
            wrong.add(f"{key} returns no view")
        graph = quietly(lambda: torchapi_measure.changed(sample, middle))  # noqa: B023
        kept = None if graph is None else torchapi_measure.kept(function, operator.parameters, graph)
        if kept is not None and kept[3] and effect.returned is not None:
            counts["saves"] += bool(kept[0])
            saved = bound.named({save.parameter for save in effect.saves})
            if not kept[0] <= saved:
                wrong.add(f"{key} saves {sorted(kept[0] - saved)}")
            if kept[1] and RETURNED not in saved:
                wrong.add(f"{key} saves its result")
    assert wrong == set()
    assert counts["run"] > 1000, counts
    assert min(counts.values()) > 100, counts


SAVED_IN_A_SEQUENCE = """\
import torch

def f(x: torch.Tensor, v: torch.Tensor, i: torch.Tensor):
    j = i * 1
    y = torch.index_put(x, (j,), v)
    j += 1
    return y

def g(a: torch.Tensor):
    b = a.abs()
    y = torch.linalg.multi_dot([b, a])
    b += 1
    return y

def train(j, v):
    f(torch.ones(3, 3, requires_grad=True) * 1, j, v)
    g(torch.ones(3, 3, requires_grad=True) * 1)
"""


def test_tensors_in_a_sequence_are_saved_as_well() -> None:
    indexed, multiplied = rewrite_text(SAVED_IN_A_SEQUENCE, "case.py", Options()).findings
    assert indexed.harm is Harm.HARMFUL
    assert multiplied.harm is Harm.HARMFUL


# -- facts about torch that are kept by hand -------------------------------------------------------------------------


def few(name: str, dtype: Any) -> list[tuple[Any, Any]]:
    """Samples of an operation, each with its result; of a method of that name where there is no function."""
    found = next(
        (i for p in ("", "nn.functional.") for i in INFOS.get(p + name, ()) if dtype in i.supported_dtypes("cpu")), None
    )
    drawn = [] if found is None else islice(found.sample_inputs_func(found, torch.device("cpu"), dtype, False), 8)
    torchapi_measure.seed()
    pairs = []
    for sample in drawn:
        result = quietly(lambda: found.op(sample.input, *sample.args, **sample.kwargs))  # noqa: B023
        if result is not None:
            pairs.append((sample, result))
    return pairs


INFOS = by_name()


@pytest.mark.parametrize("name", sorted(results.SAME_SHAPE))
def test_results_have_the_shape_of_the_first_argument(name: str) -> None:
    pairs = few(name, torch.float32)
    for sample, result in pairs:
        is_broadcast = any(other.numel() > sample.input.numel() for other in flat(sample.args))
        assert is_broadcast or next(flat(result)).shape == sample.input.shape
    assert pairs or hasattr(torch.Tensor, name)


@pytest.mark.parametrize("name", sorted(results.REDUCING))
def test_reductions_can_keep_the_number_of_dimensions(name: str) -> None:
    reduced = getattr(torch.ones(2, 3) > 0 if name in ("all", "any") else torch.ones(2, 3), name)(dim=1, keepdim=True)
    assert reduced.dim() == 2


@pytest.mark.parametrize("name", sorted(results.INDICES))
def test_indices_are_long(name: str) -> None:
    for _, result in few(name, torch.float32):
        assert {t.dtype for t in flat(result)} <= {torch.int64, torch.int32}


@pytest.mark.parametrize("name", sorted(results.KEEPING_INTEGERS))
def test_integers_stay_integers(name: str) -> None:
    for sample, result in few(name, torch.int64):
        if all(t.dtype in (torch.int64, torch.bool) for t in flat((sample.input, sample.args))):
            numbers = [v for v in (*sample.args, *sample.kwargs.values()) if isinstance(v, float)]
            assert numbers or next(flat(result)).dtype in (torch.int64, torch.bool)


@pytest.mark.parametrize("dtype", [torch.bool, torch.int32, torch.float64])
@pytest.mark.parametrize("name", sorted(results.OF_ITS_DTYPE))
def test_elements_keep_their_dtype(name: str, dtype: torch.dtype) -> None:
    assert {t.dtype for _, result in few(name, dtype) for t in flat(result)} <= {dtype}


@pytest.mark.parametrize(("name", "dtype"), sorted(results.CASTS.items()))
def test_casts(name: str, dtype: str) -> None:
    assert getattr(torch.ones(2), name)().dtype is getattr(torch, dtype)


@pytest.mark.parametrize("name", sorted(results.WIDENING))
def test_sums_widen_integers(name: str) -> None:
    given = [0] if name.startswith("cum") else []
    assert getattr(torch.ones(2, dtype=torch.int8), name)(*given).dtype is torch.int64


@pytest.mark.parametrize("name", sorted(members.SPLITTING - {"split_with_sizes", "__iter__"}))
def test_pieces_of_a_split_are_forbidden_to_write(name: str) -> None:
    given = [] if name == "unbind" else [1]
    piece = getattr(torch.ones(2, 2, requires_grad=True) * 1, name)(*given)[0]
    with pytest.raises(RuntimeError, match="multiple views"):
        piece.add_(1)


def test_dense_results_are_those_that_lose_the_strides_of_their_tensor() -> None:
    lost: dict[str, set[bool]] = {}
    for name in torchapi.table._table()["inplace_methods"]:
        method = torchapi.inplace_method(name)
        counterpart = method.functional if method is not None else None
        for sample, _ in few(counterpart, torch.float32) if counterpart else ():
            given = sample.input
            if not isinstance(given, torch.Tensor) or given.dim() < 2 or given.layout is not torch.strided:
                continue
            turned = transposed(given)
            written = quietly(lambda: getattr(turned.clone(), name)(*sample.args, **sample.kwargs))  # noqa: B023
            result = quietly(lambda: getattr(turned, counterpart)(*sample.args, **sample.kwargs))  # noqa: B023
            if written is not None and not turned.is_contiguous() and result.shape == turned.shape:
                lost.setdefault(counterpart, set()).add(result.stride() != written.stride())
    assert all(len(found) == 1 for found in lost.values())
    assert {name for name, found in lost.items() if True in found} == members.DENSE & lost.keys()
    assert members.DENSE - lost.keys() <= {"rrelu", "mvlgamma", "renorm"}, "not measured here"


def test_names_of_tensors_and_of_torch_exist() -> None:
    held = [members.PERMUTING, members.RESTRIDING, members.USUALLY_VIEWS, members.SPLITTING, members.CUTTING]
    held += [members.OF_ONE_OBJECT, members.COPYING_FIRST, members.WITHOUT_ARGUMENTS, members.IDIOMS, members.JOINED_BY]
    assert [name for names in held for name in names if not hasattr(torch.Tensor, name)] == []
    qualified = [*modes.CONTEXTS, *modes.COMPILING, *modes.NOT_COMPILING, *modes.KEEPING_FUNCTIONS, *modes.NUMBERS]
    qualified += [*modes.KEEPING_METHODS, *modules.REGISTERED_CLASSES, *modules.OPTIMIZERS, *results.TENSOR_CLASSES]
    qualified += [*modules.MODULE_CONTAINERS, *modules.TUPLE_STATE, *members.JOINED_BY.values()]
    assert [name for name in qualified if not exists(name)] == []
    assert [name for name in modes.DTYPES if not hasattr(torch, name)] == []
    assert [n for n in modules.RETURNING_ITSELF | modules.GIVING if not hasattr(torch.nn.Module, n)] == []


def exists(qualified: str) -> bool:
    """Whether torch has something of that name."""
    place, _, name = qualified.rpartition(".")
    return hasattr(importlib.import_module(place), name)


ROOT = Path(__file__).parents[1]
OTHERS = {"torchapi", "verification", "diagnosis"}  # those two run torch, and speak of its own objects


def test_names_of_torch_stand_in_one_room() -> None:
    lists = {
        f"{path.relative_to(ROOT)}: {ast.unparse(node)[:60]}"
        for path in (ROOT / "codemods/unplace").rglob("*.py")
        if not OTHERS & set(path.parts)
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Assign) and is_list_of_torch(node.value)
    }
    assert lists == set()


def is_list_of_torch(node: ast.expr) -> bool:
    """Whether a constant of a module lists names that torch has, and that nothing else is called."""
    names = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    own = {name for name in names if name.startswith("torch.") or torchapi.is_tensor_member(name)} - set(dir(builtins))
    return len(own) >= 2 and len(own) > len(names) / 2
