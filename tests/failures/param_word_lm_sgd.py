"""The word language model's own update, `p.add_(p.grad, alpha=-lr)` without no_grad.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


def train(model, data, targets, lr):
    criterion = nn.MSELoss()
    total_loss = 0.
    for x, y in zip(data, targets):
        loss = criterion(model(x), y)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            if p.grad is None:
                continue
            p.add_(p.grad, alpha=-lr)
        total_loss += loss.item()
    return total_loss / 2


def run(model, x, y, targets):
    train(model, x.detach(), targets, 0.1)
    return model(x * y)


def example():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    for p in model.parameters():
        p.grad = torch.randn_like(p)
    return run, (model, torch.randn(3, 2), torch.randn(3, 2, requires_grad=True), torch.randn(3, 1))
