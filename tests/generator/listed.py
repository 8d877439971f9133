"""Elements of lists that loops yield, count and pair, and what else happens to the lists meanwhile."""

from __future__ import annotations

from generator.snippets import change, emit, given, result, watch
from generator.writer import Writer

MADE = (
    *("[{y}.exp(), {y} * 2]", "[{y} * k for k in (1.5, 0.5)]", "[torch.sigmoid({y} + k) for k in range(2)]"),
    "[{y}] * 2",
)
HEADERS = (
    *("for {i}, {h} in enumerate({hs}):", "for {h} in {hs}:", "for {h}, {g} in zip({hs}, (0.5, 2.0)):"),
    *("for {i}, ({h}, {g}) in enumerate(zip({hs}, {hs}_2)):", "for {i}, {h} in enumerate({hs}, 1):"),
    *("for {h}, {g} in zip(filter(lambda t: t.dim() > 0, {hs}), {hs}_2):", "for {i}, {h} in enumerate(list({hs})):"),
)
HIDDEN = ("{h}.data -= torch.sin({h})", "{h}.data.mul_(torch.cos({h}))", "{h}.data = {h}.tanh()", "{h}.data[0] = 0.5")
COMPREHENSIONS = (
    *("{hs} = [{h}.mul_(2) for {h} in {hs}]", "{hs} = [torch.tanh({h}.add_(1)) for {h} in {hs}]"),
    *("{hs}_3 = [{h}.mul_(2) for {h} in {hs}]", "{hs} = [{h}.mul_({hs}[0]) for {h} in {hs}]"),
    *("{hs} = [{h}.mul_({h}.sigmoid()) for {h} in {hs}]", "{hs} = [{h}.exp_() * {h} for {h} in {hs}]"),
)
MEANWHILE = (
    *("{hs}.reverse()", "{hs}[0] = {hs}[1]", "{hs}_3 = {hs}", "{hs}[0].mul_(2)", "pass"),
    *("{h} = {h} + 1", "s = {h}.sigmoid()", "{hs}[-1] = {h} * 0.5"),
)


def elements(w: Writer) -> bool:
    """`for i, h in enumerate(hs): h += 1`, plain, paired, counted from one, with a list that changes meanwhile."""
    y, hs, h = given(w), w.fresh("list"), w.fresh("tensor")
    names = {"y": y, "hs": hs, "h": h, "i": w.fresh("index"), "g": "gain"}
    emit(w, f"{hs} = {w.pick(MADE)}".format(**names))
    emit(w, "{hs}_2 = [k for k in (0.5, 1.5)]".format(**names))
    emit(w, w.pick(HEADERS).format(**names))
    body = [w.pick(HIDDEN).format(**names) if w.chance(0.5) else change(w, h)]
    if w.chance(0.3):
        body.insert(w.pick([0, 1]), w.pick(MEANWHILE).format(**names))
    if w.chance(0.3):
        body.append(change(w, h))
    for line in body:
        w.emit(f"    {line}")
    if w.chance(0.4):
        emit(w, w.pick(COMPREHENSIONS).format(**names))
    watch(w, result(w, f"sum({hs})" if w.chance(0.5) else f"{hs}[0] * {hs}[1]"))
    return True
