"""Runs diffusers: schedulers, models shrunk by their signatures, and all functions and modules that tensors fit."""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import diffusers
import torch
from kinds_exercise import Session, differentiate, generic, members, options, submodules

_SWITCHES = ("enable_tiling", "enable_slicing", "fuse_qkv_projections", "set_default_attn_processor")
_MOST_PARAMETERS = 100_000_000
_CHOICES: dict[str, list[Any]] = {
    "prediction_type": ["epsilon", "sample", "v_prediction", "flow_prediction"],
    "algorithm_type": ["dpmsolver", "dpmsolver++", "sde-dpmsolver", "sde-dpmsolver++", "deis"],
    "solver_order": [1, 2, 3],
    "beta_schedule": ["linear", "scaled_linear", "squaredcos_cap_v2", "trained_betas"],
    "timestep_spacing": ["linspace", "leading", "trailing"],
    "solver_type": ["midpoint", "heun", "bh1", "bh2"],
    "variance_type": ["fixed_small", "fixed_small_log", "fixed_large", "learned", "learned_range"],
}
_SIZES: dict[str, Any] = {
    "num_layers": 1,
    "num_single_layers": 1,
    "num_attention_heads": 2,
    "attention_head_dim": 8,
    "num_key_value_heads": 2,
    "sample_size": 8,
    "layers_per_block": 1,
    "block_out_channels": (32, 64),
    "norm_num_groups": 8,
    "cross_attention_dim": 16,
    "joint_attention_dim": 16,
    "pooled_projection_dim": 16,
    "caption_channels": 16,
    "caption_projection_dim": 16,
    "text_embed_dim": 16,
    "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"),
    "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D"),
    "axes_dims_rope": (2, 2, 4),
    "rope_axes_dim": (2, 2, 4),
    "num_vector_embeds": 16,
    "ffn_dim": 32,
    "freq_dim": 16,
    "text_dim": 16,
    "hidden_size": 16,
    "inner_dim": 16,
    "in_channels": 4,
    "out_channels": 4,
    "latent_channels": 4,
    "base_dim": 16,
    "decoder_base_dim": 16,
    "depth": 1,
}
_IMAGES = [
    (1, 4, 8, 8),
    (1, 4, 3, 8, 8),
    (1, 4, 16, 16),
    (1, 3, 32, 32),
    (1, 3, 5, 32, 32),
    (1, 16, 4),
    (1, 4, 16),
    (1, 3, 4, 8, 8),
    (1, 3, 64, 64),
]
_TEXTS = [(1, 4, 16), (1, 4, 32), (1, 4, 768), (1, 4, 1024), (1, 4, 4096)]
_POOLED = [(1, 16), (1, 768), (1, 32)]


def drive(session: Session) -> None:
    """Schedulers, models, then the rest."""
    _schedulers(session.part(0.15))
    modules = list(submodules(session, "diffusers.models", skip=("flax",)))
    classes = [cls for module in modules for cls in members(module, _is_model)]
    session.shuffle(classes)
    models = session.part(0.7)
    for cls in classes:
        _model(models, cls)
    modules += submodules(
        session.part(0.5), "diffusers", skip=("diffusers.models", "commands", "flax", "dummy", "onnx")
    )
    generic(session, modules)


# -- schedulers -------------------------------------------------------------------------------------------------------


def _schedulers(session: Session) -> None:
    for name in sorted(n for n in dir(diffusers) if n.endswith("Scheduler") and "Flax" not in n):
        cls = getattr(diffusers, name)
        if inspect.isclass(cls):
            for given in _variants(cls):
                made = session.attempt("scheduler made", partial(cls, **given))
                if made is not None and hasattr(made, "step"):
                    session.attempt("scheduler", partial(_steps, made))
                    for option, value in options(made.step, {}):
                        session.attempt("scheduler", partial(_steps, made, **{option: value}))


def _variants(cls: Any) -> Iterator[dict[str, Any]]:
    yield {}
    known = inspect.signature(cls.__init__).parameters
    for option, value in options(cls.__init__, {}):
        yield {option: value}
    for option, values in _CHOICES.items():
        if option in known:
            yield from ({option: value} for value in values)


def _steps(scheduler: Any, **given: Any) -> None:
    sample = torch.rand(2, 3, 8, 8)
    scheduler.set_timesteps(5)
    for time in scheduler.timesteps:
        if hasattr(scheduler, "scale_model_input"):
            scheduler.scale_model_input(sample, time)
        found = scheduler.step(torch.rand_like(sample), time, sample, **given)
        sample = found[0] if isinstance(found, tuple) else found.prev_sample
    for method in ("add_noise", "get_velocity"):
        if hasattr(scheduler, method):
            getattr(scheduler, method)(sample, torch.rand_like(sample), scheduler.timesteps[:2])


# -- models -----------------------------------------------------------------------------------------------------------


def _is_model(thing: object) -> bool:
    return inspect.isclass(thing) and issubclass(thing, diffusers.ModelMixin) and thing is not diffusers.ModelMixin


def _model(session: Session, cls: Any) -> None:
    """Make a model as small as its signature allows, else with its own block types, and run it."""
    known = inspect.signature(cls.__init__).parameters
    small = {n: v for n, v in _SIZES.items() if n in known}
    blocks = {n: v for n, v in small.items() if not n.endswith("block_types") and n != "block_out_channels"}
    for given in (small, blocks, {}):
        size = session.attempt("model sized up", partial(_size, cls, given), 20)
        made = session.attempt("model made", partial(cls, **given), 20) if size and size < _MOST_PARAMETERS else None
        if made is None:
            continue
        for inputs in _inputs(made):
            if session.is_over:
                return
            if session.attempt("model forward", partial(differentiate, made, inputs), 5) is not None:
                for switch in _SWITCHES:
                    if hasattr(made, switch):
                        session.attempt(switch, getattr(made, switch))
                        session.attempt("model forward", partial(made, **inputs), 10)
                return


def _size(cls: Any, given: dict[str, Any]) -> int:
    """The number of parameters that a model would have."""
    with torch.device("meta"):
        return sum(p.numel() for p in cls(**given).parameters())


def _inputs(model: Any) -> Iterator[dict[str, Any]]:
    chooser = random.Random(0)
    known = inspect.signature(model.forward).parameters
    for _ in range(40):
        given: dict[str, Any] = {}
        for number, (name, parameter) in enumerate(known.items()):
            if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                value = _input(name, number == 0, parameter.default is parameter.empty, chooser)
                if value is not None:
                    given[name] = value
        yield given


def _input(name: str, is_first: bool, is_required: bool, chooser: random.Random) -> Any:
    if "timestep" in name or name in ("t", "sigma", "guidance"):
        return torch.tensor([3.0]) if chooser.random() < 0.6 else torch.tensor([3])
    if "txt_ids" in name or "img_ids" in name:
        return torch.zeros(4 if "txt" in name else 16, 3)
    if "pooled" in name:
        return torch.rand(chooser.choice(_POOLED))
    if name == "encoder_hidden_states" or (is_required and any(w in name for w in ("text", "caption", "prompt"))):
        return torch.rand(chooser.choice(_TEXTS))
    if is_required and "mask" in name:
        return torch.ones(1, 4, dtype=torch.bool)
    if is_required and name in ("num_frames", "height", "width", "frame_rate"):
        return 4
    return torch.rand(chooser.choice(_IMAGES)) if is_first or is_required else None
