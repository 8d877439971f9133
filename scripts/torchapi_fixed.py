"""Rows that are written by hand: what cannot be run on a sample, or is not about tensors at all."""

from __future__ import annotations

from typing import Any

import torch

Row = dict[str, Any]

MOVES: Row = {"parameters": "self device non_blocking memory_format", "view": "maybe", "view_of": "self"}
CASTS: Row = {"parameters": "self memory_format", "elementwise": True, "view": "maybe", "view_of": "self"}
NOTHING: Row = {"result": "other"}

FIXED_METHODS: dict[str, Row] = {
    "as_subclass": {"parameters": "self cls", "view": "always", "view_of": "self"},
    "backward": {"parameters": "self gradient retain_graph create_graph inputs", "result": "other"},
    "cdouble": CASTS,
    "cfloat": CASTS,
    "const_data_ptr": {"parameters": "self", "result": "number"},
    "cuda": MOVES,
    "dim_order": {"parameters": "self", "result": "shape"},
    "index": {"parameters": "self positions dims", "result": "unknown", "saves": ["*"], "view": "maybe"},
    "ipu": MOVES,
    "is_shared": {"parameters": "self", "result": "bool"},
    "item": {"parameters": "self", "result": "number"},
    "module_load": {"parameters": "self other assign", "saves": ["*"], "view": "maybe"},
    "mtia": MOVES,
    "new": {"parameters": "self data", "variadic": True, "view": "maybe"},
    "numpy": {"parameters": "self", "result": "other", "view": "always", "view_of": "self"},
    "pin_memory": {"parameters": "self device", "view": "maybe", "view_of": "self"},
    "register_hook": {"parameters": "self hook", "result": "other"},
    "register_post_accumulate_grad_hook": {"parameters": "self hook", "result": "other"},
    "reinforce": {"parameters": "self reward", "result": "other"},
    "retain_grad": {"parameters": "self", "result": "other"},
    "record_stream": {"parameters": "self s", "result": "other"},
    "storage": {"parameters": "self", "result": "other", "view": "always", "view_of": "self"},
    "storage_type": {"parameters": "self", "result": "other"},
    "untyped_storage": {"parameters": "self", "result": "other", "view": "always", "view_of": "self"},
    "xpu": MOVES,
}

FIXED_ATTRIBUTES: dict[str, Row] = {
    # the object itself, None before the first backward; its memory is not the receiver's
    "grad": {"parameters": "self", "view": "maybe"},
}

FIXED_FUNCTIONS: dict[str, Row] = {
    "torch.as_tensor": {"parameters": "data dtype device", "view": "maybe", "view_of": "data"},
    "torch.asarray": {"parameters": "obj", "view": "maybe", "view_of": "obj"},
    "torch.autograd.backward": {
        "parameters": "tensors grad_tensors retain_graph create_graph grad_variables inputs",
        "result": "other",
    },
    "torch.autograd.grad": {
        "parameters": "outputs inputs grad_outputs retain_graph create_graph only_inputs allow_unused is_grads_batched "
        "materialize_grads",
        "result": "tensors",
        "saves": ["*"],
        "view": "maybe",
        "view_of": "grad_outputs",
    },
    "torch.frombuffer": {"parameters": "buffer", "view": "always", "view_of": "buffer"},
    "torch.from_dlpack": {"parameters": "ext_tensor", "view": "always", "view_of": "ext_tensor"},
    "torch.from_numpy": {"parameters": "ndarray", "view": "always", "view_of": "ndarray"},
    "torch.masked.as_masked_tensor": {"parameters": "data mask", "saves": ["*"], "view": "maybe", "view_of": "data"},
    "torch.masked.masked_tensor": {
        "parameters": "data mask requires_grad",
        "saves": ["*"],
        "view": "maybe",
        "view_of": "data",
    },
    "torch.nn.utils.rnn.pack_padded_sequence": {
        "parameters": "input lengths batch_first enforce_sorted",
        "result": "other",
        "saves": ["*"],
        "view": "maybe",
    },
    "torch.get_rng_state": {},
    "torch.is_storage": {"parameters": "obj", "result": "bool"},
    "torch.is_tensor": {"parameters": "obj", "result": "bool"},
    "torch.masked.is_masked_tensor": {"parameters": "obj", "result": "bool"},
    "torch.nn.utils.rnn.pad_packed_sequence": {
        "parameters": "sequence batch_first padding_value total_length",
        "result": "tensors",
        "saves": ["*"],
    },
    "torch.nn.utils.rnn.unpack_sequence": {
        "parameters": "packed_sequences",
        "result": "tensors",
        "saves": ["*"],
        "view": "maybe",
    },
    "torch.tensor": {"parameters": "data"},
    "torch.to_dlpack": {"parameters": "tensor", "result": "other", "view": "always", "view_of": "tensor"},
    "torch.utils.dlpack.from_dlpack": {"parameters": "ext_tensor", "view": "always", "view_of": "ext_tensor"},
    "torch.utils.dlpack.to_dlpack": {"parameters": "tensor", "result": "other", "view": "always", "view_of": "tensor"},
}
FIXED_FUNCTIONS |= {
    f"torch.sparse_{layout}_tensor": {"parameters": parameters, "view": "maybe", "view_of": "values"}
    for layout, parameters in (
        ("bsc", "ccol_indices row_indices values size"),
        ("bsr", "crow_indices col_indices values size"),
        ("compressed", "compressed_indices plain_indices values size"),
        ("coo", "indices values size"),
        ("csc", "ccol_indices row_indices values size"),
        ("csr", "crow_indices col_indices values size"),
    )
}

# Switches and questions about torch itself, by the beginning of the name after the namespace.
_SWITCHES = {
    "are_": "bool",
    "is_": "bool",
    "can_cast": "bool",
    "kineto_available": "bool",
    "autocast_": "number",
    "clear_": "other",
    "get_autocast_": "other",
    "get_device_module": "other",
    "import_": "other",
    "init_": "other",
    "manual_seed": "other",
    "parse_": "other",
    "prepare_": "other",
    "save": "other",
    "set_": "other",
    "sym_constrain": "other",
    "sym_float": "number",
    "sym_fresh_size": "number",
    "sym_int": "number",
    "sym_ite": "number",
    "sym_max": "number",
    "sym_min": "number",
    "sym_not": "bool",
    "sym_sqrt": "number",
    "sym_sum": "number",
    "use_": "other",
}


def fixed_function(key: str) -> Row | None:
    """The row of a function that is not measured, or None."""
    if key in FIXED_FUNCTIONS:
        return FIXED_FUNCTIONS[key]
    namespace, _, name = key.rpartition(".")
    if namespace not in ("torch", "torch.autograd"):
        return None
    for beginning, result in _SWITCHES.items():
        about_tensor = name.startswith("is_") and hasattr(torch.Tensor, name)  # the schemas know those
        if name.startswith(beginning) and not about_tensor:
            return {"result": result}
    return None
