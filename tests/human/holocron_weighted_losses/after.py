import torch
import torch.nn.functional as F
from torch import Tensor


def multilabel_cross_entropy(
    x: Tensor,
    target: Tensor,
    weight: Tensor = None,
    ignore_index: int = -100,
    reduction: str = 'mean'
) -> Tensor:
    # log(P[class]) = log_softmax(score)[class]
    logpt = F.log_softmax(x, dim=1)

    # Ignore index (set loss contribution to 0)
    valid_idxs = torch.ones(logpt.shape[1], dtype=torch.bool, device=x.device)
    if ignore_index >= 0 and ignore_index < x.shape[1]:
        valid_idxs[ignore_index] = False

    # Weight
    if weight is not None:
        # Tensor type
        if weight.type() != x.data.type():
            weight = weight.type_as(x.data)
        logpt = logpt * weight.view(1, -1, *([1] * (x.ndim - 2)))  # type: ignore[attr-defined]

    # CE Loss
    loss = - target * logpt

    # Loss reduction
    if reduction == 'sum':
        loss = loss[:, valid_idxs].sum()
    else:
        loss = loss[:, valid_idxs].sum(dim=1)
        if reduction == 'mean':
            loss = loss.mean()

    return loss


def ls_cross_entropy(
    x: Tensor,
    target: Tensor,
    weight: Tensor = None,
    ignore_index: int = -100,
    reduction: str = 'mean',
    eps: float = 0.1
) -> Tensor:
    if eps == 0:
        return F.cross_entropy(x, target, weight, ignore_index=ignore_index, reduction=reduction)

    # log(P[class]) = log_softmax(score)[class]
    logpt = F.log_softmax(x, dim=1)

    # Ignore index (set loss contribution to 0)
    valid_idxs = torch.ones(logpt.shape[1], dtype=torch.bool, device=x.device)
    if ignore_index >= 0 and ignore_index < x.shape[1]:
        valid_idxs[ignore_index] = False

    # Weight
    if weight is not None:
        # Tensor type
        if weight.type() != x.data.type():
            weight = weight.type_as(x.data)
        logpt = logpt * weight.view(1, -1, *([1] * (logpt.ndim - 2)))  # type: ignore[attr-defined]

    # Loss reduction
    if reduction == 'sum':
        loss = -logpt[:, valid_idxs].sum()
    else:
        loss = -logpt[:, valid_idxs].sum(dim=1)
        if reduction == 'mean':
            loss = loss.mean()

    # Smooth the labels
    return eps / x.shape[1] * loss + (1 - eps) * F.nll_loss(logpt, target, weight,
                                                            ignore_index=ignore_index, reduction=reduction)


x = torch.randn(2, 4, 5, 5, requires_grad=True)
weight = torch.tensor([1., 2., 1., .5], dtype=torch.float64)
loss = multilabel_cross_entropy(x, torch.randint(0, 2, (2, 4, 5, 5)).float(), weight, ignore_index=3)
loss = loss + ls_cross_entropy(x, torch.randint(0, 4, (2, 5, 5)), weight, reduction='mean')
loss.backward()
print(loss.item(), x.grad.norm())
