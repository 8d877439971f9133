"""Containers, iterators, generators and dictionaries as inputs of the entry point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from generator.kinds import Tensor
from generator.snippets import change, emit, made, watch
from generator.writer import Writer


@dataclass(frozen=True, slots=True)
class Input:
    """A parameter that holds tensors: its name, what is passed for it (made of `x`), what the function does with it."""

    name: str
    passed: str
    use: Callable[[Writer, str], None]


MAPPING = (
    '{"a": x * 2, "b": torch.tanh(x)}',
    "dict(a=x.exp(), b=x + 1)",
    '{"a": x.sigmoid(), "b": x * 1, "n": 3}',
    '{"a": torch.relu(x), "b": x + 1}',
)
LISTS = (
    "[x * 2, x + 1]",
    "[x.exp(), torch.relu(x)]",
    "(x * 2, x.tanh())",
    "[x.sigmoid()] * 2",
    "list(x * 2)",
    "[x * 2, None]",
    "(x + 1).unbind(0)",
)
STREAMS = ("iter([x * 2, x + 1])", "(x * k for k in (2, 3))", "(x * k for k in (3, 2))", "map(torch.exp, [x, x * 2])",
    "zip([x * 2], [x + 1])", "enumerate([x * 2, x + 1])",
           '{"a": x * 2, "b": x + 1}.values()', '{"a": x * 2}.items()', "reversed([x * 2, x + 1])", "iter(x * 2)",
           "(t * 2 for t in x)")  # fmt: skip
NUMBERS = ("iter([0, 1])", "range(2)", "[0, 1]", "(k for k in (1, 0))", "{0: 'a', 1: 'b'}", "{0, 1}",
    "torch.tensor([0, 1])", "{1: 0, 0: 1}.keys()", "enumerate('ab')")  # fmt: skip


def _mapping(w: Writer, name: str) -> None:
    key, value = w.fresh("plain"), w.fresh("tensor")
    only = "    if not isinstance({v}, torch.Tensor):\n        continue\n"
    guard = only.format(v=value)
    forms = [
        f"for {key}, {value} in {name}.items():\n{guard}    {change(w, value)}",
        f"for {value} in {name}.values():\n{guard}    {change(w, value)}",
        f'{name}["a"] += 1',
        change(w, f'{name}["a"]'),
        f'{name}["a"] = torch.relu({name}["a"])\n{change(w, f"{name}[chr(97)]", assigns=False)}',
        f'{value} = {name}["b"]\n{change(w, value)}',
        f'for {key} in ("a", "b"):\n    {name}[{key}] *= 2',
        f'{name} = {{{key}: {value} * 2 for {key}, {value} in {name}.items()}}\n{name}["a"] += 1',
        f'{name}.update(a={name}["a"] * 2)\n{change(w, f"{name}[chr(97)]", assigns=False)}',
        f'{name}["c"] = {name}["a"]\n{name}["c"] += 1',
        f'{value} = {name}.pop("a")\n{change(w, value)}\n{name}["a"] = {value}',
        f"for {key} in {name}:\n    if {key} == 'a':\n        {name}[{key}] += 0.5",
    ]
    emit(w, w.pick(forms))
    _total(w, f'{name}["a"].sum()')


def _list(w: Writer, name: str) -> None:
    item, second, index = w.fresh("tensor"), w.fresh("tensor"), w.fresh("int")
    guard = f"    if {item} is None:\n        continue\n"
    forms = [
        f"for {item} in {name}:\n{guard}    {change(w, item)}",
        f"for {index}, {item} in enumerate({name}):\n{guard}    {change(w, item)}",
        f"{name}[0] += 1",
        change(w, f"{name}[0]"),
        f"{name}[0] = torch.relu({name}[0])",
        f"{name}[0] = torch.tanh({name}[0])\n{change(w, f'{name}[0]')}",
        f"{item}, {second} = {name}[0], {name}[0]\n{change(w, item)}",
        f"for {index} in range(len({name})):\n    if {name}[{index}] is not None:\n        {name}[{index}] *= 2",
        f"{item}, *{second} = {name}\n{change(w, item)}",
        f"for {item}, {second} in zip({name}, {name}[1:]):\n    {change(w, item)}",
        f"{name} = [{item} for {item} in {name} if {item} is not None]\n{name}[0] += 1",
        f"if isinstance({name}, list):\n    {name}[0] += 1\n    {name} += [{name}[0]]",
        f"{item} = {name}[0].reshape(2, -1).unbind(0)\n{change(w, f'{item}[0]', assigns=False)}",
        f"{item} = {name}[0].unbind(0)[0]\n{change(w, item)}",
        f"{name}[0][0] = {name}[0][-1] * 2",
    ]
    emit(w, w.pick(forms))
    _total(w, f"{name}[0].sum()")


def _stream(w: Writer, name: str) -> None:
    item, total, other = w.fresh("tensor"), w.fresh("tensor"), made(w)
    inner = f"{item} = {item}[-1] if isinstance({item}, tuple) else {item}"
    add = f"{total} = {total} + {item}.sum()"
    forms = [
        f"for {item} in {name}:\n    {inner}\n    {change(w, item)}\n    {add}",
        f"for {item} in {name}:\n    {total} = {total} + 1\n    {change(w, other)}",
        f"{item} = next(iter({name}))\n{inner}\n{change(w, item)}\n{add}",
        f"for {item} in list({name}):\n    {inner}\n    {change(w, item)}\n    {add}",
        f"for {item}, _ in zip({name}, range(9)):\n    {inner}\n    {change(w, item)}\n    {add}",
        f"{name} = [t_[-1] if isinstance(t_, tuple) else t_ for t_ in {name}]\n"
        f"{name}[0] += 1\n{total} = {total} + {name}[0].sum()",
        f"for _, {item} in enumerate({name}):\n    {inner}\n    {item} *= 2\n    {change(w, other)}\n    {add}",
    ]
    emit(w, f"{total} = torch.zeros(())\n{w.pick(forms)}")
    w.bind(total, Tensor(()), other)
    watch(w, total, other)


def _numbers(w: Writer, name: str) -> None:
    item, y = w.fresh("int"), made(w)
    row = w.fresh("view")
    inner = f"{item} = {item}[0] if isinstance({item}, tuple) else {item}"
    forms = [
        f"for {item} in {name}:\n    {inner}\n    {y}[{item}] = {y}[{item}] * 2",
        f"for {item} in {name}:\n    {inner}\n    {y} += {item}",
        f"for {item} in {name}:\n    {y}.mul_(2)",
        f"for {item} in {name}:\n    {inner}\n    {row} = {y}[{item}]\n    {change(w, row)}",
        f"for {item} in {name}:\n    {inner}\n    {y}[0] += {item}\nfor {row} in {y}:\n    {change(w, row)}",
    ]
    emit(w, w.pick(forms))
    watch(w, y)


def _total(w: Writer, text: str) -> None:
    total = w.fresh("tensor")
    w.emit(f"{total} = {text}")
    w.bind(total, Tensor(()), text)
    watch(w, total)


def choose(w: Writer) -> Input:
    """A container as one more parameter."""
    use, passed, names = w.pick(
        [
            (_mapping, MAPPING, ("feats", "batch", "d")),
            (_list, LISTS, ("items", "xs_in", "feats", "state_in")),
            (_stream, STREAMS, ("nums", "items", "chunks_in")),
            (_numbers, NUMBERS, ("nums", "picks_in", "ks")),
        ]
    )
    return Input(w.pick(names), w.pick(passed), use)
