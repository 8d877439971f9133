"""Models for `measure_cost.py`: twenty of each package, with random weights and small inputs.

`MODELS` has their names. `made` returns one as a module with a function that calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

Call = Callable[[Any], Any]
Made = tuple[Any, Call]

_TIMM = (
    *("resnet18", "dla34", "densenet121", "selecsls42", "repghostnet_050", "hrnet_w18_small", "tresnet_m"),
    *("inception_v4", "swin_tiny_patch4_window7_224", "mvitv2_tiny", "crossvit_tiny_240", "swinv2_cr_tiny_224"),
    *("legacy_seresnet18", "resnetv2_50d_evos", "fasternet_t0", "tnt_s_legacy_patch16_224", "nf_resnet26"),
    *("vit_relpos_small_patch16_224", "legacy_xception", "lambda_resnet26t"),
)
_TORCHVISION = ("vgg11", "squeezenet1_1", "googlenet", "mobilenet_v3_small")
_DIFFUSERS = ("UNet2DModel", "AutoencoderKL")


def _images(size: int, channels: int = 3) -> Any:
    import torch

    return torch.rand(2, channels, size, size, requires_grad=True)


def _timm(name: str) -> Made:
    import timm

    size = next((size for size in (224, 240) if str(size) in name), 256 if "lambda" in name else 128)
    x = _images(224 if "mvit" in name else size)
    return timm.create_model(name, num_classes=10), lambda m: m(x)


def _torchvision(name: str) -> Made:
    import torchvision

    x = _images(224)
    return getattr(torchvision.models, name)(weights=None), lambda m: m(x)


def _diffusers(name: str) -> Made:
    import diffusers

    x = _images(64)
    if name == "UNet2DModel":
        down, up = ("DownBlock2D", "AttnDownBlock2D"), ("AttnUpBlock2D", "UpBlock2D")
        options = {"down_block_types": down, "up_block_types": up, "block_out_channels": (32, 64), "norm_num_groups": 8}
        model = diffusers.UNet2DModel(sample_size=64, **options)
        return model, lambda m: m(x, 10, return_dict=False)
    return diffusers.AutoencoderKL(norm_num_groups=8, block_out_channels=(32,)), lambda m: m(x, return_dict=False)


def _of_kornia() -> dict[str, Callable[[], Made]]:
    import kornia
    import kornia.augmentation as augment
    import torch
    from kornia.feature.xfeat import XFeatModel
    from kornia.models.dexined import DexiNed
    from kornia.models.rrdbnet import RRDBNet

    x, other = _images(128), torch.rand(2, 3, 128, 128)
    labels, kernel = torch.randint(0, 3, (2, 128, 128)), torch.ones(5, 5)
    patches, gray = torch.rand(8, 1, 32, 32, requires_grad=True), _images(64, 1)
    nothing = torch.nn.Identity
    losses, changes = kornia.losses, kornia.enhance
    return {
        "RRDBNet": lambda: (RRDBNet(3, 3, num_feat=16, num_block=2), lambda m: m(x[..., :64, :64])),
        "XFeatModel": lambda: (XFeatModel(), lambda m: m(x)),
        "DISK": lambda: (kornia.feature.DISK(), lambda m: m.heatmap_and_dense_descriptors(x)),
        "DexiNed": lambda: (DexiNed(pretrained=False), lambda m: m(x)),
        "KeyNet": lambda: (kornia.feature.KeyNet(pretrained=False), lambda m: m(gray)),
        "HardNet": lambda: (kornia.feature.HardNet(pretrained=False), lambda m: m(patches)),
        "ssim": lambda: (nothing(), lambda m: kornia.metrics.ssim(m(x), other, 11)),
        "MS_SSIMLoss": lambda: (losses.MS_SSIMLoss(), lambda m: m(x, other)),
        "DiceLoss": lambda: (losses.DiceLoss(ignore_index=1), lambda m: m(x, labels)),
        "LovaszHingeLoss": lambda: (losses.LovaszHingeLoss(), lambda m: m(x[:, :1], labels.clamp(max=1))),
        "rgb_to_hls": lambda: (nothing(), lambda m: kornia.color.rgb_to_hls(m(x))),
        "hls_to_rgb": lambda: (nothing(), lambda m: kornia.color.hls_to_rgb(m(x))),
        "raw_to_rgb": lambda: (nothing(), lambda m: kornia.color.raw_to_rgb(m(x)[:, :1], kornia.color.CFA.RG)),
        "equalize_clahe": lambda: (nothing(), lambda m: changes.equalize_clahe(m(x))),
        "shift_rgb": lambda: (nothing(), lambda m: changes.shift_rgb(m(x), *other[:, 0, 0, :3].T)),
        "gaussian_blur2d": lambda: (nothing(), lambda m: kornia.filters.gaussian_blur2d(m(x), (5, 5), (1.5, 1.5))),
        "dilation": lambda: (nothing(), lambda m: kornia.morphology.dilation(m(x), kernel)),
        "erosion": lambda: (nothing(), lambda m: kornia.morphology.erosion(m(x), kernel)),
        "RandomCrop": lambda: (augment.RandomCrop((96, 96), padding=4, p=1.0), lambda m: m(x)),
        "RandomPlasmaContrast": lambda: (augment.RandomPlasmaContrast(p=1.0), lambda m: m(x)),
        "get_affine_matrix2d": lambda: (nothing(), lambda m: _affine(m(other[:, 0, 0, :2]).requires_grad_())),
    }


def _affine(values: Any) -> Any:
    import kornia

    return kornia.geometry.transform.get_affine_matrix2d(values, values, values, values[:, 0])


def _of_torch_geometric() -> dict[str, Callable[[], Made]]:
    import torch
    import torch_geometric.nn as gnn

    x, edges = torch.rand(500, 32, requires_grad=True), torch.randint(0, 500, (2, 4000))
    attributes, batch, kinds = torch.rand(4000, 8), torch.arange(500) // 20, torch.randint(0, 3, (4000,))
    weights, groups = torch.rand(4000), torch.randint(0, 4, (500,))
    dense, links = torch.rand(2, 40, 32, requires_grad=True), (torch.rand(2, 40, 40) > 0.8).float()
    assigned = torch.rand(2, 40, 5)

    def model(name: str) -> Callable[[], Made]:
        return lambda: (getattr(gnn, name)(32, 64, 3, 10), lambda m: m(x, edges))

    def layer(made: Callable[[], Any], *given: Any) -> Callable[[], Made]:
        return lambda: (made(), lambda m: m(x, *given))

    return {
        **{name: model(name) for name in ("GCN", "GraphSAGE", "GAT", "GIN", "EdgeCNN")},
        "AttentiveFP": layer(lambda: gnn.AttentiveFP(32, 64, 10, 8, 3, 2), edges, attributes, batch),
        "ChebConv": layer(lambda: gnn.ChebConv(32, 16, 3), edges, weights),
        "ClusterGCNConv": layer(lambda: gnn.ClusterGCNConv(32, 16), edges),
        "EGConv": layer(lambda: gnn.EGConv(32, 16, ["symnorm", "std"], 4, 2), edges),
        "MFConv": layer(lambda: gnn.MFConv(32, 16), edges),
        "RGCNConv": layer(lambda: gnn.RGCNConv(32, 16, 3), edges, kinds),
        "FastRGCNConv": layer(lambda: gnn.FastRGCNConv(32, 16, 3), edges, kinds),
        "WLConvContinuous": layer(gnn.WLConvContinuous, edges, weights),
        "InstanceNorm": layer(lambda: gnn.InstanceNorm(32, track_running_stats=True), batch),
        "LayerNorm": layer(lambda: gnn.LayerNorm(32), batch),
        "HeteroBatchNorm": layer(lambda: gnn.HeteroBatchNorm(32, 4), groups),
        "DenseGraphConv": lambda: (gnn.DenseGraphConv(32, 16, "max"), lambda m: m(dense, links)),
        "dense_mincut_pool": lambda: (torch.nn.Identity(), lambda m: gnn.dense_mincut_pool(m(dense), links, assigned)),
        "DMoNPooling": lambda: (gnn.DMoNPooling(32, 5), lambda m: m(dense, links)),
        "MemPooling": layer(lambda: gnn.MemPooling(32, 16, 2, 5), batch),
        "LINKX": layer(lambda: gnn.LINKX(500, 32, 16, 10, 2), edges),
        "Polynormer": layer(lambda: gnn.Polynormer(32, 16, 10), edges, batch),
        "SGFormer": layer(lambda: gnn.SGFormer(32, 16, 10), edges, batch),
    }


def _of_gpytorch() -> dict[str, Callable[[], Made]]:
    import gpytorch
    import torch
    from gpytorch import kernels

    x, y = torch.rand(60, 3, requires_grad=True), torch.rand(60)

    class Exact(gpytorch.models.ExactGP):
        def __init__(self, kernel: Any) -> None:
            super().__init__(x.detach(), y, gpytorch.likelihoods.GaussianLikelihood())
            self.mean, self.kernel = gpytorch.means.ConstantMean(), kernel

        def forward(self, points: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean(points), self.kernel(points))

    def exact(make: Callable[[], Any], mll: str = "ExactMarginalLogLikelihood") -> Callable[[], Made]:
        def called(model: Any) -> Any:
            if not model.training:
                return model.likelihood(model(x)).variance
            return getattr(gpytorch.mlls, mll)(model.likelihood, model)(model(x.detach()), y)

        return lambda: (Exact(make()), called)

    def alone(make: Callable[[], Any]) -> Callable[[], Made]:
        return lambda: (make(), lambda m: m(x).to_dense())

    class Variational(gpytorch.models.ApproximateGP):
        def __init__(self, distribution: str, strategy: str) -> None:
            made = getattr(gpytorch.variational, distribution)(12)
            super().__init__(getattr(gpytorch.variational, strategy)(self, x[:12].detach(), made))
            self.mean, self.kernel = gpytorch.means.ConstantMean(), kernels.RBFKernel()

        def forward(self, points: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean(points), self.kernel(points))

    def variational(distribution: str, strategy: str) -> Callable[[], Made]:
        return lambda: (Variational(distribution, strategy), lambda m: (m(x).mean, m(x).variance))

    prior = gpytorch.priors.SmoothedBoxPrior(0.2, 0.6, 0.1)
    return {
        "RBFKernel": exact(lambda: kernels.ScaleKernel(kernels.RBFKernel())),
        "RBFKernel of its own": alone(kernels.RBFKernel),
        "MaternKernel": exact(lambda: kernels.MaternKernel(2.5)),
        "RQKernel": exact(kernels.RQKernel),
        "PeriodicKernel": exact(kernels.PeriodicKernel),
        "CosineKernel": alone(kernels.CosineKernel),
        "LinearKernel": alone(kernels.LinearKernel),
        "PolynomialKernel": alone(lambda: kernels.PolynomialKernel(2)),
        "PiecewisePolynomialKernel": alone(kernels.PiecewisePolynomialKernel),
        "SpectralMixtureKernel": exact(lambda: kernels.SpectralMixtureKernel(3, ard_num_dims=3)),
        "HammingIMQKernel": lambda: (
            kernels.HammingIMQKernel(3),
            lambda m: m(torch.nn.functional.one_hot((x * 3).long().clamp(max=2), 3).float().flatten(1)).to_dense(),
        ),
        "RFFKernel": alone(lambda: kernels.RFFKernel(16, 3)),
        "GridInterpolationKernel": alone(
            lambda: kernels.GridInterpolationKernel(kernels.RBFKernel(), 8, 3, [(0.0, 1.0)] * 3)
        ),
        "RBFKernelGrad": alone(kernels.RBFKernelGrad),
        "leave one out": exact(kernels.RBFKernel, "LeaveOneOutPseudoLikelihood"),
        "VariationalStrategy": variational("CholeskyVariationalDistribution", "VariationalStrategy"),
        "CiqVariationalStrategy": variational("CholeskyVariationalDistribution", "CiqVariationalStrategy"),
        "NaturalVariationalDistribution": variational("NaturalVariationalDistribution", "VariationalStrategy"),
        "TrilNaturalVariationalDistribution": variational("TrilNaturalVariationalDistribution", "VariationalStrategy"),
        "SmoothedBoxPrior": lambda: (torch.nn.Identity(), lambda m: prior.log_prob(m(x))),
        "SoftmaxLikelihood": lambda: (
            gpytorch.likelihoods.SoftmaxLikelihood(num_features=3, num_classes=4),
            lambda m: m(x).probs,
        ),
    }


def _of_speechbrain() -> dict[str, Callable[[], Made]]:
    import torch
    from speechbrain.lobes.models import (
        CRDNN,
        ECAPA_TDNN,
        L2I,
        PIQ,
        Cnn14,
        FastSpeech2,
        HifiGAN,
        MetricGAN,
        Xvector,
        conv_tasnet,
    )
    from speechbrain.lobes.models.transformer import Conformer
    from speechbrain.nnet import losses, pooling
    from speechbrain.nnet.attention import RelPosEncXL
    from speechbrain.nnet.loss import guidedattn_loss
    from speechbrain.processing import features

    frames, spans = torch.rand(2, 60, 40, requires_grad=True), torch.tensor([1.0, 0.7])
    wave, places = torch.rand(2, 4000, requires_grad=True), RelPosEncXL(40)
    lengths, maps = torch.tensor([60, 42]), torch.rand(2, 30, 60, requires_grad=True)
    spectrum, deep = torch.rand(2, 1, 64, 64, requires_grad=True), torch.rand(2, 16, 16, 16, requires_grad=True)
    is_padding = torch.arange(60)[None] >= lengths[:, None]

    def conformer(m: Any) -> Any:
        return m(frames, src_key_padding_mask=is_padding, pos_embs=places(frames))[0]

    return {
        "CRDNN": lambda: (CRDNN.CRDNN(input_shape=(2, 60, 40), rnn_neurons=32), lambda m: m(frames)),
        "ECAPA_TDNN": lambda: (
            ECAPA_TDNN.ECAPA_TDNN(40, lin_neurons=16, channels=[32] * 4 + [96], attention_channels=16),
            lambda m: m(frames, spans),
        ),
        "Xvector": lambda: (Xvector.Xvector(in_channels=40, tdnn_channels=[32] * 5), lambda m: m(frames, spans)),
        "Cnn14": lambda: (Cnn14.Cnn14(64, 16, "bn"), lambda m: m(spectrum)),
        "ConvBlock": lambda: (Cnn14.ConvBlock(1, 8, "bn"), lambda m: m(spectrum)),
        "ConformerEncoder": lambda: (Conformer.ConformerEncoder(2, 40, 64, 4, kernel_size=5), conformer),
        "ConvolutionModule": lambda: (
            Conformer.ConvolutionModule(40, 5),
            lambda m: m(frames, mask=is_padding[..., None]),
        ),
        "SSIMLoss": lambda: (FastSpeech2.SSIMLoss(), lambda m: m(frames, frames.detach().flip(0), lengths)),
        "PostNet": lambda: (FastSpeech2.PostNet(40, 16, 40), lambda m: m(frames)),
        "DurationPredictor": lambda: (
            FastSpeech2.DurationPredictor(40, 16, 3),
            lambda m: m(frames, (~is_padding)[..., None].float()),
        ),
        "DiscriminatorP": lambda: (HifiGAN.DiscriminatorP(2), lambda m: m(wave[:, None, :500])[0]),
        "NMFDecoderAudio": lambda: (L2I.NMFDecoderAudio(8, 33), lambda m: m(torch.rand(2, 8, 20))),
        "ResBlockAudio": lambda: (PIQ.ResBlockAudio(16), lambda m: m(deep)),
        "MetricDiscriminator": lambda: (
            MetricGAN.MetricDiscriminator(),
            lambda m: m(torch.rand(2, 2, 60, 257, requires_grad=True)),
        ),
        "Conv-TasNet mask": lambda: (conv_tasnet.MaskNet(16, 16, 16, 3, 2, 1, 2), lambda m: m(deep.flatten(2))),
        "StatisticsPooling": lambda: (pooling.StatisticsPooling(), lambda m: m(frames, spans)),
        "AttentionPooling": lambda: (pooling.AttentionPooling(40), lambda m: m(frames)),
        "Filterbank": lambda: (features.Filterbank(n_mels=20, n_fft=78), lambda m: m(frames)),
        "DCT": lambda: (features.DCT(40, 13), lambda m: m(frames)),
        "MinLevelNorm": lambda: (features.MinLevelNorm(-100), lambda m: m(frames)),
        "GuidedAttentionLoss": lambda: (
            guidedattn_loss.GuidedAttentionLoss(),
            lambda m: m(maps, torch.tensor([60, 42]), torch.tensor([30, 20])),
        ),
        "LaplacianVarianceLoss": lambda: (losses.LaplacianVarianceLoss(), lambda m: m(spectrum)),
    }


_OF_PACKAGES: dict[str, Callable[[], dict[str, Callable[[], Made]]]] = {
    "kornia": _of_kornia,
    "torch_geometric": _of_torch_geometric,
    "gpytorch": _of_gpytorch,
    "speechbrain": _of_speechbrain,
}
_BY_NAME: dict[str, tuple[tuple[str, ...], Callable[[str], Made]]] = {
    "timm": (_TIMM, _timm),
    "torchvision": (_TORCHVISION, _torchvision),
    "diffusers": (_DIFFUSERS, _diffusers),
}
PACKAGES = (*_BY_NAME, *_OF_PACKAGES)


def names(package: str) -> list[str]:
    """Return the names of the models of a package; the package may be imported for it."""
    return list(_BY_NAME[package][0] if package in _BY_NAME else _OF_PACKAGES[package]())


def made(package: str, name: str) -> Made:
    """Return a model and a function that calls it."""
    import torch

    for operator in ("nms", "qnms"):  # where torchvision comes without its C extension
        with suppress(RuntimeError):
            torch.library.define(f"torchvision::{operator}", "(Tensor a, Tensor b, float c) -> Tensor")
    return _BY_NAME[package][1](name) if package in _BY_NAME else _OF_PACKAGES[package]()[name]()
