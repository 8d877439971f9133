"""A soft z-buffer: nearer fragments overwrite depth and colour.

Torch: modified by an inplace operation
"""
import torch


def rasterize(depths, colors, background=10.0):
    """depths: (layers, pixels), colors: (layers, pixels, 3)"""
    n_layers, n_pix = depths.shape
    zbuf = torch.full((n_pix,), background)
    image = torch.zeros(n_pix, 3)
    for l in range(n_layers):
        closer = depths[l] < zbuf
        zbuf[closer] = depths[l][closer]
        image[closer] = colors[l][closer] * torch.exp(-zbuf[closer])[:, None]
    fog = torch.exp(-0.1 * zbuf)
    fog[zbuf >= background] = 0.
    return image * fog[:, None]


def example():
    torch.manual_seed(0)
    return rasterize, (torch.rand(3, 4, requires_grad=True), torch.rand(3, 4, 3, requires_grad=True))
