"""What keeps a tensor that is written afterwards: closures, bound methods, iterators, attributes, caches."""

from __future__ import annotations

from generator.kinds import Plain
from generator.snippets import change, define, emit, given, watch
from generator.writer import Writer

FACTORIES = (
    ("def NAME(t):\n    return lambda k=2: t * k", "{h}()"),
    ("def NAME(t):\n    def get(k=2):\n        return t * k\n    return get", "{h}()"),
    ("def NAME(t):\n    return (t * k for k in range(2))", "list({h})"),
    ("def NAME(t):\n    def get():\n        yield t\n    return get()", "next({h})"),
    (
        "class NAMEKept:\n    def __init__(self, t):\n        self.t = t\n\n    def get(self):\n"
        "        return self.t\n\n\n"
        "def NAME(t):\n    return NAMEKept(t).get",
        "{h}()",
    ),
    ("def NAME(t):\n    return {'a': lambda: t + 1}", "{h}['a']()"),
    ("def NAME(*ts, **k):\n    return lambda: ts[0] * 1", "{h}()"),
    ("def NAME(t):\n    return partial(torch.mul, t)", "{h}(2)"),
    ("def NAME(t):\n    return t.mul", "{h}(2)"),
    ("def NAME(t):\n    cache = {}\n    def get(k=0):\n        return cache.setdefault(k, t)\n    return get", "{h}()"),
    (
        "def NAME(t, fs=None):\n    fs = [] if fs is None else fs\n    fs.append(lambda: t * 1)\n    return fs",
        "{h}[0]()",
    ),
    ("def NAME(t):\n    class Inner:\n        def get(self):\n            return t\n    return Inner()", "{h}.get()"),
    ("class NAME:\n    def __init__(self, t):\n        self.get = lambda: t * 1", "{h}.get()"),
    (
        "class NAME:\n    def __init__(self, t):\n        self.t = t\n\n    def __call__(self):\n        return self.t",
        "{h}()",
    ),
    (
        "class NAME(nn.Module):\n    def __init__(self, t):\n        super().__init__()\n"
        "        self.register_buffer('t', t.detach())\n",
        "{h}.t",
    ),
    ("def NAME(t):\n    return iter([t, t])", "next({h})"),
    ("def NAME(t):\n    return map(torch.neg, [t])", "list({h})"),
    ("def NAME(t):\n    return defaultdict(lambda: t)", "{h}['a']"),
    ("def NAME(t):\n    return types.SimpleNamespace(t=t)", "{h}.t"),
    ("def NAME(t):\n    e = ValueError('x')\n    e.t = t\n    return e", "{h}.t"),
    ("def NAME(t):\n    return locals()", "{h}['t']"),
    ("def NAME(t):\n    return itertools.repeat(t, 2)", "next({h})"),
    (
        "def NAME(t):\n    u = t\n    def add():\n        nonlocal u\n        u = u + 1\n"
        "        return u\n    return add, lambda: u",
        "({h}[0](), {h}[1]())",
    ),
    ("def NAME(t):\n    def outer():\n        return lambda: t\n    return outer()", "{h}()"),
    ("def NAME(t):\n    return nn.Sequential(nn.Identity()), lambda m: m(t)", "{h}[1]({h}[0])"),
    ("def NAME(t):\n    @functools.lru_cache\n    def get(k=1):\n        return t * k\n    return get", "{h}()"),
    ("def NAME(t):\n    q = queue.SimpleQueue()\n    q.put(t)\n    return q", "{h}.get_nowait()"),
    ("def NAME(t):\n    return deque([t])", "{h}[0]"),
)
HELD = (
    ("{h} = lambda: {y} * 1", "{h}()"),
    ("{h} = {y}.sum", "{h}()"),
    ("{h} = {y}.mul", "{h}(2)"),
    ("{h} = partial(torch.add, {y}, 1)", "{h}()"),
    ("{h} = partial(torch.add, other={y})", "{h}({y})"),
    ("{h} = ({y} * k for k in range(2))", "list({h})"),
    ("{h} = iter([{y}])", "next({h})"),
    ("{h} = map(torch.exp, [{y}])", "list({h})"),
    ("{h} = zip([{y}], [1])", "list({h})"),
    ("{h} = queue.Queue()\n{h}.put({y})", "{h}.get_nowait()"),
    ("{h} = deque()\n{h}.append({y})", "{h}.pop()"),
    ("{h} = types.SimpleNamespace()\nsetattr({h}, 't', {y})", "{h}.t"),
    ("{h} = {{}}\n{h}.setdefault('a', {y})", "{h}['a']"),
    ("{h} = dict.fromkeys('ab', {y})", "{h}['b']"),
    ("{h} = [*[{y}]]", "{h}[0]"),
    ("{h} = copy.copy([{y}])", "{h}[0]"),
    ("{h} = set()\n{h}.add({y})", "list({h})"),
    ("{h} = OrderedDict(a={y})", "{h}['a']"),
    ("{h} = itertools.chain([{y}], [])", "list({h})"),
    ("{h} = operator.itemgetter(0)([{y}])", "{h}"),
    ("{h} = ExitStack()\nout_ = []\n{h}.callback(out_.append, {y})", "({h}.close(), out_)"),
    ("{h} = vars()\n{h} = dict({h})", "{h}['{y}']"),
    ("match [{y}, 1]:\n    case [v_, _]:\n        {h} = v_", "{h}"),
    ("{h} = [v_ := {y}]", "v_"),
    ("{h} = collections.ChainMap({{'a': {y}}})", "{h}['a']"),
    ("with nullcontext({y}) as {h}:\n    pass", "{h}"),
    ("{h} = {y}.__add__", "{h}(1)"),
    ("def {h}(t={y}):\n    return t", "{h}()"),
    ("def {h}():\n    return {y}", "{h}()"),
    ("class Local_:\n    t = {y}\n{h} = Local_", "{h}.t"),
    ("{h} = type('T', (), {{'t': {y}}})", "{h}.t"),
    ("{h} = nn.ParameterList([nn.Parameter({y}.detach())])", "{h}[0] * 1"),
    ("{h} = nn.Embedding({r}, {c}, _weight={y}.detach())", "{h}(torch.tensor([0]))"),
    (
        "{h} = nn.Linear({c}, {r}, bias=False)\n"
        "nn.utils.vector_to_parameters({y}.detach().reshape(-1), {h}.parameters())",
        "{h}.weight * 1",
    ),
    (
        "{h} = []\nwith torch.autograd.graph.saved_tensors_hooks(lambda t_: {h}.append(t_) or t_, lambda t_: t_):\n"
        "    s_ = {y}.exp() * {y}",
        "[t_ * 1 for t_ in {h}], s_",
    ),
    ("{h} = torch.utils.checkpoint.checkpoint(lambda t_: t_ * {y}, {y} * 1, use_reentrant=False)", "{h}"),
    ("k_ = {y} * 2\n{h} = checkpoint(lambda t_: t_ * k_, {y}, use_reentrant=False)\nk_ += 1", "{h}"),
    ("{h} = {y}.as_subclass(type('Sub_', (torch.Tensor,), {{}}))", "{h}, type({h} * 1).__name__"),
    ("{h} = {y}.grad_fn", "{h} is {y}.grad_fn, str({h})[:9]"),
    ("{h} = {y}.detach().numpy()", "{h}.copy()"),
    ("{h} = torch.from_numpy({y}.detach().numpy())", "{h} * 1"),
    ("{h} = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack({y}.detach()))", "{h} * 1"),
    ("{h} = torch.as_tensor({y})", "{h}"),
    ("{h} = torch.utils.data.TensorDataset({y})", "{h}[0]"),
    ("{h} = tree_map(lambda t_: t_, [{y}])", "{h}[0]"),
    ("{h} = contextvars.ContextVar('h_', default={y})", "{h}.get()"),
)
GIVEN_BACK = (
    "return t",
    "return (lambda: t)()",
    "return next(iter([t]))",
    "return [t][0]",
    "return dict(t=t)['t']",
    "def inner():\n        return t\n    return inner()",
    "def inner(v=t):\n        return v\n    return inner()",
    "return partial(lambda u: u, t)()",
    "return locals()['t']",
    "match [t, 1]:\n        case [v, _]:\n            return v",
    "def inner():\n        yield t\n    return next(inner())",
    "return operator.itemgetter(0)([t])",
    "return operator.pos(t)",
    "return max([t], key=lambda u: float(u.sum()))",
    "return types.SimpleNamespace(t=t).t",
    "return copy.copy([t])[0]",
    "return functools.reduce(lambda a, b: a, [t, t])",
    "return next(itertools.chain([t]))",
    "return (t, t)[1]",
    "s = {t}\n    return s.pop()",
    "d = {}\n    d['t'] = t\n    return d.popitem()[1]",
    "return eval('t')",
    "with nullcontext(t) as v:\n        return v",
    "return vars()['t']",
    "return nn.Identity()(t)",
    "return t.view_as(t)",
    "return nn.Dropout(0.0)(t)",
    "return t.contiguous()",
    "return t.to(t.dtype)",
    "return t.expand_as(t)",
    "return t[:]",
    "for v in [t]:\n        return v",
    "return [v for v in [t]][0]",
    "return t if True else t * 1",
    "return t.float()",
    "return tree_map(lambda u: u, {'a': t})['a']",
    "a = [0, t]\n    return a[-1]",
    "return t.reshape(t.shape)",
    "return {'k': {'t': t}}['k']['t']",
    "try:\n        raise KeyError(t)\n    except KeyError as e:\n        return e.args[0]",
    "return asyncio.run(asyncio.sleep(0, t))",
    "return getattr(t, 'data')",
    "return t.requires_grad_(t.requires_grad)",
)
WHERE = (
    ("KEPT = {}\n\n\ndef NAME(t):\n    KEPT['t'] = t", "KEPT['t']"),
    ("KEPT_LIST = []\n\n\ndef NAME(t):\n    KEPT_LIST.append(t)", "KEPT_LIST[-1]"),
    ("LAST = None\n\n\ndef NAME(t):\n    global LAST\n    LAST = t", "LAST"),
    ("class NAME:\n    last = None\n\n    def __init__(self, t):\n        type(self).last = t", "{f}.last"),
    ("def NAME(t):\n    NAME.last = t", "{f}.last"),
    ("def NAME(t, seen=[]):\n    seen.append(t)\n    return seen", "{f}({y} * 1)[-2]"),
    ("def NAME(t):\n    globals()['KEPT_G'] = t", "globals()['KEPT_G']"),
    ("class NAME:\n    shared = {}\n\n    def __init__(self, t):\n        self.shared['t'] = t", "{f}.shared['t']"),
)


def factory(w: Writer) -> bool:
    """`g = make(y); y += 1; g()`: a function of the file whose result holds its argument."""
    y, h, z = given(w), w.fresh("object"), w.fresh("plain")
    definition, reads = w.pick(FACTORIES)
    f = define(w, w.pick(["bind", "_bind", "Holding"]), definition)
    emit(w, f"{h} = {f}({y})\n{change(w, y)}\n{z} = {reads.format(h=h)}")
    _seen(w, y, z)
    return True


def holder(w: Writer) -> bool:
    """A tensor in a closure, a queue, an iterator or an object of a library; then it is written."""
    if w.depth > 1:
        return False
    y, h, z = given(w), w.fresh("object"), w.fresh("plain")
    keep, reads = w.pick(HELD)
    names = {"y": y, "h": h, "r": w.rows, "c": w.columns}
    emit(w, keep.format(**names))
    emit(w, change(w, y))
    emit(w, f"{z} = {reads.format(**names)}")
    _seen(w, y, z)
    return True


def handed_out(w: Writer) -> bool:
    """`z = g(y)`, where the body hands out its parameter in some way; then either is written."""
    y, z = given(w), w.fresh("plain")
    body = w.pick(GIVEN_BACK)
    f = define(w, w.pick(["same", "_same"]), f"def NAME(t):\n    {body}")
    emit(w, f"{z} = {f}({y})\n{change(w, w.pick([y, z]))}")
    _seen(w, y, z)
    return True


def kept_elsewhere(w: Writer) -> bool:
    """A function of the file keeps its argument in a global, a class attribute, a default."""
    y, z = given(w), w.fresh("plain")
    definition, reads = w.pick(WHERE)
    f = define(w, w.pick(["note", "Keep"]), definition)
    emit(w, f"{f}({y})\n{change(w, y)}\n{z} = {reads.format(f=f, y=y)}")
    _seen(w, y, z)
    return True


def _seen(w: Writer, y: str, z: str) -> None:
    w.bind(z, Plain("seen"))
    watch(w, y, z)
