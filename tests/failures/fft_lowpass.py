"""A spectral filter that is applied in place after the magnitude has been taken for a loss.

Torch: modified by an inplace operation
"""
import torch


def spectral_filter(x, gain, cutoff):
    spec = torch.fft.rfft(x, dim=-1)
    mag = spec.abs()
    freqs = torch.arange(spec.shape[-1])
    spec[..., freqs > cutoff] = 0
    spec *= gain
    return torch.fft.irfft(spec, n=x.shape[-1]), mag


def example():
    torch.manual_seed(0)
    return spectral_filter, (torch.randn(2, 6, requires_grad=True), torch.tensor(1.5, requires_grad=True), 2)
