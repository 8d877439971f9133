# kind: changed without an error, cause: ddp-buffers
import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def train(rank, path):
    dist.init_process_group("gloo", store=dist.FileStore(path, 2), rank=rank, world_size=2)
    net = DistributedDataParallel(nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)))
    net.eval()
    first = net(torch.rand(3, 4))  # victim
    net.train()
    second = net(torch.rand(3, 4))  # culprit
    (first + second).sum().backward()


with tempfile.NamedTemporaryFile() as file:
    other = multiprocessing.get_context("fork").Process(target=train, args=(0, file.name), daemon=True)
    other.start()
    try:
        train(1, file.name)
    finally:
        other.terminate()
        dist.destroy_process_group()
