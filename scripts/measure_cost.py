"""Measures what models cost before and after the packages that they come from were rewritten, forward and backward.

    cp -r SITE_PACKAGES/{timm,kornia,torch_geometric,torchvision,diffusers} after/ && unplace rewrite after
    python scripts/measure_cost.py SITE_PACKAGES after

For each model, one process imports the packages from the first folder and one from the second. They run the model in
turns, in training and in evaluation, on one thread. The script prints the ratios, after to before, of the processor
time (the median of all turns) and of the peak of the memory of tensors, and names models that compute anything else.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

MODELS = {
    "timm": (
        *("resnet18", "dla34", "densenet121", "selecsls42", "repghostnet_050", "hrnet_w18_small", "tresnet_m"),
        *("inception_v4", "swin_tiny_patch4_window7_224", "mvitv2_tiny", "crossvit_tiny_240"),
    ),
    "torchvision": ("vgg11", "squeezenet1_1", "googlenet", "mobilenet_v3_small"),
    "kornia": ("RRDBNet", "XFeatModel", "DISK", "DexiNed", "ssim"),
    "torch_geometric": ("GCN", "GraphSAGE", "GAT", "AttentiveFP"),
    "diffusers": ("UNet2DModel", "AutoencoderKL"),
}

LEAST_SECONDS = 0.3
"""Processor time that a turn lasts at least: small models run several times in it."""

Call = Callable[[Any], Any]


def made(package: str, name: str) -> tuple[Any, Call]:
    """Return a model and a function that calls it."""
    import torch

    for operator in ("nms", "qnms"):  # where torchvision comes without its C extension
        with suppress(RuntimeError):
            torch.library.define(f"torchvision::{operator}", "(Tensor a, Tensor b, float c) -> Tensor")
    return {"timm": _timm, "torchvision": _torchvision, "kornia": _kornia, "diffusers": _diffusers}.get(
        package, _torch_geometric
    )(name)


def _images(size: int) -> Any:
    import torch

    return torch.rand(2, 3, size, size, requires_grad=True)


def _timm(name: str) -> tuple[Any, Call]:
    import timm

    x = _images(240 if "240" in name else 224)
    return timm.create_model(name, num_classes=10), lambda m: m(x)


def _torchvision(name: str) -> tuple[Any, Call]:
    import torchvision

    x = _images(224)
    return getattr(torchvision.models, name)(weights=None), lambda m: m(x)


def _kornia(name: str) -> tuple[Any, Call]:
    import kornia
    import torch
    from kornia.feature.xfeat import XFeatModel
    from kornia.models.dexined import DexiNed
    from kornia.models.rrdbnet import RRDBNet

    x = _images(128)
    if name == "XFeatModel":
        return XFeatModel(), lambda m: m(x)
    if name == "RRDBNet":
        return RRDBNet(3, 3, num_feat=16, num_block=2), lambda m: m(x[..., :64, :64])
    if name == "DISK":
        return kornia.feature.DISK(), lambda m: m.heatmap_and_dense_descriptors(x)
    if name == "DexiNed":
        return DexiNed(pretrained=False), lambda m: m(x)
    return torch.nn.Identity(), lambda m: kornia.metrics.ssim(m(x), x.detach().flip(0), 11)


def _torch_geometric(name: str) -> tuple[Any, Call]:
    import torch
    import torch_geometric.nn as gnn

    x, edges = torch.rand(2000, 32, requires_grad=True), torch.randint(0, 2000, (2, 20000))
    if name == "AttentiveFP":
        attributes, batch = torch.rand(20000, 8), torch.arange(2000) // 20
        return gnn.AttentiveFP(32, 64, 10, 8, 3, 2), lambda m: m(x, edges, attributes, batch)
    return getattr(gnn, name)(32, 64, 3, 10), lambda m: m(x, edges)


def _diffusers(name: str) -> tuple[Any, Call]:
    import diffusers

    x = _images(64)
    if name == "UNet2DModel":
        down, up = ("DownBlock2D", "AttnDownBlock2D"), ("AttnUpBlock2D", "UpBlock2D")
        options = {"down_block_types": down, "up_block_types": up, "block_out_channels": (32, 64), "norm_num_groups": 8}
        model = diffusers.UNet2DModel(sample_size=64, **options)
        return model, lambda m: m(x, 10, return_dict=False)
    return diffusers.AutoencoderKL(norm_num_groups=8, block_out_channels=(32,)), lambda m: m(x, return_dict=False)


def serve(package: str, name: str) -> None:
    """Run one model as often as asked for on standard input, and print what each run took."""
    import time

    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, call = made(package, name)

    def once(mode: str) -> float:
        torch.manual_seed(1)
        model.zero_grad(set_to_none=True)
        with torch.set_grad_enabled(mode == "train"):
            out = call(model)
        total = sum(t.double().sum() for t in _tensors(out))
        if mode == "train":
            total.backward()
        gradients = [p.grad.double().abs().sum() for p in model.parameters() if p.grad is not None]
        return float(total) + float(sum(gradients))

    print("ready", flush=True)
    for line in sys.stdin:
        what, mode = line.split()
        getattr(model, mode)()
        if what == "peak":
            checksum = once(mode)
            print(json.dumps([checksum, _peak(lambda mode=mode: once(mode))]), flush=True)
        else:
            start, runs, spent = time.process_time(), 0, 0.0
            while spent < LEAST_SECONDS:
                once(mode)
                runs, spent = runs + 1, time.process_time() - start
            print(json.dumps(spent / runs), flush=True)


def _peak(run: Callable[[], object]) -> int:
    """Return the greatest number of bytes that a run has in use for tensors at a time."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        run()
    in_use = peak = 0
    events = [e for e in profiled.profiler.kineto_results.events() if e.name() == "[memory]"]
    for event in sorted(events, key=lambda e: e.start_ns()):
        in_use += event.nbytes()
        peak = max(peak, in_use)
    return peak


def _tensors(value: Any) -> list[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() else []
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [tensor for part in parts for tensor in _tensors(part)]


class Server:
    """A process that runs one model with the packages of one folder."""

    def __init__(self, folder: str, package: str, name: str) -> None:
        path = os.pathsep.join(filter(None, (str(Path(folder).resolve()), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, __file__, "--serve", package, name]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        assert self._process.stdout is not None
        while (line := self._process.stdout.readline().strip()) != "ready":
            if not line and self._process.poll() is not None:
                raise RuntimeError(f"{package} {name} doesn't run in {folder}")

    def ask(self, what: str, mode: str) -> Any:
        """Return the answer to a question: `peak` or `time`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(what, mode, file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        """Have the process end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def servers(folders: list[str], package: str, name: str) -> Iterator[list[Server]]:
    """Run a model in both folders for the time of the block."""
    found: list[Server] = []
    try:
        for folder in folders:
            found.append(Server(folder, package, name))
        yield found
    finally:
        for server in found:
            server.end()


def compare(folders: list[str], turns: int, only: list[str]) -> bool:
    """Measure every model in both folders and print the ratios; tells whether all compute the same."""
    ratios: dict[str, list[float]] = {}
    is_same = True
    for package, names in MODELS.items():
        for name in names if not only or package in only else ():
            with servers(folders, package, name) as (before, after):
                modes = ("train", "eval")
                peaks = {mode: [side.ask("peak", mode) for side in (before, after)] for mode in modes}
                for mode in modes:
                    (checksum, peak), (now, peak_now) = peaks[mode]
                    pairs = [(before.ask("time", mode), after.ask("time", mode)) for _ in range(turns)]
                    time = statistics.median(b / a for a, b in pairs) if pairs else math.nan
                    same = math.isclose(checksum, now, rel_tol=1e-6, abs_tol=1e-6)
                    is_same &= same
                    words = f"time {time:.3f} peak {peak_now / peak:.3f}{'' if same else '  DIFFERENT'}"
                    print(f"{package + ' ' + name:45} {mode:6} {words}", flush=True)
                    ratios.setdefault(f"{mode} time", []).append(time)
                    ratios.setdefault(f"{mode} peak", []).append(peak_now / peak)
    for words, found in ratios.items():
        median, most = statistics.median(found), max(found)
        print(f"{words}: median {median:.3f}, most {most:.3f} of {len(found)}")
    return is_same


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", help="the folder of the original packages, and that of the rewritten")
    parser.add_argument("--turns", type=int, default=12, help="how often each model runs for its time (default 12)")
    parser.add_argument("--only", action="append", default=[], help="measure models of this package only")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(*options.serve)
    elif not compare(options.folders, options.turns, options.only):
        sys.exit(1)


if __name__ == "__main__":
    main()
