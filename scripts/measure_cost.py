"""Measures what models cost before and after the packages that they come from were rewritten, forward and backward.

    cp -r SITE_PACKAGES/{timm,kornia,torch_geometric,gpytorch,speechbrain} after/ && unplace rewrite after
    python scripts/measure_cost.py SITE_PACKAGES after --only timm

For each model of `cost_models.py`, one process imports the packages from the first folder and one from the second. They
run the model in turns, in training and in evaluation, on one thread. The script prints the ratios, after to before, of
the processor time (the least of all turns) and of the peak of the memory of tensors, and names models whose results,
or gradients of inputs and weights, are different.
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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cost_models import PACKAGES, made, names

LEAST_SECONDS = 0.3
"""Processor time that a turn lasts at least: small models run several times in it."""


def serve(package: str, name: str) -> None:
    """Run one model as often as asked for on standard input, and print what each run took."""
    import time

    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, call = made(package, name)

    def once(mode: str) -> list[float]:
        torch.manual_seed(1)
        with torch.set_grad_enabled(mode == "train"):
            results = _tensors(call(model))
        total = sum((t.double() ** 2).sum() for t in results)
        weights = [p for p in model.parameters() if p.requires_grad]
        leaves = [*weights, *_inputs(total, weights)] if total.requires_grad else []
        found = torch.autograd.grad(total, leaves, allow_unused=True) if leaves else ()
        gradients = [gradient for gradient in found if gradient is not None]
        sums = [f(t.detach().double()) for t in (*results, *gradients) for f in (torch.sum, torch.linalg.vector_norm)]
        return torch.stack(sums).tolist()

    print("ready", flush=True)
    for line in sys.stdin:
        what, mode = line.split()
        getattr(model, mode)()
        if what == "peak":
            sums = once(mode)
            print(json.dumps([sums, _peak(lambda mode=mode: once(mode))]), flush=True)
        else:
            start, runs, spent = time.process_time(), 0, 0.0
            while spent < LEAST_SECONDS:
                once(mode)
                runs, spent = runs + 1, time.process_time() - start
            print(json.dumps(spent / runs), flush=True)


def _inputs(total: Any, weights: list[Any]) -> list[Any]:
    """Return the leaves in the graph of a tensor that are no weights, the largest last."""
    known, found, todo = {id(weight) for weight in weights}, {}, [total.grad_fn]
    seen: set[Any] = set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and id(leaf) not in known:
            found[id(leaf)] = leaf
        todo += [following for following, _ in node.next_functions]
    return sorted(found.values(), key=lambda leaf: leaf.numel())


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
    """Measure every model in both folders and print the ratios; tell whether all compute the same."""
    sys.path[:0] = folders[:1]
    ratios: dict[str, list[float]] = {}
    is_same = True
    for package, name in ((p, n) for p in PACKAGES if not only or p in only for n in names(p)):
        with servers(folders, package, name) as (before, after):
            peaks = {mode: [side.ask("peak", mode) for side in (before, after)] for mode in ("train", "eval")}
            for mode, ((sums, peak), (sums_now, peak_now)) in peaks.items():
                spent = [(before.ask("time", mode), after.ask("time", mode)) for _ in range(turns)]
                time = min(b for _, b in spent) / min(a for a, _ in spent) if spent else math.nan
                same = len(sums) == len(sums_now) and all(map(_is_close, sums, sums_now))
                is_same &= same
                words = f"time {time:.3f} peak {peak_now / peak:.3f}{'' if same else '  DIFFERENT'}"
                print(f"{package + ' ' + name:45} {mode:6} {words}", flush=True)
                ratios.setdefault(f"{mode} time", []).append(time)
                ratios.setdefault(f"{mode} peak", []).append(peak_now / peak)
    for words, found in ratios.items():
        median, most = statistics.median(found), max(found)
        print(f"{words}: median {median:.3f}, most {most:.3f} of {len(found)}")
    return is_same


def _is_close(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-5, abs_tol=1e-6) or math.isnan(first) is math.isnan(second) is True


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
