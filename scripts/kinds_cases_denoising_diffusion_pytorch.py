"""Small diffusion models, trained for a step and sampled from."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import torch
from kinds_cases import Case, trained


def cases() -> Iterator[Case]:  # noqa: C901 - many small ones
    """Yield the cases of denoising_diffusion_pytorch."""
    root = "denoising_diffusion_pytorch"
    small: dict[str, Any] = {"dim": 16, "dim_mults": (1, 2)}
    image = torch.rand(2, 3, 16, 16)
    for file in ("denoising_diffusion_pytorch", "guided_diffusion", "repaint"):
        module = importlib.import_module(f"{root}.{file}")
        for objective in ("pred_noise", "pred_x0", "pred_v"):
            for schedule in ("linear", "cosine", "sigmoid"):
                for extra in ({}, {"sampling_timesteps": 3}, {"offset_noise_strength": 0.1}, {"immiscible": True}):

                    def made(
                        module: Any = module, objective: str = objective, schedule: str = schedule, extra: Any = extra
                    ) -> None:
                        unet = module.Unet(**small, self_condition=bool(extra))
                        options = {"objective": objective, "beta_schedule": schedule, "min_snr_loss_weight": True}
                        model = trained(
                            module.GaussianDiffusion(unet, image_size=16, timesteps=6, **options, **extra), image
                        )
                        model.sample(batch_size=2)
                        model.interpolate(image, image, t=3)

                    yield made

    def repaint() -> None:
        module = importlib.import_module(f"{root}.repaint")
        model = module.GaussianDiffusion(module.Unet(**small), image_size=16, timesteps=30)
        model.sample(gt=image[:1], mask=torch.ones(1, 3, 16, 16))

    yield repaint

    def one_dimensional() -> None:
        module = importlib.import_module(f"{root}.denoising_diffusion_pytorch_1d")
        for objective in ("pred_noise", "pred_x0", "pred_v"):
            for schedule in ("linear", "cosine"):
                for sampling in (None, 3):
                    unet = module.Unet1D(**small, channels=4, self_condition=sampling is not None)
                    options = {"objective": objective, "beta_schedule": schedule, "sampling_timesteps": sampling}
                    model = trained(
                        module.GaussianDiffusion1D(unet, seq_length=16, timesteps=6, **options), torch.rand(2, 4, 16)
                    )
                    model.sample(batch_size=2)

    yield one_dimensional

    def guided() -> None:
        module = importlib.import_module(f"{root}.classifier_free_guidance")
        for objective in ("pred_noise", "pred_x0", "pred_v"):
            for schedule in ("linear", "cosine"):
                for sampling in (None, 3):
                    unet = module.Unet(**small, num_classes=3)
                    options = {"objective": objective, "beta_schedule": schedule, "sampling_timesteps": sampling}
                    model = module.GaussianDiffusion(
                        unet, image_size=16, timesteps=6, min_snr_loss_weight=True, **options
                    )
                    labels = torch.tensor([0, 2])
                    trained(model, image, classes=labels).sample(classes=labels)

    yield guided

    def continuous() -> None:
        unet = importlib.import_module(f"{root}.denoising_diffusion_pytorch").Unet
        for file, name in (
            ("continuous_time_gaussian_diffusion", "ContinuousTimeGaussianDiffusion"),
            ("v_param_continuous_time_gaussian_diffusion", "VParamContinuousTimeGaussianDiffusion"),
            ("elucidated_diffusion", "ElucidatedDiffusion"),
        ):
            cls = getattr(importlib.import_module(f"{root}.{file}"), name)
            for extra in ({}, {"noise_schedule": "learned"}, {"min_snr_loss_weight": True}):
                if not set(extra) - set(inspect.signature(cls).parameters):
                    model = cls(unet(**small, random_fourier_features=True), image_size=16, num_sample_steps=4, **extra)
                    trained(model, image).sample(batch_size=2)
                    if hasattr(model, "sample_using_dpmpp"):
                        model.sample_using_dpmpp(batch_size=2)

    yield continuous

    def learned() -> None:
        unet = importlib.import_module(f"{root}.denoising_diffusion_pytorch").Unet
        for file, name, extra in (
            ("learned_gaussian_diffusion", "LearnedGaussianDiffusion", {"out_dim": 6}),
            ("weighted_objective_gaussian_diffusion", "WeightedObjectiveGaussianDiffusion", {"out_dim": 8}),
        ):
            cls = getattr(importlib.import_module(f"{root}.{file}"), name)
            trained(cls(unet(**small, **extra), image_size=16, timesteps=6), image).sample(batch_size=2)

    yield learned

    def simple() -> None:
        module = importlib.import_module(f"{root}.simple_diffusion")
        for objective in ("v", "eps"):
            model = module.UViT(dim=16, dim_mults=(1, 2), vit_depth=1)
            model = module.GaussianDiffusion(model, image_size=16, num_sample_steps=4, pred_objective=objective)
            trained(model, image).sample(batch_size=2)

    yield simple

    def karras() -> None:
        small = {
            "dim": 16,
            "dim_max": 32,
            "num_downsamples": 1,
            "num_blocks_per_stage": 1,
            "attn_res": (8,),
            "num_classes": 3,
        }
        labels = torch.tensor([0, 2])
        for file, name, size, shape in (
            ("karras_unet", "KarrasUnet", {"image_size": 16}, (2, 4, 16, 16)),
            ("karras_unet_1d", "KarrasUnet1D", {"seq_len": 16}, (2, 4, 16)),
            ("karras_unet_3d", "KarrasUnet3D", {"image_size": 16, "frames": 4}, (2, 4, 4, 16, 16)),
        ):
            model = getattr(importlib.import_module(f"{root}.{file}"), name)(**small, **size)
            trained(model, torch.rand(shape), time=torch.ones(2), class_labels=labels)

    yield karras
