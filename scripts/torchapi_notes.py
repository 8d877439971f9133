"""Facts that torch tells nowhere, kept by hand. The generator checks them against its measurements where it can."""

from __future__ import annotations

NAMESPACES = (
    "torch",
    "torch.autograd",
    "torch.autograd.functional",
    "torch.fft",
    "torch.func",
    "torch.linalg",
    "torch.masked",
    "torch.nested",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.signal.windows",
    "torch.sparse",
    "torch.special",
    "torch.utils.dlpack",
)

# Modules whose functions are only imported into a public namespace, for its own use.
HELPER_MODULES = {
    "torch._jit_internal",
    "torch._utils",
    "torch._utils_internal",
    "torch.overrides",
    "torch.utils._typing_utils",
}
HELPERS = {"has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"}

# View or copy (or the argument itself), depending on layout, dtype or arguments, although the schema says "alias".
MAYBE = {
    "_autocast_to_full_precision",
    "_autocast_to_reduced_precision",
    "adjoint",
    "coalesce",
    "conj",
    "contiguous",
    "einsum",
    "flatten",
    "imag",
    "pin_memory",
    "positive",
    "ravel",
    "real",
    "reshape",
    "reshape_as",
    "resolve_conj",
    "resolve_neg",
    "sum_to_size",
    "to",
    "to_dense",
    "type_as",
}

# May give the argument's memory, but torch says so nowhere and a sample need not show it.
UNANNOTATED_MAYBE = {
    "__getitem__",
    "alpha_dropout",
    "as_subclass",
    "as_tensor",
    "asarray",
    "bfloat16",
    "bool",
    "byte",
    "cartesian_prod",
    "cdouble",
    "cfloat",
    "chalf",
    "char",
    "conj_physical",
    "cpu",
    "cuda",
    "dequantize",
    "double",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
    "feature_dropout",
    "float",
    "half",
    "histogramdd",
    "int",
    "ipu",
    "long",
    "masked_tensor",
    "mtia",
    "pack_padded_sequence",
    "short",
    "to_sparse",
    "to_sparse_bsc",
    "to_sparse_bsr",
    "to_sparse_coo",
    "to_sparse_csc",
    "to_sparse_csr",
    "type",
    "xpu",
}

# A sequence of views. The value: may the pieces be written while a graph is recorded? None: measure it.
# The unsafe_ ones can be written, but autograd does not hear of it.
MULTI: dict[str, bool | None] = {
    "__iter__": False,
    "broadcast_tensors": None,
    "chunk": None,
    "dsplit": None,
    "hsplit": None,
    "meshgrid": None,
    "split": None,
    "split_with_sizes": None,
    "tensor_split": None,
    "unbind": None,
    "unsafe_chunk": False,
    "unsafe_split": False,
    "unsafe_split_with_sizes": False,
    "vsplit": None,
}

# Parameters that are written although the name of the function does not say so. The schemas add their own.
WRITES: dict[str, tuple[str, ...]] = {
    "torch.nn.functional.batch_norm": ("running_mean", "running_var"),
    "torch.nn.functional.instance_norm": ("running_mean", "running_var"),
    "torch.nn.functional.embedding": ("weight",),
    "torch.nn.functional.embedding_bag": ("weight",),
    "torch.batch_norm": ("running_mean", "running_var"),
    "torch.instance_norm": ("running_mean", "running_var"),
    "torch.native_batch_norm": ("running_mean", "running_var"),
    "torch.cudnn_batch_norm": ("running_mean", "running_var"),
    "torch.miopen_batch_norm": ("running_mean", "running_var"),
    "torch.rrelu_with_noise": ("noise",),
    "torch.nn.utils.vector_to_parameters": ("parameters",),
}

# What other backends keep beyond what the CPU showed: fused kernels with a formula of their own.
OTHER_BACKENDS: dict[str, tuple[str, ...]] = {
    "scaled_dot_product_attention": ("query", "key", "value", "attn_mask", "result"),
    "lstm": ("input", "hx", "params", "result"),
    "gru": ("input", "hx", "params", "result"),
    "rnn_tanh": ("input", "hx", "params", "result"),
    "rnn_relu": ("input", "hx", "params", "result"),
    "triplet_margin_with_distance_loss": ("*",),
}

# What releases after the one that is measured keep: formulas and derivatives that came with them.
NEWER_RELEASES: dict[str, tuple[str, ...]] = {
    "bessel_j0": ("self",),  # this and all below: 2.15
    "bessel_j1": ("self", "result"),
    "bessel_y0": ("self",),
    "bessel_y1": ("self", "result"),
    "modified_bessel_i0": ("self",),
    "modified_bessel_i1": ("self", "result"),
    "modified_bessel_k0": ("self",),
    "modified_bessel_k1": ("self", "result"),
    "nanquantile": ("self",),
    "quantile": ("self",),
}

# Parameter -> result, when it is given; see Operator.result_when. The first entry is the result without any of them.
RESULT_WHEN: dict[str, tuple[str, dict[str, str]]] = {
    "max": ("tensor", {"dim": "tensors"}),
    "min": ("tensor", {"dim": "tensors"}),
    "median": ("tensor", {"dim": "tensors"}),
    "nanmedian": ("tensor", {"dim": "tensors"}),
    "size": ("shape", {"dim": "number"}),
    "stride": ("shape", {"dim": "number"}),
    "where": ("tensors", {"input": "tensor"}),
    "nonzero": ("tensor", {"as_tuple": "tensors"}),
    "unique": ("tensor", {"return_inverse": "tensors", "return_counts": "tensors"}),
    "unique_consecutive": ("tensor", {"return_inverse": "tensors", "return_counts": "tensors"}),
    "type": ("other", {"dtype": "tensor"}),
    "lu": ("tensors", {}),
    "stft": ("tensor", {}),
    "norm": ("tensor", {}),
    "atleast_1d": ("tensor", {}),
    "atleast_2d": ("tensor", {}),
    "atleast_3d": ("tensor", {}),
    "adaptive_max_pool1d": ("tensor", {"return_indices": "tensors"}),
    "adaptive_max_pool2d": ("tensor", {"return_indices": "tensors"}),
    "adaptive_max_pool3d": ("tensor", {"return_indices": "tensors"}),
    "max_pool1d": ("tensor", {"return_indices": "tensors"}),
    "max_pool2d": ("tensor", {"return_indices": "tensors"}),
    "max_pool3d": ("tensor", {"return_indices": "tensors"}),
    "fractional_max_pool2d": ("tensor", {"return_indices": "tensors"}),
    "fractional_max_pool3d": ("tensor", {"return_indices": "tensors"}),
}

# The method behind each binary operator. Tensor has no __imatmul__: `x @= y` is `x = x @ y`.
OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "true_divide",
    "//": "floor_divide",
    "%": "remainder",
    "**": "pow",
    "@": "matmul",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "bitwise_left_shift",
    ">>": "bitwise_right_shift",
}

# Always another tensor object on the memory of the argument, though no schema says so.
ALWAYS = {"H", "T", "data", "detach", "diagonal", "mH", "mT", "numpy", "storage", "untyped_storage", "matrix_H"}

# Draws random numbers, though no tag says so and no CPU sample shows it.
RANDOM = {
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "alpha_dropout",
    "feature_alpha_dropout",
    "feature_dropout",
    "gumbel_softmax",
    "multi_head_attention_forward",
    "scaled_dot_product_attention",
    "rrelu",
    "lstm",
    "gru",
    "rnn_tanh",
    "rnn_relu",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
}

# Functions of torch.nn.functional that work on each element alone; checked by measurement.
ELEMENTWISE = {
    "torch.nn.functional.celu",
    "torch.nn.functional.elu",
    "torch.nn.functional.gelu",
    "torch.nn.functional.hardshrink",
    "torch.nn.functional.hardsigmoid",
    "torch.nn.functional.hardswish",
    "torch.nn.functional.hardtanh",
    "torch.nn.functional.leaky_relu",
    "torch.nn.functional.logsigmoid",
    "torch.nn.functional.mish",
    "torch.nn.functional.relu",
    "torch.nn.functional.relu6",
    "torch.nn.functional.selu",
    "torch.nn.functional.sigmoid",
    "torch.nn.functional.silu",
    "torch.nn.functional.softplus",
    "torch.nn.functional.softshrink",
    "torch.nn.functional.softsign",
    "torch.nn.functional.tanh",
    "torch.nn.functional.tanhshrink",
    "torch.nn.functional.threshold",
}

# Python names whose native name differs by more than a prefix.
NATIVE_NAMES = {"torch.nn.functional.logsigmoid": "log_sigmoid"}

# In-place methods that are more than a write of values; all others are 'value'.
INPLACE_KINDS = {
    "apply_": "storage",
    "as_strided_": "metadata",
    "bernoulli_": "random",
    "cauchy_": "random",
    "copy_": "copy",
    "detach_": "detach",
    "exponential_": "random",
    "fill_": "fill",
    "fill_diagonal_": "diagonal",
    "geometric_": "random",
    "log_normal_": "random",
    "map2_": "storage",
    "map_": "storage",
    "normal_": "random",
    "random_": "random",
    "requires_grad_": "flag",
    "resize_": "storage",
    "resize_as_": "storage",
    "resize_as_sparse_": "storage",
    "set_": "storage",
    "share_memory_": "flag",
    "sparse_resize_": "storage",
    "sparse_resize_and_clear_": "storage",
    "squeeze_": "metadata",
    "swapaxes_": "metadata",
    "swapdims_": "metadata",
    "t_": "metadata",
    "transpose_": "metadata",
    "uniform_": "random",
    "unsqueeze_": "metadata",
    "zero_": "fill",
}

# In-place methods whose name without the underscore is not a method of the same meaning.
NO_FUNCTIONAL = {n for n, kind in INPLACE_KINDS.items() if kind not in ("metadata", "detach")}

_SAME_DRAW = "no functional method draws the same numbers; torch.empty_like(x).{} does, in every layout"
_CALLBACK = "calls a Python function for each element; autograd does not know it, and there is no functional form"
_SIZE = "changes the size, perhaps the memory, of the tensor object itself; every holder of the object sees it"
_UNDERIVED = "the in-place form has no derivative; the functional form has one"
INPLACE_REASONS = {
    "apply_": _CALLBACK,
    "map_": _CALLBACK,
    "map2_": _CALLBACK,
    "bernoulli_": _SAME_DRAW.format("bernoulli_(p)") + "; Tensor.bernoulli(p) agrees for contiguous tensors only",
    "cauchy_": _SAME_DRAW.format("cauchy_(median, sigma)"),
    "exponential_": _SAME_DRAW.format("exponential_(lambd)"),
    "geometric_": _SAME_DRAW.format("geometric_(p)"),
    "log_normal_": _SAME_DRAW.format("log_normal_(mean, std)"),
    "normal_": _SAME_DRAW.format("normal_(mean, std)"),
    "random_": _SAME_DRAW.format("random_(low, high)") + "; torch.random is a module",
    "uniform_": _SAME_DRAW.format("uniform_(low, high)"),
    "copy_": "Tensor.copy does not exist",
    "fill_": "Tensor.fill does not exist; torch.fill does",
    "zero_": "Tensor.zero does not exist; torch.zeros_like carries no gradient graph, zero_ leaves a zero gradient",
    "fill_diagonal_": "Tensor.fill_diagonal does not exist; torch.diagonal_scatter covers two dimensions without wrap",
    "detach_": "detach_ detaches every holder of the tensor object; detach() gives a second tensor on the same memory",
    "requires_grad_": "sets a flag; no value changes",
    "share_memory_": "moves the memory so that other processes see it; no value changes",
    "set_": "replaces the memory of the tensor object itself; every holder of the object sees it",
    "resize_": _SIZE,
    "resize_as_": _SIZE,
    "resize_as_sparse_": _SIZE,
    "sparse_resize_": _SIZE,
    "sparse_resize_and_clear_": _SIZE,
    "embedding_renorm_": "renormalises the rows of an embedding that are looked up, for every holder of the weight",
    "acosh_": _UNDERIVED,
    "arccosh_": _UNDERIVED,
    "arcsinh_": _UNDERIVED,
    "arctanh_": _UNDERIVED,
    "asinh_": _UNDERIVED,
    "atanh_": _UNDERIVED,
    "initialiser": "an initialiser: it runs under no_grad, and writing the parameter is its purpose",
    "gradient": "works on the gradients of parameters, and writing them is its purpose",
    "foreach": "writes every tensor of a list; other holders of the tensors are meant to see it",
}

# Positional parameters where neither stub nor signature nor schema gives them as Python takes them.
_RECURRENT = "input hx params has_biases num_layers dropout train bidirectional batch_first"
POSITIONAL = {
    "torch.gru": _RECURRENT,
    "torch.lstm": _RECURRENT,
    "torch.lu": "A pivot get_infos",
    "torch.rnn_relu": _RECURRENT,
    "torch.rnn_tanh": _RECURRENT,
    "torch.sparse.addmm": "mat mat1 mat2",
    "torch.sparse.log_softmax": "input dim",
    "torch.sparse.mm": "mat1 mat2",
    "torch.sparse.sampled_addmm": "input mat1 mat2",
    "torch.sparse.softmax": "input dim",
    "torch.unique": "input sorted return_inverse return_counts dim",
}

# Functions whose string argument decides what autograd keeps.
BY_OPTION = {"interpolate", "pad", "upsample"}
