"""`.data` and `.detach()` of tensors under other names."""

from __future__ import annotations

from generator.snippets import change, emit, given, made, method, watch
from generator.writer import Writer


def shared_data(w: Writer) -> bool:
    """`h.data = s.detach()`, then a write through `h` that `s` sees, or through `s` that `h` sees."""
    s, h = given(w), made(w)
    value = w.pick([f"{s}.detach()", f"{s}.data", s, f"{s}.view_as({s})", f"{s}.detach().view_as({h})", f"{s}[:]"])
    emit(w, f"{h}.data = {value}")
    for _ in range(w.pick([1, 1, 2])):
        emit(w, change(w, w.pick([h, h, s, f"{h}.data"]), assigns=False))
    watch(w, s, h)
    return True


def partial_data(w: Writer) -> bool:
    """`y.data[0] = 0`, `y.data.mul_(2)`, `y.data.copy_(z)`: a part or an update behind autograd's back."""
    y = given(w)
    other = f"torch.tanh({y}).detach()"
    forms = [
        f"{y}.data[0] = 0",
        f"{y}.data.mul_(2)",
        f"{y}.data[{y} > 0.2031] = 0",
        f"{y}.data += 1",
        f"{y}.data *= 0.5",
    ]
    forms += [
        f"{y}.data.copy_({other})",
        f"{y}.data[:1].add_(1)",
        f"{y}.data.div_({y}.data.norm() + 1)",
        f"{y}.data[...] = {other}",
    ]
    if w.chance(0.4):
        name = w.fresh("tensor")
        emit(
            w,
            f"{name} = {y}.{w.pick(['data', 'detach()', 'data.view(-1)' if _dense(w, y) else 'data', 'detach()[0]'])}",
        )
        emit(w, change(w, name))
    else:
        emit(w, w.pick(forms))
    if w.chance(0.2):
        emit(w, f"with torch.no_grad():\n    {method(w, y)}")
    watch(w, y)
    return True


def whole_data(w: Writer) -> bool:
    """`y.data = f(y)`, under another name, of an element, twice."""
    y = given(w)
    alias = w.fresh("tensor")
    emit(w, f"{alias} = {w.pick([y, f'[{y}]', f'{y} * 1'])}")
    target = f"{alias}[0]" if w.lines[-1].endswith("]") else w.pick([alias, y])
    emit(
        w,
        f"{target}.data = {w.pick([f'torch.sigmoid({y})', f'{y}.data * 2', f'{y}.clamp(-1, 1)', f'{y}.detach() + 1'])}",
    )
    watch(w, y)
    return True


def _dense(w: Writer, name: str) -> bool:
    place = w.lookup(name)
    return place is not None and place.dense
