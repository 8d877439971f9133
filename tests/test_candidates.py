"""The sieve: which functions may hold an in-place operation on a tensor, and which need not be walked."""

from __future__ import annotations

import ast

import pytest

from unplace.analysis.project.candidates import candidates
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.types.plain import is_plain, is_plain_attribute

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nimport timm\nHOOKS = {}\n\n"


def sifted(text: str) -> set[str]:
    """The names of the functions that are candidates."""
    return {scope.name for scope in candidates(ModuleIndex(ast.parse(HEAD + text)), lambda _: True)}


PLAIN = {
    "a counter": """
def f(xs):
    n = 0
    for x in xs:
        n += 1
    return n
""",
    "sizes": """
def f(x, xs):
    h, w = x.shape[2:]
    b = x.size(0)
    for i in range(b):
        b -= len(xs) // 2 + i
""",
    "sizes unpacked": """
def f(x):
    b, c = x.shape
    c *= b
""",
    "numbers of numbers": """
def f(k: int, fast=False):
    n = max(k, 2) if fast else -k
    k *= n
""",
    "truth of torch": """
def f(ps):
    found = False
    for p in ps:
        found |= torch.is_complex(p) or p.is_complex()
""",
    "a dictionary of the module": """
def f(handle, hook):
    HOOKS[handle.id] = hook
""",
    "a counter of the object": """
class C:
    def __init__(self):
        self.n = 0
    def f(self):
        self.n += 1
""",
    "a cache of the object": """
class C:
    def __init__(self):
        self.cache = {}
    def f(self, k, x):
        self.cache[k] = x
""",
    "a method of dictionaries": """
def f(kwargs):
    return kwargs.pop('strict', True)
""",
    "a function of a library": """
def f(w):
    timm.layers.trunc_normal_(w)
""",
    "a layer, made": """
def f(act_layer):
    return act_layer(inplace=True)
""",
    "an own function without the flag": """
def f(x):
    return g(x, True)

def g(x, fast):
    return x
""",
    "a constructor": """
class C(nn.Linear):
    def __init__(self, n):
        super().__init__(n, n, True)
""",
}


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_no_function_is_a_candidate(text: str) -> None:
    assert sifted(text) == set()


TENSORS = {
    "a loss begun as a number": """
def f(xs):
    loss = 0
    for x in xs:
        loss += x
    return loss
""",
    "a number that becomes a tensor": """
def f(x):
    n = 0
    m = n + x
    m += 1
""",
    "a number that another name turns into a tensor": """
def f(x):
    n = m = 0
    m = x
    n = m
    n += 1
""",
    "a parameter of any kind": """
def f(n):
    n += 1
""",
    "a number that a parameter is added to": """
def f(k: int, x):
    k += x
""",
    "an element of a loop": """
def f(xs):
    for i, x in enumerate(xs):
        x += i
""",
    "a number, or what an inner function makes of it": """
def f(x):
    n = 0
    def inner():
        nonlocal n
        n = x
    inner()
    n += 1
""",
    "an index that becomes a tensor": """
def f(n, x):
    for i in range(n):
        i += x
        i += 1
""",
    "what a pattern binds": """
def f(x):
    match x:
        case [n, *_]:
            n += 1
""",
    "an element of a list": """
def f(xs):
    ys = [x for x in xs]
    ys[0] += 1
""",
    "a state of the object": """
class C:
    def __init__(self, x):
        self.h = 0
        self.h = x
    def f(self):
        self.h += 1
""",
    "a state that other code stores": """
class C:
    def __init__(self):
        self.h = 0
    def f(self):
        self.h += 1

def g(c, x):
    c.h = x
""",
    "a state that a derived class stores": """
class C:
    def __init__(self):
        self.h = 0
    def f(self):
        self.h += 1

class D(C):
    def set(self, x):
        self.h = x
""",
    "a buffer": """
class C(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('n', torch.zeros(1))
    def reset(self):
        self.n = 0
    def f(self):
        self.n += 1
""",
    "an own method of the name of one of dictionaries": """
class Layers:
    def get(self, x, inplace):
        return F.relu(x, inplace)

def f(layers, x):
    return layers.get(x, True)
""",
    "an own function with the flag": """
def f(x):
    return g(x, True)

def g(x, inplace):
    return F.relu(x, inplace)
""",
    "an own function with any arguments": """
def f(x):
    return g(x, True)

def g(*args):
    return F.relu(*args)
""",
    "an own function that a decorator replaces": """
def f(x):
    return g(x, True)

@wrap
def g(x, fast):
    return x
""",
    "a size that an own class defines": """
class Box:
    def numel(self):
        return self.n

def f(box):
    n = box.numel()
    n += 1
""",
}


@pytest.mark.parametrize("text", TENSORS.values(), ids=TENSORS)
def test_the_function_is_a_candidate(text: str) -> None:
    assert "f" in sifted(text)


def test_names_are_plain_by_the_scope_that_binds_them() -> None:
    module = ModuleIndex(ast.parse("CACHE = {}\nSTATE = make()\n\ndef f(x):\n    CACHE[0] = STATE[0] = x\n"))
    inner = next(scope for scope in module.scopes.by_node.values() if scope.name == "f")
    assert is_plain(module, inner, "CACHE")
    assert not is_plain(module, inner, "STATE")
    assert not is_plain(module, inner, "x")
    assert not is_plain_attribute(module, inner, "n")
