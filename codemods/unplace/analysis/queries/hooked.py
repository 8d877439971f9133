"""Tells what hooks of modules make of their outputs: leaves, or views that torch lets nobody write.

self.embed.register_forward_hook(lambda module, given, output: output.requires_grad_(True))
h = self.embed(ids)
h[ids == 9] = self.vision(image)        raises where the weights of the embedding have no gradient

self.conv.register_full_backward_hook(noted)
y = F.relu(self.conv(x), inplace=True)  raises, because the hook makes a view of the output, by a custom function
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.refs import TorchModule
from unplace.analysis.domain.values import MODULE, Obj
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import FULL_BACKWARD_HOOKS

_EMBEDDING = "torch.nn.Embedding"
_REGISTERING = "register_forward_hook"
_UNNAMED = ""
"""The name of what a call returns: `model.get_input_embeddings()`."""


def may_be_made_leaf(run: Run, obj: Obj) -> bool:
    """Tell whether an object is what a module returns whose output a hook of the file gives a gradient."""
    names = _hooked(run.program.module)
    key = run.names.key_of(obj) if names and run.names.owns(obj) else None
    call = key[0] if isinstance(key, tuple) else None
    if not isinstance(call, ast.Call):
        return False
    callee = run.values.get(call.func)
    is_embedding = callee is not None and isinstance(callee.ref, TorchModule) and callee.ref.qualified == _EMBEDDING
    return last_name(call.func) in names or (is_embedding and _UNNAMED in names)


def may_be_view_of_hook(run: Run, obj: Obj) -> bool:
    """Tell whether an object is what a module returns, in a run with full backward hooks; which has one isn't asked."""
    module = run.program.module
    key = run.names.key_of(obj) if run.names.owns(obj) else None
    call = key[0] if isinstance(key, tuple) else None
    callee = run.values.get(call.func) if isinstance(call, ast.Call) else None
    if callee is None or not callee.may_be(MODULE):
        return False
    return any(module.reads_of(name) or module.is_named_elsewhere(name) for name in FULL_BACKWARD_HOOKS)


@once
def _hooked(module: ModuleIndex) -> frozenset[str]:
    """Return the names of the modules whose output a hook of the file gives a gradient."""
    found: set[str] = set()
    for _, call in module.calls_named(_REGISTERING):
        holder = call.func.value if isinstance(call.func, ast.Attribute) else None
        hook = next(iter((*call.args, *(k.value for k in call.keywords if k.arg == "hook"))), None)
        if holder is not None and hook is not None and any(map(_asks, _functions(module, hook))):
            found.add((last_name(holder) if isinstance(holder, ast.Name | ast.Attribute) else None) or _UNNAMED)
    return frozenset(found)


def _functions(module: ModuleIndex, hook: ast.expr) -> list[Scope]:
    """Return the functions of the file that a hook may be: a lambda, or those of its name."""
    scopes = module.scopes.by_node
    if isinstance(hook, ast.Lambda):
        return [scopes[hook]] if hook in scopes else []
    name = last_name(hook)
    return [s for s in scopes.values() if s.name == name and isinstance(s.node, ast.FunctionDef)]


def _asks(function: Scope) -> bool:
    """Tell whether a hook calls `requires_grad_()` on its last argument, the output."""
    output = function.parameters[-1].arg if function.parameters else None
    return any(_is_switched_on(call, output) for call in function.of(ast.Call))


def _is_switched_on(call: ast.Call, name: str | None) -> bool:
    """Tell whether a call gives the tensor of a name a gradient, unless its flag is False."""
    func, flags = call.func, [*call.args, *(keyword.value for keyword in call.keywords)]
    if not isinstance(func, ast.Attribute) or func.attr != "requires_grad_":
        return False
    is_off = any(isinstance(flag, ast.Constant) and not flag.value for flag in flags)
    return isinstance(func.value, ast.Name) and func.value.id == name and not is_off
