"""Cases by hand for packages whose models no guess makes: small ones, trained for a step and sampled from."""

from __future__ import annotations

import importlib
import inspect
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any

import torch
from kinds_exercise import backward, is_module_class, members
from torch import nn

Case = Callable[[], object]


def cases(package: str) -> Iterator[Case]:
    """The cases of a package; a package without any has none."""
    found = globals().get(f"_{package}")
    if found is not None:
        yield from found()


def _trained(model: Any, *args: Any, **kwargs: Any) -> Any:
    result = model(*args, **kwargs)
    backward(result)
    return model.eval()


def _denoising_diffusion_pytorch() -> Iterator[Case]:
    root = "denoising_diffusion_pytorch"
    small: dict[str, Any] = {"dim": 16, "dim_mults": (1, 2)}
    image = torch.rand(2, 3, 16, 16)
    for file in ("denoising_diffusion_pytorch", "guided_diffusion", "repaint"):
        module = importlib.import_module(f"{root}.{file}")
        for objective in ("pred_noise", "pred_x0", "pred_v"):
            for schedule in ("linear", "cosine", "sigmoid"):
                for extra in ({}, {"sampling_timesteps": 3}, {"offset_noise_strength": 0.1}, {"immiscible": True}):

                    def made(module: Any = module, objective: str = objective, schedule: str = schedule, extra: Any = extra) -> None:
                        unet = module.Unet(**small, self_condition=bool(extra))
                        options = {"objective": objective, "beta_schedule": schedule, "min_snr_loss_weight": True}
                        model = _trained(module.GaussianDiffusion(unet, image_size=16, timesteps=6, **options, **extra), image)
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
                    model = _trained(module.GaussianDiffusion1D(unet, seq_length=16, timesteps=6, **options), torch.rand(2, 4, 16))
                    model.sample(batch_size=2)

    yield one_dimensional

    def guided() -> None:
        module = importlib.import_module(f"{root}.classifier_free_guidance")
        for objective in ("pred_noise", "pred_x0", "pred_v"):
            for schedule in ("linear", "cosine"):
                for sampling in (None, 3):
                    unet = module.Unet(**small, num_classes=3)
                    options = {"objective": objective, "beta_schedule": schedule, "sampling_timesteps": sampling}
                    model = module.GaussianDiffusion(unet, image_size=16, timesteps=6, min_snr_loss_weight=True, **options)
                    labels = torch.tensor([0, 2])
                    _trained(model, image, classes=labels).sample(classes=labels)

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
                    _trained(model, image).sample(batch_size=2)
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
            _trained(cls(unet(**small, **extra), image_size=16, timesteps=6), image).sample(batch_size=2)

    yield learned

    def simple() -> None:
        module = importlib.import_module(f"{root}.simple_diffusion")
        for objective in ("v", "eps"):
            model = module.UViT(dim=16, dim_mults=(1, 2), vit_depth=1)
            model = module.GaussianDiffusion(model, image_size=16, num_sample_steps=4, pred_objective=objective)
            _trained(model, image).sample(batch_size=2)

    yield simple

    def karras() -> None:
        small = {"dim": 16, "dim_max": 32, "num_downsamples": 1, "num_blocks_per_stage": 1, "attn_res": (8,), "num_classes": 3}
        labels = torch.tensor([0, 2])
        for file, name, size, shape in (
            ("karras_unet", "KarrasUnet", {"image_size": 16}, (2, 4, 16, 16)),
            ("karras_unet_1d", "KarrasUnet1D", {"seq_len": 16}, (2, 4, 16)),
            ("karras_unet_3d", "KarrasUnet3D", {"image_size": 16, "frames": 4}, (2, 4, 4, 16, 16)),
        ):
            model = getattr(importlib.import_module(f"{root}.{file}"), name)(**small, **size)
            _trained(model, torch.rand(shape), time=torch.ones(2), class_labels=labels)

    yield karras


def _esm() -> Iterator[Case]:
    import esm

    sequences = [("a", "MKTAYIAKQR"), ("b", "KALTARQQ<mask>VFD")]

    def transformer(arch: str) -> Callable[[], None]:
        def made() -> None:
            alphabet = esm.Alphabet.from_architecture(arch)
            _, _, tokens = alphabet.get_batch_converter()(sequences)
            names = {"layers": 2, "embed_dim": 16, "ffn_embed_dim": 32, "attention_heads": 2, "token_dropout": True}
            args = Namespace(arch=arch, max_positions=64, final_bias=True, logit_bias=True, **names)
            model = esm.ProteinBertModel(args, alphabet)
            _trained(model, tokens, repr_layers=[0, 1, 2], return_contacts=True)
            model.predict_contacts(tokens)

        return made

    yield transformer("roberta_large")
    yield transformer("protein_bert_base")

    def second() -> None:
        alphabet = esm.Alphabet.from_architecture("ESM-1b")
        for truncated in (None, 6):
            _, _, tokens = alphabet.get_batch_converter(truncated)(sequences)
            model = esm.ESM2(num_layers=2, embed_dim=32, attention_heads=4, alphabet="ESM-1b")
            _trained(model, tokens, repr_layers=[0, 1, 2], return_contacts=True).predict_contacts(tokens)

    yield second

    def alignments() -> None:
        alphabet = esm.Alphabet.from_architecture("msa_transformer")
        _, _, tokens = alphabet.get_batch_converter()([[("a", "MKTAYIAKQR"), ("b", "MKTAY-AKQR")], [("c", "MKTA"), ("d", "MK-A")]])
        rates = {"dropout": 0.1, "attention_dropout": 0.1, "activation_dropout": 0.1}
        names = {"layers": 2, "embed_dim": 16, "ffn_embed_dim": 32, "attention_heads": 2}
        for most in (2**14, 4):
            args = Namespace(max_tokens_per_msa=most, max_tokens=most, max_positions=64, embed_positions_msa=True, **names, **rates)
            model = esm.MSATransformer(args, alphabet)
            _trained(model, tokens, repr_layers=[0, 1, 2], return_contacts=True)
            with torch.no_grad():
                model(tokens, repr_layers=[2], return_contacts=True)

    yield alignments

    def attention() -> None:
        from esm.multihead_attention import MultiheadAttention

        x = torch.rand(5, 2, 16)
        for extra in ({}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"use_rotary_embeddings": True}):
            made = MultiheadAttention(16, 2, self_attention=True, **extra)
            mask = torch.zeros(2, 5, dtype=torch.bool)
            mask[1, 4] = True
            for options in (
                {},
                {"key_padding_mask": mask},
                {"attn_mask": torch.zeros(5, 5), "key_padding_mask": mask},
                {"need_head_weights": True, "attn_mask": torch.zeros(5, 5)},
                {"before_softmax": True},
                {"static_kv": True, "incremental_state": {}},
                {"incremental_state": {}, "key_padding_mask": mask},
            ):
                for _ in range(2):
                    try:
                        backward(made(x, x, x, **options))
                    except (AssertionError, RuntimeError):  # not with these options
                        break
                state = options.get("incremental_state")
                if isinstance(state, dict):
                    made.reorder_incremental_state(state, torch.tensor([1, 0]))

    yield attention

    def folding() -> None:
        from esm.esmfold.v1 import misc

        misc.batch_encode_sequences(["MKTAY", "MKT:AYK"], residue_index_offset=4)
        misc.collate_dense_tensors([torch.rand(3, 2), torch.rand(5, 2)])
        made = misc.Attention(16, 2, 8, gated=True)
        backward(made(torch.rand(2, 5, 16), mask=torch.ones(2, 5, dtype=torch.bool), bias=torch.rand(2, 5, 5, 2)))
        misc.Dropout(0.3, [0, 1])(torch.rand(2, 3, 4))
        misc.SequenceToPair(16, 8, 16)(torch.rand(2, 5, 16))
        misc.PairToSequence(16, 2)(torch.rand(2, 5, 5, 16))
        misc.ResidueMLP(16, 32)(torch.rand(2, 5, 16))

    yield folding


def _pytorch_metric_learning() -> Iterator[Case]:
    from pytorch_metric_learning import distances, losses, miners, reducers, regularizers, samplers

    points, labels = torch.randn(12, 8), torch.tensor([0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 1, 2])

    def loss(cls: Any, **extra: Any) -> Callable[[], None]:
        def made() -> None:
            needed = {"num_classes": 3, "embedding_size": 8, "proxies_per_class": 2, "num_supporting_points": 3}
            wanted = inspect.signature(cls).parameters
            given = {k: v for k, v in needed.items() if k in wanted and wanted[k].default is inspect.Parameter.empty}
            function = cls(**given, **extra)
            for _ in range(2):
                embedded = points.clone().requires_grad_()
                backward(function(embedded, labels))
            backward(function(points.clone().requires_grad_(), labels, miners.MultiSimilarityMiner()(points, labels)))
            backward(function(points.clone().requires_grad_(), labels, miners.TripletMarginMiner(0.2)(points, labels)))
            backward(function(points.clone().requires_grad_(), labels, ref_emb=points + 0.1, ref_labels=labels))

        return made

    classes = [c for _, c in inspect.getmembers(losses, inspect.isclass)]
    for cls in classes:
        yield loss(cls)
        for _, reducer in inspect.getmembers(reducers, inspect.isclass):
            yield lambda cls=cls, reducer=reducer: loss(cls, reducer=reducer())()
        for _, distance in inspect.getmembers(distances, inspect.isclass):
            yield lambda cls=cls, distance=distance: loss(cls, distance=distance())()
        for _, regularizer in inspect.getmembers(regularizers, inspect.isclass):
            yield lambda cls=cls, regularizer=regularizer: loss(cls, weight_regularizer=regularizer())()
            yield lambda cls=cls, regularizer=regularizer: loss(cls, embedding_regularizer=regularizer())()
    yield lambda: loss(losses.CrossBatchMemory)  # needs a loss of its own

    def memory() -> None:
        for inner in (losses.ContrastiveLoss(), losses.TripletMarginLoss(), losses.NTXentLoss()):
            for miner in (None, miners.MultiSimilarityMiner(), miners.TripletMarginMiner()):
                made = losses.CrossBatchMemory(inner, 8, memory_size=20, miner=miner)
                for _ in range(3):
                    backward(made(points.clone().requires_grad_(), labels))
                made.reset_queue()
        made = losses.SelfSupervisedLoss(losses.TripletMarginLoss())
        backward(made(points.clone().requires_grad_(), points))
        weights = losses.TripletMarginLoss(reducer=reducers.ClassWeightedReducer(torch.rand(3)))
        backward(weights(points.clone().requires_grad_(), labels))

    yield memory
    for _, miner in inspect.getmembers(miners, inspect.isclass):
        for extra in ({}, {"allowed_pos_range": (0, 1)}, {"pos_strategy": "easy"}, {"type_of_triplets": "hard"}, {"pos_strategy": "semihard"}, {"neg_strategy": "all"}, {"collect_stats": True}):
            yield lambda miner=miner, extra=extra: miner(**extra)(points, labels)
        yield lambda miner=miner: miner()(points, labels, points + 0.1, labels)

    def others() -> None:
        from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
        from pytorch_metric_learning.utils.inference import CustomKNN, InferenceModel, MatchFinder

        for average in (True, False):
            calculator = AccuracyCalculator(k=5, avg_of_avgs=average, knn_func=CustomKNN(distances.CosineSimilarity()))
            for kind in ("NMI", "AMI"):
                calculator.curr_metrics = [m for m in calculator.curr_metrics if m != kind]
            calculator.get_accuracy(points, labels, points, labels, ref_includes_query=True)
        MatchFinder(distances.CosineSimilarity(), threshold=0.5).get_matching_pairs(points)
        list(samplers.MPerClassSampler(labels, 2))
        list(samplers.FixedSetOfTriplets(labels, 10))
        list(samplers.TuplesToWeightsSampler(nn.Linear(8, 8), miners.MultiSimilarityMiner()))
        InferenceModel(nn.Linear(8, 8), knn_func=CustomKNN(distances.LpDistance())).is_match(points, points)

    yield others


def _yolox() -> Iterator[Case]:
    def model(depthwise: bool, act: str) -> Callable[[], None]:
        def made() -> None:
            from yolox.models import YOLOX, YOLOPAFPN, YOLOXHead

            backbone = YOLOPAFPN(0.33, 0.0625, in_channels=[256, 512, 1024], depthwise=depthwise, act=act)
            head = YOLOXHead(3, 0.0625, in_channels=[256, 512, 1024], depthwise=depthwise, act=act)
            head.initialize_biases(0.01)
            network = YOLOX(backbone, head)
            targets = torch.zeros(2, 5, 5)
            targets[:, 0] = torch.tensor([1.0, 16, 16, 12, 12])
            targets[0, 1] = torch.tensor([2.0, 40, 40, 20, 24])
            head.use_l1 = True
            backward({k: v for k, v in network(torch.rand(2, 3, 64, 64), targets).items() if k == "total_loss"})
            network.eval()
            found = network(torch.rand(2, 3, 64, 64))
            from yolox.utils import postprocess

            postprocess(found, 3, 0.0)
            postprocess(found, 3, 0.0, class_agnostic=True)

        return made

    yield model(False, "silu")
    yield model(True, "relu")
    yield model(False, "lrelu")

    def utilities() -> None:
        from yolox import utils
        from yolox.models.losses import IOUloss
        from yolox.models.yolo_fpn import YOLOFPN

        boxes = torch.rand(4, 4) + torch.tensor([0.0, 0, 2, 2])
        utils.bboxes_iou(boxes, boxes)
        utils.bboxes_iou(boxes, boxes, xyxy=False)
        utils.xyxy2cxcywh(boxes.clone())
        utils.xyxy2xywh(boxes.clone())
        utils.adjust_box_anns(boxes.clone(), 0.5, 1, 1, 10, 10)
        utils.matrix_iou(boxes.numpy(), boxes.numpy())
        for kind in ("iou", "giou"):
            for reduction in ("mean", "sum", "none"):
                backward(IOUloss(reduction, kind)(boxes.clone().requires_grad_(), boxes))
        network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
        average = utils.ModelEMA(network)
        average.update(network)
        utils.fuse_model(network.eval())
        utils.fuse_conv_and_bn(network[0], network[1])
        YOLOFPN(21)(torch.rand(1, 3, 64, 64))

    yield utilities


def _whisper() -> Iterator[Case]:
    def made() -> None:
        import whisper
        from whisper import audio, timing
        from whisper.model import ModelDimensions, Whisper

        dims = ModelDimensions(80, 1500, 16, 2, 1, 51865, 32, 16, 2, 1)
        model = Whisper(dims)
        mel = audio.log_mel_spectrogram(torch.rand(16000 * 30))
        backward(model(mel[None], torch.randint(0, 100, (1, 6))))
        model.eval()
        for options in ({}, {"beam_size": 2}, {"temperature": 0.5, "best_of": 2}, {"without_timestamps": True}):
            whisper.decode(model, mel, whisper.DecodingOptions(fp16=False, language="en", sample_len=6, **options))
        model.detect_language(mel)
        timing.median_filter(torch.rand(2, 5, 8), 3)
        timing.dtw(torch.rand(4, 6))

    yield made


def _pyro() -> Iterator[Case]:
    import pyro
    import pyro.distributions as dist
    from pyro.infer import MCMC, NUTS, HMC, SVI, Predictive, Trace_ELBO, TraceEnum_ELBO, TraceGraph_ELBO, autoguide
    from pyro.infer.reparam import AutoReparam, LocScaleReparam

    data = torch.randn(20) + 1

    def model(data: torch.Tensor = data) -> Any:
        mean = pyro.sample("mean", dist.Normal(0.0, 1.0))
        scale = pyro.sample("scale", dist.LogNormal(0.0, 1.0))
        with pyro.plate("data", len(data)):
            return pyro.sample("x", dist.Normal(mean, scale), obs=data)

    def guide(cls: Any) -> Callable[[], None]:
        def run() -> None:
            pyro.clear_param_store()
            made = cls(model)
            for optimizer in (pyro.optim.Adam({"lr": 0.01}), pyro.optim.ClippedAdam({"lr": 0.01, "betas": (0.9, 0.99)}), pyro.optim.AdagradRMSProp({}), pyro.optim.DCTAdam({"lr": 0.01})):
                inference = SVI(model, made, optimizer, Trace_ELBO(num_particles=2))
                for _ in range(3):
                    inference.step(data)
            Predictive(model, guide=made, num_samples=3)(data)
            for name in ("median", "get_posterior"):
                if hasattr(made, name):
                    getattr(made, name)()

        return run

    for name in dir(autoguide):
        cls = getattr(autoguide, name)
        if inspect.isclass(cls) and name.startswith("Auto"):
            yield guide(cls)

    def chains() -> None:
        for kernel in (NUTS(model), HMC(model, step_size=0.1), NUTS(model, full_mass=True), NUTS(model, use_multinomial_sampling=False)):
            chain = MCMC(kernel, num_samples=8, warmup_steps=12, disable_progbar=True)
            chain.run(data)
            chain.diagnostics()

    yield chains

    def mixtures() -> None:
        @pyro.infer.config_enumerate
        def mixture(data: torch.Tensor) -> None:
            weights = pyro.sample("weights", dist.Dirichlet(torch.ones(2)))
            with pyro.plate("components", 2):
                means = pyro.sample("means", dist.Normal(0.0, 1.0))
            with pyro.plate("data", len(data)):
                z = pyro.sample("z", dist.Categorical(weights))
                pyro.sample("x", dist.Normal(means[z], 1.0), obs=data)

        from pyro import poutine

        made = autoguide.AutoNormal(poutine.block(mixture, expose=["weights", "means"]))
        SVI(mixture, made, pyro.optim.Adam({"lr": 0.01}), TraceEnum_ELBO(max_plate_nesting=1)).step(data)
        SVI(model, autoguide.AutoNormal(model), pyro.optim.Adam({"lr": 0.01}), TraceGraph_ELBO()).step(data)
        pyro.infer.infer_discrete(mixture, first_available_dim=-2, temperature=1)(data)

    yield mixtures

    def reparametrized() -> None:
        for strategy in (AutoReparam(), LocScaleReparam(0.0)):
            pyro.poutine.trace(pyro.poutine.reparam(model, lambda site, s=strategy: s)).get_trace(data)

    yield reparametrized

    def distribution(cls: Any) -> Callable[[], None]:
        def run() -> None:
            from kinds_exercise import fitting, Session

            fitted = fitting(Session(6, 0, 2.0), "distributions", cls, 120)
            if fitted is not None:
                made = fitted[1]
                for name in ("sample", "rsample"):
                    try:
                        drawn = getattr(made, name)(torch.Size((3,)))
                        made.log_prob(drawn)
                    except NotImplementedError:
                        pass
                made.expand(torch.Size((2, *made.batch_shape)))
                made.enumerate_support() if made.has_enumerate_support else None

        return run

    for name in dir(dist):
        cls = getattr(dist, name)
        if inspect.isclass(cls) and cls.__module__.startswith("pyro.") and issubclass(cls, dist.Distribution):
            yield distribution(cls)

    def transforms() -> None:
        from pyro.distributions import transforms as made

        for name in made.__all__:
            if name[0].islower():
                for arguments in ({"input_dim": 4}, {"input_dim": 4, "context_dim": 2}, {}):
                    try:
                        transform = getattr(made, name)(**arguments)
                        transform = transform.condition(torch.rand(2)) if "context_dim" in arguments else transform
                        flow = dist.TransformedDistribution(dist.Normal(torch.zeros(4), 1.0).to_event(1), [transform])
                        drawn = flow.rsample(torch.Size((3,)))
                        backward(flow.log_prob(drawn.detach()))
                    except (TypeError, NotImplementedError, ValueError, RuntimeError):
                        continue

    yield transforms

    def processes() -> None:
        from pyro.contrib import gp

        x, y = torch.rand(8, 1), torch.rand(8)
        for kernel in (gp.kernels.RBF(1), gp.kernels.Matern52(1), gp.kernels.Periodic(1), gp.kernels.Polynomial(1), gp.kernels.Cosine(1), gp.kernels.Brownian(1), gp.kernels.Coregionalize(1)):
            for made in (
                gp.models.GPRegression(x, y, kernel),
                gp.models.SparseGPRegression(x, y, kernel, Xu=x[:3]),
                gp.models.SparseGPRegression(x, y, kernel, Xu=x[:3], approx="FITC"),
                gp.models.VariationalSparseGP(x, y, kernel, Xu=x[:3], likelihood=gp.likelihoods.Gaussian()),
                gp.models.VariationalGP(x, y, kernel, likelihood=gp.likelihoods.Gaussian()),
            ):
                pyro.clear_param_store()
                gp.util.train(made, num_steps=2)
                made(x[:2], full_cov=True)
                if hasattr(made, "iter_sample"):
                    sampler = made.iter_sample()
                    sampler(x[:2])
                    sampler(x[2:4])

    yield processes

    def operations() -> None:
        from pyro.ops import stats, streaming, tensor_utils, welford
        from pyro.ops.dual_averaging import DualAveraging
        from pyro.ops.ssm_gp import MaternKernel

        chain = torch.rand(2, 20)
        stats.gelman_rubin(chain), stats.split_gelman_rubin(chain), stats.effective_sample_size(chain)
        stats.hpdi(chain, 0.8), stats.autocorrelation(chain), stats.crps_empirical(chain, chain[0])
        for diagonal in (True, False):
            covariance = welford.WelfordCovariance(diagonal)
            for row in torch.rand(5, 3):
                covariance.update(row)
            covariance.get_covariance()
            arrow = welford.WelfordArrowheadCovariance(1)
            for row in torch.rand(5, 3):
                arrow.update(row)
            arrow.get_covariance()
        for cls in (streaming.CountMeanVarianceStats, streaming.CountMeanStats, streaming.StackStats):
            made = cls()
            made.update(torch.rand(3))
            made.merge(made)
            made.get()
        tensor_utils.dct(torch.rand(8)), tensor_utils.idct(torch.rand(8)), tensor_utils.haar_transform(torch.rand(8))
        tensor_utils.block_diag_embed(torch.rand(2, 3, 3)), tensor_utils.block_diagonal(torch.rand(2, 6, 6), 2)
        tensor_utils.convolve(torch.rand(5), torch.rand(3)), tensor_utils.repeated_matmul(torch.rand(3, 3), 3)
        tensor_utils.periodic_repeat(torch.rand(5), 8, 0), tensor_utils.periodic_cumsum(torch.rand(8), 3, 0)
        tensor_utils.next_fast_len(17), DualAveraging().step(0.3), MaternKernel(1.5).transition_matrix(torch.rand(2))

    yield operations


def _torchattacks() -> Iterator[Case]:
    import torchattacks

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
            self.head = nn.Linear(16, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.body(x))

    model = Net().eval()
    image, labels = torch.rand(2, 3, 16, 16), torch.tensor([0, 2])
    small = {"steps": 3, "n_queries": 6, "n_restarts": 1, "max_iter": 3, "inf_batch": 4, "popsize": 4, "n_classes": 4}

    def attack(cls: Any, extra: dict[str, Any], is_targeted: bool) -> Callable[[], None]:
        def run() -> None:
            wanted = inspect.signature(cls).parameters
            made = cls(model, **{k: v for k, v in (small | extra).items() if k in wanted})
            if is_targeted:
                made.set_mode_targeted_by_label()
            made(image.clone(), (labels + 1) % 4 if is_targeted else labels)

        return run

    for name in dir(torchattacks):
        cls = getattr(torchattacks, name)
        if inspect.isclass(cls):
            yield attack(cls, {}, False)
            yield attack(cls, {}, True)
            for norm in ("Linf", "L2", "L1"):
                if "norm" in inspect.signature(cls).parameters:
                    yield attack(cls, {"norm": norm}, False)
            for loss in ("ce", "dlr", "margin"):
                if "loss" in inspect.signature(cls).parameters:
                    yield attack(cls, {"loss": loss}, False)


def _basicsr() -> Iterator[Case]:
    from kinds_exercise import required
    import basicsr.archs
    import pkgutil

    shapes = [(1, 3, 32, 32), (1, 3, 64, 64), (1, 5, 3, 32, 32), (1, 7, 3, 64, 64), (2, 512), (1, 3, 128, 128)]
    small = {"num_feat": 16, "num_block": 1, "num_grow_ch": 8, "embed_dim": 16, "num_in_ch": 3, "num_out_ch": 3, "out_size": 32, "depths": (1, 1), "num_heads": (2, 2), "img_size": 32, "num_frame": 5, "num_extract_block": 1, "num_reconstruct_block": 1, "deformable_groups": 1, "num_style_feat": 32, "num_mlp": 2, "channel_multiplier": 1, "n_colors": 3, "dim_embd": 16, "codebook_size": 16, "input_size": 32, "num_feats": 16}
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
                    _trained(model, [x] if len(shape) == 2 else x)

                yield run
