"""Detection head decoding in place on the sigmoid output.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Detect(nn.Module):
    def __init__(self, ch, na=1, nc=1):
        super().__init__()
        self.no = nc + 5
        self.na = na
        self.m = nn.Conv2d(ch, self.no * na, 1)
        self.stride = 8.0
        self.register_buffer("anchor", torch.tensor([1.5, 2.0]))

    def _make_grid(self, nx, ny):
        yv, xv = torch.meshgrid(torch.arange(ny), torch.arange(nx), indexing="ij")
        return torch.stack((xv, yv), 2).view(1, 1, ny, nx, 2).float()

    def forward(self, x):
        x = self.m(x)
        bs, _, ny, nx = x.shape
        x = x.view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
        y = x.sigmoid()
        y[..., 0:2] = (y[..., 0:2] * 2. - 0.5 + self._make_grid(nx, ny)) * self.stride
        y[..., 2:4] = (y[..., 2:4] * 2) ** 2 * self.anchor
        return y.view(bs, -1, self.no)


def example():
    torch.manual_seed(0)
    return Detect(1), (torch.randn(1, 1, 1, 2),)
