"""Runs the rewriter over any Python files at all and says where it breaks a promise that holds for all of them.

    PYTHONPATH=codemods python scripts/fuzz.py                          # the standard library, its tests included
    PYTHONPATH=codemods python scripts/fuzz.py --tensors                # the same, as if it were about tensors
    PYTHONPATH=codemods python scripts/fuzz.py --unsafe timm/ torch/    # folders
    PYTHONPATH=codemods python scripts/fuzz.py --generated 1000         # programs of tests/generator

No file is written. For each one there must be no internal error, the change must compile and be that of the edits, and
a second run must change nothing. The last line is a digest of all that was found and done: it must be the same for
every `PYTHONHASHSEED`, order of the files and number of processes. Exit status 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import random
import sys
import sysconfig
import time
import warnings
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from fuzzing.examination import Examination, examine
from fuzzing.tensors import about_tensors
from generator.programs import generate
from unplace.config.options import Options
from unplace.text.source import SourceError, read_source


def examined_file(path: str, options: Options, tensors: bool) -> Examination:
    """The examination of a file on disk."""
    data = Path(path).read_bytes()
    if tensors:
        with contextlib.suppress(SourceError, SyntaxError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            source = read_source(data)
            data = about_tensors(source.text).encode(source.encoding)
    return examine(data, path, options)


def examined_program(seed: int, options: Options) -> Examination:
    """The examination of a generated program."""
    return examine(generate(seed).encode(), f"seed {seed}", options)


def main() -> int:
    """Run the sweep that the command line asks for."""
    parser = argparse.ArgumentParser(description="Look for crashes and broken promises in any Python files.")
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders; the standard library by default")
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--tensors", action="store_true", help="take every parameter in the files for a tensor")
    parser.add_argument("--generated", type=int, default=0, metavar="N", help="generated programs instead of files")
    parser.add_argument("--seed", type=int, default=0, help="the first generated program; the order of files")
    parser.add_argument("--shuffle", action="store_true", help="handle the files in another order")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--slow", type=float, default=10.0, metavar="SECONDS", help="list files that take longer")
    options = parser.parse_args()
    applied = Options(unsafe=options.unsafe)
    with get_context("spawn").Pool(options.jobs) as pool:
        if options.generated:
            seeds = range(options.seed, options.seed + options.generated)
            results = pool.imap_unordered(partial(examined_program, options=applied), seeds, chunksize=8)
        else:
            files = _files(options.paths or [Path(sysconfig.get_path("stdlib"))])
            if options.shuffle:
                random.Random(options.seed).shuffle(files)
            results = pool.imap_unordered(
                partial(examined_file, options=applied, tensors=options.tensors), files, chunksize=4
            )
        return _report(results, options.slow)


def _files(paths: list[Path]) -> list[str]:
    return [str(path) for path in sorted(_walked(paths)) if "site-packages" not in path.parts[len(paths[0].parts) :]]


def _walked(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from path.rglob("*.py") if path.is_dir() else [path]


def _report(results: Iterator[Examination], slow: float) -> int:
    begun = time.monotonic()
    count = changed = unhandled = faulty = 0
    digests: list[str] = []
    for seen in results:
        count, changed, unhandled = count + 1, changed + seen.changed, unhandled + (seen.problem is not None)
        digests.append(seen.digest)
        faulty += bool(seen.faults)
        for fault in seen.faults:
            print(f"{seen.path}: {fault}", flush=True)
        if seen.seconds > slow:
            print(f"{seen.path}: slow: {seen.seconds:.1f} s", flush=True)
    seconds = time.monotonic() - begun
    print(f"{count} files in {seconds:.0f} s, {changed} changed, {unhandled} not handled, {faulty} faulty")
    print(hashlib.sha256(os.linesep.join(sorted(digests)).encode()).hexdigest())
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
