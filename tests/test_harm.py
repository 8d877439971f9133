"""What is called harmful raises in torch, and says why; what runs through isn't called so."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
import torch

from unplace.analysis.project.files import Project
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Harm, Status
from unplace.transform.rewriter import rewrite_text

HEAD = """
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.act = nn.ReLU()
        self.scale = nn.Parameter(torch.ones(3))
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        return self.act(self.linear(x))


class Kept(nn.Module):
    def __init__(self, p=0.0):
        super().__init__()
        self.p = p

    def forward(self, x):
        return x if self.p == 0.0 else x * self.p


class Pair(nn.Module):
    def __init__(self, apart=True):
        super().__init__()
        self.apart = apart

    def forward(self, x):
        y = x * 2
        return y, y[y > 0].norm() if self.apart else y.norm()


class Outer(nn.Module):
    def __init__(self, low=0.0, high=1.0):
        super().__init__()
        self.low = low
        self.high = high
        self.pair = Pair()
        self.kept = Kept(low) if low > 0 else nn.Identity()
        self.unseen = vars(nn)["AvgPool1d"](1)
        self.block = Block()
        self.layers = nn.ModuleList([Block(), Block()])
        self.nested = nn.Sequential(nn.Sequential(nn.Linear(3, 3), nn.Sigmoid()))
        self.own = nn.Sequential(nn.Linear(3, 3), Block())
        self.repeated = nn.Sequential(*[Block() for _ in range(2)])
        self.extended = nn.Sequential(*[nn.Linear(3, 3)], nn.Sigmoid())
        self.plain = nn.Sequential(nn.ReLU(), nn.Linear(3, 3))
        self.cell = nn.GRUCell(3, 3)
        layers = [nn.Linear(3, 3)]
        layers.append(nn.ELU())
        self.with_elu = nn.Sequential(*layers)
        if low > 0:
            layers.append(nn.LayerNorm(3))
        self.with_norm = nn.Sequential(*layers)
        others = [nn.Linear(3, 3)]
        others += [nn.Tanh()]
        self.with_tanh = nn.Sequential(*others)
        looped = []
        for _ in range(round(high)):
            looped.append(nn.Linear(3, 3))
        self.looped = nn.Sequential(*looped)

"""

TRAINING = """

def train():
    Outer()(torch.rand(2, 3, requires_grad=True)).sum().backward()
"""

RAISE = {
    "a buffer that got a graph": ("return Mean()(x)", r"mul\(\)"),
    "what the maximum was chosen from": ("y = x * 1\ntop = y.max()\ny += 1  # here\nreturn top", r"max\(\)"),
    "a module ends in ReLU": ("h = self.block(x)\nh += 1  # here\nreturn h", r"ReLU\(\) in line 18 "),
    "it is called twice": ("h = self.block(self.block(x))\nh.mul_(2)  # here\nreturn h", "ReLU"),
    "a list of modules": ("for layer in self.layers:\n    x = layer(x)\n    x += 1  # here\nreturn x", "ReLU"),
    "one of a list": ("h = self.layers[0](x)\nh += 1  # here\nreturn h", "ReLU"),
    "a Sequential in another": ("h = self.nested(x)\nh += 1  # here\nreturn h", "Sigmoid"),
    "a Sequential of own modules": ("h = self.own(x)\nh += 1  # here\nreturn h", "ReLU"),
    "a Sequential of a comprehension": ("h = self.repeated(x)\nh += 1  # here\nreturn h", "ReLU"),
    "a Sequential with a known end": ("h = self.extended(x)\nh += 1  # here\nreturn h", "Sigmoid"),
    "a function returns a pair": ("a, b = pair(x)\na += 1  # here\nreturn a + b", r"sigmoid\(\) in line 77 "),
    "what a caller passes was saved there": ("h = self.block(x)\nreturn halved(h)", "ReLU"),
    "a list of saved tensors": ("hs = [x.exp(), x.exp()]\nhalved_all(hs)\nreturn hs[0] + hs[1]", r"exp\(\)"),
    "requires_grad_ on a constant": (
        "w = torch.ones(3)\nw.requires_grad_()\ny = torch.exp(w)\ny += x.sum()  # here\nreturn y",
        r"exp\(\)",
    ),
    "requires_grad set": (
        "w = torch.ones(3)\nw.requires_grad = True\ny = torch.exp(w)\ny += x.sum()  # here\nreturn y",
        r"exp\(\)",
    ),
    "a piece of split": ("y = x + 1\na, b = y.split(1)\na += 1  # here\nreturn y", r"output 0 of split\(\) in line"),
    "a piece by index": ("y = x + 1\nps = torch.chunk(y, 2)\nps[0].mul_(2)  # here\nreturn y", r"chunk\(\) in line"),
    "a view of a piece": ("y = x + 1\na, b = y.unbind()\na[0] = 1  # here\nreturn y", "torch forbids"),
    "a view of a view of a piece": ("y = x + 1\na, b = y.unbind()\na[:2].mul_(2)  # here\nreturn y", "torch forbids"),
    "rows of a loop": ("y = x + 1\nfor row in y:\n    row += 1  # here\nreturn y", "torch forbids writing"),
    "enumerated rows": ("y = x + 1\nfor i, row in enumerate(y):\n    row.mul_(2)  # here\nreturn y", "torch forbids"),
    "unpacked rows": ("y = x + 1\na, b = y\na += 1  # here\nreturn y", "torch forbids"),
    "a parameter": ("self.block.scale.mul_(2)  # here\nreturn x", "a parameter .* `with torch.no_grad"),
    "elements of a parameter": ("self.block.scale[0] = 0  # here\nreturn x", "a parameter .* `with torch.no_grad"),
    "the weight of a layer": ("self.block.linear.weight.mul_(2)  # here\nreturn x", "a parameter"),
    "a view of a bias": (
        "b = self.block.linear.bias.view(3, -1)\nb[:, 0] += 1.0  # here\nreturn x",
        "a view of a param",
    ),
    "all parameters": ("for p in self.parameters():\n    p.mul_(0.5)  # here\nreturn x", "a parameter"),
    "a step by hand": (
        "w = torch.ones(3, requires_grad=True)\n(w * x).sum().backward()\nw -= 0.1 * w.grad  # here\nreturn w * x",
        "`w`, a leaf .* `with torch.no_grad",
    ),
    "a step on a detached copy": (
        "w = x.detach().requires_grad_()\n(w * x).sum().backward()\nw -= 0.1 * w.grad  # here\nreturn w * x",
        "`w`, a leaf .* `with torch.no_grad",
    ),
    "a converted leaf": (
        "w = torch.ones(3).to(x.device).requires_grad_()\nw *= 2  # here\nreturn w * x",
        "`w`, a leaf that requires",
    ),
    "a leaf of an array": (
        "w = torch.from_numpy(x.detach().numpy()).requires_grad_()\nw[0] *= 2  # here\nreturn w * x",
        "the result of `torch.from_numpy",
    ),
    "a variable": (
        "w = torch.autograd.Variable(torch.ones(3), requires_grad=True)\nw[0] *= 2  # here\nreturn w",
        "`w`, a leaf .* `with torch.no_grad",
    ),
    "a helper's caller records": ("double(self.block.linear)\nreturn x", "a parameter"),
    "a quotient by an element": ("y = x + 1\ny[1:] /= y[0]  # here\nreturn y", r"div\(\)"),
    "another name of what was saved in a branch": (
        "h = self.block.linear(x)\nkept = h\nif len(x) > 1:\n    h = h.sin()\nkept += 1  # here\nreturn h + kept",
        r"sin\(\)",
    ),
    "saved in the round before": (
        "h = x + 1\nfor _ in range(2):\n    h = torch.tanh(h)\nh += 1  # here\nreturn h",
        r"tanh\(\)",
    ),
    "an index of a graph": (
        "i = torch.zeros(1, dtype=torch.long)\ny = self.block(x)[i]\ni += 1  # here\nreturn y",
        "indexing",
    ),
    "where autograd records": (
        "y = x.exp()\nif torch.is_grad_enabled():\n    y += 1  # here\nreturn y",
        r"exp\(\)",
    ),
    "out of what has a graph": (
        "y = torch.zeros(2, 3)\ntorch.mul(self.block(x), 2, out=y)  # here\nreturn y",
        "torch forbids `out=`",
    ),
    "a custom function saves its input": (
        "h = x * 1\ny = Squared.apply(h)\nh += 1  # here\nreturn y",
        r"Squared.apply",
    ),
    "a custom function saves its result": ("y = Exponential.apply(x)\ny += 1  # here\nreturn y", r"Exponential.apply"),
    "all tensors of a list": (
        "hs = [x.exp(), x.sin()]\ntorch._foreach_mul_(hs, 2)  # here\nreturn hs[0] + hs[1]",
        r"exp\(\)",
    ),
    "a flag that a call sets": ("return maybe(x.exp(), inplace=True)", r"exp\(\)"),
    "a graph of another tensor": (
        "s = x.detach() * 2\ny = (s * x).exp()\nif not s.requires_grad:\n    y = y.exp()\ny += 1  # here\nreturn y",
        r"exp\(\)",
    ),
    "each of *args": ("h = x.exp()\nhalve_each(x * 2, h)\nreturn h", r"exp\(\)"),
    "each of *args in a lambda": (
        "h = x.exp()\nhalve = lambda *ts: [t.div_(2) for t in ts]  # here\nhalve(x * 2, h)\nreturn h",
        r"exp\(\)",
    ),
    "one of *args": ("h = x.exp()\nhalve_second(x * 2, h)\nreturn h", r"exp\(\)"),
    "what a constructor saves": ("h = x * 1\nstate = Memory(h)\nh += 1  # here\nreturn state.decay", r"Memory\(\)"),
    "what a constructor stores and saves": (
        "h = x * 1\nstate = Memory(h)\nstate.h += 1  # here\nreturn state.decay",
        r"Memory\(\)",
    ),
    "the input of a checkpoint": (
        "from torch.utils.checkpoint import checkpoint\nh = x * 1\ny = checkpoint(self.block, h, use_reentrant=False)\n"
        "h += 1  # here\nreturn y + h",
        r"checkpoint\(\)",
    ),
    "the element under a tested key": (
        'd = {"a": x.exp(), "b": x * 2}\nscale_a(d)\nreturn d["a"] + d["b"]',
        r"exp\(\)",
    ),
    "what may be a number, where a caller passes a tensor": (
        "h = x.exp()\nk = increased(2)\nreturn increased(h, k)",
        r"exp\(\)",
    ),
    "a field that may hold a number, where a caller passes a tensor": (
        "h = x.exp()\nstate = Memory(h)\nincrease_held(state)\nreturn state.h",
        r"exp\(\)|Memory\(\)",
    ),
    "an argument beside *args": ("h = x.exp()\nreturn halve_first(h, 2)", r"exp\(\)"),
    "an input beside **kwargs": ("h = x.exp()\nreturn Tolerant()(h, mask=None)", r"exp\(\)"),
    "a record under a name that is bound again": (
        "state = Fields(x.exp(), x)\nstate = shift_field(state)\nreturn state",
        r"exp\(\)",
    ),
    "what an inner function saved in the round before": (
        "h, found = x * 1, []\ndef step(k):\n    nonlocal h\n    h += k  # here\n    found.append(h.square())\n"
        "for k in range(2):\n    step(k)\nreturn sum(found)",
        r"step\(\)",
    ),
    "what an inner function saved in its first call": (
        "h = x * 1\ndef step():\n    h.add_(1)  # here\n    return h.square()\nfirst = step()\nreturn first + step()",
        r"step\(\)",
    ),
    "what is handed to the method of a base class": (
        "return Derived()(x)",
        r"mul\(\)",
    ),
    "an object that is passed on": ("state = Memory(x.exp())\nshift_state(state)\nreturn state.h", r"Memory\(\)"),
    "a constant that leads a call to the write": ("return shift_by(x.exp(), 1)", r"exp\(\)"),
    "a view of the argument, taken in a loop": (
        "return x[:, :2] * ended(self.block.scale, [2]).sum()",
        "line .* passes `self.block.scale`",
    ),
    "a last layer that is put into a list": ("y = self.with_tanh(x)\ny += x  # here\nreturn y", "Tanh"),
    "rows of constants that get what is made of a parameter": (
        "out = torch.zeros(2, 3)\nfor i, row in enumerate(out):\n    s = self.block.scale * i\n"
        "    row[:] = s  # here\nreturn out",
        "torch forbids writing",
    ),
    "elements of a list that stay in it": (
        "state = [x * 1 for _ in range(2)]\nfor row in (x, x + 1):\n    for k in range(len(state)):\n"
        "        state[k] *= 2  # here\n        x = x + self.cell(row, state[k])\nreturn x",
        "GRUCell",
    ),
    "an element that is written before it is replaced": (
        "state = [x * 1 for _ in range(2)]\nfor k in range(len(state)):\n    new = self.cell(x, state[k])\n"
        "    state[k] *= 2  # here\n    state[k] = new\nreturn state[0]",
        "GRUCell",
    ),
    "the target of a loss": (
        "t = x + 1\nloss = nn.CrossEntropyLoss()(x, t)\nt += 1  # here\nreturn loss",
        "CrossEntropyLoss",
    ),
}
RUN = {
    "elements of a list that new ones replaced": (
        "state = [torch.zeros(2, 3) for _ in range(2)]\nfor row in (x, x + 1):\n    for k in range(len(state)):\n"
        "        state[k] *= 2  # here\n        state[k] = self.cell(row, state[k])\nreturn state[0] + state[1]"
    ),
    "rows of constants that get arguments": "return x * collated([torch.ones(2, 3), torch.zeros(2, 3)])",
    "numbered rows of constants that get arguments": "return x * counted_in([torch.ones(3), torch.zeros(3)])",
    "layers that are put into a list": (
        "y = x * 2\nz = self.block.linear(y)\ny = self.with_elu(y)\ny += z  # here\nreturn y"
    ),
    "a last layer that a test adds": (
        "y = x * 2\nz = self.block.linear(y)\ny = self.with_norm(y)\ny += z  # here\nreturn y"
    ),
    "layers of a loop": "y = x * 2\nz = self.block.linear(y)\ny = self.looped(y)\ny += z  # here\nreturn y",
    "a parameter whose call returns early": "return x * (summed(self.block.scale) + summed(x * 2, [0, 1]).sum())",
    "what was saved, where no constant leads to the write": "return shift_by(x.exp()) + shift_by(x * 2, 1)",
    "an argument that a loop binds anew": "return x * summed(self.block.scale, [0])",
    "an argument that a loop binds anew, passed on": "return x * summed_on(self.block.scale, [0])",
    "what a checkpoint saves to compute it anew": (
        "from torch.utils.checkpoint import checkpoint\ny = checkpoint(torch.exp, x, use_reentrant=False)\n"
        "y += 1  # here\nreturn y"
    ),
    "the input of a checkpoint that is dropped": (
        "from torch.utils.checkpoint import checkpoint\nh = x * 1\ncheckpoint(self.block, h, use_reentrant=False)\n"
        "h += 1  # here\nreturn h"
    ),
    "the element under another key than the tested one": (
        'd = {"a": x * 2, "b": x.exp()}\nscale_a(d)\nreturn d["a"] + d["b"]'
    ),
    "an item under another key than the tested one": (
        'd = {"a": x * 2, "b": x.exp()}\nscale_item(d)\nreturn d["a"] + d["b"]'
    ),
    "what may be a number, where callers pass numbers": (
        "h = x.exp()\nk = increased(2)\nreturn h * increased(len(x), k)"
    ),
    "an inner function that is called once": (
        "h = x * 1\ndef step():\n    h.add_(1)  # here\n    return h.square()\nreturn step()"
    ),
    "an inner function whose first result is dropped": (
        "h = x * 1\ndef step():\n    h.add_(1)  # here\n    return h.square()\nstep()\nreturn step()"
    ),
    "a name that an inner function binds to another tensor": (
        "h = x * 1\ndef step():\n    nonlocal h\n    h.add_(1)  # here\n    y = h.square()\n    h = y * 2\n"
        "    return y\nfirst = step()\nreturn first + step()"
    ),
    "a name that another inner function binds": (
        "h = x * 1\ndef step():\n    h.add_(1)  # here\n    return h.square()\n"
        "def put(value):\n    nonlocal h\n    h = value\nfirst = step()\nput(x * 2)\nreturn first + step()"
    ),
    "an inner function of each round": (
        "found = []\nfor k in range(2):\n    h = x * k\n    def step():\n        h.add_(1)  # here\n"
        "        return h.square()\n    found.append(step())\nreturn sum(found)"
    ),
    "another one of *args": "h = x.exp()\nhalve_second(h, x * 2)\nreturn h",
    "some of *args": "hs = x.exp(), x * 2\nhalve_one(1, *hs)\nreturn hs[0]",
    "constants that a constructor calculates with": (
        "h = torch.zeros(2, 3)\nstate = Memory(h)\nh += 1  # here\nreturn x * state.decay"
    ),
    "one of several objects": (
        "states = [Memory(x * k) for k in (1, 2)]\nfor state in states:\n    state.h = x * 2\n"
        "    state.h += 1  # here\nreturn states[0].decay"
    ),
    "the mask of an attention": (
        "m = torch.zeros(2, 2) * x.sum()\nh, _ = nn.MultiheadAttention(3, 1)(x, x, x, attn_mask=m)\n"
        "m += 1  # here\nreturn h"
    ),
    "elements where unknown objects are equal": (
        "y = x * 2\nz = y[self.low == self.high].exp()\ny += 1  # here\nreturn y.sum() + z.sum()"
    ),
    "a flag of the constructor, and one of two results": ("y, size = self.pair(x)\ny += 1  # here\nreturn y * size"),
    "a module ends in Linear": "h = self.plain(x)\nh += 1  # here\nreturn h",
    "what a maximum along a dimension was chosen from": "y = x * 1\ntop = y.max(-1).values\ny += 1  # here\nreturn top",
    "the other result": "a, b = pair(x)\nb += 1  # here\nreturn a + b",
    "a buffer": "self.block.seen += 1  # here\nreturn x",
    "the data of a parameter": "self.block.scale.data.mul_(2)  # here\nreturn x * self.block.scale",
    "a detached parameter": "self.block.scale.detach().fill_(2)  # here\nreturn x * self.block.scale",
    "a parameter under no_grad": "with torch.no_grad():\n    self.block.scale.mul_(2)  # here\nreturn x",
    "a parameter without gradient": (
        "w = nn.Parameter(torch.ones(3), requires_grad=False)\nw.fill_(2)  # here\nreturn x * w"
    ),
    "a frozen parameter": "w = self.block.scale\nw.requires_grad_(False)\nw.fill_(2)  # here\nreturn x * w",
    "a parameter frozen elsewhere": "freeze(self.block)\nself.block.scale.fill_(2)  # here\nreturn x",
    "a gradient": "(x * self.block.scale).sum().backward()\nself.block.scale.grad.zero_()  # here\nreturn x",
    "a helper under no_grad": "with torch.no_grad():\n    double(self.block.linear)\nreturn x",
    "a helper of a helper": "with torch.no_grad():\n    doubled(self.block.linear)\nreturn x",
    "a helper handed over": "with torch.no_grad():\n    self.block.linear.apply(double)\nreturn x",
    "a variable without gradient": "w = torch.autograd.Variable(torch.ones(3))\nw *= 2  # here\nreturn x * w",
    "a leaf that is perhaps copied": (
        "w = torch.ones(3, requires_grad=True)\nv = w.to(torch.float64)\nv += 1  # here\nreturn v * x"
    ),
    "a copy of a leaf": "w = torch.ones(3, requires_grad=True)\nv = w.clone()\nv += 1  # here\nreturn v * x",
    "pieces of constants": "y = torch.zeros(2)\na, b = y.split(1)\na += 1  # here\nreturn x * y.sum()",
    "rows of constants": "y = torch.zeros(2, 3)\nfor row in y:\n    row += 1  # here\nreturn x * y",
    "pieces of tensor_split": "y = x + 1\na, b = y.tensor_split(2)\na += 1  # here\nreturn y",
    "pieces under no_grad": "y = x.detach() + 1\na, b = y.split(1)\na += 1  # here\nreturn y * x",
    "a padded tensor": "y = x + 1\nz = F.pad(y, (1, 1))\ny += 1  # here\nreturn y.sum() + z.sum()",
    "without recording": "y = x.exp()\nif not torch.is_grad_enabled():\n    y += 1  # here\nreturn y",
    "after recording": "y = x.exp()\nif y.requires_grad:\n    return y * 2\ny += 1  # here\nreturn y",
    "a flag that stands for it": (
        "in_place = not x.requires_grad and len(x) > 1\ny = x.exp()\nreturn y.mul_(2) if in_place else y * 2  # here"
    ),
    "a flag that no call sets": "return maybe(x.exp())",
    "an attribute that no call sets": "return Maybe()(x.exp())",
    "in evaluation only": "y = x.exp()\nif not self.training:\n    y += 1  # here\nreturn y",
    "only without recording called": "y = x.exp()\nif not torch.is_grad_enabled():\n    halved(y)\nreturn y",
    "a largest element's place": "y = x + 1\ni = torch.argmax(torch.abs(y), dim=0)\ny += 1  # here\nreturn y[i]",
    "a comparison": "y = x + 1\nif y.norm() > 9:\n    return x\ny += 1  # here\nreturn y",
    "a name for what is compared": "y = x + 1\nn = y.norm()\ny += 1  # here\nreturn y if n > 1 else y * 2",
    "a result that is dropped": "y = x + 1\ny.exp().clamp(min=0)\ny.exp()\ny += 1  # here\nreturn y",
    "a smaller one of two": "y = torch.min(x, x * 2)\ny += 1  # here\nreturn y",
    "a sum of one": "y = x + 1\nn = torch.einsum('ij->i', y)\ny += 1  # here\nreturn n.sum() + y.sum()",
    "elements at places": "y = x + 1\ni = torch.arange(2)\ny[i, i] = y[i, i] * x.sum().exp()  # here\nreturn y",
    "the other branch's tensor": (
        "h = self.block.linear(x)\nif len(x) > 1:\n    h = self.block.linear(h)\nh += 1  # here\nreturn h"
    ),
    "a norm or nothing": (
        "norm = nn.LayerNorm(3) if len(x) > 1 else nn.Identity()\nh = self.block.linear(x)\nh = norm(h)\n"
        "h += 1  # here\nreturn h"
    ),
    "an index of numbers": (
        "t = torch.arange(3)\ni = torch.zeros(1, dtype=torch.long)\nj = t[i]\ni += 1  # here\nreturn x + j.sum()"
    ),
    "layers in any order": (
        "layers = [nn.Linear(3, 3), nn.ReLU(inplace=True)]  # here\nfor layer in layers:\n    x = layer(x)\nreturn x"
    ),
    "a first save by a second write": (
        "i = torch.tensor([0, 2])\ny = torch.zeros(3).scatter_reduce_(0, i, torch.ones(2), reduce='amax')\n"
        "y.scatter_reduce_(0, i, x[0, :2], reduce='amax')  # here\nreturn y"
    ),
    "a sum that is divided": (
        "y = x + 1\nn = torch.einsum('ij->i', y) / self.block.scale.sum()\ny += 1  # here\nreturn n.sum() + y.sum()"
    ),
    "what had no graph": (
        "s = self.block.seen * 2\ny = F.softmax(s, 0)\nif s.requires_grad:\n    y = s.exp() * y\n"
        "else:\n    s.neg_()\ny += 1  # here\nreturn x * y"
    ),
    "saved by a caller without recording": (
        "y = x * 2\nif not y.requires_grad:\n    return shifted(y.exp())\nreturn shifted(x * 3)"
    ),
    "a soft update, of which the code doesn't show that the factor is a number": (
        "import argparse\nargs = argparse.Namespace(tau=0.1)\nt, p = self.block.scale, self.block.scale * 2\n"
        "t.data.copy_(args.tau * p.data + (1 - args.tau) * t.data)  # here\nreturn x * t"
    ),
    "the data of a buffer": "self.block.seen.data = self.block.seen * self.block.scale.exp()  # here\nreturn x",
    "a detached parameter that is passed": "fill(self.block.scale)\nreturn x * self.block.scale",
    "what only dead code saves": (
        "y = x + 1\nfor i in range(2):\n    if len(x) > 2:\n        assert False, 'never'\n        y.exp().sum()\n"
        "    else:\n        y += 1  # here\nreturn y"
    ),
    "indices by their name": "return picked(x, torch.tensor([[0, 1], [1, 0]]))",
    "elements under a text": "return noted({'a': x}, x.exp())",
    "a method of an argument named as Python's function": (
        "y = x.exp()\ntry:\n    counted(y)\nexcept AttributeError:\n    pass\nreturn y"
    ),
    "of unknown kind": "return replaced(x, [x, x])",
    "elements of a list": (
        "xs = [x, x + 1]\nfor i in range(2):\n    xs[i] = self.block(xs[i]) * xs[i]  # here\nreturn xs[0]"
    ),
    "rows made of numbers by default": (
        "for step in torch.rand(3) * self.high + self.low:\n    x = x * raised(step)\nreturn x"
    ),
    "through one of unseen and seen modules": (
        "y = x * 2\nz = self.block.linear(y)\ny = self.kept(self.unseen(y))\ny.mul_(2)  # here\nreturn y + z"
    ),
    "a loop that certainly has a round": "y = x * 2\nz = Residual()(y)\nz += 1  # here\nreturn z",
    "a buffer that is only read": "return Windowed()(x)",
    "another element of a list of tensors": "return bump_second([x * 1, x * 2])",
    "rows of a parameter, picked by a tensor": "return Emission()(x)",
    "layers that a method replaces together": "return Prunable()(x.sigmoid())",
    "layers that a method replaces together, in a method": "return PrunableHead()(x)",
}
HELPERS = {
    "pair": "def pair(x):\n    y = torch.sigmoid(x)\n    return y, x * 2\n",
    "halved": "def halved(x):\n    x /= x.pow(2).sum().sqrt()  # here\n    return x\n",
    "raised": "def raised(step, by=0.5):\n    step += by  # here\n    return torch.arange(3) * step\n",
    "summed": (
        "def summed(t, dims=None):\n    if dims is None:\n        return t.sum()\n    for d in dims:\n"
        "        t = t.sum(d, keepdim=True)\n    t += 1  # here\n    return t\n"
    ),
    "summed_on": (
        "def summed_on(t, dims):\n    for d in dims:\n        t = t.sum(d, keepdim=True)\n    return added(t)\n\n\n"
        "def added(t):\n    t += 1  # here\n    return t\n"
    ),
    "ended": ("def ended(t, ends):\n    for end in ends:\n        t = t[:end]\n    t += 1  # here\n    return t\n"),
    "shift_by": ("def shift_by(t, by=None):\n    if by is not None:\n        t += by  # here\n    return t\n"),
    "collated": (
        "def collated(seqs):\n    out = torch.zeros(2, 2, 3)\n    for row, s in zip(out, seqs):\n"
        "        row[: len(s)] = s  # here\n    return out[:, 0]\n"
    ),
    "counted_in": (
        "def counted_in(seqs):\n    out = torch.zeros(2, 3)\n    for i, row in enumerate(out):\n"
        "        row[:] = seqs[i]  # here\n    return out\n"
    ),
    "fill": "def fill(w):\n    w.detach().fill_(2)  # here\n",
    "picked": (
        "def picked(x, index):\n    pieces = index.split(1)\n    for one_index in pieces:\n"
        "        one_index[0] -= one_index.max()  # here\n    return x[:, index[0]]\n"
    ),
    "noted": ("def noted(record, x):\n    y = record['a'] * x\n    record['b', 'c'] = y.exp()  # here\n    return y\n"),
    "counted": (
        "def counted(input):\n    y = input.square()\n    input.counts().diff().clamp_(min=1)  # here\n    return y\n"
    ),
    "replaced": "def replaced(x, found):\n    y = found[0] * x\n    found[0] = y  # here\n    return y\n",
    "shifted": "def shifted(x):\n    x += 1  # here\n    return x\n",
    "halved_all": "def halved_all(xs):\n    for x in xs:\n        x /= 2  # here\n",
    "halve_each": "def halve_each(*ts):\n    for t in ts:\n        t /= 2  # here\n",
    "halve_second": "def halve_second(*ts):\n    ts[1].div_(2)  # here\n",
    "halve_one": "def halve_one(index, *ts):\n    ts[index].div_(2)  # here\n",
    "bump_second": (
        "def bump_second(xs: list[torch.Tensor]):\n    y = xs[0].sin()\n    xs[1].add_(1)  # here\n    return y\n"
    ),
    "scale_a": "def scale_a(d):\n    for k in d:\n        if k == 'a':\n            d[k] *= 2  # here\n",
    "scale_item": (
        "def scale_item(d):\n    for k, v in d.items():\n        if k == 'a':\n            v.mul_(2)  # here\n"
    ),
    "increased": "def increased(n, by=1):\n    n += by  # here\n    return n\n",
    "increase_held": "def increase_held(state, by=1):\n    state.h += by  # here\n",
    "halve_first": "def halve_first(x, *args):\n    x.div_(2)  # here\n    return x\n",
    "Tolerant": (
        "class Tolerant(nn.Module):\n    def forward(self, x, **kwargs):\n        x.div_(2)  # here\n        return x\n"
    ),
    "Derived": (
        "class Base(nn.Module):\n    def forward(self, x):\n        return x * 1\n\n\n"
        "class Derived(Base):\n    def forward(self, x):\n        x = x * 1\n        x *= x  # here\n"
        "        return super().forward(x)\n"
    ),
    "Fields": "class Fields(NamedTuple):\n    h: torch.Tensor\n    c: torch.Tensor\n",
    "shift_field": "def shift_field(state):\n    h = state.h\n    h -= 0.5  # here\n    return state.c * h\n",
    "Memory": (
        "class Memory:\n    def __init__(self, h, steps=0):\n        self.h, self.steps = h, steps\n"
        "        self.decay = h.cos()\n"
    ),
    "shift_state": "def shift_state(state):\n    state.h[-1] += 1  # here\n    return state.h.exp()\n",
    "double": "def double(layer: nn.Linear):\n    layer.weight.mul_(2)  # here\n",
    "Squared": (
        "class Squared(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return x * x\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return 2 * grad * ctx.saved_tensors[0]\n"
    ),
    "Exponential": (
        "class Exponential(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        y = x.exp()\n        ctx.save_for_backward(y)\n"
        "        return y\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad * ctx.saved_tensors[0]\n"
    ),
    "Maybe": (
        "class Maybe(nn.Module):\n    def __init__(self, inplace=False):\n        super().__init__()\n"
        "        self.inplace = inplace\n\n    def forward(self, x):\n"
        "        y = x.exp()\n        return y.mul_(2) if self.inplace else y * 2  # here\n"
    ),
    "maybe": "def maybe(y, inplace=False):\n    return y.mul_(2) if inplace else y * 2  # here\n",
    "Windowed": (
        "class Windowed(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.register_buffer('window', torch.arange(3.0))\n\n"
        "    def forward(self, x):\n        y = x * 2\n        z = y * self.window\n"
        "        y += 1  # here\n        return y + z\n"
    ),
    "Emission": (
        "class Emission(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.start = nn.Parameter(torch.rand(3))\n\n"
        "    def forward(self, x):\n        y = self.start[torch.arange(3)]\n"
        "        y *= x[0]  # here\n        return y\n"
    ),
    "Mean": (
        "class Mean(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.register_buffer('mean', torch.zeros(3))\n\n"
        "    def forward(self, x):\n        self.mean += x.mean(0)\n        y = x * 2\n        z = y * self.mean\n"
        "        y += 1  # here\n        return y + z\n"
    ),
    "Prunable": (
        "class Prunable(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.head = nn.Linear(3, 3)\n        self.act = nn.ReLU(inplace=True)  # here\n\n"
        "    def prune(self):\n        self.head = nn.Identity()\n        self.act = nn.Identity()\n\n"
        "    def forward(self, x):\n        x = x.sigmoid()\n        x = self.head(x)\n        return self.act(x)\n"
    ),
    "PrunableHead": (
        "class PrunableHead(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.head = nn.Linear(3, 3)\n        self.act = nn.ReLU(inplace=True)  # here\n\n"
        "    def prune(self):\n        self.head = nn.Identity()\n        self.act = nn.Identity()\n\n"
        "    def forward_head(self, x):\n        x = self.head(x)\n        return self.act(x)\n\n"
        "    def forward(self, x):\n        x = x.sigmoid()\n        return self.forward_head(x)\n"
    ),
    "Residual": (
        "class Residual(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.convs = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])\n"
        "        self.acts = nn.ModuleList([nn.ReLU(), nn.Tanh()])\n\n"
        "    def forward(self, x):\n        for conv, act in zip(self.convs, self.acts):\n"
        "            x = act(conv(x)) + x\n        return x\n"
    ),
    "freeze": "def freeze(module):\n    for p in module.parameters():\n        p.requires_grad = False\n",
    "doubled": (
        "def doubled(layer):\n    scaled(layer)\n\n\ndef scaled(layer: nn.Linear):\n    layer.weight.mul_(2)  # here\n"
    ),
}


def program(body: str) -> str:
    """The module whose `forward` has this body, with the helpers that it names and a function that trains it."""
    used = [f"\n\n{text}" for name, text in HELPERS.items() if re.search(rf"\b{name}\b", body)]
    return HEAD + "    def forward(self, x):\n" + textwrap.indent(body, " " * 8) + "\n" + "".join(used) + TRAINING


def error_of(source: str) -> str:
    """What torch says when the program runs forward and backward; empty where that works."""
    names: dict[str, object] = {}
    exec(compile(source, "program", "exec"), names)
    torch.manual_seed(0)
    train = names["train"]
    assert callable(train)
    try:
        train()
    except RuntimeError as error:
        return str(error)
    return ""


def here(source: str) -> list[Finding]:
    """The findings in the marked lines."""
    lines = [number for number, line in enumerate(source.split("\n"), 1) if "# here" in line]
    return [f for f in rewrite_text(source, "program.py", Options()).findings if f.line in lines]


@pytest.mark.parametrize("name", RAISE)
def test_what_raises_is_harmful_and_says_why(name: str) -> None:
    body, why = RAISE[name]
    source = program(body)
    assert error_of(source)
    (finding,) = here(source)
    assert finding.harm is Harm.HARMFUL
    by = finding.saved_by.operation if finding.saved_by is not None else ""
    assert re.search(why, f"{finding.message} {by}")


def test_the_public_names_of_functions_for_lists_are_known() -> None:
    body, why = RAISE["all tensors of a list"]
    (finding,) = here(program(body.replace("torch._foreach_mul_", "torch.foreach.mul_")))
    assert finding.harm is Harm.HARMFUL
    assert finding.saved_by is not None
    assert re.search(why, finding.saved_by.operation)


@pytest.mark.parametrize("name", RUN)
def test_what_runs_through_is_not_harmful(name: str) -> None:
    source = program(RUN[name])
    assert not error_of(source)
    assert all(finding.harm is not Harm.HARMFUL for finding in here(source))


@pytest.mark.parametrize("name", RAISE)
def test_what_is_rewritten_raises_no_more(name: str) -> None:
    report = rewrite_text(program(RAISE[name][0]), "program.py", Options())
    if all(f.status is Status.REWRITTEN for f in report.findings):
        assert not error_of(report.after)


def test_another_file_of_the_run_may_turn_gradients_off(tmp_path: Path) -> None:
    helper, user = tmp_path / "helper.py", tmp_path / "user.py"
    text = "from torch import nn\n\n\ndef double(layer: nn.Linear):\n    layer.weight.mul_(2)\n"
    helper.write_text(text)
    call = "import torch\nfrom helper import double\n\n\ndef use(m):\n    with torch.no_grad():\n        double(m)\n"
    for content, harm in ((call, Harm.POSSIBLE), (call.replace("no_grad", "enable_grad"), Harm.HARMFUL)):
        user.write_text(content)
        report = rewrite_text(text, str(helper), Options(), Project([str(helper), str(user)]))
        assert [f.harm for f in report.findings] == [harm]


def test_an_edit_that_repairs_nothing_is_taken_back() -> None:
    """The linear layer saved a view of the first piece, and the write to the other one changes the memory of both."""
    source = """
from torch import nn


class Coupling(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(2, 2), nn.Tanh())

    def forward(self, x):
        first, second = x.chunk(2, 1)
        shift = self.net(first)
        second += shift
        return first + second
"""
    report = rewrite_text(source, "coupling.py", Options())
    assert report.after == source
    assert [(f.status, f.harm) for f in report.findings] == [(Status.REFUSED, Harm.HARMFUL)]


@pytest.mark.parametrize("index", ["i", "0", "-1"])
def test_an_input_whose_elements_get_what_a_layer_makes_of_them_may_be_a_list(index: str) -> None:
    source = f"""
from torch import nn


class Detect(nn.Module):
    def forward(self, x):
        for i in range(self.levels):
            x[{index}] = self.layers[i](x[{index}]) * x[{index}]
        return x
"""
    report = rewrite_text(source, "detect.py", Options(unsafe=True))
    assert report.after == source
    assert not report.findings


def test_an_element_at_an_unknown_index_may_be_one_of_a_list() -> None:
    source = """
import torch
from torch import nn


class Detect(nn.Module):
    def forward(self, x):
        for key in self.keys:
            x[key] = self.layers(torch.sin(x[key])) * x[key]
        return x
"""
    (finding,) = rewrite_text(source, "detect.py", Options()).findings
    assert finding.harm is Harm.POSSIBLE
    assert finding.status is Status.REFUSED


def test_a_masked_update_of_an_input_is_one_of_a_tensor() -> None:
    source = """
import torch
from torch import nn


class Logs(nn.Module):
    def forward(self, x):
        mask = x > 1
        x[mask] = torch.log(x[mask])
        return x
"""
    assert len(rewrite_text(source, "logs.py", Options()).findings) == 1


def test_a_kernel_of_another_compiler_writes_no_tensor_of_torch() -> None:
    text = (
        "import torch\n\ntry:\n    import triton\nexcept ImportError:\n    triton = None\n\n\n"
        "@triton.jit\ndef kernel(x):\n    y = torch.exp(x)\n    y += 1\n    return y\n"
    )
    assert not rewrite_text(text, "program.py", Options(unsafe=True)).findings


@pytest.mark.parametrize("made", ["pca.fit(x)", "pca.fit(x).T", "pca.fit(x).mT"])
def test_what_is_annotated_as_an_array_is_no_tensor(made: str) -> None:
    source = f"""
import numpy as np
import torch


def components(pca, x):
    found: np.ndarray = {made}
    found /= found[0].std()
    for row in found:
        if np.mean(row**3) < 0:
            row *= -1
    return found
"""
    assert not [f for f in rewrite_text(source, "pca.py", Options(unsafe=True)).findings if f.status is not Status.KEPT]


def test_the_transpose_of_something_unknown_is_likely_a_tensor_and_not_proved_to_be_one() -> None:
    source = "import torch\n\n\ndef flipped(table):\n    for row in table.run().T:\n        row *= 2\n"
    assert not any(f.status is Status.REWRITTEN for f in rewrite_text(source, "table.py", Options()).findings)


@pytest.mark.parametrize("count", ["n", "n=7"])
def test_a_parameter_used_as_a_size_carries_no_gradient_into_a_tensor(count: str) -> None:
    source = f"""
import math
import torch


def points({count}):
    angle, found = torch.zeros(1), []
    for _ in range(n):
        angle += 2 * math.pi / n
        found.append(torch.cos(angle))
    return found
"""
    (finding,) = rewrite_text(source, "points.py", Options()).findings
    assert finding.harm is Harm.HARMLESS


WITHOUT_GRAPH = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = {layer}

    def forward(self, x):
        return torch.sigmoid(self.layer(x))


net = Net()
{more}
x = torch.randn(5, 4)
out = net(x)
out[out < 0.5] = 0
(out.mean() * torch.ones(1, requires_grad=True)).sum().backward()
"""


@pytest.mark.parametrize(
    ("layer", "more", "is_harmful"),
    [
        ("nn.Linear(4, 4)", "", True),
        ("nn.Sequential(nn.Conv1d(5, 5, 1), nn.ReLU())", "", True),
        ("nn.Tanh()", "", False),
        ("nn.Linear(4, 4)", "net.requires_grad_(False)", False),
    ],
)
def test_weights_bring_the_graph_that_the_input_lacks(layer: str, more: str, is_harmful: bool) -> None:
    source = WITHOUT_GRAPH.format(layer=layer, more=more)
    if is_harmful:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            exec(compile(source, "script.py", "exec"), {"__name__": "script"})
    else:
        exec(compile(source, "script.py", "exec"), {"__name__": "script"})
    (finding,) = rewrite_text(source, "script.py", Options()).findings
    assert (finding.harm is Harm.HARMFUL) == is_harmful
