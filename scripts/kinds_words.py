"""Guesses what a parameter takes from its name."""

from __future__ import annotations

import re
from typing import Any

import torch

WIDTH = 16
_NUMBERS: tuple[tuple[str, Any], ...] = (
    (r"(image|img|in|input|frame)_?(chan\w*|chs?)|n_?channels?|in_?nc|num_in_ch|inchannel", 3),
    (r"out_?nc|num_out_ch|(num|n)_?class\w*|n_?labels?|n_?src|n_?spk\w*", 3),
    (r"image_?size|img_?size|input_size|resolution|crop_size", 32),
    (r"patch_?size", 8),
    (r"kernel\w*|ksize|filter_size", 3),
    (r"strides?|dilations?|groups?|scale|upscale|factor|order|hop\w*", 1),
    (r"(num|n)_?heads?|heads?|nheads?|attention_heads", 2),
    (r"dim_?heads?|head_?dim", 8),
    (r"\w*(layers|depth|blocks|stages|repeats|stacks|steps|iters|iterations|flows|epochs)", 2),
    (r"(num|n|max)_\w*", 8),
    (r"\w*(dims?|channels?|chs?|features?|feats?|filters?|hidden|size|units|width|nf|planes|length|len|nc)", WIDTH),
    (r"(n|d|c|h|w|b|in|out|k)", WIDTH),
    (r"\w*(vocab|tokens|embeddings)\w*", 32),
    (
        r"\w*(eps|epsilon|dropout|rate|prob|alpha|beta|gamma|lr|sigma|std|temperature|margin|momentum|weight_decay|decay)",
        0.1,
    ),
    (r"(use|is|has|with|do|return|enable)_\w+|bias|causal|train(ing)?|bidirectional|normalize|verbose", True),
    (r"device", "cpu"),
    (r"reduction", "mean"),
    (r"sample_rate|sr|fs|sampling_rate", 8000),
)
_COMPILED = tuple((re.compile(pattern), value) for pattern, value in _NUMBERS)
_MASKS = re.compile(r"\w*masks?|\w*_?pad")
_LENGTHS = re.compile(r"\w*(lens?|lengths?)")
_INDICES = re.compile(
    r"\w*(ids?|idx|index|indices|labels?|targets?|tokens?|steps?|timesteps?|t|y|edge_index|users?|items?)"
)
_NETWORKS = re.compile(r"model|net|network|module|encoder|decoder|backbone|classifier|actor|policy")


def plain_by_name(name: str) -> Any:
    """Return a number, a string or a network for a parameter, or None where a tensor is likelier."""
    word = name.lower()
    if _NETWORKS.fullmatch(word):
        return torch.nn.Sequential(
            torch.nn.Conv2d(3, 3, 3, padding=1), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
        )
    return next((value for pattern, value in _COMPILED if pattern.fullmatch(word)), None)


def tensor_by_name(name: str, shape: tuple[int, ...]) -> torch.Tensor | None:
    """Return a mask, lengths or indices that go with tensors of a shape, where the name says so."""
    word = name.lower()
    if _MASKS.fullmatch(word):
        return torch.rand(shape[:2]) > 0.3
    if _LENGTHS.fullmatch(word) and len(shape) > 1:
        return torch.randint(1, max(2, shape[1]), shape[:1])
    if _INDICES.fullmatch(word):
        return torch.randint(0, 3, shape[:1])
    return None
