"""Hooks that keep what layers give, registered in many ways, and layers that are called in odd ways."""

from __future__ import annotations

from generator.kinds import Plain, Tensor
from generator.snippets import change, define, emit, given, watch
from generator.writer import Writer

NET = """
class NAME(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear({c}, {c})
        self.act = {act}
        self.more = nn.Sequential(nn.Linear({c}, {c}), {act})
        self.kept = []

    def watch(self):
        for m in self.children():
            m.register_forward_hook(self.keep)

    def keep(self, m, i, o):
        self.kept.append(o)

    def forward(self, x):
        {body}
        return {end}
"""
ACTS = ("nn.ReLU(inplace=True)", "nn.ReLU(True)", "nn.ELU(inplace=True)", "nn.Hardswish(inplace=True)", "nn.ReLU()",
        "nn.Dropout(0.0, inplace=True)")  # fmt: skip
BODIES = (
    "y = self.lin(x)\n        y = self.act(y)",
    "y = self.lin(x)\n        {c}",
    "y = self.act(self.lin(x))\n        {c}",
    "y = self.more(x)\n        {c}",
    "y = self.lin(x)\n        z = self.act(y)\n        y = y + z",
    "y = self.lin(x)\n        self.act(y)",
    "y = x\n        for n, m in self.more.named_children():\n            y = m(y)\n            {c}",
    "y = x\n        outs = []\n        for m in self.more._modules.values():\n            y = m(y)\n"
    "            outs.append(y)\n        y = sum(outs)",
    "y = self.get_submodule('lin')(x)\n        y = self.get_submodule('act')(y)\n        {c}",
    "y = self._modules['lin'](x)\n        z = self._modules['act'](y)\n        y = y + z",
    "y = getattr(self, 'li' + 'n')(x)\n        {c}",
    "y = operator.methodcaller('forward', x)(self.lin)\n        {c}",
    "y = self.lin(x)\n        ys = list(map(self.act, [y, y]))\n        y = y + ys[0]",
)
SETS = (
    "for m_ in {n}.modules():\n    m_.register_forward_hook({k})",
    "for n_, m_ in {n}.named_modules():\n    m_.register_forward_hook({k})",
    "for n_, m_ in {n}.named_children():\n    m_.register_forward_hook({k})",
    "{n}.apply(lambda m_: m_.register_forward_hook({k}) and None)",
    "{n}.lin.register_forward_hook({k})",
    "{n}.act.register_forward_hook({k})",
    "{n}.act.register_forward_pre_hook(lambda m_, i_: {o}.append(i_[0]))",
    "{n}.register_forward_hook({k})",
    "[m_.register_forward_hook({k}) for m_ in {n}.more]",
    "{n}.more[0].register_forward_hook({k})",
    "dict({n}.named_modules())['more.0'].register_forward_hook({k})",
    "{n}.watch()\n{o} = {n}.kept",
    "getattr({n}, 'lin').register_forward_hook({k})",
    "{n}.get_submodule('more.0').register_forward_hook({k})",
    "next({n}.children()).register_forward_hook({k})",
    "{n}.lin.register_forward_hook({k}, always_call=True)",
    "{n}.act.register_forward_pre_hook(lambda m_, i_, k_: {o}.append(i_[0]), with_kwargs=True)",
    "{n}.lin.register_full_backward_hook(lambda m_, i_, o_: None)",
    "{w}({n}, {o})",
)
WATCHES = (
    "def NAME(net, store):\n    for m in net.modules():\n"
    "        m.register_forward_hook(lambda m, i, o: store.append(o))",
    "def NAME(net, store):\n    def keep(m, i, o):\n        store.append(o)\n    net.lin.register_forward_hook(keep)",
    "def NAME(net, store):\n    def attach(m):\n        m.register_forward_hook(lambda m, i, o: store.append(o))\n"
    "    net.apply(attach)",
    "def NAME(net, store):\n    net.lin.register_forward_hook(partial(_kept, store))\n\n\n"
    "def _kept(store, m, i, o):\n    store.append(o)",
    "class NAME:\n    def __init__(self, net, store):\n        self.store = store\n"
    "        net.more[0].register_forward_hook(self.keep)\n\n    def keep(self, m, i, o):\n"
    "        self.store.append(o)",
)
KEEPS = (
    "lambda m_, i_, o_: {o}.append(o_)",
    "lambda m_, i_, o_: {o}.append(i_[0])",
    "lambda m_, i_, o_: {o}.extend(i_)",
    "lambda m_, i_, o_: {o}.append((i_, o_)) and None",
    "lambda *a_: {o}.append(a_[-1])",
)
GLOBALLY = (
    "handle_ = torch.nn.modules.module.register_module_forward_hook({k})\n"
    "try:\n    {z} = {n}({y})\nfinally:\n    handle_.remove()"
)
TENSOR_HOOKS = (
    "{y}.register_hook(lambda g_: g_ * {m}.detach())",
    "{y}.register_hook({m}.detach().mul)",
    "{y}.register_hook({f}({m}))",
    "{y}.register_hook(partial(torch.mul, {m}.detach()))",
)


def hooked(w: Writer) -> bool:
    """A net whose layers' outputs somebody keeps by hooks."""
    if w.depth > 1:
        return False
    y, n, out, z = given(w), w.fresh("object"), w.fresh("list"), w.fresh("tensor")
    act = w.pick(ACTS)
    body = w.pick(BODIES).replace("{c}", change(w, "y"))
    name = define(w, "Hooked", NET.format(c=w.columns, act=act, body=body, end=w.pick(["y", "y", "y * 2", "y + x"])))
    keep = w.pick(KEEPS).format(o=out)
    emit(w, f"{n} = {name}()\n{out} = []")
    if w.chance(0.12):
        emit(w, GLOBALLY.format(k=keep, z=z, n=n, y=y))
    else:
        form = w.pick(SETS)
        watcher = define(w, "attach", w.pick(WATCHES)) if "{w}" in form else ""
        emit(w, form.format(n=n, o=out, k=keep, w=watcher))
        emit(w, f"{z} = {n}({y})")
    if w.chance(0.4):
        emit(w, change(w, z))
    w.bind(z, Tensor((w.rows, w.columns)), writable=False, dense=False)
    w.bind(out, Plain("seen"))
    watch(w, z, out)
    return True


def tensor_hook(w: Writer) -> bool:
    """`y.register_hook(lambda g: g * m)`, then `m` is written."""
    y, m, z = given(w), w.fresh("tensor"), w.fresh("tensor")
    f = define(w, "mask_grad", "def NAME(m):\n    def hook(g):\n        return g * m\n    return hook")
    hook = w.pick(TENSOR_HOOKS).format(y=z, m=m, f=f)
    emit(w, f"{m} = ({y} > 0.1).float()\n{z} = {y} * 2\nif {z}.requires_grad:\n    {hook}")
    emit(w, w.pick([f"{m} += 1", f"{m}.mul_(3)", f"{m}[0] = 5", f"{m}.zero_()"]))
    w.bind(z, Tensor((w.rows, w.columns)), y, dense=False)
    w.bind(m, Tensor((w.rows, w.columns)))
    watch(w, z, m)
    return True
