"""Calls written by hand, for what torch's own samples leave out: the arguments as source, see `torchapi_samples.names`."""

from __future__ import annotations

# Their OpInfo passes the arguments in another order.
HAND_ONLY = {"torch.where", "torch.einsum", "torch.nn.functional.embedding", "torch.nn.functional.embedding_bag"}

_STATISTICS = "v, torch.ones(3)"  # running mean and variance
_POOLED = {
    f"{place}.{name}": (arguments, arguments + ", return_indices=True") if place == "torch.nn.functional" else (arguments,)
    for place in ("torch", "torch.nn.functional")
    for name, arguments in (("max_pool1d", "b, 2"), ("max_pool2d", "im, 2"), ("max_pool3d", "im[None], 2"))
} | {
    "torch.nn.functional.max_pool2d_with_indices": ("im, 2",),
    "torch.nn.functional.max_pool3d_with_indices": ("im[None], 2",),
    "torch.pca_lowrank": ("x, 2",),
    "torch.svd_lowrank": ("x, 2",),
}

CALLS: dict[str, tuple[str, ...]] = _POOLED | {
    # methods
    "Tensor.coalesce": ("s",),
    "Tensor.cpu": ("x",),
    "Tensor.dim_order": ("x",),
    "Tensor.new_tensor": ("x, [1.0, 2.0]", "x, y"),
    "Tensor.smm": ("s, x",),
    "Tensor.sum_to_size": ("x, 3, 3", "x, (1, 3)"),
    "Tensor.to_dense": ("s", "x"),
    "Tensor.to_sparse_bsc": ("torch.rand(4, 4), (2, 2)",),
    "Tensor.to_sparse_bsr": ("torch.rand(4, 4), (2, 2)",),
    "Tensor.to_sparse_coo": ("x",),
    "Tensor.to_sparse_csc": ("x",),
    "Tensor.to_sparse_csr": ("x",),
    "Tensor.type_as": ("x, y", "x, i"),
    "Tensor.unsafe_split_with_sizes": ("x, (1, 2)",),
    "Tensor.detach_": ("x",),
    "Tensor.t_": ("x",),
    "Tensor.renorm_": ("x, 2, 0, 1.0",),
    # torch
    "torch.adaptive_max_pool1d": ("b, 2",),
    "torch.alpha_dropout": ("x, 0.5, True", "x, 0.5, False"),
    "torch.batch_norm": (
        f"b, v, v, {_STATISTICS}, True, 0.1, 1e-5, False",
        f"b, v, v, {_STATISTICS}, False, 0.1, 1e-5, False",
        "b, v, v, None, None, True, 0.1, 1e-5, False",
    ),
    "torch.chain_matmul": ("x, y, x",),
    "torch.cosine_embedding_loss": ("x, y, torch.ones(3)", "x, y, -torch.ones(3)"),
    "torch.ctc_loss": (
        "torch.rand(5, 2, 4).log_softmax(2), torch.tensor([[1, 2], [3, 1]]), torch.tensor([5, 5]), torch.tensor([2, 2])",
    ),
    "torch.dropout": ("x, 0.5, True", "x, 0.5, False", "x, 0.0, True"),
    "torch.dsmm": ("s, x",),
    "torch.einsum": ("'ij,jk->ik', x, y", "'ij->ji', x", "'ij,ij->', x, y", "'ij,ij->ij', x, y", "'ii->i', x"),
    "torch.embedding": ("x, i",),
    "torch.embedding_bag": ("x, i, torch.tensor([0])",),
    "torch.fake_quantize_per_channel_affine": ("x, v, torch.zeros(3, dtype=torch.int32), 0, 0, 255",),
    "torch.fake_quantize_per_tensor_affine": ("x, 0.1, 0, 0, 255",),
    "torch.feature_alpha_dropout": ("im, 0.5, True", "im, 0.5, False"),
    "torch.feature_dropout": ("im, 0.5, True", "im, 0.5, False"),
    "torch.frobenius_norm": ("x, (0, 1)",),
    "torch.grid_sampler": ("im, torch.rand(2, 5, 5, 2) * 2 - 1, 0, 0, False",),
    "torch.gru_cell": ("x, y, torch.rand(9, 3), torch.rand(9, 3), torch.rand(9), torch.rand(9)",),
    "torch.hinge_embedding_loss": ("x, torch.ones(3, 3)", "x, -torch.ones(3, 3)"),
    "torch.hsmm": ("s, x",),
    "torch.instance_norm": (
        f"b, v, v, {_STATISTICS}, True, 0.1, 1e-5, False",
        f"b, v, v, {_STATISTICS}, False, 0.1, 1e-5, False",
    ),
    "torch.kl_div": ("x, y", "x, y, 1, log_target=True"),
    "torch.lstm_cell": ("x, (x, y), torch.rand(12, 3), torch.rand(12, 3), torch.rand(12), torch.rand(12)",),
    "torch.margin_ranking_loss": ("x, y, torch.ones(3, 3)",),
    "torch.max_pool1d_with_indices": ("b, 2",),
    "torch.native_channel_shuffle": ("im, 2",),
    "torch.norm_except_dim": ("x",),
    "torch.nuclear_norm": ("x",),
    "torch.poisson_nll_loss": ("x, y, True, False, 1e-8, 1", "x, y, False, True, 1e-8, 1"),
    "torch.rnn_relu_cell": ("x, y, torch.rand(3, 3), torch.rand(3, 3), v, v",),
    "torch.rnn_tanh_cell": ("x, y, torch.rand(3, 3), torch.rand(3, 3), v, v",),
    "torch.saddmm": ("x, s, y",),
    "torch.smm": ("s, x",),
    "torch.spmm": ("s, x",),
    "torch.unravel_index": ("i, (3, 3)",),
    "torch.unsafe_split_with_sizes": ("x, (1, 2)",),
    "torch.where": ("m, x, y", "m, x, 0.0", "m"),
    "torch.sparse.addmm": ("x, s, y",),
    "torch.sparse.log_softmax": ("s, 1",),
    "torch.sparse.softmax": ("s, 1",),
    "torch.sparse.sum": ("s", "s, 0"),
    "torch.special.gammainc": ("x, y",),
    "torch.special.gammaincc": ("x, y",),
    "torch.special.polygamma": ("1, x",),
    # torch.nn.functional
    "torch.nn.functional.adaptive_max_pool1d_with_indices": ("b, 2",),
    "torch.nn.functional.adaptive_max_pool2d_with_indices": ("im, 2",),
    "torch.nn.functional.adaptive_max_pool3d_with_indices": ("im[None], 2",),
    "torch.nn.functional.affine_grid": ("torch.rand(2, 2, 3), (2, 1, 4, 4)", "torch.rand(2, 3, 4), (2, 1, 4, 4, 4)"),
    "torch.nn.functional.dropout1d": ("b, 0.5, True", "b, 0.5, False"),
    "torch.nn.functional.embedding": ("i, x", "i, x, 0", "i, x, None, None, 2.0, True"),
    "torch.nn.functional.embedding_bag": (
        "i, x, torch.tensor([0])",
        "i, x, torch.tensor([0]), mode='sum', per_sample_weights=torch.rand(2)",
        "i, x, torch.tensor([0]), mode='max'",
    ),
    "torch.nn.functional.fold": ("torch.rand(2, 12, 9), (4, 4), 2",),
    "torch.nn.functional.fractional_max_pool2d_with_indices": ("im, 2, output_size=3",),
    "torch.nn.functional.fractional_max_pool3d_with_indices": ("im[None], 2, output_size=2",),
    "torch.nn.functional.gumbel_softmax": ("x", "x, 1.0, True"),
    "torch.nn.functional.interpolate": ("im, scale_factor=2", "im, 3"),
    "torch.nn.functional.lp_pool1d": ("b, 2.0, 2", "b, 3.0, 2, 1"),
    "torch.nn.functional.lp_pool2d": ("im, 2.0, 2", "im, 3.0, 2, 1"),
    "torch.nn.functional.lp_pool3d": ("im[None], 2.0, 2",),
    "torch.nn.functional.max_pool1d_with_indices": ("b, 2",),
    "torch.nn.functional.native_channel_shuffle": ("im, 2",),
    "torch.nn.functional.one_hot": ("i", "i, 5"),
    "torch.nn.functional.unfold": ("im, 2", "im, 1", "im[..., :1, :1], 1"),
    "torch.nn.functional.upsample": tuple(
        f"{tensor}, scale_factor=2{mode}"
        for tensor, modes in (("im", ("", "nearest", "bilinear", "bicubic")), ("b", ("linear",)), ("im[None]", ("trilinear",)))
        for mode in (f", mode='{m}'" if m else "" for m in modes)
    ),
    # torch.nn.utils
    "torch.nn.utils.get_total_norm": ("[x, y]",),
    "torch.nn.utils.parameters_to_vector": ("[x, y]", "[x]"),
    "torch.nn.utils.rnn.invert_permutation": ("torch.tensor([1, 0, 2])", ),
    "torch.nn.utils.rnn.pad_sequence": ("[v, torch.rand(2)]", "[v]", "[x]"),
    "torch.nn.utils.rnn.unpad_sequence": ("x, torch.tensor([3, 2, 1])",),
}
