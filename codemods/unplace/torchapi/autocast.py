"""Records which operations of torch autocast runs in its low precision, and which in float32.

Source: torch/csrc/autograd and aten/src/ATen/autocast_mode.h; in-place operations are never among them.
"""

from __future__ import annotations

LOWERED = frozenset(
    [
        *("__matmul__", "addbmm", "addmm", "addmv", "addr", "baddbmm", "bilinear", "bmm", "chain_matmul", "conv1d"),
        *("conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "einsum"),
        *("gru_cell", "linear", "lstm_cell", "matmul", "mm", "multi_dot", "mv", "rnn_relu_cell", "rnn_tanh_cell"),
        *("scaled_dot_product_attention", "multi_head_attention_forward"),
    ]
)
"""The functions and methods that autocast runs in its low precision, on the CPU or on CUDA."""

RAISED = frozenset(
    [
        *("acos", "asin", "binary_cross_entropy", "binary_cross_entropy_with_logits", "cdist", "cosh"),
        *("cosine_embedding_loss", "cosine_similarity", "cross_entropy", "cumprod", "cumsum", "dist", "erfinv", "exp"),
        *("expm1", "group_norm", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "layer_norm", "log"),
        *("log10", "log1p", "log2", "log_softmax", "margin_ranking_loss", "mse_loss", "multi_margin_loss"),
        *("multilabel_margin_loss", "nll_loss", "norm", "normalize", "pdist", "poisson_nll_loss", "pow", "prod"),
        *("reciprocal", "renorm", "rsqrt", "sinh", "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin"),
        *("softplus", "sum", "tan", "triplet_margin_loss"),
    ]
)
"""The functions and methods that autocast runs in float32."""

_MODULES_LOWERED = (
    *("Bilinear", "Conv", "GRU", "LSTM", "LazyConv", "LazyLinear", "Linear", "MultiheadAttention", "RNN"),
    "Transformer",
)
_MODULES_RAISED = ("CosineSimilarity", "GroupNorm", "LayerNorm", "LogSoftmax", "Softmax", "Softmin", "Softplus")


def lowers(module: str) -> bool:
    """Tell whether autocast runs a module of torch, given the name of its class, in its low precision."""
    return module.startswith(_MODULES_LOWERED)


def raises(module: str) -> bool:
    """Tell whether autocast runs a module of torch, given the name of its class, in float32."""
    return module in _MODULES_RAISED or module.endswith("Loss")
