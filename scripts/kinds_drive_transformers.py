"""Runs transformers: the models of every modeling file with small configurations, and the rest by guessed arguments."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
import transformers
import transformers.models
from kinds_exercise import Session, backward, generic, members, submodules

_MOST_PARAMETERS = 150_000_000
_SIZES: dict[str, int] = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "embed_dim", "dim", "hidden_dim", "mask_feature_size"), 32),
    **dict.fromkeys(("feature_size",), 32),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers"), 2),
    **dict.fromkeys(("num_decoder_layers", "num_encoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads"), 4),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 4),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "d_ff"), 37),
    **dict.fromkeys(("max_position_embeddings", "n_positions"), 128),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "prediction_length"), 4),
    **dict.fromkeys(("q_lora_rank", "kv_lora_rank", "moe_intermediate_size", "num_mel_bins", "projection_dim"), 16),
    **dict.fromkeys(("head_dim", "d_kv", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"), 8),
    **dict.fromkeys(("patch_size", "num_queries", "context_length"), 8),
    "num_key_value_heads": 2,
    "num_experts_per_tok": 2,
    "vocab_size": 99,
    "image_size": 32,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
}
_FEWER_LAYERS = ("num_hidden_layers", "encoder_layers", "decoder_layers", "n_layer")
_GENERATION: list[dict[str, Any]] = [{}, {"do_sample": True, "top_k": 5, "top_p": 0.9}, {"num_beams": 2}]


def drive(session: Session) -> None:
    """Models in random order, as long as the time allows; the rest has a share of its own."""
    names = sorted(i.name for i in pkgutil.iter_modules(transformers.models.__path__) if i.ispkg)
    session.shuffle(names)
    models = session.part(0.85)
    for name in names:
        if models.is_over:
            break
        path = f"transformers.models.{name}.modeling_{name}"
        loaded = models.attempt("import", partial(importlib.import_module, path), 30)
        if loaded is not None:
            for cls in members(loaded, _is_model):
                _model(models, cls)
    skip = ("transformers.models", "cli", "testing", "dependency", "dummy")
    generic(session, list(submodules(session.part(0.5), "transformers", skip=skip)))


def _is_model(thing: object) -> bool:
    if not inspect.isclass(thing) or not issubclass(thing, transformers.PreTrainedModel):
        return False
    has_forward = any("forward" in vars(c) for c in thing.__mro__[:2])
    return (
        has_forward and thing is not transformers.PreTrainedModel and getattr(thing, "config_class", None) is not None
    )


def _model(session: Session, cls: Any) -> None:
    """Make a model, run it with the first kind of input that fits, with labels, and generate."""
    made = session.attempt("model made", partial(_made, cls, shrink), 12)
    if made is None:
        made = session.attempt("model made", partial(_made, cls, _only_fewer_layers), 12)
    if made is None or sum(p.numel() for p in made.parameters()) > _MOST_PARAMETERS:
        return
    made.train()
    found = (a for a in _inputs(made) if session.attempt("forward", partial(_differentiate, made, a), 10))
    inputs = next(found, None)
    if inputs is None:
        return
    made.eval()
    for labels in _labels(made):
        session.attempt("loss", partial(_differentiate, made, {**inputs, **labels}), 10)
    if made.can_generate():
        for given in _GENERATION:
            session.attempt("generate", partial(made.generate, **inputs, max_new_tokens=3, **given), 10)


def _made(cls: Any, smaller: Any) -> Any:
    config = cls.config_class()
    smaller(config)
    return cls(config)


def shrink(config: Any, depth: int = 0) -> None:
    """Set the sizes of a configuration, and of those inside it, to small numbers."""
    for name, value in list(vars(config).items()):
        if isinstance(value, transformers.PretrainedConfig) and depth < 3:
            shrink(value, depth + 1)
        elif name in _SIZES and isinstance(value, int) and not isinstance(value, bool):
            setattr(config, name, min(value, _SIZES[name]) if value else _SIZES[name])
        elif name in ("layer_types", "mlp_layer_types") and isinstance(value, list):
            setattr(config, name, value[:1] + value[-1:])


def _only_fewer_layers(config: Any) -> None:
    for name in _FEWER_LAYERS:
        if isinstance(getattr(config, name, None), int):
            setattr(config, name, 2)
    if isinstance(getattr(config, "vocab_size", None), int):
        config.vocab_size = 99


def _differentiate(model: Any, inputs: dict[str, Any]) -> bool:
    result = model(**inputs)
    backward(result.loss if getattr(result, "loss", None) is not None else dict(result))
    return True


def _inputs(model: Any) -> Iterator[dict[str, Any]]:
    """Texts, images, sounds, series and combinations of them, as far as the forward takes them."""
    vision = getattr(model.config, "vision_config", model.config)
    size = _image_size(vision)
    channels = getattr(vision, "num_channels", 3) or 3
    text = {"input_ids": torch.randint(3, 90, (2, 8)), "attention_mask": torch.ones(2, 8, dtype=torch.long)}
    decoder = {"decoder_input_ids": torch.randint(3, 90, (2, 8))}
    boxes = {"bbox": torch.randint(0, 5, (2, 8, 4))}
    images = [{"pixel_values": torch.rand(2, channels, s, s)} for s in (size, 64, 224)]
    sounds = [
        {"input_values": torch.rand(2, 4000)},
        {"input_features": torch.rand(2, 16, 200)},
        {"input_features": torch.rand(2, 40, 16)},
    ]
    others = [
        {
            "past_values": torch.rand(2, 15),
            "past_time_features": torch.rand(2, 15, 1),
            "past_observed_mask": torch.ones(2, 15),
            "future_time_features": torch.rand(2, 4, 1),
        },
        {"past_values": torch.rand(2, 32, 1)},
        {"hidden_states": torch.rand(2, 8, 32)},
        {"inputs_embeds": torch.rand(2, 8, 32)},
        {"pixel_values": torch.rand(2, 4, channels, size, size)},
        {**text, **boxes},
        {**text, **boxes, **images[0]},
    ]
    together = [{**text, **images[0]}, {**text, **decoder}, *({**s, **decoder} for s in sounds)]
    names = inspect.signature(model.forward).parameters.keys() | {"attention_mask"}
    for given in (*together, text, *images, *sounds, *others):
        if given.keys() <= names:
            yield given


def _image_size(config: Any) -> int:
    size = getattr(config, "image_size", 32) or 32
    return size if isinstance(size, int) else int(size[0])


def _labels(model: Any) -> Iterator[dict[str, Any]]:
    names = inspect.signature(model.forward).parameters
    size = _image_size(model.config)
    masks = torch.ones(1, size, size)
    if "labels" in names:
        box = {"class_labels": torch.tensor([1]), "boxes": torch.rand(1, 4) / 2 + 0.2, "masks": masks}
        for shape in ((2, 8), (2,), (2, size, size)):
            yield {"labels": torch.randint(0, 2, shape)}
        yield {"labels": [box, box]}
    if "start_positions" in names:
        yield {"start_positions": torch.tensor([1, 2]), "end_positions": torch.tensor([2, 3])}
    if "return_loss" in names:
        yield {"return_loss": True}
    if "mask_labels" in names:
        yield {"mask_labels": [masks, masks], "class_labels": [torch.tensor([1])] * 2}
