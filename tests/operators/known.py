"""Wrong results that are known, each with its reason; the sweep fails for others, and for those that are gone."""

from __future__ import annotations

OUT_DTYPE = (
    "UNP008 drops `out=` without a cast under preserve_dtype, though `out` decides the dtype (and the draws) of the "
    "result"
)
FUNCTION_DTYPE = (
    "UNP007 neither records the dtype assumption of a promoting function nor casts under preserve_dtype, as UNP002 does"
)
DETACH_VIEW = "a view made before `detach_` stays in the graph; the view made again is detached"
OVERLAP = "after `as_strided_` with overlapping strides the next write of the chain hits elements more than once"
STRIDED_VIEW = (
    "views are made again behind the function `torch.as_strided_`, a change of metadata that doesn't touch them"
)
STRIDED_GRADIENT = (
    "torch's quirk: after `as_strided_` of its base a live view has a wrong gradient; the rewrite's is right"
)
SILU = "torch's quirk: complex silu in place gives a wrong gradient silently, out of place it says that it has none"
UNTRACKED_COPY = (
    "torch's quirk: with `out=` nothing is recorded; without, complex inputs that require grad are an error"
)
RESIZED = "torch's quirk: `addbmm_` on a smaller target resizes it, so that views show the old memory"
IDENTITY = (
    "torch's quirk: logical operators in place let the gradient through as it is; where the original's backward "
    "raises, the call on the clone shows that gradient instead of zeros"
)
TIES = "torch's quirk: `scatter_reduce` with include_self=False counts equal old values as ties in backward"

KNOWN: dict[tuple[str, str, str], str] = {
    ("torch.clamp_", "dtype", "plain"): FUNCTION_DTYPE,
    ("torch.clamp_max_", "dtype", "plain"): FUNCTION_DTYPE,
    ("torch.clamp_min_", "dtype", "plain"): FUNCTION_DTYPE,
    ("torch.clip_", "dtype", "plain"): FUNCTION_DTYPE,
    ("torch.ldexp_", "dtype", "plain"): FUNCTION_DTYPE,
    ("torch.xlogy_", "dtype", "plain"): FUNCTION_DTYPE,
    ("Tensor.detach_", "gradient", "plain"): DETACH_VIEW,
    ("Tensor.detach_", "requires_grad", "plain"): DETACH_VIEW,
    ("torch.detach_", "gradient", "plain"): DETACH_VIEW,
    ("torch.detach_", "requires_grad", "plain"): DETACH_VIEW,
    ("Tensor.as_strided_", "value", "plain"): OVERLAP,
    ("torch.as_strided_", "value", "plain"): OVERLAP,
    ("torch.as_strided_", "raises", "plain"): STRIDED_VIEW,
    ("Tensor.as_strided_", "gradient", "plain"): STRIDED_GRADIENT,
    ("torch.nn.SiLU(inplace=True)", "raises", "plain"): SILU,
    ("torch.nn.functional.silu(inplace=True)", "raises", "plain"): SILU,
    ("torch.select_copy(out=)", "raises", "plain"): UNTRACKED_COPY,
    ("torch.slice_copy(out=)", "raises", "plain"): UNTRACKED_COPY,
    ("torch.slice_scatter(out=)", "raises", "plain"): UNTRACKED_COPY,
    ("torch.view_as_complex_copy(out=)", "raises", "plain"): UNTRACKED_COPY,
    ("Tensor.addbmm_", "gradient", "plain"): RESIZED,
    ("Tensor.addbmm_", "shape", "plain"): RESIZED,
    ("Tensor.logical_and_", "slope", "plain"): IDENTITY,
    ("Tensor.logical_not_", "slope", "plain"): IDENTITY,
    ("Tensor.logical_or_", "slope", "plain"): IDENTITY,
    ("Tensor.logical_xor_", "slope", "plain"): IDENTITY,
    ("Tensor.scatter_reduce_", "slope", "plain"): TIES,
}
"""(name, kind of difference, mode) -> reason."""

_OUT = {
    "dtype": (
        "abs absolute acos acosh add addcdiv addcmul addr angle arange arccos arccosh arcsin arcsinh arctan "
        "arctan2 arctanh asin asinh atan atan2 atanh bernoulli bitwise_and bitwise_left_shift bitwise_or "
        "bitwise_right_shift bitwise_xor cat cholesky cholesky_inverse cholesky_solve clamp clamp_max clamp_min "
        "clip column_stack concat concatenate copysign cos cosh cumprod cumsum deg2rad digamma div divide dstack "
        "erf erfc erfinv exp exp2 expm1 eye fft.fftfreq fft.hfft fft.hfft2 fft.hfftn fft.irfft fft.irfft2 "
        "fft.irfftn fft.rfftfreq floor_divide fmax fmin fmod full gcd geqrf ger hstack hypot i0 igamma igammac "
        "kron lcm ldexp lerp lgamma linalg.cond linalg.householder_product linalg.lstsq linalg.matrix_power "
        "linalg.matrix_rank linalg.pinv linalg.tensorinv linalg.tensorsolve linspace log log10 log1p log2 "
        "logaddexp logaddexp2 logit logspace logsumexp matrix_power max maximum mean min minimum mul multiply "
        "mvlgamma nanmean nansum nextafter normal ones orgqr outer polygamma pow rad2deg rand randint randn "
        "randperm range reciprocal remainder row_stack rsqrt sigmoid sin sinc sinh special.airy_ai "
        "special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1 special.chebyshev_polynomial_t "
        "special.chebyshev_polynomial_u special.chebyshev_polynomial_v special.chebyshev_polynomial_w "
        "special.digamma special.entr special.erf special.erfc special.erfcx special.erfinv special.exp2 "
        "special.expit special.expm1 special.gammainc special.gammaincc special.gammaln "
        "special.hermite_polynomial_h special.hermite_polynomial_he special.i0 special.i0e special.i1 special.i1e "
        "special.laguerre_polynomial_l special.legendre_polynomial_p special.log1p special.log_ndtr special.logit "
        "special.logsumexp special.modified_bessel_i0 special.modified_bessel_i1 special.modified_bessel_k0 "
        "special.modified_bessel_k1 special.multigammaln special.ndtr special.ndtri special.polygamma special.psi "
        "special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 "
        "special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u "
        "special.shifted_chebyshev_polynomial_v special.shifted_chebyshev_polynomial_w special.sinc "
        "special.spherical_bessel_j0 special.xlog1py special.xlogy special.zeta sqrt square stack std sub "
        "subtract tan tanh threshold true_divide var vstack xlogy zeros"
    ),
    "gradient": ("linalg.tensorinv linalg.tensorsolve special.ndtr"),
    "random": ("normal rand"),
}
KNOWN |= {(f"torch.{n}(out=)", kind, "preserve-dtype"): OUT_DTYPE for kind, ns in _OUT.items() for n in ns.split()}

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
