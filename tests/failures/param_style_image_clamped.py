"""Neural style: the image that is optimised is clamped in place in every step.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


def run_style_transfer(cnn, content, steps=2):
    input_img = content.clone().detach().requires_grad_(True)
    target = cnn(content).detach() * 0.5
    optimizer = torch.optim.SGD([input_img], lr=0.5)
    for _ in range(steps):
        input_img.clamp_(0, 1)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(cnn(input_img), target)
        loss.backward()
        optimizer.step()
    input_img.clamp_(0, 1)
    return input_img


def styled(cnn, content, gain):
    return run_style_transfer(cnn, content).detach() * gain


def example():
    torch.manual_seed(0)
    cnn = nn.Conv2d(1, 1, 3, padding=1)
    cnn.requires_grad_(False)
    return styled, (cnn, torch.randn(1, 1, 4, 4), torch.tensor(0.7, requires_grad=True))
