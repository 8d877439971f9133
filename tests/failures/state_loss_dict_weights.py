"""Loss terms are collected in a dict and scaled by learned weights in a loop over another dict.

Torch: modified by an inplace operation
"""
import torch


class Criterion:
    def __init__(self, weights):
        self.weights = weights

    def __call__(self, outputs, targets):
        losses = {}
        losses["loss_ce"] = torch.exp(-(outputs["logits"] * targets["labels"]).mean())
        losses["loss_giou"] = torch.sqrt((outputs["boxes"] - targets["boxes"]).abs().sum() + 1e-3)
        for name, w in self.weights.items():
            losses[name] *= w
        return sum(losses[k] for k in losses)


def example():
    torch.manual_seed(0)
    crit = Criterion({"loss_ce": 2.0, "loss_giou": 0.5})
    outputs = {"logits": torch.randn(3, requires_grad=True), "boxes": torch.rand(2, 4, requires_grad=True)}
    targets = {"labels": torch.tensor([1.0, 0.0, 1.0]), "boxes": torch.rand(2, 4)}
    return crit, (outputs, targets)
