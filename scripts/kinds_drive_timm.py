"""Runs timm: models of every family, all optimizers, layers, losses and what mixes a batch."""

from __future__ import annotations

from functools import partial
from typing import Any

import timm
import timm.data
import timm.data.random_erasing
import timm.optim
import timm.utils
import torch
from kinds_exercise import Session, backward, differentiate, generic, submodules

_SMALL = ("nano", "atto", "femto", "pico", "xxs", "tiny", "_xs", "mini", "small", "_s", "18", "b0", "_0", "050", "12")


def drive(session: Session) -> None:
    """Models first, as they are most of the package."""
    models = session.part(0.55)
    for name in _names():
        _model(models, name)
    _training(session)
    generic(session, list(submodules(session, "timm", skip=("timm.models", "timm.data.readers"))))


def _names() -> list[str]:
    """Two models of each file, a small one and another; first all the small ones."""
    found: list[tuple[int, str]] = []
    for file in timm.list_modules():
        names = sorted(timm.list_models(module=file), key=lambda n: (_rank(n), len(n), n))
        third = len(names) // 3
        found += enumerate([*names[:1], *names[third : third + 1]] if third else names)
    return [name for _, name in sorted(found)]


def _rank(name: str) -> int:
    return next((i for i, word in enumerate(_SMALL) if word in name), len(_SMALL))


def _model(session: Session, name: str) -> None:
    """Forward and backward of one model, and its features."""
    size = 64
    made = session.attempt("model made", partial(timm.create_model, name, img_size=size, num_classes=5), 15)
    if made is None:
        made = session.attempt("model made", partial(timm.create_model, name, num_classes=5), 15)
        if made is None:
            return
        size = made.default_cfg["input_size"][-1] if made.default_cfg.get("fixed_input_size") else 96
    image = torch.rand(2, 3, size, size)
    session.attempt("model forward", partial(differentiate, made, {"x": image}), 15)
    session.attempt("model eval", partial(made.eval(), image[:1]), 8)
    for method in ("forward_intermediates", "forward_features"):
        if hasattr(made, method):
            session.attempt(f"model {method}", partial(getattr(made, method), image[:1]), 8)
    for method in ("reset_classifier", "group_matcher", "no_weight_decay", "set_input_size"):
        if hasattr(made, method):
            options = {"reset_classifier": (0,), "set_input_size": ((size * 2, size * 2),)}.get(method, ())
            session.attempt(f"model {method}", partial(getattr(made, method), *options), 3)


def _training(session: Session) -> None:
    for name in timm.optim.list_optimizers():
        for options in ({}, {"weight_decay": 0.1}, {"momentum": 0.9}, {"caution": True}, {"foreach": False}):
            session.attempt("optimizer", partial(_optimize, name, options))
    for mode in ("batch", "pair", "elem"):
        mix = timm.data.Mixup(0.8, 1.0, mode=mode, num_classes=5)
        for _ in range(4):
            session.attempt("mixup", partial(mix, torch.rand(4, 3, 16, 16), torch.randint(0, 5, (4,))))
    for mode in ("const", "rand", "pixel"):
        erase = timm.data.random_erasing.RandomErasing(probability=1.0, mode=mode, device="cpu")
        session.attempt("erasing", partial(erase, torch.rand(3, 32, 32)))
        session.attempt("erasing", partial(erase, torch.rand(4, 3, 32, 32)))
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    for average in (timm.utils.ModelEma, timm.utils.ModelEmaV2, timm.utils.ModelEmaV3):
        made = session.attempt("averages", partial(average, model))
        if made is not None:
            session.attempt("averages", partial(made.update, model))
    for options in ({"use_warmup": True}, {"foreach": False}, {"foreach": True}):
        session.attempt("averages", partial(timm.utils.ModelEmaV3(model, **options).update, model, step=3))
    for mode in ("norm", "value", "agc"):
        backward(model(torch.rand(4, 4)))
        session.attempt("clip", partial(timm.utils.dispatch_clip_grad, list(model.parameters()), 0.1, mode))


def _optimize(name: str, options: dict[str, Any]) -> None:
    """Seven steps: several optimizers start in earnest after the fifth."""
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 5))
    optimizer = timm.optim.create_optimizer_v2(model, opt=name, lr=0.01, **options)
    for _ in range(7):
        optimizer.zero_grad()
        model(torch.rand(2, 3, 8, 8)).square().sum().backward(create_graph="hessian" in name)
        optimizer.step()
