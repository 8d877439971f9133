"""Phasors made by a complex exponential, then scaled by an amplitude in place.

Torch: modified by an inplace operation
"""
import torch


def synth(phase, amp):
    z = torch.exp(1j * phase)
    z *= amp
    z[0] = 0
    return torch.view_as_real(z).sum(-1)


def example():
    torch.manual_seed(0)
    return synth, (torch.randn(4, requires_grad=True), torch.rand(4, requires_grad=True))
