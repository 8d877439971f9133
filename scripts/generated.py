"""Made-up files in which one thing is repeated: each once took time that grew much faster than its length.

`GENERATED` maps what is repeated to how often, and to a function that makes the file for some number of times.
"""

from __future__ import annotations

from collections.abc import Callable

_START = "import torch\nfrom torch import nn\n\n\ndef f(x: torch.Tensor, g, xs):\n"


def _lines(line: Callable[[int], str], times: int, last: str = "    return x\n") -> str:
    return _START + "".join(map(line, range(times))) + last


def _stores(times: int) -> str:
    return _lines(lambda i: f"    x[:, {i}] = x[:, {i + 1}] * {i}\n", times)


def _relus(times: int) -> str:
    return _lines(lambda i: "    x = x.relu()\n" + ("    x.add_(1)\n" if i % 10 == 9 else ""), times)


def _branches(times: int) -> str:
    first = "    for k in xs:\n        if k == -1:\n            x = x.exp()\n"
    rest = (f"        elif k == {i}:\n            x = x * {i}\n            x += 1\n" for i in range(times))
    return _START + first + "".join(rest) + "    return x\n"


def _attempts(times: int) -> str:
    attempt = "    try:\n        x = g(x)\n        x += {}\n    except ValueError:\n        x = x.exp()\n"
    return _lines(attempt.format, times)


def _loops(times: int) -> str:
    inside = "    " * (times + 1)
    loops = "".join("    " * (i + 1) + f"for a{i} in xs:\n" for i in range(times))
    return f"{_START}{loops}{inside}x = x.exp()\n{inside}x += 1\n    return x\n"


def _views(times: int) -> str:
    views = "".join(f"    v{i + 1} = v{i}[1:]\n" for i in range(times))
    return f"{_START}    v0 = x.exp()\n{views}    v{times} += 1\n    return v0\n"


def _written_views(times: int) -> str:
    views = "".join(f"    v{i + 1} = v{i}[1:]\n    v{i + 1} += 1\n" for i in range(times))
    return f"{_START}    v0 = x.exp()\n{views}    return v0\n"


def _layers(times: int) -> str:
    made = "".join(f"        self.l{i} = nn.Linear(3, 3)\n" for i in range(times))
    called = "".join(f"        x = self.act(self.l{i}(x))\n" for i in range(times))
    head = "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
    act = "        self.act = nn.ReLU(inplace=True)\n\n    def forward(self, x):\n"
    return f"{head}        super().__init__()\n{made}{act}{called}        return x\n"


def _helpers(times: int) -> str:
    first = "import torch\n\n\ndef _h0(x):\n    x.add_(1)\n    return x\n\n\n"
    others = "".join(f"def _h{i}(x):\n    return _h{i - 1}(x)\n\n\n" for i in range(1, times))
    return f"{first}{others}def f(x: torch.Tensor):\n    y = x.exp()\n    return _h{times - 1}(y)\n"


def _sequential(times: int) -> str:
    layers = "    nn.Linear(3, 3),\n    nn.ReLU(inplace=True),\n" * (times // 2)
    return f"import torch\nfrom torch import nn\n\nnet = nn.Sequential(\n{layers})\n\n\ndef f(x):\n    return net(x)\n"


def _entries(times: int) -> str:
    entries = "".join(f'    "k{i}": {i},\n' for i in range(times))
    used = "def f(x: torch.Tensor):\n    y = x.exp()\n    y += TABLE['k1']\n    return y\n"
    return f"import torch\n\nTABLE = {{\n{entries}}}\n\n\n{used}"


GENERATED: dict[str, tuple[int, Callable[[int], str]]] = {
    "`x[:, i] = x[:, i + 1] * i`": (400, _stores),
    "`x = x.relu()`, with `x.add_(1)` after each tenth": (2_000, _relus),
    "`elif` in a loop": (600, _branches),
    "`try` in a row": (320, _attempts),
    "`for` in each other": (16, _loops),
    "views of views": (180, _views),
    "views of views, each written": (180, _written_views),
    "layers in one `forward`": (800, _layers),
    "private helpers in a chain": (200, _helpers),
    "layers of an `nn.Sequential`": (3_000, _sequential),
    "entries of a dictionary": (60_000, _entries),
}
