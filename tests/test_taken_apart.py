"""Layers that code of the run takes out of their container, or hooks: what a flag overwrites is seen there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_project import check, outcomes, statuses, write

NET = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))
            self.head = nn.Linear(3, 3)

        def forward(self, x):
            y = self.head(self.body(x))
            y += 1
            return y
"""
MAIN = """
    import torch
    from .net import Net

    {definition}
    def run(net, x):
        found = []
    {use}
        return sum(found[:-1])

    def example():
        torch.manual_seed(0)
        return run, (Net(), torch.randn(2, 3))
"""
LOOP = "    for layer in {}:\n            x = layer(x)\n            found.append(x)"
APART = {
    "loop": LOOP.format("net.body"),
    "children": LOOP.format("net.body.children()"),
    "named": "    for _, layer in net.body.named_children():\n            x = layer(x)\n            found.append(x)",
    "modules": "    for layer in net.modules():\n            if not list(layer.children()):\n"
    "                x = layer(x)\n                found.append(x)",
    "registry": LOOP.format("net.body._modules.values()"),
    "number": "    for i in range(2):\n            x = net.body[i](x)\n            found.append(x)",
    "name": "    for i in range(2):\n            x = getattr(net.body, str(i))(x)\n            found.append(x)",
    "slice": "    x = net.body[:1](x)\n        found += [x, net.body[1:](x)]",
    "parts": "    first = torch.nn.Sequential(*list(net.body.children())[:1])\n        x = first(x)\n"
    "        found += [x, net.body[1](x)]",
    "blocks": "    for block in net.body:\n            for layer in block if hasattr(block, 'append') else [block]:\n"
    "                x = layer(x)\n                found.append(x)",
    "hook": "    net.body[0].register_forward_hook(lambda m, i, o: found.append(o))\n        found.append(net(x))",
    "other hook": "    net.head.register_forward_hook(lambda m, i, o: found.append(o))\n        found.append(net(x))",
    "wrapper": "    found += Features(net.body)(x)",
}
FEATURES = """
    class Features(torch.nn.Module):
        def __init__(self, layers):
            super().__init__()
            self.layers = layers

        def forward(self, x):
            found = []
            for layer in self.layers:
                x = layer(x)
                found.append(x)
            return found
"""


@pytest.mark.parametrize("use", APART)
def test_layers_that_another_file_runs_one_by_one_keep_their_flag(tmp_path: Path, use: str) -> None:
    definition = FEATURES if use == "wrapper" else ""
    check(tmp_path, {"net.py": NET, "main.py": MAIN.format(definition=definition, use=APART[use])})


@pytest.mark.parametrize(
    "use",
    [
        "    found += [net.body(x), x]",
        "    for module in net.modules():\n            if isinstance(module, torch.nn.Linear):\n"
        "                torch.nn.init.ones_(module.weight)\n        found += [net(x), x]",
        "    optimizer = torch.optim.SGD(net.body.parameters(), 0.1)\n        found += [net(x), x]",
    ],
)
def test_layers_that_are_run_together_lose_it(tmp_path: Path, use: str) -> None:
    files = {"net.py": NET, "main.py": MAIN.format(definition="", use=use)}
    assert statuses(check(tmp_path, files)["net.py"]) == ["rewritten", "rewritten"]


HELPER = """
    def mask(x, m):
        count = 0
        count += 1
        x *= m
        return x
"""
CALLER = """
    import torch
    from .helper import mask

    def run(x, m):
        return mask(torch.sigmoid(x), m) * 2

    def example():
        return run, (torch.randn(3, requires_grad=True), torch.tensor([1.0, 0.0, 1.0]))

    def train():
        run(torch.randn(3, requires_grad=True), torch.tensor([1.0, 0.0, 1.0]))
"""


def test_a_helper_whose_file_does_not_speak_of_tensors_is_judged_by_its_callers(tmp_path: Path) -> None:
    paths = write(tmp_path, {"helper.py": HELPER, "main.py": CALLER})
    (found,) = outcomes(paths)["helper.py"].findings
    assert (found.line, found.harm and found.harm.value) == (4, "harmful")


def test_it_is_left_alone_where_nothing_with_torch_imports_it(tmp_path: Path) -> None:
    paths = write(tmp_path, {"helper.py": HELPER, "main.py": "import torch\n\nhelper = 1\n"})
    assert not outcomes(paths)["helper.py"].findings
