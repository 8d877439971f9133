"""Tensors that aren't dense, what writes them, and what asks for their order in memory afterwards."""

from __future__ import annotations

from generator.kinds import Plain, Tensor
from generator.snippets import define, emit, given, watch
from generator.writer import Writer

SOURCES = (
    "{m}.t().contiguous().t()",
    "{m}.T.exp().T",
    "torch.cat([{m}, {m}])[::2]",
    "torch.cat([{m}, {m}], 1)[:, ::2]",
    "torch.stack([{m}, {m}], -1)[..., 0]",
    "torch.stack([{m}, {m} * 2], 1)[:, 1]",
    "F.pad({m}, (1, 1))[:, 1:-1]",
    "{m}.mT.tanh().mT",
    "{m}.permute(1, 0).mul(2).permute(1, 0)",
    "{m}.transpose(0, 1).sigmoid().transpose(0, 1)",
    "{m}.exp()[:, :1].expand_as({m}).clone()",
    "torch.einsum('ij->ji', {m}).exp().t()",
    "({m} * 1)[:]",
    "torch.empty_like({m}.t()).t().copy_({m})",
    "torch.full_like({m}.t(), 0.5).t() * {m}",
    "{m}.mul(2)",
)
WRITES = (
    "{y}.masked_fill_({y} > 0.2017, 0.5)",
    "{y}[{y} > 0.2017] = 0.5",
    "{y}.tril_()",
    "{y}.triu_()",
    "{y}.cumsum_(0)",
    "{y}.cumprod_(1)",
    "{y}.scatter_(0, torch.zeros_like({y}, dtype=torch.long), 0.5)",
    "{y}.renorm_(2, 0, 0.5)",
    "{y}.index_add_(0, torch.tensor([0]), {y}[:1] * 2)",
    "{y}.index_fill_(1, torch.tensor([0]), 0.5)",
    "{y}.masked_scatter_({y} > 0.2017, {y} * 2)",
    "{y} += 1",
    "{y} *= {y}",
    "{y}.add_({y}.t().contiguous().t())",
    "{y}.relu_()",
    "F.relu_({y})",
    "F.relu({y}, inplace=True)",
    "{y} = F.leaky_relu({y}, 0.1, True)",
    "{y}.exp_()",
    "{y}.clamp_(max=0.5)",
    "{y}.zero_()",
    "{y}.fill_(0.5)",
    "{y}.copy_({y} * 2)",
    "{y}[0] = 0.5",
    "{y}[:, 0] *= 2",
    "{y}.lerp_({y} * 2, 0.5)",
    "{y}.addcmul_({y}, {y})",
    "{y}.index_copy_(0, torch.tensor([0]), {y}[-1:] * 2)",
    "nn.ReLU(inplace=True)({y})",
    "{y} = nn.Hardtanh(-1, 1, True)({y})",
    "{y}.mul_(2).add_(1)",
    "{y} -= {y}.mean(0)",
    "{y}.addmm_({y}, torch.eye({c}))",
    "{y}.fill_diagonal_(0.5)",
    "{y} = {y}.masked_fill_({y} < 0.1, 0)",
    "{y}.index_put_((torch.tensor([0]),), torch.tensor(0.5))",
    "{y} = {y}.clone()\n{y}[0] = 0.5",
    "{y}.logical_not_()",
    "{y}.ge_(0.5)",
    "{y}.sign_()",
    "{y}.floor_()",
    "{y}.detach().mul_(2)",
    "{y}.bernoulli_(0.5)",
    "{y}.uniform_()",
    "{y}.t_()\n{y}.t_()",
)
SHARING = (
    "{y}.contiguous()",
    "{y}.reshape(-1)",
    "{y}.flatten()",
    "torch.ravel({y})",
    "{y}.t().contiguous()",
    "{y}.t().reshape(-1)",
    "torch.flatten({y})",
    "nn.Flatten(0)({y})",
    "{y}.reshape({c}, {r})",
    "{y}.detach().flatten()",
    "{y}.unsqueeze(0).flatten()",
    "{y}.swapaxes(0, 1).contiguous()",
    "torch.atleast_3d({y}).contiguous()",
    "torch.reshape({y}, ({c}, -1))",
    "{y}.contiguous().view(-1)",
    "torch.where({y} > 0, {y}, -{y}).flatten()",
    "{y}.mul(2).t().contiguous()",
    "{y}.clone().t().reshape(-1)",
    "torch.relu({y}).mT.contiguous()",
    "{y}.to(memory_format=torch.contiguous_format)",
    "{y}[:1].flatten()",
    "{y}.float().flatten()",
    "copy.copy({y}).flatten()",
    "torch.squeeze({y}).flatten()",
    "({y} + {y}.t().contiguous().t()).flatten()",
    "torch.movedim({y}, 0, 1).contiguous()",
    "{y}.flatten() if {y}.is_contiguous() else {y}.t().flatten()",
    "torch.as_strided({y}, (2,), (1,))",
)
"""What is a view or a copy as the strides say."""

ASKING = (
    "{y}.is_contiguous()",
    "{y}.stride()",
    "{y}.t().is_contiguous()",
    "torch.empty_like({y}).stride()",
    "{y}.stride(0)",
    "torch.zeros_like({y}).is_contiguous()",
    "{y}.clone().stride()",
    "{y}.detach().numpy().strides",
    "{y}.detach().numpy().flags['C_CONTIGUOUS']",
    "(torch.ones_like({y}) * 2).stride()",
    "{y}.mul(2).stride()",
    "np.asarray({y}.detach()).flags['F_CONTIGUOUS']",
    "[t_.is_contiguous() for t_ in ({y}, {y}[:, :1])]",
    "torch.sigmoid({y}).stride()",
    "F.dropout({y}.detach() * 0 + 1, 0.5)",
    "{y}.view(-1).sum()",
    "{y}.t().view(-1).sum()",
    "torch.rand_like({y})",
    "{y}.detach().numpy().ravel(order='K').tolist()",
)
PLANE = (
    "{p} = {m}.reshape(1, 1, {r}, {c}).repeat(2, 2, 1, 1).contiguous(memory_format=torch.channels_last)",
    "{p} = torch.stack([{m}, {m} * 2], -1).unsqueeze(0).permute(0, 3, 1, 2)",
    "{p} = nn.Conv2d(1, 2, 1).to(memory_format=torch.channels_last)({m}[None, None])",
    "{p} = F.relu({m}.expand(2, 2, -1, -1).clone(memory_format=torch.channels_last))",
)
IMAGE = (
    "{p} = image * 1",
    "{p} = image.exp()",
    "{p} = image.clone()",
    "{p} = nn.Conv2d(2, 2, 1)(image)",
    "{p} = F.relu(image) + {m}",
    "{p} = image.flip(-1)",
)
PLANE_WRITES = (
    "{p}.relu_()",
    "{p} += 1",
    "{p}.masked_fill_({p} > 0.3, 0.1)",
    "{p}[{p} > 0.3] = 0.1",
    "{p}[:, 0] = 0.5",
    "{p}.cumsum_(1)",
    "{p} = nn.ReLU(inplace=True)({p})",
    "{p}.mul_({p}.mean((2, 3), True))",
    "{p}.sub_({p} * 2)",
    "{p}.add_(torch.ones(2, 1, 1))",
    "{p} = F.elu({p}, inplace=True)",
    "F.hardswish({p}, inplace=True)",
    "{p}.tril_()",
)
PLANE_READS = (
    "{y}.is_contiguous()",
    "{y}.is_contiguous(memory_format=torch.channels_last)",
    "{y}.stride()",
    "{y}.permute(0, 2, 3, 1).is_contiguous()",
    "F.max_pool2d({y}, 1).stride()",
    "F.conv2d({y}, torch.ones(1, 2, 1, 1)).sum()",
    "torch.cat([{y}, {y}], 1).stride()",
    "F.interpolate({y}, scale_factor=2).is_contiguous()",
    "{y}.mean((2, 3))",
    "{y}.permute(0, 2, 3, 1).view(2, -1).sum()",
)
PLANE_SHARING = (
    "{y}.flatten(1)",
    "{y}.contiguous()",
    "{y}.reshape(2, -1)",
    "{y}.permute(0, 2, 3, 1).contiguous()",
    "{y}.permute(0, 2, 3, 1).flatten()",
    "nn.Flatten()({y})",
    "{y}.contiguous(memory_format=torch.channels_last)",
    "F.max_pool2d({y}, 1).flatten()",
    "{y}.transpose(1, 2).flatten(2)",
)
AFTER = ("{c} += 1", "{c}.mul_(2)", "{c}[0] = 9", "{c}.zero_()", "{c} = {c}.add_(1)", "{c}[...] = 0.5")
THROUGH = (
    ("def NAME(t):\n    return {e}", "{f}({y})"),
    ("def NAME(t):\n    u = t\n    v = {e}\n    return v", "{f}({y})"),
    (
        "class NAME:\n    def __init__(self, t):\n        self.t = t\n\n    def read(self):\n        t = self.t\n"
        "        return {e}",
        "{f}({y}).read()",
    ),
    ("class NAME:\n    @staticmethod\n    def read(t):\n        return {e}", "{f}.read({y})"),
    ("class NAME(nn.Module):\n    def forward(self, t):\n        return {e}", "{f}()({y})"),
    ("NAME = lambda t: {e}", "{f}({y})"),
    ("def NAME(ts):\n    t = ts[-1]\n    return {e}", "{f}([{y}, {y}])"),
    ("def NAME(t, *, n=1):\n    if n > 5:\n        return t\n    return {e}", "{f}({y}, n=2)"),
    ("def NAME(t):\n    yield {e}", "next({f}({y}))"),
    ("def NAME(**k):\n    t = k['t']\n    return {e}", "{f}(t={y})"),
    ("def NAME(f, t):\n    return f(t)", "{f}(lambda t: {e}, {y})"),
)
MAKERS = (
    ("def NAME(m):\n    y = {s}\n    {v}\n    return y", "{f}({m})"),
    ("def NAME(m):\n    y = {s}\n    return y", "{f}({m})"),
    ("def NAME(m):\n    return {s}", "{f}({m})"),
    (
        "class NAME:\n    def __init__(self, m):\n        self.m = m\n\n    def make(self):\n        m = self.m\n"
        "        y = {s}\n        {v}\n        return y",
        "{f}({m}).make()",
    ),
    ("class NAME(nn.Module):\n    def forward(self, m):\n        y = {s}\n        {v}\n        return y", "{f}()({m})"),
    ("def NAME(m):\n    y = {s}\n    {v}\n    yield y", "next({f}({m}))"),
    ("def NAME(m):\n    y = {s}\n    {v}\n    return y, y.sum()", "{f}({m})[0]"),
    ("NAME = lambda m: {s}", "{f}({m})"),
    ("def NAME(m):\n    y = {s}\n    {v}\n    return dict(y=y)", "{f}({m})['y']"),
    ("def NAME(y):\n    {v}\n    return y", "{f}({s})"),
)


def restrided(w: Writer, m: str) -> str:
    """The values of a matrix in another order, or with gaps."""
    return w.pick(SOURCES).format(m=m)


def _write(w: Writer, y: str, indent: int = 0) -> str:
    text = w.pick(WRITES).format(y=y, c=w.columns)
    return text.replace("\n", "\n" + " " * indent)


def _source(w: Writer, m: str) -> str:
    """The name of a strided tensor: made here, by a function, a method, a generator, and written there perhaps."""
    y = w.fresh("tensor")
    if w.chance(0.5):
        emit(w, f"{y} = {restrided(w, m)}")
    else:
        text, call = w.pick(MAKERS)
        made = restrided(w, m if "{s}" in call else "m")
        write = _write(w, "y", 8 if "        {v}" in text else 4)
        name = define(w, w.pick(["_make", "prepared", "Source"]), text.replace("{s}", made).replace("{v}", write))
        emit(w, f"{y} = {call.format(f=name, m=m, s=made)}")
    w.bind(y, Tensor((w.rows, w.columns)), m, dense=False)
    return y


def _read(w: Writer, forms: tuple[str, ...], y: str) -> str:
    """An expression about a tensor, a call of a function of the file that gives it, or of one that reads it outside."""
    form = w.pick(forms).replace("{r}", str(w.rows)).replace("{c}", str(w.columns))
    if w.chance(0.45):
        return form.format(y=y)
    if w.chance(0.15):
        name = w.fresh("function")
        emit(w, f"def {name}():\n    return {form.format(y=y)}")
        return f"{name}()"
    definition, call = w.pick(THROUGH)
    inner = form.format(y="t")
    name = define(w, w.pick(["_flat", "looked", "Reader"]), definition.replace("{e}", inner))
    return call.format(f=name, e=inner, y=y)


def _guarded(w: Writer, name: str, text: str) -> str:
    """`name = text`, of which a view that can't be made is noted."""
    if w.chance(0.2) or "view(" in text:
        return f"try:\n    {name} = {text}\nexcept RuntimeError:\n    {name} = 'no view'"
    return f"{name} = {text}"


def matrix(w: Writer) -> bool:
    """`y = x.t().exp().t(); y[y > 2] = 0; c = y.contiguous(); c.mul_(2)`."""
    y = _source(w, given(w))
    for _ in range(w.pick([1, 1, 1, 2])):
        emit(w, _write(w, y))
    if w.chance(0.65):
        c = w.fresh("view")
        emit(w, _guarded(w, c, _read(w, SHARING, y)))
        emit(w, _after(w, c))
        w.bind(c, Plain("seen"))
    else:
        c = w.fresh("plain")
        emit(w, _guarded(w, c, _read(w, ASKING, y)))
        w.bind(c, Plain("seen"))
    watch(w, y, c)
    return True


def _after(w: Writer, c: str) -> str:
    write = w.pick(AFTER).format(c=c)
    known = f"if isinstance({c}, torch.Tensor):\n        {write}"
    return f"with torch.no_grad():\n    {known}" if w.chance(0.15) else known.replace("        ", "    ")


def plane(w: Writer) -> bool:
    """Images in channels_last, which are written and flattened."""
    m, p, c = given(w), w.fresh("tensor"), w.fresh("view")
    names = {"m": m, "p": p, "r": w.rows, "c": w.columns}
    given_image = w.lookup("image") is not None and w.chance(0.8)
    emit(w, (w.pick(IMAGE) if given_image else w.pick(PLANE)).format(**names))
    for _ in range(w.pick([1, 1, 2])):
        emit(w, w.pick(PLANE_WRITES).format(**names))
    shares = w.chance(0.5)
    emit(w, _guarded(w, c, _read(w, PLANE_SHARING if shares else PLANE_READS, p)))
    if shares:
        emit(w, _after(w, c))
    w.bind(p, Plain("plane"))
    w.bind(c, Plain("seen"))
    watch(w, p, c)
    return True


def kept(w: Writer) -> bool:
    """A strided tensor in an attribute, a global or a closure, written in one method and flattened in another."""
    m, held, c = given(w), w.fresh("object"), w.fresh("view")
    write, expression = _write(w, "h", 8), w.pick((*SHARING, *ASKING[:10])).format(y="self.h", r=w.rows, c=w.columns)
    save = w.pick(["self.h = h", "self.h = h\n        h = self.h"])
    order = f"{save}\n        {write}" if "h = h" not in write and w.chance(0.5) else f"{write}\n        self.h = h"
    name = define(
        w,
        "Layered",
        f"class NAME:\n    def put(self, m):\n        h = {restrided(w, 'm')}\n        {order}\n\n"
        f"    def read(self):\n        return {expression}",
    )
    emit(w, f"{held} = {name}()\n{held}.put({m})\n{c} = {held}.read()\n{_after(w, c)}\n{c} = {c}, {held}.h")
    w.bind(c, Plain("seen"))
    watch(w, c)
    return True
