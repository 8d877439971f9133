"""Where the plain functional form may have another dtype than the in-place one had."""

from __future__ import annotations

from unplace import torchapi
from unplace.analysis.arithmetic import keeps_dtype, promoted
from unplace.analysis.run import WriteKind
from unplace.analysis.values import DISCRETE, TENSOR, Token
from unplace.sites import Site


def assumption(site: Site) -> tuple[str, ...]:
    """What is taken for granted of the operands' dtypes, in words; nothing where they are known."""
    kind = site.write.kind
    if kind is WriteKind.METHOD:
        method = torchapi.inplace_method(site.write.name)
        if method is None or method.dtype != "promotes":
            return ()
    elif kind is WriteKind.FUNCTION:
        function = torchapi.inplace_function(site.write.name)
        if function is None or function.dtype != "promotes":
            return ()
    elif kind is WriteKind.OUT:
        known = site.value.dtype is not None and site.value.dtype == result_dtype(site)
        return () if known else (f"`{site.name}` has the dtype of the result in line {site.statement.lineno}",)
    elif kind is not WriteKind.AUGMENTED:
        return ()
    if not needs_cast(site) and any(keeps_dtype(site.value, o) is None for o in site.write.operands):
        return (f"the operands of line {site.statement.lineno} don't have a wider dtype than `{site.name}`",)
    return ()


def casts(site: Site, verdict: str) -> bool:
    """Whether a functional form needs `.to(x.dtype)`, given what the operator table says of its dtype."""
    if verdict == "bool":
        return site.value.dtype != "bool"
    if verdict == "accumulates":  # sums of narrow integers are int64 out of place
        return site.value.dtype in DISCRETE and site.value.dtype != "int64"
    return verdict == "promotes" and needs_cast(site)


def needs_cast(site: Site) -> bool:
    """Whether out of place the result would (or, under autocast, could) have another dtype than the target."""
    known = [keeps_dtype(site.value, operand) for operand in site.write.operands]
    return False in known or (None in known and (site.write.autocast or site.program.preserve_dtype))


def result_dtype(site: Site) -> Token:
    """The dtype of what a function with `out=` computes, where it follows from its operands."""
    tensors = [o for o in site.write.operands if o.may_be(TENSOR)]
    if not tensors:
        return None
    dtype = tensors[0].dtype
    for other in tensors[1:]:
        dtype = promoted(dtype, other.dtype)
    return dtype
