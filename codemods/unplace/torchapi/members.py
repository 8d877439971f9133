"""Methods and attributes of tensors that mean more than the table says of each by itself. Kept by hand."""

from __future__ import annotations

TRANSPOSED = frozenset(["T", "mT", "H", "mH"])
"""Attributes that are views with dimensions exchanged."""

PERMUTING = TRANSPOSED | {"adjoint", "moveaxis", "movedim", "permute", "swapaxes", "swapdims", "t", "transpose"}
"""Attributes and methods that exchange dimensions, so that the result isn't contiguous."""

RESTRIDING = frozenset(["as_strided", "view", "view_as"])
"""Methods that depend on the strides of their tensor, and raise or give other elements where these change."""

USUALLY_VIEWS = frozenset(["reshape", "flatten", "ravel", "view_as", "reshape_as"])
"""Methods that copy only a tensor whose strides ask for it."""

SPLITTING = frozenset(["split", "split_with_sizes", "chunk", "unbind", "__iter__"])
"""Methods whose results torch refuses to write in place while a graph is recorded."""

JOINED_BY = {"chunk": "torch.cat", "split": "torch.cat", "tensor_split": "torch.cat", "unbind": "torch.stack"}
"""The function that puts the pieces together again, by the method that cut them."""

CUTTING = frozenset(["data", "detach", "item", "tolist", "numpy", "grad"])
"""Attributes and methods past which no gradient flows."""

OF_ONE_OBJECT = frozenset(
    ["grad", "data", "is_leaf", "requires_grad", "requires_grad_", "retain_grad", "register_hook"]
)
"""Attributes and methods that a copy doesn't share with the tensor that it is one of."""

SPARSE_WRITES = frozenset(
    ["index_add_", "index_copy_", "index_fill_", "index_put_", "index_reduce_", "scatter_", "scatter_add_", "put_"]
)
"""In-place methods that write some elements only."""

SIZED = frozenset(["view", "reshape", "expand", "repeat", "unflatten", "zeros", "ones", "empty", "arange"])
"""Methods and functions whose arguments are sizes, so that a name among them is a number."""

WITHOUT_ARGUMENTS = frozenset(["exp", "log", "sin", "cos", "sqrt", "log1p", "expm1", "tanh"])
"""Methods that take no argument: so called, no array has them, and a logger's `log(...)` takes some."""

IDIOMS = frozenset(["clone", "contiguous", "detach", "detach_", "expand", "permute", "chunk", "gather", "index_select"])
"""Methods that stand for a tensor in all likelihood wherever nothing else is asked of the object than of a tensor.

The other classes that have them (batches of graphs, distributions) are asked for their own attributes as well.
"""
