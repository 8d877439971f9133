"""Coroutines and generators that write what they get: awaited, gathered, sent to, left alone."""

from __future__ import annotations

from generator.kinds import Plain
from generator.snippets import change, define, emit, given, watch
from generator.writer import Writer

ENDS = ("return t", "return t", "return t * 2", "return t.sum()", "pass", "return [t]", "return t[0]")
AWAITS = (
    "z = await {f}(y)",
    "await {f}(y)\n    z = y",
    "y = await {f}(y)\n    z = y",
    "z = await asyncio.gather({f}(y), {f}(y))",
    "a, b = await asyncio.gather({f}(y), {f}(y * 1))\n    z = a, b",
    "task = asyncio.create_task({f}(y))\n    z = await task",
    "task = asyncio.ensure_future({f}(y))\n    u = y * 1\n    z = await task, u",
    "z = await asyncio.wait_for({f}(y), 5)",
    "c = {f}(y)\n    u = y * 1\n    z = await c, u",
    "c = {f}(y)\n    y.mul_(2)\n    z = await c",
    "z = [await {f}(v) for v in (y, y)]",
    "c = {f}(y)\n    c.close()\n    z = y",
    "cs = [{f}(y) for _ in range(2)]\n    z = [await c for c in cs]",
    "z = await asyncio.shield({f}(y))",
    "z = (await {f}(y), y)",
    "async with asyncio.timeout(5):\n        z = await {f}(y)",
)
DRIVES = (
    "{z} = asyncio.run({f}({y}))",
    "asyncio.run({f}({y}))\n{z} = {y}",
    "{z} = {f}({y})\n{z}.close()\n{z} = {y}",
    "c_ = {f}({y})\n{z} = {y} * 1\n{z} = {z}, asyncio.run(c_)",
    "c_ = {f}({y})\ntry:\n    c_.send(None)\nexcept StopIteration as error:\n    {z} = error.value",
    "loop_ = asyncio.new_event_loop()\n{z} = loop_.run_until_complete({f}({y}))\nloop_.close()",
    "{z} = asyncio.run(asyncio.wait_for({f}({y}), 5))",
    "with asyncio.Runner() as runner_:\n    {z} = runner_.run({f}({y}))",
    "start_ = lambda t_: {f}(t_)\n{z} = asyncio.run(start_({y}))",
)
GENERATORS = (
    "def NAME(t):\n    {c}\n    yield t",
    "def NAME(t):\n    yield t\n    {c}\n    yield t",
    "def NAME(t):\n    for k in range(2):\n        {c}\n        yield k",
    "def NAME(t):\n    for k in range(2):\n        {c}\n        yield t",
    "def NAME(t):\n    k = yield t\n    {c}\n    yield k",
    "def NAME(t):\n    yield 1\n    {c}\n    return t",
    "def NAME(t):\n    try:\n        yield t\n    finally:\n        {c}",
)
USES = (
    "{z} = list({f}({y}))",
    "{z} = next({f}({y}))",
    "{z} = {f}({y})\n{z} = {y}",
    "g_ = {f}({y})\n{z} = {y} * 1\n{z} = {z}, list(g_)",
    "g_ = {f}({y})\n{z} = next(g_)\nfor _ in g_:\n    pass",
    "{z} = [v_ for v_ in {f}({y})]",
    "for {z} in {f}({y}):\n    {y}.add_(1)",
    "for {z} in {f}({y}):\n    break",
    "for {z} in {f}({y}):\n    if isinstance({z}, torch.Tensor):\n        {z} += 1",
    "g_ = {f}({y})\n{z} = next(g_), {y} * 1\ng_.close()",
    "g_ = {f}({y})\nnext(g_)\ntry:\n    {z} = g_.send(3)\nexcept StopIteration as error:\n    {z} = error.value",
    "{z} = dict(enumerate({f}({y})))",
    "*_, {z} = {f}({y})",
    "{z} = list(zip({f}({y}), {f}({y})))",
    "{z} = list(itertools.islice({f}({y}), 1))",
)


def coroutine(w: Writer) -> bool:
    """`async def _co(t): t += 1; return t`, in `asyncio.run`, awaited by others, made and not awaited."""
    if w.depth > 1:
        return False
    y, z = given(w), w.fresh("plain")
    pause = w.pick(["", "", "    await asyncio.sleep(0)\n"])
    first = define(w, w.pick(["_co", "bumped"]), f"async def NAME(t):\n{pause}    {change(w, 't')}\n    {w.pick(ENDS)}")
    if w.chance(0.6):
        body = w.pick(AWAITS).format(f=first)
        more = f"\n    {change(w, 'y')}" if w.chance(0.3) else ""
        first = define(w, w.pick(["main", "_main"]), f"async def NAME(y):\n    {body}{more}\n    return z")
    elif w.chance(0.15):
        first = define(w, "start", f"def NAME(t):\n    return {first}(t)")
    elif w.chance(0.15):
        first = (
            define(w, "Server", f"class NAME:\n    async def go(self, t):\n        return await {first}(t)") + "().go"
        )
    emit(w, w.pick(DRIVES).format(f=first, y=y, z=z))
    _seen(w, y, z)
    return True


def generator(w: Writer) -> bool:
    """A generator that writes its argument when it is asked, and perhaps never is."""
    if w.depth > 1:
        return False
    y, z = given(w), w.fresh("plain")
    text = w.pick(GENERATORS).format(c=change(w, "t"))
    name = define(w, w.pick(["_walk", "steps"]), text)
    if w.chance(0.2):
        name = define(w, "_through", f"def NAME(t):\n    r = yield from {name}(t)\n    yield r")
    emit(w, w.pick(USES).format(f=name, y=y, z=z))
    if w.chance(0.4):
        emit(w, change(w, y))
    _seen(w, y, z)
    return True


def _seen(w: Writer, y: str, z: str) -> None:
    w.bind(z, Plain("seen"))
    watch(w, y, z)
