"""Records facts about classes of torch other than tensors: modules, parameters, optimizers. Kept by hand."""

from __future__ import annotations

import re

REPARAMETRISING = frozenset(
    f"torch.nn.utils.{name}"
    for name in (
        "spectral_norm",
        "weight_norm",
        "remove_spectral_norm",
        "remove_weight_norm",
        "parametrizations.orthogonal",
        "parametrizations.spectral_norm",
        "parametrizations.weight_norm",
        "parametrize.register_parametrization",
        "parametrize.remove_parametrizations",
    )
)
"""Functions that change how a module makes its weights, and return the module."""

COMPUTING_PARAMETERS = frozenset(
    [
        *(name.rpartition(".")[2] for name in REPARAMETRISING if ".remove_" not in name),
        *("l1_unstructured", "random_unstructured", "ln_structured", "random_structured", "global_unstructured"),
        *("custom_from_mask", "delattr"),
    ]
)
"""The last names of functions after which a weight may be computed from others: those of `prune`, and of Python."""

REGISTERED_CLASSES = ("torch.nn.Parameter", "torch.nn.Buffer", "torch.nn.parameter.Buffer")
"""Classes of tensors that a module registers when they are assigned to one of its attributes."""

SETTINGS = frozenset(["lr", "momentum", "dampening", "weight_decay", "betas", "eps", "alpha", "lambd", "t0", "rho"])
"""Keys of the parameter groups of torch's optimizers that lead to numbers."""

OPTIMIZERS = ("torch.optim.Optimizer", "torch.optim.optimizer.Optimizer")
NO_OPTIMIZERS = ("torch.optim.lr_scheduler.", "torch.optim.swa_utils.")
"""Prefixes of the names of classes of `torch.optim` whose `step` writes no weights."""

MAKING_OPTIMIZERS = "configure_optimizers"
"""The method of a `LightningModule` that makes the optimizers which `self.optimizers()` gives."""

OPTIMIZER_DICTS = ("state", "defaults")
OPTIMIZER_LISTS = ("param_groups",)

NAMESPACES = frozenset(["torch.nn", "torch.nn.modules", "torch.nn.modules.activation"])
"""The modules of Python that have the classes of layers: `getattr(torch.nn, "ReLU")`."""

SEQUENTIAL = "torch.nn.Sequential"
MODULE_DICT = "torch.nn.ModuleDict"
MODULE_CONTAINERS = ("torch.nn.ModuleList", MODULE_DICT)
PARAMETER_LIST = "torch.nn.ParameterList"
FLATTEN = "Flatten"
"""The last part of the name of the module whose result is a view where the order of the elements allows it."""

DROPS = "Dropout"
"""A part of the names of the modules that return their input in evaluation."""

PARAMETER = "torch.nn.Parameter"

ADDING = frozenset(["append", "insert"])
"""Methods of containers that add their last argument."""

STORING = ADDING | {"appendleft", "enqueue", "push"}
"""Methods that no tensor has, and that keep their arguments in their object, of whatever class that is."""

REGISTERING_TENSORS = frozenset(["register_parameter", "register_buffer"])
"""Methods of modules that add a parameter or a buffer under a name."""

KEEPERS = STORING | REGISTERING_TENSORS | {"put", "put_nowait", "set", "setattr"}
"""Functions and methods that keep their arguments where other code finds them, whatever their object is."""

REGISTERING = frozenset(["add_module", "register_module"])
"""Methods of modules that add their last argument under a name."""

SETTING = "set_submodule"
"""The method of modules that puts its second argument in the place of the one with a dotted name."""

NAMING_CHILDREN = frozenset(["named_children", "named_modules"])
"""Methods of modules that give the modules in them with their names."""

EXTENDING = frozenset(["extend", "update"])
"""Methods of containers that add all elements of their argument."""

ITERATING_PAIRS = frozenset(["items", "named_children"])
ITERATING = frozenset(["values", "children"]) | ITERATING_PAIRS
"""Methods of containers of modules that give their modules, alone or with their names."""

RETURNING_ITSELF = frozenset(
    [
        *("train", "eval", "to", "cuda", "cpu", "float", "double", "half", "bfloat16", "requires_grad_", "apply"),
        *("share_memory", "to_empty", "compile"),
    ]
)
"""Methods of modules that return the module itself, or an equivalent."""

RETURNING_ALIKE = frozenset(["copy", "deepcopy", *(name.rpartition(".")[2] for name in REPARAMETRISING)])
"""The last names of functions that return the module which they get, or one like it."""

VISITING = "apply"
"""The method of modules that calls a function with the module and with each module in it."""

GIVING_PARAMETERS = frozenset(["parameters", "named_parameters", "buffers", "named_buffers"])
"""Methods of modules that return their tensors."""

GIVING_BUFFERS = frozenset(["buffers", "named_buffers", "state_dict"])
"""Methods of modules that return what their attributes hold at the time, be it computed."""

FREEZING = frozenset(["torch.nn.Embedding.from_pretrained", "torch.nn.EmbeddingBag.from_pretrained"])
"""Functions that make modules whose parameters get no gradient, unless `freeze=False` is given."""

DICTIONARIES = frozenset(["__dict__", "_buffers", "_parameters"])
"""Attributes by which other code takes what an object has, and gives it something else."""

STATE, KEEPING = "state_dict", "keep_vars"
"""The method of modules that gives detached tensors, and the argument that has it give the parameters themselves."""

GIVING_MODULES = frozenset(["state_dict", "modules", "children"])
"""Methods of modules that return objects which hold their tensors."""

GIVING = GIVING_PARAMETERS | GIVING_MODULES

NOT_RUNNING = RETURNING_ITSELF | GIVING | {"zero_grad", "load_state_dict", "named_modules", "named_children"}
"""Methods of modules that don't run their forward."""

LISTS_OF_NAMES = frozenset(["_all_weights", "_flat_weights_names"])
LISTS_OF_PARAMETERS = {"_all_weights": 2, "all_weights": 2, "_flat_weights": 1, "_flat_weights_names": 1}
"""Attributes of recurrent layers: lists of parameters or, one for each layer, lists of lists; or of their names."""

TUPLE_STATE = frozenset(["torch.nn.LSTM"])
"""Recurrent modules whose second result is a pair of tensors."""

_WITH_WEIGHT = re.compile(r"torch\.nn\.(?:Bilinear|Linear|Conv(?:Transpose)?[123]d)")


def has_weight(qualified: str) -> bool:
    """Tell whether the modules of a class of torch always have a parameter `weight`."""
    return _WITH_WEIGHT.fullmatch(qualified) is not None


_LEARNING = re.compile(r"torch\.nn\.(?:BatchNorm[123]d|SyncBatchNorm|(?:Layer|Group|RMS)Norm|Embedding(?:Bag)?|PReLU)")


def learns(qualified: str) -> bool:
    """Tell whether the modules of a class of torch have parameters, unless they were asked to have none."""
    return has_weight(qualified) or has_layers(qualified) or _LEARNING.fullmatch(qualified) is not None


_WITH_LAYERS = re.compile(
    r"torch\.nn\.(?:(?:RNN|LSTM|GRU)(?:Cell)?|MultiheadAttention|Transformer\w*|Module(?:List|Dict))"
)


def has_layers(qualified: str) -> bool:
    """Tell whether the modules of a class of torch have several weights, one of which reads what another gives."""
    return _WITH_LAYERS.fullmatch(qualified) is not None
