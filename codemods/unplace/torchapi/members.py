"""Records facts about methods and attributes of tensors that the table doesn't have. Kept by hand."""

from __future__ import annotations

TRANSPOSED = frozenset(["T", "mT", "H", "mH"])
"""Attributes that are views with dimensions exchanged."""

PERMUTING = TRANSPOSED | {"adjoint", "moveaxis", "movedim", "permute", "swapaxes", "swapdims", "t", "transpose"}
"""Attributes and methods that permute dimensions, so that the result isn't contiguous."""

RESTRIDING = frozenset(["as_strided", "view", "view_as"])
"""Methods that depend on the strides of their tensor: with other strides they raise, or return other elements."""

DENSE = frozenset(
    [
        *("addbmm", "addmm", "baddbmm", "cumprod", "cumsum", "index_add", "index_copy", "index_reduce", "masked_fill"),
        *("masked_scatter", "mvlgamma", "renorm", "rrelu", "scatter", "scatter_add", "scatter_reduce", "tril", "triu"),
    ]
)
"""Operators whose results are dense, in the order of their dimensions, whatever strides the tensor has. Measured."""

TELLING_ORDER = frozenset(["as_strided", "data_ptr", "is_contiguous", "storage_offset", "stride"])
"""Methods that tell the order of a tensor's elements in memory, or that depend on nothing else."""

TELLING_ORDER_OF_ARRAYS = frozenset(["flags", "strides"])
"""Attributes by which the array of a tensor, `x.numpy()`, tells the same."""

COPYING_BY_ORDER = frozenset(["contiguous", "flatten", "ravel", "reshape", "reshape_as"])
"""Methods that copy a tensor only if the order of its elements in memory makes that necessary."""

ASKING_FOR_ORDER = RESTRIDING | TELLING_ORDER | COPYING_BY_ORDER | {"unflatten"}
"""Methods that give something else, or raise, where the elements are in another order in memory."""

PARTING = frozenset(
    [
        *("chunk", "diagonal", "dsplit", "expand", "expand_as", "hsplit", "imag", "narrow", "real", "select", "split"),
        *("split_with_sizes", "tensor_split", "unbind", "unfold", "vsplit"),
    ]
)
"""Functions and methods that give views of parts of a tensor, whose elements needn't lie side by side in memory."""

LIKE = frozenset(
    [
        *("cat", "concat", "concatenate", "empty_like", "full_like", "ones_like", "rand_like", "randint_like"),
        *("randn_like", "where", "zeros_like"),
    ]
)
"""Functions whose result has the strides, or the memory format, of a tensor that they are given."""

DRAWING = frozenset(["bernoulli", "rand_like", "randint_like", "randn_like"])
"""Functions that draw a number for each element of a tensor that they are given, in the order of the elements."""

RESHAPING = frozenset(
    ["flatten", "ravel", "reshape", "reshape_as", "squeeze", "unflatten", "unsqueeze", "view", "view_as"]
)
"""Methods that give the elements of a tensor, in their order, another shape."""

SWAPPING = frozenset(["t", "transpose", "swapaxes", "swapdims", "adjoint"])
"""Methods that undo themselves, given the same arguments; of a complex tensor, too."""

SWAPPED = frozenset(["T", "mT"])
"""Attributes that undo themselves."""

USUALLY_VIEWS = frozenset(["reshape", "flatten", "ravel", "view_as", "reshape_as"])
"""Methods that copy a tensor only if its strides make that necessary."""

SPLITTING = frozenset(["split", "split_with_sizes", "chunk", "unbind", "__iter__"])
"""Methods whose results torch refuses to write in place while a graph is recorded."""

APPLYING = "apply"
"""The method by which a custom autograd function runs, whose views torch refuses to write while a graph is recorded."""

JOINED_BY = {"chunk": "torch.cat", "split": "torch.cat", "tensor_split": "torch.cat", "unbind": "torch.stack"}
"""The function that puts the pieces together again, by the method that cut them."""

CUTTING = frozenset(["data", "detach", "item", "tolist", "numpy", "grad"])
"""Attributes and methods past which no gradient flows."""

WITHOUT_GRAPH = CUTTING | {"detach_", "argmax", "argmin", "shape", "size", "dim", "device", "dtype", "long", "bool"}
"""Attributes and methods of tensors that give no tensor, or one through which no gradient flows."""

HANDING_VALUES = frozenset(["backward", "item", "numpy", "tolist"])
"""Methods of tensors, beside the operators, that leave the tensor's values as they are."""

FLAT = frozenset(["ceil", "fix", "floor", "floor_divide", "heaviside", "round", "sgn", "sign", "trunc"])
"""Functions and methods whose derivative is zero wherever there is one: a graph goes on, but no gradient does."""

UNRECORDED = frozenset(["logical_and", "logical_not", "logical_or", "logical_xor"])
"""Methods that autograd doesn't record in place: the graph of the old values stays, on which the new don't depend.

Measured: of all in-place methods, the gradient of the sum of what they write.
"""

MASKED = frozenset(["masked_fill_", "masked_scatter_"])
"""In-place methods that write the elements which a mask chooses."""

DETACHED = frozenset(["data", "detach"])
"""Attributes and methods that give a tensor without a graph, on the same memory."""

ADDING = frozenset(["add_", "sub_"])
"""In-place methods whose gradient with respect to the tensor is that of the result."""

DIVIDING = frozenset(["div_", "divide_", "true_divide_"])
"""In-place methods whose functional form makes floating-point numbers of integers."""

UNLIKE_OPERANDS = frozenset(["cumsum_", "cumprod_", "copy_"])
"""In-place methods of which the functional form has a dtype of its own, whatever the operands."""

OF_ONE_OBJECT = frozenset(
    [
        *("grad", "data", "is_leaf", "requires_grad", "requires_grad_", "retain_grad", "register_hook"),
        *("_base", "_is_view", "_version", "data_ptr", "grad_fn", "storage", "untyped_storage"),
    ]
)
"""Attributes and methods that concern a single tensor object: a copy doesn't share them."""

OF_LEAVES = frozenset(
    ["grad", "is_leaf", "requires_grad", "retain_grad", "register_hook", "register_post_accumulate_grad_hook"]
)
"""Attributes and methods by which code asks for the gradient of a leaf, rather than for its values."""

SPARSE_WRITES = frozenset(
    [
        *("index_add_", "index_copy_", "index_fill_", "index_put_", "index_reduce_", "put_"),
        *("scatter_", "scatter_add_", "scatter_reduce_"),
    ]
)
"""In-place methods that write only some elements."""

COPYING_FIRST = SPARSE_WRITES | {"masked_fill_", "masked_scatter_"}
"""In-place methods whose form out of place copies the tensor and then writes some elements."""

EXPANDING = frozenset(["broadcast_to", "expand", "expand_as"])
"""Methods and functions of torch whose result has several elements in one place, unless nothing was to be expanded."""

INDEX_PARAMETERS = frozenset(["index", "indices"])
"""Parameters of torch's functions and methods for the elements to pick: `table.gather(0, tokens)`."""

CHANGING = {
    **dict.fromkeys(["add_", "sub_", "subtract_"], "delta"),
    **dict.fromkeys(["mul_", "multiply_", "div_", "divide_", "true_divide_"], "factor"),
}
"""In-place methods with a word for what they take."""

SIZES = frozenset(
    [
        *("chunks", "dim", "dim0", "dim1", "dimension", "dims", "end", "end_dim", "k", "length", "m", "n"),
        *("num_classes", "sections", "shape", "shifts", "size", "sizes", "split_size", "split_size_or_sections"),
        *("split_sizes", "start", "start_dim", "step", "steps"),
    ]
)
"""Parameters of torch's functions and methods for which people pass numbers, alone or several together."""

COMPARING = frozenset(["max", "min"])
"""Functions and methods that take another tensor in the place of a dimension: `torch.max(a, b)`."""

WITHOUT_ARGUMENTS = frozenset(["exp", "log", "sin", "cos", "sqrt", "log1p", "expm1", "tanh"])
"""Methods that take no arguments. Arrays don't have them, and a logger's `log(...)` takes arguments."""

WITH_OLD_FORMS = {"add": 1, "sub": 1} | dict.fromkeys(
    ("addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "baddbmm", "sspaddmm"), 2
)
"""Methods that torch still lets take numbers before their tensors, of which there are so many.

`x.add(2, y)` is `x.add(y, alpha=2)`. Source: the signatures in torch's deprecated.yaml.
"""

WITH_SIZES = {"view": 1, "flatten": 1, "expand": 1, "permute": 1, "transpose": 2, "repeat": 3}
"""Methods that take numbers, at least so many: an array's `view` takes a dtype, its `repeat` two numbers at most."""

OF_A_MATRIX = (frozenset([0, 1]), frozenset([-2, -1]))
"""The dimensions that `transpose` can be given for an array, which takes all that there are."""

IDIOMS = frozenset(["clone", "contiguous", "detach", "detach_", "expand", "permute", "chunk", "gather", "index_select"])
"""Methods whose use makes it likely that an object is a tensor, where its other uses fit a tensor, too.

Other classes with these methods (batches of graphs, distributions) are also used with attributes of their own.
"""

OF_OPERATORS = {
    "iadd": "add_",
    "isub": "sub_",
    "imul": "mul_",
    "itruediv": "div_",
    "ifloordiv": "floor_divide_",
    "imod": "remainder_",
    "ipow": "pow_",
    "iand": "bitwise_and_",
    "ior": "bitwise_or_",
    "ixor": "bitwise_xor_",
    "setitem": "index_put_",
}
"""The methods that Python's in-place operators and stores are, by their names in its module `operator`."""


def own_name(name: str) -> str:
    """Return the method that a special method of tensors is (`add_` for `__iadd__`); of others the name itself."""
    return OF_OPERATORS.get(name[2:-2], name) if name.startswith("__") else name


KEEPING_VALUES = frozenset(["clone", "to", "cpu", "cuda", "float", "double", "half"])
"""Methods that give the values of a tensor, with its graph."""

TENSOR_PARAMETERS = frozenset(
    [
        *("anchor", "batch1", "batch2", "bias", "grid", "input", "input1", "input2", "mask", "mat", "mat1", "mat2"),
        *("negative", "pos_weight", "positive", "running_mean", "running_var", "self", "target", "tensor1", "tensor2"),
        *("theta", "vec", "vec1", "vec2", "weight", "x1", "x2"),
    ]
)
"""Parameters that take nothing but a tensor in every function of torch that has them. Source: the schemas.

The exceptions are a few functions of recurrent layers, and `weight` of `torch.lerp`.
"""

OF_TENSORS = frozenset(["matmul", "maximum", "minimum", "fmax", "fmin", "kron", "dist"])
"""Functions whose parameter `other` takes nothing but a tensor. Source: the schemas."""
