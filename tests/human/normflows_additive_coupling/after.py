import torch
import torch.nn as nn


class Split:
    def forward(self, z):
        z1, z2 = z.chunk(2, dim=1)
        return [z1, z2], 0


class AdditiveCoupling(nn.Module):
    def __init__(self, param_map, scale=False):
        super().__init__()
        self.add_module("param_map", param_map)
        self.scale = scale

    def forward(self, z):
        """
        z is a list of z1 and z2; z = [z1, z2]
        z1 is left constant and affine map is applied to z2 with parameters depending on z1
        """
        z1, z2 = z
        param = self.param_map(z1)
        if self.scale:
            shift = param[:, 0::2, ...]
            scale_ = param[:, 1::2, ...]
            z2 = z2 * torch.exp(scale_) + shift
            log_det = torch.sum(scale_, dim=list(range(1, shift.dim())))
        else:
            z2 = z2 + param
            log_det = 0
        return [z1, z2], log_det

    def inverse(self, z):
        z1, z2 = z
        param = self.param_map(z1)
        z2 = z2 - param
        return [z1, z2], 0


flow = AdditiveCoupling(nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(), nn.Linear(8, 3)))
inputs = nn.Linear(4, 6)(torch.randn(5, 4))
z, _ = Split().forward(inputs)
z, log_det = flow(z)
z = torch.cat(z, 1)
nll = 0.5 * z.pow(2).sum(1).mean() - log_det
nll.backward()
print(flow.param_map[0].weight.grad.norm())
