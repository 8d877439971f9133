"""All forms of writes, each as a program that `rewrite --functional` turns into one without a store.

`x` is a tensor of 3 rows and 4 columns, `v` has 4 elements, `w` 3, `idx` picks rows, `cols` columns, `n` is a number.
"""

from __future__ import annotations

from dataclasses import dataclass

HEAD = """\
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def f(x: Tensor, v: Tensor, w: Tensor, idx: Tensor, cols: Tensor, n: int):
"""

EXAMPLE = """

def example():
    torch.manual_seed(0)
    x = torch.tensor([[0.3, -1.2, 0.7, 2.1], [-0.4, 0.9, -2.2, 0.1], [1.6, -0.8, 0.5, -1.4]], requires_grad=True)
    v = torch.tensor([0.2, -0.6, 1.1, 0.4], requires_grad=True)
    w = torch.tensor([1.3, -0.7, 0.9], requires_grad=True)
    return f, (x, v, w, torch.tensor([2, 0]), torch.tensor([1, 3]), 1)
"""


@dataclass(frozen=True)
class Form:
    """A program; `vmap` is False where a version written by hand doesn't run there either."""

    name: str
    body: str
    vmap: bool = True

    @property
    def source(self) -> str:
        lines = (f"    {line}\n" if line.strip() else "\n" for line in self.body.strip("\n").split("\n"))
        return HEAD + "".join(lines) + EXAMPLE


BATCH = "z = y.expand(2, 3, 4).clone()\n"
ROWS = "picked = torch.tensor([1, 0])\n"
COLUMNS = "picked = torch.tensor([1, 3])\n"

STORES = {
    "row": "y[0] = v",
    "row by name": "y[n] = v",
    "last row": "y[-1] = v",
    "row of a larger batch": "y[0] = v[None]",
    "row of a number": "y[1] = 2.5",
    "row of zero": "y[1] = 0",
    "row of one": "y[1] = 1.0",
    "row of a scalar tensor": "y[1] = v.sum()",
    "row of a computed number": "y[1] = n * 0.5",
    "row of a row": "y[0] = x[1]",
    "row from a row": "y[0] = y[1] * 2",
    "column": "y[:, 0] = w",
    "column of a number": "y[:, n] = -1.0",
    "column with dots": "y[..., 2] = w",
    "last column": "y[..., -1] = 0.0",
    "first with dots": "y[0, ...] = v",
    "element": "y[0, 1] = v[2]",
    "element of a number": "y[1, 2] = 3.0",
    "element of a tensor of one": "y[1, 2] = v[:1]",
    "element by brackets": "y[1][2] = v[0]",
    "rows": "y[1:] = v",
    "rows of a number": "y[1:] = 0.5",
    "rows from rows": "y[1:] = y[:-1] * 2",
    "the same rows": "y[1:] = y[1:] * v",
    "rows of another": "y[1:] = x[1:].tanh()",
    "all but the last": "y[:-1] = 0.0",
    "rows with a step": "y[::2] = v",
    "odd columns": "y[:, 1::2] = 1.5",
    "columns between": "y[:, 1:3] = w[:, None]",
    "columns from the end": "y[:, -2:] = 0.0",
    "rows by names": "y[n : n + 1] = v",
    "columns by size": "y[:, : x.shape[1] // 2] = 0.25",
    "columns with dots": "y[..., 1:] = 0.0",
    "a block": "y[1:, 2:] = 4.0",
    "a block of a tensor": "y[1:, :2] = v[:2]",
    "part of a row": "y[0, 1:] = v[1:]",
    "part of a row of a number": "y[0, 1:3] = 7.0",
    "part of a column": "y[1:, 0] = w[1:]",
    "a block with dots": "y[..., 1:, 2:] = 4.0",
    "an element with dots": "y[..., 0, 2] = v[0]",
    "part of a row with dots": "y[..., 0, 1:] = v[1:]",
    "part of a column with dots": "y[..., 1:, 0] = w[1:]",
    "an element of a batch": BATCH + "z[..., 0, 2] = 1.5\nz[:, 1, 2] *= 3\nreturn z",
    "a block of a batch": BATCH + "z[..., :2, :2] = v[:2]\nz[0, ..., 1] = w\nreturn z",
    "new dimensions with dots": BATCH + "z[..., None, 0, 1:] = v[1:]\nz[:, None, 1] = v\nreturn z",
    "slice of a slice": "y[1:][0] = v",
    "slices of slices": "y[1:][:, 1:] = 0.0",
    "all of it": "y[:] = x.sin()",
    "all of it, of itself": "y[:] = y * v",
    "all of it, of a row": "y[:] = v",
    "all of it, a number": "y[:] = 1.5",
    "all of it by dots": "y[...] = x.cos()",
    "a new dimension": "y[None, 0] = v",
    "a new dimension inside": "y[:, None, 0] = w[:, None]",
    "another dtype": "y[0] = v.double()",
    "integers": "y[0] = torch.arange(4)",
    "a large number": "y[0] = -1e9",
    "a negative number": "y[1:] = -2.0",
}

PICKED = {
    "rows by tensor": "y[idx] = v",
    "rows by tensor, a number": "y[idx] = 0.5",
    "rows by tensor, of themselves": "y[idx] = y[idx] * 2",
    "columns by tensor": "y[:, cols] = w[:, None]",
    "columns by tensor, a number": "y[:, cols] = 0.0",
    "columns by tensor and dots": COLUMNS + "y[..., picked] = 1.0",
    "elements by tensors": "y[idx, cols] = v[:2]",
    "elements by tensors, a number": "y[idx, cols] = 9.0",
    "tensor and number": "y[idx, 1] = v[:2]",
    "number and tensor": "y[1, cols] = v[:2]",
    "slice and tensor": "y[1:, cols] = 0.5",
    "tensor and slice": ROWS + "y[picked, 1:] = v[1:]",
    "rows by list": "y[[0, 2]] = v",
    "columns by list": "y[:, [0, 3]] = 1.5",
    "elements by lists": "y[[0, 1], [2, 3]] = v[:2]",
    "a computed index": "y[idx + 0] = v",
    "tensor behind dots and a number": COLUMNS + "y[..., 0, picked] = v[:2]",
    "tensors behind a slice": ROWS + BATCH + "z[:, picked, picked] = v[:2]\nreturn z",
    "tensor among numbers": ROWS + BATCH + "z[1, picked, 2] = v[:2]\nreturn z",
    "tensors apart": ROWS + BATCH + "z[picked, :, picked] = w\nreturn z",
    "indices of a condition": "y[torch.where(w > 0)] = v",
    "a named index of a condition": "i = torch.where(w > 0)[0]\ny[i] += v",
    "rows swapped by lists": "y[[0, 1]] = y[[1, 0]]",
    "an array": "import numpy as np\ny[np.array([0, 2])] = v",
    "argmax": "y[x.argmax(0), torch.arange(4)] = v",
}

MASKED = {
    "mask, a number": "y[y > 1.1] = 0.0",
    "mask of x, a number": "y[x > 0] = -1.0",
    "mask, a scalar tensor": "y[x > 0] = v.sum()",
    "mask, picked values": "y[x > 0] = x[x > 0] * 2",
    "mask, its own values": "y[x > 0] = y[x > 0].sqrt()",
    "mask, picked from another": "mask = x > 0\ny[mask] = v.expand(3, 4)[mask]",
    "named mask, all values of another": "mask = x > 0\nother = x.sin()\ny[mask] = other[mask]",
    "mask of rows": "y[w > 0] = v",
    "mask of rows, a number": "y[w > 0] = 2.0",
    "mask of columns": "y[:, v > 0] = 0.0",
    "mask of columns, a tensor": "y[:, v > 0] = w[:, None]",
    "mask and number": "y[w > 0, 1] = 3.0",
    "inverted mask": "y[~(x > 0)] = 0.5",
    "mask of two": "y[(x > 0) & (x < 1)] = 0.0",
    "mask of a part": "y[0][x[0] > 0] = 0.0",
    "mask of a slice": "y[1:][x[1:] > 0] = 1.5",
    "nan": "y[torch.isnan(y)] = 0.0",
}

AUGMENTED = {
    "row times": "y[0] *= 2",
    "row plus a tensor": "y[0] += v",
    "rows minus": "y[1:] -= v",
    "rows divided": "y[1:] /= 3",
    "column power": "y[:, 1] **= 2",
    "element plus": "y[0, 1] += 1.0",
    "element by brackets plus": "y[0][1] += v[0]",
    "columns times": "y[:, 1:3] *= w[:, None]",
    "dots times": "y[..., 0] *= w",
    "rows by tensor plus": "y[idx] += v",
    "columns by tensor plus": "y[:, cols] += 1",
    "mask plus": "y[x > 0] += 1",
    "mask times": "y[x > 0] *= 3.0",
    "mask of rows times": "y[w > 0] *= v",
    "mask times a tensor": "y[x > 0] *= v.sum()",
    "whole": "y += v",
    "whole by slice": "y[:] *= 2",
}

METHODS = {
    "mul_": "y.mul_(2)",
    "add_ with alpha": "y.add_(v, alpha=0.5)",
    "chain": "y.mul_(2).add_(1).tanh_()",
    "clamp_": "y.clamp_(min=0.5)",
    "zero_": "y.zero_()",
    "fill_": "y.fill_(1.5)",
    "fill_ with a tensor": "y.fill_(v.sum())",
    "copy_": "y.copy_(x.sin())",
    "copy_ of a row": "y.copy_(v)",
    "masked_fill_": "y.masked_fill_(x > 0, 0.0)",
    "masked_scatter_": "y.masked_scatter_(x > 0, x.sin())",
    "index_fill_": "y.index_fill_(0, idx, 0.5)",
    "index_add_": "y.index_add_(0, idx, x[:2])",
    "index_copy_": "y.index_copy_(0, idx, x[:2])",
    "index_put_": "y.index_put_((idx,), v)",
    "scatter_": "y.scatter_(0, idx[None].expand(4, 2).t(), 1.5)",
    "scatter_add_": "y.scatter_add_(0, idx[:, None].expand(2, 4), x[:2])",
    "comparison": "y.gt_(1.0)",
    "tril_": "y.tril_()",
    "relu_ by function": "torch.relu_(y)",
    "relu inplace": "y = F.relu(y, inplace=True)",
    "row mul_": "y[0].mul_(2)",
    "row add_ a tensor": "y[1].add_(v)",
    "row zero_": "y[1].zero_()",
    "row fill_": "y[1].fill_(2.5)",
    "row copy_": "y[0].copy_(v)",
    "rows clamp_": "y[1:].clamp_(max=1.0)",
    "column exp_": "y[:, 1].exp_()",
    "block neg_": "y[1:, 1:].neg_()",
    "row chain": "y[0].mul_(2).sub_(1)",
    "select mul_": "y.select(0, 1).mul_(3)",
    "narrow zero_": "y.narrow(1, 1, 2).zero_()",
    "diagonal fill_": "y.diagonal().fill_(2.0)",
    "transposed row": "y.t()[0] = w",
    "transposed mul_": "y.transpose(0, 1)[1].mul_(2)",
    "T": "y.T[2] = w",
    "flat element": "y.view(-1)[5] = 3.0",
    "flat slice": "y.view(-1)[2:6] *= 2",
    "rows relu_ by function": "torch.relu_(y[0])",
    "row relu inplace": "F.relu(y[0], inplace=True)",
    "rows masked_fill_": "y[1:].masked_fill_(x[1:] > 0, 0.0)",
    "permuted": "y.permute(1, 0)[0] = w",
    "unsqueezed": "y.unsqueeze(0)[0, 1] = v",
}

NAMED = {
    "a view of rows": "row = y[0]\nrow += v",
    "a view of rows, read later": "row = y[0]\nrow.mul_(2)\nreturn y, row * 1",
    "a view, and a part of it": "part = y[1:]\npart[0] = v",
    "a flat view": "flat = y.view(-1)\nflat[3] = 5.0",
    "a reshaped view": "z = y.view(4, 3)\nz[0][1] += 2",
    "a reshaped view, read later": "z = y.view(4, 3)\nz[1:] = 0.5\nreturn y, z * 1",
    "a transposed view": "z = y.t()\nz[0] = w",
    "a view of a view": "z = y.t()\nc = z[1]\nc += w",
    "two views": "a = y[0]\nb = y[1]\na *= 2\nb += a\nreturn y, a * 1, b * 1",
    "a row that sees the store": "row = y[0]\ny[0] = v\nreturn y, row * 1",
    "another name": "z = y\nz[0] = v\nreturn y, z * 1",
    "masked view": "z = y[1:]\nz[x[1:] > 0] = 0.0",
    "copy into a view": "z = y[:, 0]\nz.copy_(w)",
    "column view times": "c = y[:, 2]\nc *= w\nreturn y * 2",
    "narrowed": "z = y.narrow(0, 1, 2)\nz *= 2",
    "selected": "z = y.select(1, 0)\nz.zero_()",
    "unsqueezed and written": "z = y.unsqueeze(0)\nz[:, 1] = v",
    "permuted and written": "z = y.permute(1, 0)\nz[0] += w",
}

OTHERS = {
    "fresh": "z = torch.zeros(3, 4)\nz[0] = v\nz[1:] = x[1:]\nreturn z + y",
    "fresh like": "z = torch.zeros_like(x)\nz[:, 0] = w\nreturn z + y",
    "empty": "z = torch.empty(2, 4)\nz[0] = v\nz[1] = v * 2\nreturn z",
    "padded": "z = x.new_zeros(4, 5)\nz[:3, 1:] = y\nreturn z",
    "identity": "z = torch.eye(3)\nz[0, 2] = w[0]\nreturn z @ y",
    "clone": "z = y.clone()\nz[0] = v\nreturn z, y",
    "integers": "z = torch.zeros(4, dtype=torch.long)\nz[1:] = idx[0]\nreturn y, z",
    "a bool mask": "z = torch.zeros(3, 4, dtype=torch.bool)\nz[1:] = True\nreturn y.masked_fill(z, 0.0)",
    "out": "z = torch.empty(3, 4)\ntorch.mul(x.detach(), 2, out=z)\nreturn y + z",
    "out of a row": "z = torch.empty(3, 4)\ntorch.mul(v.detach(), 2, out=z[0])\nreturn y + z[0]",
    "normal_": "z = torch.empty(3, 4)\nz.normal_()\nreturn y + z",
    "uniform_": "z = torch.empty(3, 4)\nz.uniform_()\nreturn y + z",
    "uniform_ of a range": "z = torch.empty(3, 4)\nz.uniform_(-1, 2)\nreturn y + z",
    "normal_ of a mean": "z = torch.empty(3, 4).normal_(2.0, 0.5)\nreturn y + z",
    "bernoulli_": "z = x.new_empty(3, 4).bernoulli_(0.5)\nreturn y * z",
    "exponential_": "z = torch.empty(3, 4).exponential_(2.0)\nreturn y + z",
    "random_": "z = torch.empty(3, 4).random_(0, 5)\nreturn y + z",
    "drawn rows": "z = torch.empty(3, 4).zero_()\nz[1:].uniform_(0, 2)\nreturn y + z",
    "stored back": "y[:, 0] = y[:, 0].sub_(1).neg_()",
    "two stores in one statement": "z = x * 3\ny[0], z[1] = v, v * 2\nreturn y, z",
    "numbers in one statement": "y[0], y[1] = 0.0, 2.5",
    "a tensor and a number": "y[0], y[1] = v * 2, 1.5",
    "an unpacked list": "rows = [v * 2, v * 3]\ny[0], y[1] = rows",
    "an unpacked result": "y[0], y[1] = torch.sort(v)",
    "unpacked": "y[0], y[1] = v * 2, v * 3",
    "swapped by values": "a, b = y[0] * 1, y[1] * 1\ny[0] = b\ny[1] = a",
    "in a branch": "if n > 0:\n    y[0] = v\nelse:\n    y[1] = v",
    "in a loop": "for i in range(3):\n    y[i] = y[i] * w[i]",
    "in a loop, columns": "for i in range(4):\n    y[:, i] += w",
    "in a loop with a carry": "for i in range(1, 3):\n    y[i] = y[i - 1] * 0.5 + x[i]",
    "in nested loops": "for i in range(3):\n    for j in range(2):\n        y[i, j] = v[j] * w[i]",
    "filled in a loop": (
        "z = torch.zeros(3, 4)\nh = v\nfor i in range(3):\n    h = torch.tanh(h + x[i])\n    z[i] = h\nreturn z"
    ),
    "a list of rows": "rows = [x[0] * 2, x[1] * 3]\nrows[0][1] = 4.0\nreturn torch.stack(rows)",
    "rows of a loop": "for row in y:\n    row.mul_(2)",
    "counted rows of a loop": "for i, row in enumerate(y):\n    row += i",
    "rows of two tensors": "for row, r in zip(y, x):\n    row.add_(r)",
    "pieces of a split": "a, b = y.chunk(2, 1)\na.mul_(2)",
    "a piece, and the others": "a, b = y.tensor_split(2, 1)\nb[0] = 1.0\nreturn y, a",
    "an attribute": "class S:\n    pass\ns = S()\ns.h = y * 2\ns.h[0] = v\nreturn s.h + y",
    "an element of a dictionary": "d = {'a': y * 2}\nd['a'][0] = v\nreturn d['a']",
    "an argument": "def g(t):\n    t[0] = v\n    return t\ny = g(y)",
    "a closure": "def g():\n    return y * 2\ny[0] = v\nreturn g()",
    "a while loop": "i = 0\nwhile i < 3:\n    y[i] *= 2\n    i += 1",
    "an index of a call": "def g():\n    return 1\ny[g()] = v",
    "an index and a value of calls": "def g():\n    return 1\ndef h():\n    return v * 2\ny[g()] = h()",
    "read in the same statement": "z = torch.sin(y.mul_(2))\nreturn y, z",
    "masks in one statement": "m = y > 1\ny[m], y[~m] = 0.0, 1.0",
    "moved dimensions": "y.movedim(0, 1)[1] = w",
    "unflattened": "y.unflatten(1, (2, 2))[:, 0, 1] = w",
    "broadcast products": "y[:, 1:] = y[:, 1:] @ torch.ones(3, 1)",
    "a shape of its own": "z = y[:, None]\nq = z.squeeze(1)\nq[0] = v",
    "half precision": "z = y.half()\nz[0, 0] = 1e9\nreturn z",
    "three brackets": BATCH + "z[0][1][2] = 1.0\nz[0][1:][0, 1] += 2\nreturn z",
    "concatenated out": "z = torch.empty(6, 4)\ntorch.cat([x.detach(), x.detach()], out=z[:])\nreturn z",
    "a semicolon": "y[0] = v; y[1] = v",
    "a comment": "y[0] = v  # the first row",
    "several lines": "y[0] = torch.cat([\n    v[:2],\n    v[2:],\n])",
}


DRAWN = ("normal_", "uniform_", "bernoulli_", "exponential_", "random_")
NOT_BATCHED = (
    *(f"masked: mask, {what}" for what in ("picked values", "its own values", "picked from another")),
    "augmented: mask times a tensor",
    "other: half precision",
    *(f"other: {name}" for name in OTHERS if any(word in OTHERS[name] for word in DRAWN)),
)
"""Forms that `vmap` doesn't take: picked by a mask of the batch, where `torch.where` would spread what isn't picked to
the gradient, numbers beyond half precision, and random numbers without a flag."""


def _forms() -> list[Form]:
    found = []
    for group, table in {
        "store": STORES,
        "picked": PICKED,
        "masked": MASKED,
        "augmented": AUGMENTED,
        "method": METHODS,
        "named": NAMED,
        "other": OTHERS,
    }.items():
        for name, write in table.items():
            body = f"y = x.exp()\n{write}" + ("" if write.split("\n")[-1].startswith("return") else "\nreturn y")
            full = f"{group}: {name}"
            found.append(Form(full, body, full not in NOT_BATCHED))
    return found


FORMS = _forms()


@dataclass(frozen=True)
class Refused:
    """A program that stays as it is, and words of the reason."""

    form: Form
    reason: str


REFUSED = [
    Refused(Form(name, f"y = x.exp()\n{write}\nreturn y"), reason)
    for name, write, reason in [
        ("a mask or indices before a slice", "y[idx, 1:] = 0.0", "may be a mask of several dimensions"),
        ("a mask or indices behind dots", "y[..., idx] = 0.0", "may be a mask of several dimensions"),
        ("drawn numbers of any layout", "y.bernoulli_(0.5)", "draws the numbers"),
        ("drawn numbers of a part", "y[0].normal_()", "draws the numbers"),
        ("a tuple", "i = (0, 1)\ny[i] = 1.0", "may be a number, a tensor or a mask"),
        ("a list of lists", "i = [[0, 1], [1, 2]]\ny[i] = 1.0", "may be a number, a tensor or a mask"),
        ("an unpacked list", "i = [slice(None)]\ny[(*i, 0)] = 1.0", "may be a number, a tensor or a mask"),
        ("an index that binds a name", "y[(k := n)] = v", "has to be evaluated once"),
        ("a part of a number", "z = torch.complex(x, x)\nz.real[0] = v", "no function puts the values"),
        ("an out= whose result is used", "z = torch.mul(v.detach(), 2, out=y[0])\ny = y + z", "isn't a plain name"),
        ("past autograd", "y.data[0] = 1.0", "past autograd"),
        ("a cast view", "y.view(torch.int32)[0] = 1", "isn't a chain of views"),
    ]
]
