"""Metrics written into a dict by a function that sorts out invalid depths in its argument.

Torch: modified by an inplace operation
"""
import torch


def depth_metrics(pred, gt, metrics):
    pred[pred < 0.1] = 0.1
    pred[pred > 10] = 10
    ratio = torch.max(pred / gt, gt / pred)
    metrics["a1"] = (ratio < 1.25).float().mean().item()
    metrics["abs_rel"] = ((pred - gt).abs() / gt).mean().item()


def loss_with_metrics(feat, w, gt):
    metrics = {}
    depth = torch.exp(feat @ w)
    loss = (torch.log(depth) - torch.log(gt)).abs().mean() + depth.pow(2).mean()
    depth_metrics(depth, gt, metrics)
    return loss


def example():
    torch.manual_seed(0)
    return loss_with_metrics, (torch.randn(3, 2), torch.randn(2, requires_grad=True), torch.rand(3) + 0.5)
