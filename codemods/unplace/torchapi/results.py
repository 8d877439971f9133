"""Records facts about the results of torch's operators that the table doesn't have: their memory, shape and dtype.

The sets are kept by hand, under the last part of a name, for functions and methods alike, because "the purpose is new
memory" or "written for its shape" can't be measured. `tests/test_torch_facts.py` measures the facts that can be.
"""

from __future__ import annotations

OVERLAPPING = frozenset(
    ["expand", "expand_as", "broadcast_to", "broadcast_tensors", "meshgrid", "unfold", "as_strided"]
)
"""Views in which several elements may share one memory location."""

REARRANGING = frozenset(
    [
        *("flip", "fliplr", "flipud", "gather", "index_select", "masked_select", "roll", "rot90", "take"),
        *("take_along_dim", "tril", "triu"),
    ]
)
"""Operations whose result holds elements of a tensor in new memory."""

OF_ITS_DTYPE = REARRANGING | {"clone", "masked_fill"}
"""Operations whose result has the dtype of the first tensor, whatever that is."""

CONVERTING = frozenset(
    [
        *("float", "double", "half", "bfloat16", "long", "int", "bool", "short", "char", "byte"),
        *("to", "type", "type_as", "cpu", "cuda", "contiguous", "einsum", "dropout"),
    ]
)
"""Operations called for new memory that return their argument, or a view, where nothing has to be converted.

Other operations that may return a view mostly do, as `reshape`.
"""

LONG = frozenset(["arange", "linspace", "nonzero", "randperm"])
"""Operations whose results always have dimensions."""

CONTRACTING = frozenset(["einsum"])
"""Operations that save their operands only if there are several of them."""

DERIVED_FROM_RESULT = frozenset(
    [
        *("exp", "exp2", "expit", "expm1", "log_softmax", "reciprocal", "rsqrt", "sigmoid", "softmax", "softmin"),
        *("sqrt", "tan", "tanh", "LogSoftmax", "Sigmoid", "Softmax", "Softmax2d", "Softmin", "Tanh"),
    ]
)
"""Operations that save their result alone, and compute the gradient with its values; relu asks for signs."""

CHOOSING = frozenset(["condition", "index", "indices", "mask"])
"""Parameters that choose elements by integers or truth values, through which no gradient flows."""

BOUNDS = ("min", "max")
"""Parameters of `clamp` that are two numbers or two tensors, but not one of each."""

COMPACTING = "contiguous"
"""The operation that returns its argument where the elements are in order already."""

FROM_OUTSIDE = frozenset(["from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack", "from_file"])
"""Functions whose result may share memory with an object that isn't a tensor."""

SAME_SHAPE = frozenset(
    [
        *("clone", "contiguous", "detach", "detach_", "requires_grad_", "to", "type", "type_as", "cpu", "cuda"),
        *("float", "double", "half", "bfloat16", "long", "int", "bool", "short", "char", "byte"),
        *("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like"),
        *("scatter", "scatter_add", "index_add", "index_copy", "index_fill"),
        *("index_put", "softmax", "log_softmax", "cumsum", "cumprod", "sort", "argsort", "flip", "roll", "tril"),
        *("dropout", "normalize", "layer_norm", "batch_norm", "nan_to_num", "logical_not", "bitwise_not"),
        *("isnan", "isinf", "isfinite", "triu"),
    ]
)
"""Operations, besides the element-wise ones, whose result has the shape of the first argument.

For operations with an index, this holds where the index isn't larger.
"""

REDUCING = frozenset(
    [
        *("all", "amax", "amin", "any", "argmax", "argmin", "logsumexp", "mean", "nanmean", "nansum", "norm", "prod"),
        *("std", "sum", "var"),
    ]
)
"""Operations whose result, with `keepdim=True`, has as many dimensions as the first argument."""

FROM_ARRAYS = frozenset(["from_numpy", "frombuffer", "from_file"])
"""Those of `FROM_OUTSIDE` that take no tensor, so that their result has no graph."""

VARIABLES = frozenset(["torch.autograd.Variable", "torch.autograd.variable.Variable"])
"""The names of the class that made a tensor one with a graph; it gives a detached tensor with the same memory."""

CONSTRUCTORS = frozenset(
    [
        *("zeros", "ones", "empty", "full", "rand", "randn", "randint", "eye", "arange", "linspace"),
        *("tensor", "as_tensor", "from_numpy"),
    ]
)


def is_constructor(name: str) -> bool:
    """Tell whether an operator makes a tensor of constants or random numbers, whatever tensors it is given."""
    return name in CONSTRUCTORS or name.startswith("new_") or name.endswith("_like")


def takes_after(name: str) -> bool:
    """Tell whether a constructor takes the dtype of the tensor that it is given: `zeros_like`, `new_tensor`."""
    return name.endswith("_like") or name.startswith("new_")


FILLED = ("zeros", "ones", "empty", "full")
"""Constructors that are given a size, and fill the tensor with one number or leave it as it is."""

FILLED_OPTIONS = frozenset(["dtype", "device", "size"])
"""The keywords of these constructors that describe the new tensor."""

FILLS = {"zero_": ("torch.zeros_like", "0"), "fill_": ("torch.full_like", "")}
"""In-place methods that fill a tensor: the constructor that makes one like it, and the number where that is known."""

CASTS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
}
"""The dtype of the result of each casting method."""

DTYPES = {**CASTS, **{name: name for name in CASTS.values()}, "cfloat": "complex64", "complex64": "complex64"}
"""The dtype for each name of a dtype: `long` stands for `int64`."""
DTYPE_OF_LITERALS = {bool: "torch.bool", int: "torch.int64"}
"""The dtypes of tensors filled with numbers of a Python type, where that isn't torch's default dtype."""

SWITCHES = frozenset(["as_tuple", "return_counts", "return_indices", "return_inverse"])
"""Parameters that are True or False, and decide whether a function of torch returns one tensor or several."""

TENSOR_CLASSES = {
    "torch.Tensor": "default",
    **{
        f"{place}.{'BFloat16' if kind == 'bfloat16' else kind.title()}Tensor": dtype
        for place in ("torch", "torch.cuda")
        for kind, dtype in CASTS.items()
    },
}
"""`torch.Tensor` and its legacy types, such as `torch.FloatTensor` and `torch.cuda.LongTensor`, with their dtypes.

Called, they make a tensor or take one over.
"""

LIKE_TENSOR_CLASS = frozenset(["new"])
"""Methods that do the same as calling the tensor's class: `x.new(2, 3)`."""

DEFAULT_FLOAT = frozenset(["zeros", "ones", "empty", "rand", "randn", "eye", "linspace", "logspace"])
"""Constructors whose result has torch's default dtype."""

OF_LITERALS = frozenset(["tensor", "as_tensor", "full", "arange"])
"""Constructors whose result has the dtype of the numbers that they are given."""

OF_DATA = OF_LITERALS | {"from_numpy"}
"""Constructors whose result has the dtype of their data, whatever that is."""

INDICES = frozenset(
    ["argmax", "argmin", "argsort", "nonzero", "searchsorted", "bucketize", "bincount", "randperm", "multinomial"]
)
"""Operations whose result is indices: int64, and in no graph."""

SELECTING = frozenset(["max", "min", "median", "nanmedian"])
"""Reductions that choose an element; along a dimension, autograd keeps the indices of the elements and nothing else."""

WITH_INDICES = frozenset(["max", "min", "sort", "topk", "kthvalue", "median", "nanmedian", "mode", "cummax", "cummin"])
"""Operations whose second result is indices, where they have two."""

WIDENING = frozenset(["sum", "prod", "cumsum", "cumprod"])
"""Operations that return int64 for narrower integers and for bool."""

FIRST_DECIDES = frozenset(["masked_fill", "clamp", "lerp"])
"""Element-wise operations whose result has the dtype of the first argument, whatever the others have."""

COMBINING = frozenset(["cat", "stack", "where", "cross", "embedding"])
"""Operations that aren't element-wise, and whose result has the dtype of all operands together."""

FIRST_ASIDE = frozenset(["embedding", "where"])
"""Functions whose first argument doesn't take part in the dtype: indices, or a mask."""

KEEPING_INTEGERS = frozenset(
    [
        *("abs", "absolute", "add", "addcmul", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or"),
        *("bitwise_right_shift", "bitwise_xor", "ceil", "clamp", "clamp_max", "clamp_min", "clip", "clone", "conj"),
        *("fix", "floor", "floor_divide", "fmax", "fmin", "fmod", "gcd", "hardtanh", "heaviside", "lcm"),
        *("masked_fill", "maximum", "minimum", "mul", "multiply", "nan_to_num", "neg", "negative", "positive", "pow"),
        *("relu", "relu6", "remainder", "round", "rsub", "sgn", "sign", "square", "sub", "subtract", "threshold"),
        *("trunc", "where", "__and__", "__or__", "__xor__"),
    ]
)
"""Element-wise operations that give integers for integers."""

TOTALS = ("sum", "prod", "norm", "mean", "max", "min", "amax", "amin", "std", "var")
"""Methods that return one number for the whole tensor when they are given no dimension."""

DIVISIONS = ("div_", "divide_", "true_divide_")
"""In-place methods that torch refuses on integers, unless they round."""

_FOREACH = ("torch._foreach_", "torch.foreach.")


def works_on_each(qualified: str) -> bool:
    """Tell whether a function does to each tensor of a list what an operator does to one, in new memory."""
    return qualified.startswith(_FOREACH) and not qualified.endswith("_")


def of_one(qualified: str) -> str:
    """Return the operator for one tensor that such a function stands for: `torch.exp` for `torch._foreach_exp`."""
    private, public = _FOREACH
    return f"torch.{qualified.removeprefix(private).removeprefix(public)}"
