"""The usual EMA helper: its shadow is put back into the model's parameters for evaluation.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class EMA:
    def __init__(self, model, decay):
        self.model = model
        self.decay = decay
        self.shadow = {}
        self.backup = {}
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                self.shadow[name] = param.detach().clone()

    def update(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                assert name in self.shadow
                self.shadow[name] = (1.0 - self.decay) * param.detach() + self.decay * self.shadow[name]

    def apply_shadow(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                self.backup[name] = param.detach().clone()
                param.copy_(self.shadow[name])

    def restore(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                assert name in self.backup
                param.copy_(self.backup[name])
        self.backup = {}


def evaluate(model, x):
    ema = EMA(model, 0.9)
    ema.update()
    ema.apply_shadow()
    out = model(x)
    return out.sum()


def example():
    torch.manual_seed(0)
    return evaluate, (nn.Linear(2, 2), torch.randn(3, 2, requires_grad=True))
