"""Longer pieces as people write them: residual blocks, recurrent cells, coupling layers, buffers of time steps."""

from __future__ import annotations

from collections.abc import Callable

from generator.expressions import fresh, operand, truth, value
from generator.kinds import Sequence, Tensor
from generator.writer import Writer, sizes


def time_steps(w: Writer) -> bool:
    """A buffer that is filled step by step."""
    if w.depth > 1 or "i" in w.bounds:
        return False
    columns, rows = w.columns, w.rows
    buffer, state = w.fresh("tensor"), w.fresh("tensor")
    start = w.pick(
        [f"torch.zeros({rows}, {columns})", f"torch.ones({rows}, {columns})", fresh(w, (rows, columns), depth=1).text]
    )
    w.emit(f"{buffer} = {start}")
    w.emit(f"{state} = {w.pick([f'torch.zeros({columns})', fresh(w, (columns,), depth=1).text])}")
    source = w.recent([p for p in w.tensors((rows, columns)) if p.text != buffer])
    step = f"{source.text}[i]" if source else "0.3"
    w.emit(f"for i in range({rows}):")
    w.emit("    " + w.pick([f"{state} = torch.tanh({state} + {step})", f"{state} += {step}",
                                f"{state} = {state} * 0.5 + {step}",
                            f"{state}.mul_(0.9).add_({step})"]))  # fmt: skip
    w.emit("    " + w.pick([f"{buffer}[i] = {state}", f"{buffer}[i] = torch.sigmoid({state})",
                                f"{buffer}[i] = {state} * {step}",
                            f"{buffer}[i, :] = {state}",
                            f"{buffer}[i] = {buffer}[i - 1] * 0.5 + {state}"]))  # fmt: skip
    if w.chance(0.3):
        w.emit(
            "    "
            + w.pick([f"{buffer}[i] *= 2", f"{state} = {buffer}[i]", f"{buffer}[i][0] = 0.5", f"{state}[0] = 0.1"])
        )
    w.bind(buffer, Tensor((rows, columns)))
    w.bind(state, Tensor((columns,)), dense=False)
    return True


def history(w: Writer) -> bool:
    """A state that is collected in a list while it changes."""
    if w.depth > 1 or "i" in w.bounds:
        return False
    shape = w.shape()
    state, parts = w.fresh("tensor"), w.fresh("list")
    w.emit(f"{state} = {fresh(w, shape, depth=1).text}")
    w.emit(f"{parts} = []")
    w.emit("for i in range(2):")
    other = operand(w, shape)
    w.emit(
        "    "
        + w.pick(
            [
                f"{state} += {other}",
                f"{state}.mul_(0.5)",
                f"{state} = {state} * 0.5",
                f"{state} *= {other}",
                f"{state}.add_(i)",
            ]
        )
    )
    form = w.pick(["{}", "{}.clone()", "{} * 2", "{}.tanh()", "torch.exp({})", "{}.detach()"])
    w.emit(f"    {parts}.append({form.format(state)})")
    if w.chance(0.3):
        w.emit("    " + w.pick([f"{state} += 1", f"{parts}[-1] += 1", f"{parts}[0] *= 2"]))
    kind = Tensor(shape)
    w.bind(state, kind)
    w.bind(parts, Sequence(kind, 2), writable=True)
    if w.chance(0.6):
        name = w.fresh("tensor")
        w.emit(f"{name} = torch.stack({parts})")
        w.bind(name, Tensor((2, *shape)))
    return True


def residual(w: Writer) -> bool:
    """`identity = y; out = f(y); out += identity; relu`."""
    shape = w.shape()
    source = value(w, shape, depth=1)
    identity, out = w.fresh("tensor"), w.fresh("tensor")
    w.emit(f"{identity} = {source.text}")
    w.emit(f"{out} = {fresh(w, shape, depth=2).text}")
    if w.chance(0.4):
        w.emit(w.pick([f"{out} = F.relu({out}, inplace=True)", f"F.relu({out}, inplace=True)", f"{out}.relu_()"]))
    w.emit(w.pick([f"{out} += {identity}", f"{out}.add_({identity})", f"{out} = {out}.add_({identity})"]))
    if w.chance(0.6):
        w.emit(w.pick([f"{out} = F.relu({out}, inplace=True)", f"{out} = torch.relu_({out})", f"{out}.sigmoid_()"]))
    w.bind(identity, Tensor(shape), writable=source.writable, dense=source.dense)
    w.bind(out, Tensor(shape))
    return True


def coupling(w: Writer) -> bool:
    """Half of the columns changes the other half."""
    shape = (w.rows, w.columns)
    if w.columns % 2 or w.columns < 2:
        return False
    half = w.columns // 2
    y = w.fresh("tensor")
    w.emit(f"{y} = {fresh(w, shape, depth=1).text}")
    first, second = w.fresh("view"), w.fresh("view")
    w.emit(
        w.pick([f"{first}, {second} = {y}[:, :{half}], {y}[:, {half}:]", f"{first}, {second} = {y}.chunk(2, dim=1)"])
    )
    w.emit(w.pick([f"{second} = {second} * torch.exp({first})", f"{second} *= torch.sigmoid({first})",
                                f"{y}[:, {half}:] += torch.tanh({first})",
                   f"{y}[:, :{half}] = {second} * 0.5", f"{second}.mul_({first}.exp()).add_({first})"]))  # fmt: skip
    w.bind(y, Tensor(shape))
    for name in (first, second):
        w.bind(name, Tensor((w.rows, half)), writable=False, dense=False)
    return True


def scores(w: Writer) -> bool:
    """Attention scores: scaled, masked, normalised."""
    shape = (w.rows, w.columns)
    name = w.fresh("tensor")
    w.emit(f"{name} = {fresh(w, shape, depth=2).text}")
    w.emit(w.pick([f"{name} /= 1.7", f"{name}.mul_(0.5)", f"{name} *= {w.columns} ** -0.5"]))
    mask = truth(w, shape)
    w.emit(
        w.pick(
            [
                f"{name}.masked_fill_({mask}, -9.0)",
                f"{name}[{mask}] = -5.0",
                f"{name} += torch.zeros_like({name}).masked_fill({mask}, -2.0)",
            ]
        )
    )
    if w.chance(0.7):
        w.emit(
            w.pick(
                [
                    f"{name} = {name}.softmax(-1)",
                    f"{name} = torch.softmax({name}, dim=-1)",
                    f"{name} -= {name}.max()",
                    f"{name}.div_({name}.norm())",
                ]
            )
        )
    w.bind(name, Tensor(shape))
    return True


def iteration(w: Writer) -> bool:
    """A vector that is updated and normalised again and again."""
    if w.depth > 1 or "i" in w.bounds:
        return False
    shape = (w.columns,)
    name = w.fresh("tensor")
    w.emit(f"{name} = {fresh(w, shape, depth=1).text}")
    if w.chance(0.5):
        last = w.fresh("tensor")
        w.emit(f"{last} = {name}")
        w.bind(last, Tensor(shape))
    w.emit("for _ in range(2):")
    w.emit(
        "    "
        + w.pick(
            [
                f"{name} = {name} * {operand(w, shape)}",
                f"{name} *= {operand(w, shape)}",
                f"{name} = torch.sigmoid({name})",
            ]
        )
    )
    w.emit(
        "    "
        + w.pick(
            [
                f"{name} /= {name}.norm() + 1",
                f"{name} -= {name}.mean()",
                f"{name}.div_({name}.abs().sum() + 1)",
                f"{name} **= 2",
            ]
        )
    )
    w.bind(name, Tensor(shape))
    return True


def running(w: Writer) -> bool:
    """A running sum that starts as a tensor or as a number."""
    shape = w.shape()
    name = w.fresh("tensor")
    start = w.pick(["0", "0.0", f"torch.zeros({sizes(shape)})", value(w, shape, depth=1).text])
    w.emit(f"{name} = {start}")
    w.emit("for k in range(2):")
    w.emit(f"    {name} += {fresh(w, shape, depth=1).text}")
    w.bind(name, Tensor(shape), writable=False)
    return True


ALL: tuple[Callable[[Writer], bool], ...] = (time_steps, history, residual, coupling, scores, iteration, running)


def idiom(w: Writer) -> bool:
    """One of them."""
    return w.pick(ALL)(w)
