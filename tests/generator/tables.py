"""Tables and states that loops fill: nested loops, steps with the batch first, closures, generators, leaves."""

from __future__ import annotations

from generator.snippets import change, define, emit, given, result, watch
from generator.writer import Writer

STARTS = ("torch.zeros({n}, {m})", "torch.ones({n}, {m})", "torch.zeros_like({x})", "torch.full(({n}, {m}), 0.5)")
ENTRIES = (
    "torch.tanh({x}[i, j])",
    "torch.sigmoid({x}[i, j] * {y}[i, 0]) * ({o}[i, j - 1] if j > 0 else 0.5)",
    "torch.exp({x}[i, j]) * ({o}[i - 1, j] if i > 0 else 1.0) + ({o}[i, j - 1] if j else {x}[i, 0])",
    "{x}[i, j] * torch.tanh({o}[i - 1, j])",
    "{x}[i, j] + {o}[i, j].exp()",
    "{o}[i, j - 1] * {x}[i, j]",
    "torch.sigmoid({o}[i, 0]) * {y}[i, j]",
    "{x}[i, j] * {o}[0, j].exp()",
)
BATCHED = (
    "torch.tanh({o}[:, i - 1, j] * {x}[i, j])",
    "{x}[:, j].sum() * ({o}[:, i, j - 1].sigmoid() if j > 0 else {o}[0, i])",
    "torch.sigmoid({o}[:, i - 1, j] + {x}[i, j]) if i > 0 else {x}[0, j].expand({k})",
)
AFTER = (
    "{o}[i] = {o}[i] / 2",
    "{o}[i] *= 0.5",
    "{y} = {y} + {o}[i].mean()",
    "{o}[i, 0] = 0.25",
    "pass",
    "pass",
    "pass",
)


def table(w: Writer) -> bool:
    """`out[i, j] = f(out[i - 1, j])` in two nested loops."""
    if not {"i", "j"}.isdisjoint(w.bounds):
        return False
    x, y, o = given(w), given(w), w.fresh("tensor")
    n, m = w.rows, w.columns
    emit(w, f"{o} = {w.pick(STARTS).format(n=n, m=m, x=x)}")
    rows = w.pick([f"range({n})", f"range({n})", f"range(1, {n})", f"range(len({o}))"])
    columns = w.pick([f"range({m})", f"range({m})", f"range({o}.shape[1])", f"range(1, {m})", "range(i + 1)"])
    columns = columns if columns != "range(i + 1)" or n <= m else f"range({m})"
    entry = w.pick(ENTRIES).format(x=x, y=y, o=o)
    behind = w.pick(["", "", f"\n        {o}[i, j] *= 0.5", f"\n        {y} = {y} + {o}[i, j]"])
    emit(w, f"for i in {rows}:\n    for j in {columns}:\n        {o}[i, j] = {entry}{behind}")
    emit(w, "    " + w.pick(AFTER).format(o=o, y=y))
    result(w, f"{o} * 2")
    watch(w, o)
    return True


def batched_table(w: Writer) -> bool:
    """The same with the batch first, and a step whose part is read: `out[:, i - 1, 0]`."""
    if not {"i", "j"}.isdisjoint(w.bounds):
        return False
    x, o, k = given(w), w.fresh("tensor"), w.pick([2, 3])
    n, m = w.rows, w.columns
    emit(w, f"{o} = torch.zeros({k}, {n}, {m})")
    if w.chance(0.5):
        entry = w.pick(BATCHED).format(x=x, o=o, k=k)
        emit(w, f"for i in range({n}):\n    for j in range({m}):\n        {o}[:, i, j] = {entry}")
    else:
        part = w.pick([f"{o}[:, i - 1, 0].unsqueeze(1)", f"{o}[:, i - 1, -1:]", f"{o}[:, i - 1]", f"{o}[0, i - 1]"])
        emit(w, f"{o}[:, 0] = {x}[0]\nfor i in range(1, {n}):\n    {o}[:, i] = torch.tanh({x}[i]) * {part}.exp()")
    result(w, f"({o} * 2).sum(0)")
    return True


CLOSURE = """
def NAME(a):
    state = {start}

    def update(t):
        nonlocal state
        if state is None:
            state = {first}
        else:
            {change}
        return {returned}

    return {called}
"""


def closure(w: Writer) -> bool:
    """A closure whose state is empty at first."""
    x = given(w)
    text = CLOSURE.format(
        start=w.pick(["None", "None", "torch.zeros(()) + 1"]),
        first=w.pick(["torch.exp(t)", "t", "t * 1", "torch.tanh(t)", "a"]),
        change=change(w, "state"),
        returned=w.pick(["torch.log(state.abs() + 1)", "state", "state * 2", "(state, state * 2)[1]", "state[0]"]),
        called=w.pick(["update(a) + update(a * 2)", "torch.stack([update(a), update(a), update(a * 2)]).sum(0)"]),
    )
    result(w, f"{define(w, 'keep', text)}({x})")
    return True


GENERATOR = """
def NAME(h):
    for n in range(3):
        h = {made}
        yield {given}
        {change}
"""


def generator(w: Writer) -> bool:
    """A generator that goes on writing what it yielded."""
    x, total = given(w), w.fresh("tensor")
    made = w.pick(["h * 0.5", "torch.tanh(h)", "h + 1"])
    text = GENERATOR.format(made=made, given=w.pick(["h", "h", "h[0]", "h * 2"]), change=change(w, "h"))
    of = define(w, "rollout", text)
    if w.chance(0.6):
        emit(w, f"{total} = 0.0\nfor s in {of}({x}):\n    {total} = {total} + {w.pick(['s * s', 's.exp()', 's'])}")
    else:
        emit(w, f"{total} = sum(s * s for s in {w.pick(['list({})', '[*{}]', '{}']).format(f'{of}({x})')})")
    result(w, f"{total} * 1 + torch.zeros_like({x})")
    return True


def nested_elements(w: Writer) -> bool:
    """`cache[i]["k"] += 1`: elements of elements."""
    x, y, cache = given(w), given(w), w.fresh("list")
    emit(w, f"{cache} = " + w.pick([f'[{{"k": {x}}}, {{"k": {y}}}]', f'{{0: {{"k": {x}}}, 1: {{"k": {y} * 1}}}}']))
    held = result(w, w.pick([f'{cache}[0]["k"].exp()', f'{cache}[1]["k"]', f'{cache}[0]["k"] * {y}']))
    place = w.pick([f'{cache}[n]["k"]', f'{cache}[0]["k"]', f'{cache}[1 - n]["k"]'])
    emit(w, f"for n in range(2):\n    {change(w, place)}")
    result(w, f'{cache}[0]["k"] * {cache}[1]["k"] + {held}')
    return True


def optimised(w: Writer) -> bool:
    """A leaf that an optimizer or its gradient moves, clamped outside of `no_grad`."""
    y, leaf = given(w), w.fresh("tensor")
    emit(w, f"{leaf} = {y}.detach().clone().requires_grad_(True)")
    move = w.pick([f"{leaf} -= 0.1 * {leaf}.grad", f"{leaf}.add_({leaf}.grad, alpha=-0.1)", "pass"])
    project = w.pick([f"{leaf}.clamp_(-1, 1)", f"{leaf} *= 0.5", f"{leaf}[0] = 0.25", f"{leaf}.mul_({y})"])
    if w.chance(0.5):
        emit(
            w, f"optimizer = torch.optim.SGD([{leaf}], lr=0.1)\nfor _ in range(2):\n    {project}\n    optimizer.step()"
        )
    else:
        emit(w, f"for _ in range(2):\n    if {leaf}.grad is not None:\n        {move}\n    {project}")
    result(w, f"{leaf}.detach() * {y}")
    return True
