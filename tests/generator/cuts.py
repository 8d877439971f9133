"""Pieces of a tensor, and the rows of a loop over one, written in every way."""

from __future__ import annotations

from generator.kinds import Shape, Tensor
from generator.snippets import change, emit, given, made, watch
from generator.writer import Writer

PIECES = (
    "{y}.chunk(2)", "torch.chunk({y}, 2, dim=0)", "{y}.split(1)", "torch.split({y}, 1)", "{y}.split([1, {r}])",
    "torch.split({y}, [1, {r}], dim=0)", "{y}.unbind(0)", "torch.unbind({y})", "{y}.tensor_split(2)",
    "{y}.tensor_split([1])", "torch.tensor_split({y}, (1,))", "{y}.split({n})", "{y}.unbind(1)", "{y}.chunk(2, -1)",
    "{y}.split_with_sizes([1, {r}])", "{y}.hsplit(2)", "torch.unbind({y}, dim=-1)", "{y}.reshape(2, -1).unbind(0)",
    "list({y})", "tuple({y})", "[row for row in {y}]", "tuple({y}[:])",
)  # fmt: skip


def _text(w: Writer, y: str) -> str:
    even = w.columns % 2 == 0
    forms = [form for form in PIECES if even or not ("hsplit" in form or "reshape" in form)]
    return w.pick(forms).format(y=y, r=w.rows - 1, n=w.pick([str(w.rows - 1), f"{y}.shape[0] // 2", "max(1, 1)"]))


def cut(w: Writer) -> bool:
    """`parts = y.split([1, 2]); parts[0] *= 2`, `first, *rest = y.unbind(0)`, `for part in y.chunk(2): part += 1`."""
    y, parts, part = given(w), w.fresh("list"), w.fresh("view")
    text, roll = _text(w, y), w.rng.random()
    if roll < 0.3:
        emit(w, f"{parts} = {text}\n{change(w, f'{parts}[0]', assigns=False)}")
        if w.chance(0.4):
            emit(w, change(w, f"{parts}[-1]", assigns=False))
        total = f"{parts}[0].sum()"
    elif roll < 0.6:
        emit(w, f"{part}, *{parts} = {text}\n{change(w, part)}")
        if w.chance(0.5):
            emit(w, change(w, w.pick([y, f"{parts}[0]"]), assigns=False))
        total = f"{part}.sum()"
    elif w.depth > 1:
        return False
    else:
        return _looped(w, y, part, text)
    name = w.fresh("tensor")
    emit(w, f"{name} = {total}")
    w.bind(name, Tensor(()), y)
    watch(w, y, name)
    return True


def _looped(w: Writer, y: str, part: str, text: str) -> bool:
    other = made(w) if w.chance(0.4) else y
    index, second = w.fresh("int"), w.fresh("view")
    header, extra = w.pick(
        [
            (f"for {part} in {text}:", ""),
            (f"for {index}, {part} in enumerate({text}):", f"{y}[0] += {index}"),
            (f"for {part}, {second} in zip({text}, {other}):", f"{second}.mul_(0.5)"),
            (f"for {part} in {y}:", ""),
            (f"for {index}, {part} in enumerate({y}):", f"{part} *= {index}"),
            (f"for {part}, {second} in zip({y}, {other}):", f"{part} += {second}"),
            (f"for {part} in list({text}):", ""),
            (f"for {part} in reversed({text}):", ""),
            (f"for {index}, {part} in enumerate({y}, 1):", f"{part} *= {index}"),
            (f"for {index}, ({part}, {second}) in enumerate(zip({y}, {other})):", f"{part} += {second} * {index}"),
            (f"for {index}, ({second}, {part}) in enumerate(zip([2.0, 0.5], {y})):", f"{part} *= {second} + {index}"),
            (f"for {part} in {y}.clone():", f"{y} = {y} + {part}"),
            (f"for {part}, {second} in zip({y} * 1, {other}):", f"{part} += {second}"),
        ]
    )
    emit(w, f"{header}\n    {change(w, part)}")
    if extra and w.chance(0.6):
        emit(w, f"    {extra}")
    if w.chance(0.2):
        emit(w, f"    {change(w, y)}")
    watch(w, y, other)
    return True


def one_line(w: Writer) -> bool:
    """`a, b = y.chunk(2); b *= 2; xs.append(y)`: the order of statements that stand in one line."""
    y, xs = given(w), w.fresh("list")
    a, b = w.fresh("view"), w.fresh("view")
    shape: Shape = ()
    cut_text = w.pick(
        [f"{y}[:1], {y}[1:]", f"{y}[0], {y}[-1]", f"{y}, {y}[0]", f"{y}.tensor_split([1])", f"{y}[:, 0], {y}"]
    )
    statements = [f"{a}, {b} = {cut_text}", change(w, w.pick([a, b])), change(w, y)]
    statements += w.pick([[], [f"{xs}.append({y})"], [f"{xs} += [{a}]"], [f"{b} = {b} * 2"], [change(w, a)]])
    if w.chance(0.3):
        statements[1:] = w.rng.sample(statements[1:], len(statements) - 1)
    emit(w, f"{xs} = []\n{'; '.join(statements)}")
    name = w.fresh("tensor")
    emit(w, f"{name} = {a}.sum() + {b}.sum() * 2 + sum(t.sum() for t in {xs})")
    w.bind(name, Tensor(shape), y)
    watch(w, y, name)
    return True


SLICES = (
    (":k", "k:"), ("k:", ":k"), ("0", "1:"), ("-1", ":-1"), ("0:1", "1:2"), (":2", "1:"), ("..., 0", "..., 1"),
    ("..., :k", "..., k:"), ("0", "-1"), ("::2", "1::2"), (":k", "k + 1:"), (":, :k", ":, k:"), ("0, :k", "0, k:"),
    ("..., -1", "..., :-1"), ("-k:", ":-k"), ("0, 0", "1, 0"), ("0, :1", "1:, :1"), ("None, 0", "1"), ("k:2", "2:"),
    ("0", "k"), (":1", ":k"), ("..., -1:", "..., 0"), ("-1", "-2"), ("0", "..., 0"), ("1:", "k:"), ("k - 1", "k:"),
)  # fmt: skip


def slices(w: Writer) -> bool:
    """`a, b = y[:k], y[k:]; a += b.sum()`: two parts of a tensor, which may have elements in common."""
    y, k, a, b = given(w), w.fresh("number"), w.fresh("view"), w.fresh("view")
    one, other = (text.replace("k", k) for text in w.pick(SLICES))
    emit(w, f"{k} = {w.pick(['1', '1', '2', f'{y}.shape[0] - 1', f'len({y})'])}")
    emit(w, f"{a} = {y}[{one}]\n{b} = {y}[{other}]")
    if w.chance(0.2):
        emit(w, f"{k} = {k} + 1" if w.chance(0.5) else f"{b} = {y}[{other}]")
    save = w.fresh("tensor")
    if w.chance(0.5):
        emit(w, f"{save} = torch.tanh({w.pick([a, b, y])})")
        watch(w, save)
    forms = [f"{a} += {b}.sum()", f"{a} *= 2", f"{a}.mul_({b}.sum() * 0.1)", change(w, a, stores=False), f"{b} -= 1"]
    emit(w, w.pick(forms))
    if w.chance(0.4):
        emit(w, w.pick([f"{b} -= {a}.sum()", f"{y} *= 2", f"{b}.exp_()", f"{b} *= {b}"]))
    watch(w, y, a, b)
    return True
