"""Parameters that are changed outside of `no_grad`, and weights computed of them that are written through `.data`."""

from __future__ import annotations

from generator.snippets import define, emit, given, watch
from generator.writer import Writer

CLASS = """
class NAME(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.linspace(-0.5, 1.0, {columns}){frozen})
        self.fc = nn.Linear({columns}, {columns})
        nn.init.constant_(self.fc.weight, 0.25)
        nn.init.constant_(self.fc.bias, -0.5)

    def reset(self, k=0.5):
        {reset}

    def effective(self, x):
        w = self.w * 2
        {write}
        return w

    def forward(self, x):
        {before}
        {read}
        return {returned}
"""
OWN = (
    *("self.w.mul_({k})", "self.w.clamp_(-0.4, 0.4)", "self.w[0] = {k}", "self.w += {k}", "self.w[1:] -= self.w[:1]"),
    *(
        "self.w.zero_()",
        "fill(self.w, {k})",
        "w = self.w.view(-1)\n        w[0] *= {k}",
        "self.w.add_(self.w, alpha={k})",
    ),
)
RECORDED = (
    *OWN,
    *("self.fc.weight.mul_({k})", "self.fc.bias.zero_().add_({k})", "self.fc.weight[0].fill_(0.5)"),
    *("b = self.fc.bias.view(-1)\n        b[0] += {k}", "self.w.copy_(self.fc.bias)", "fill(self.fc.weight, {k})"),
    "for p in self.parameters():\n            p.mul_({k})",
    "for p in filter(lambda p: p.dim() > 1, self.parameters()):\n            p.mul_({k})",
    'getattr(self.fc, "weight").mul_({k})',
    "for name, _ in self.fc.named_parameters():\n            getattr(self.fc, name).clamp_(-0.3, {k})",
)
"""Changes that torch refuses while it records, unless the parameters are frozen, as `w` may be."""

UNRECORDED = (
    *("with torch.no_grad():\n            self.w.mul_({k})", "self.w.data.mul_({k})", "nn.init.constant_(self.w, {k})"),
    *("self.w.data[0] = {k}", "with torch.no_grad():\n            fill(self.w, {k})", "pass"),
)
FILL = """
def NAME(t, k):
    {fill}
"""
WRITES = (
    *("w.data.div_(w.norm() + 1)", "w.data += self.fc(x).mean()", "w.data[0] = 0.25", "w.data[w.data > 0.3013] = 0"),
    *("r = self.fc(x).mean()\n        w.data -= r", "w.data = w / (w.norm() + 1)", "w.data.clamp_(-0.4, 0.4)"),
    *("w.data[0] = w[1] * self.w[0]", "w.data.mul_(self.fc.bias)", "w[0] = 0.25", "w *= self.fc.bias", "w.div_(2)"),
    *(
        "s = w.exp()\n        w.data.mul_(s)\n        w.data.add_(1)",
        "s = w.exp()\n        w.data.mul_(s)\n        w = w * s",
    ),
)
READS = ("w = self.effective(x)", "w = self.effective(x).sigmoid()", "w = self.w", "w = self.w.tanh()")
RETURNED = ("x * w", "self.fc(x) * w", "x + w.exp()", "torch.tanh(x * w)")


def module(w: Writer) -> bool:
    """`y = Scaled()(x)`, which changes its parameters before it reads them, or what it computes of them."""
    x, y = given(w), w.fresh("tensor")
    frozen = w.pick(["", ", requires_grad=False"])
    allowed = OWN if frozen else UNRECORDED
    before, reset = w.pick(allowed), w.pick((*RECORDED, *allowed))
    guard = "" if reset in allowed else "if x.dim() > 9: "
    text = CLASS.format(
        columns=w.columns,
        frozen=frozen,
        reset=reset.format(k="k"),
        write=w.pick(WRITES),
        before=w.pick(["", before.format(k="1.25"), f"{guard}self.reset()", f"{guard}self.reset(0.75)"]),
        read=w.pick(READS),
        returned=w.pick(RETURNED),
    )
    if "fill(" in text:
        fill = w.pick(("t.fill_(k)", "t[0] = k", "t.mul_(k)", "t += k", "t[..., 1:] *= k"))
        text = text.replace("fill(", define(w, "_put", FILL.format(fill=fill)) + "(")
    emit(w, f"{y} = {define(w, 'Scaled', text)}()({x})")
    emit(w, f"{x} = {x} + {y}")
    watch(w, x, y)
    return True
