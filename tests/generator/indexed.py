"""Writes to what an index gives, which is a view for some indices and a copy for others."""

from __future__ import annotations

from generator.kinds import Plain
from generator.snippets import change, define, emit, given, watch
from generator.writer import Writer

INDICES = (
    "0",
    "-1",
    "slice(0, 1)",
    "torch.tensor([0, 1])",
    "torch.tensor(0)",
    "[0, 1]",
    "(0, 1)",
    "(slice(None), 0)",
    "...",
    "{y}[:, 0] > 0.1",
    "{y} > 0.2023",
    "(torch.tensor([0, 1]), torch.tensor([1, 0]))",
    "{y}.argmax(0)",
    "[True] * {r}",
    "{y}.sum(1).topk(1).indices",
    "torch.where({y} > 0.2023)",
    "({y} > 0.2023).nonzero(as_tuple=True)",
    "None",
    "range(2)",
    "np.array([0, 1])",
    "np.int64(1)",
    "torch.arange(2)",
    "len([{y}]) - 1",
    "(..., 0)",
    "(None, 0)",
    "([0, 1],)",
    "int({y}.argmax()) % {r}",
    "torch.randperm(2)",
    "{y}.abs().amax(1).argmax()",
    "(torch.tensor([0, 1]), 0)",
    "tuple([0, 1])",
    "list(range(2))",
    "torch.tensor(True)",
    "True",
    "(0, [0, 1])",
    "slice(None, None, 2)",
)
WRITES = (
    "{y}[{i}].add_(1)",
    "{y}[{i}].mul_(2)",
    "{y}[{i}] += 1",
    "({y}[{i}]).mul_(3)",
    "{y}[{i}].zero_()",
    "{v} = {y}[{i}]\n{v} += 1",
    "{v} = {y}[{i}]\n{v}.mul_(2)",
    "{y}[{i}].relu_().mul_(2)",
    "torch.relu_({y}[{i}])",
    "F.relu({y}[{i}], inplace=True)",
    "{y}[{i}][0] = 9",
    "{y}[{i}][0] += 1",
    "{y}[{i}] = 0.5",
    "{y}[{i}].fill_(0.5)",
    "{y}[:][{i}].sub_(1)",
    "{y}.view_as({y})[{i}].add_(1)",
    "{y}.detach()[{i}].mul_(2)",
    "{f}({y}[{i}])",
    "{g}({y}, {i})",
    "{v} = {y}[{i}].mul_(2)",
    "{v} = {y}[{i}]\n{v}[0] = 7",
    "{y}[{i}] *= {y}[{i}]",
    "{y}[{i}].copy_({y}[{i}] * 2)",
    "{y}.__getitem__({i}).add_(1)",
    "nn.ReLU(inplace=True)({y}[{i}])",
    "{y}[{i}].data.mul_(2)",
    "{y}[{i}].exp_().add_(1)",
    "{y}[{i}].view(-1)[0] = 3",
    "{y}[{i}].clamp_(max=0.1)",
    "{y} = {y}.clone()\n{y}[{i}].add_(1)",
    "{y}[{i}].t().mul_(2)",
    "{y}[{i}, ...].add_(1)",
    "{y}.t()[{i}].mul_(2)",
    "[{y}][0][{i}].mul_(2)",
    "{y}[{i}].unsqueeze(0).add_(1)",
    "with torch.no_grad():\n    {y}[{i}].add_(1)",
    "torch.mul({y}[{i}].detach(), 2, out={y}[{i}].detach())",
)


def _helpers(w: Writer) -> dict[str, str]:
    return {
        "f": define(w, w.pick(["bump", "_bump"]), f"def NAME(t):\n    {change(w, 't', stores=False)}"),
        "g": define(
            w,
            w.pick(["hit", "_hit"]),
            f"def NAME(t, i):\n    {w.pick(['t[i].add_(1)', 't[i] += 1', 'v = t[i]', 't[i].mul_(2)'])}",
        ),
    }


def indexed(w: Writer) -> bool:
    """`i = torch.tensor([0, 1]); y[i].add_(1)`: the index in a name, in a loop, in a parameter, as it is."""
    if w.depth > 1:
        return False
    y, i, v = given(w), w.fresh("index"), w.fresh("view")
    many = [w.pick(INDICES).format(y=y, r=w.rows, c=w.columns) for _ in range(2)]
    lines = [w.pick(WRITES) for _ in range(w.pick([1, 1, 2]))]
    names = {"y": y, "v": v, **(_helpers(w) if any("{f}" in x or "{g}" in x for x in lines) else {})}
    roll = w.rng.random()
    if roll < 0.2 and not many[0].startswith("slice"):
        text = "\n".join(line.format(**names, i=many[0]) for line in lines)
    elif roll < 0.65:
        text = f"{i} = {many[0]}\n" + "\n".join(line.format(**names, i=i) for line in lines)
    elif roll < 0.85:
        body = "\n".join("    " + line.format(**names, i=i).replace("\n", "\n    ") for line in lines)
        text = f"for {i} in [{many[0]}, {many[1]}]:\n{body}"
    else:
        body = "\n".join(
            "    " + line.format(**{**names, "y": "t", "v": "v"}, i="i").replace("\n", "\n    ") for line in lines
        )
        f = define(w, w.pick(["_at", "at"]), f"def NAME(t, i):\n{body}\n    return t")
        text = f"{f}({y}, {many[0]})\n{f}({y}, {many[1]})"
    emit(w, f"try:\n    {y} = {y} * 1\n" + "\n".join(f"    {line}" for line in text.splitlines())
         + "\nexcept IndexError:\n    pass" if w.chance(0.15) else text)  # fmt: skip
    if any(line.startswith("{v} =") for line in lines) and roll < 0.65:
        w.bind(v, Plain("seen"))
        watch(w, v)
    watch(w, y)
    return True
