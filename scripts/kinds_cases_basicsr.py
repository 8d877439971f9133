"""Small networks on images and videos."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import torch
from kinds_cases import Case, trained
from kinds_exercise import is_module_class, members


def cases() -> Iterator[Case]:
    """Yield the cases of basicsr."""
    import pkgutil

    import basicsr.archs
    from kinds_exercise import required

    shapes = [(1, 3, 32, 32), (1, 3, 64, 64), (1, 5, 3, 32, 32), (1, 7, 3, 64, 64), (2, 512), (1, 3, 128, 128)]
    small = {
        "num_feat": 16,
        "num_block": 1,
        "num_grow_ch": 8,
        "embed_dim": 16,
        "num_in_ch": 3,
        "num_out_ch": 3,
        "out_size": 32,
        "depths": (1, 1),
        "num_heads": (2, 2),
        "img_size": 32,
        "num_frame": 5,
        "num_extract_block": 1,
        "num_reconstruct_block": 1,
        "deformable_groups": 1,
        "num_style_feat": 32,
        "num_mlp": 2,
        "channel_multiplier": 1,
        "n_colors": 3,
        "dim_embd": 16,
        "codebook_size": 16,
        "input_size": 32,
        "num_feats": 16,
    }
    for info in pkgutil.iter_modules(basicsr.archs.__path__, "basicsr.archs."):
        try:
            module = importlib.import_module(info.name)
        except Exception:
            continue
        for cls in members(module, is_module_class):
            if any(p.name not in small for p in required(cls)):
                continue
            for shape in shapes:

                def run(cls: Any = cls, shape: Any = shape) -> None:
                    wanted = inspect.signature(cls).parameters
                    model = cls(**{k: v for k, v in small.items() if k in wanted})
                    x = torch.rand(shape)
                    trained(model, [x] if len(shape) == 2 else x)

                yield run
