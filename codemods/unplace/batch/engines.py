"""Engines: the executors (as in `concurrent.futures`) that migrate repositories, on this machine or on a cluster."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from unplace.batch import repository_process

P = ParamSpec("P")
T = TypeVar("T")

ENGINES = ("local", "dask", "ray")
_MODULES = {"dask": "distributed", "ray": "ray"}


class EngineError(Exception):
    """Raised where an engine can't be used; the message says why, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Engine:
    """An executor, and how many processes it has on this machine; None where the executor places the work itself."""

    executor: Executor
    processes: int | None


@contextmanager
def engine(name: str, address: str | None, processes: int) -> Iterator[Engine]:
    """Start an engine or connect to one, and let it go at the end of the `with` block.

    Raises `EngineError` where its library isn't installed or the cluster doesn't answer.
    """
    if name == "local":
        with _local(processes) as executor:
            yield Engine(executor, processes)
        return
    module = _MODULES[name]
    if importlib.util.find_spec(module) is None:
        raise EngineError(f"the engine {name} needs {module}, which isn't installed: pip install {module}")
    with (_dask if name == "dask" else _ray)(address) as executor:
        yield Engine(executor, None)


@contextmanager
def _local(processes: int) -> Iterator[Executor]:
    # Threads, because each of them does nothing but wait for the process in which a repository is handled.
    executor = ThreadPoolExecutor(processes)
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        repository_process.stop()
        executor.shutdown()


@contextmanager
def _dask(address: str | None) -> Iterator[Executor]:
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is lost, the run itself says
    if address is None:
        raise EngineError("--engine dask needs the --address of a scheduler, such as tcp://10.0.0.1:8786")
    try:
        client = Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise EngineError(f"no Dask scheduler answers at {address}: {error}") from None
    with client, client.get_executor(pure=False) as executor:
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)


@contextmanager
def _ray(address: str | None) -> Iterator[Executor]:
    import ray

    try:
        ray.init(address=address or "auto", log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError) as error:
        raise EngineError(f"no Ray cluster answers at {address or 'auto'}: {error}") from None
    try:
        yield _RayExecutor()
    finally:
        ray.shutdown()


class _RayExecutor(Executor):
    """An executor that runs each call as a task of Ray."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        import ray

        task: Any = ray.remote(fn)
        future: Future[T] = task.remote(*args, **kwargs).future()
        return future
