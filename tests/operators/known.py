"""Wrong results that are known, each with its reason; the sweep fails for others, and for those that are gone."""

from __future__ import annotations

SILU = "torch's quirk: complex silu in place gives a wrong gradient silently, out of place it says that it has none"
UNTRACKED_COPY = (
    "torch's quirk: with `out=` nothing is recorded; without, complex inputs that require grad are an error"
)
IDENTITY = (
    "torch's quirk: logical operators in place let the gradient through as it is; where the original's backward "
    "raises, the call on the clone shows that gradient instead of zeros"
)
TIES = "torch's quirk: `scatter_reduce` with include_self=False counts equal old values as ties in backward"

KNOWN: dict[tuple[str, str, str], str] = {
    ("torch.nn.SiLU(inplace=True)", "raises", "plain"): SILU,
    ("torch.nn.functional.silu(inplace=True)", "raises", "plain"): SILU,
    ("torch.select_copy(out=)", "raises", "plain"): UNTRACKED_COPY,
    ("torch.slice_copy(out=)", "raises", "plain"): UNTRACKED_COPY,
    ("torch.slice_scatter(out=)", "raises", "plain"): UNTRACKED_COPY,
    ("torch.view_as_complex_copy(out=)", "raises", "plain"): UNTRACKED_COPY,
    ("Tensor.logical_and_", "slope", "plain"): IDENTITY,
    ("Tensor.logical_not_", "slope", "plain"): IDENTITY,
    ("Tensor.logical_or_", "slope", "plain"): IDENTITY,
    ("Tensor.logical_xor_", "slope", "plain"): IDENTITY,
    ("Tensor.scatter_reduce_", "slope", "plain"): TIES,
}
"""(name, kind of difference, mode) -> reason."""


NOT_RUN = frozenset(
    {
        "torch.batch_norm_elemt(out=)",
        "torch.ccol_indices_copy(out=)",
        "torch.col_indices_copy(out=)",
        "torch.crow_indices_copy(out=)",
        "torch.cudnn_batch_norm(out=)",
        "torch.cudnn_convolution(out=)",
        "torch.hspmm(out=)",
        "torch.indices_copy(out=)",
        "torch.mkldnn_adaptive_avg_pool2d(out=)",
        "torch.row_indices_copy(out=)",
        "torch.split_copy(out=)",
        "torch.sspaddmm(out=)",
        "torch.values_copy(out=)",
    }
)
"""Names that no program could be run for: other devices, sparse layouts."""
