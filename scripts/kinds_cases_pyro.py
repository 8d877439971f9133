"""Guides, chains, distributions, transforms and Gaussian processes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch
from kinds_cases import Case
from kinds_exercise import backward


def cases() -> Iterator[Case]:  # noqa: C901 - many small ones
    """Yield the cases of pyro."""
    import pyro
    import pyro.distributions as dist
    from pyro.infer import HMC, MCMC, NUTS, SVI, Predictive, Trace_ELBO, TraceEnum_ELBO, TraceGraph_ELBO, autoguide
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
            for optimizer in (
                pyro.optim.Adam({"lr": 0.01}),
                pyro.optim.ClippedAdam({"lr": 0.01, "betas": (0.9, 0.99)}),
                pyro.optim.AdagradRMSProp({}),
                pyro.optim.DCTAdam({"lr": 0.01}),
            ):
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
        for kernel in (
            NUTS(model),
            HMC(model, step_size=0.1),
            NUTS(model, full_mass=True),
            NUTS(model, use_multinomial_sampling=False),
        ):
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
            from kinds_exercise import Session, fitting

            fitted = fitting(Session(6, 0, 2.0), "distributions", cls, 120)
            if fitted is not None:
                made = fitted[1]
                for name in ("sample", "rsample"):
                    try:
                        drawn = getattr(made, name)(torch.Size((3,)))
                        made.log_prob(drawn)
                    except NotImplementedError:  # noqa: PERF203
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
                    except (TypeError, NotImplementedError, ValueError, RuntimeError):  # noqa: PERF203
                        continue

    yield transforms

    def processes() -> None:
        from pyro.contrib import gp

        x, y = torch.rand(8, 1), torch.rand(8)
        for kernel in (
            gp.kernels.RBF(1),
            gp.kernels.Matern52(1),
            gp.kernels.Periodic(1),
            gp.kernels.Polynomial(1),
            gp.kernels.Cosine(1),
            gp.kernels.Brownian(1),
            gp.kernels.Coregionalize(1),
        ):
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
