import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.modules.loss import _WeightedLoss


class HybridCELoss(_WeightedLoss):
    def __init__(self, n_brackets, regression_loss: str = "mse", alpha: float = 0.5, weight=None, reduction: str = "mean"):
        super().__init__(weight=weight, reduction=reduction)

        if regression_loss == "mae":
            self.regression_loss = F.l1_loss
        elif regression_loss == "mse":
            self.regression_loss = F.mse_loss
        else:
            raise ValueError(f"Expected regression_loss to be in {{'mae', 'mse'}}, received {regression_loss}.")

        self.brackets = Tensor(range(n_brackets))
        self.alpha = alpha
        self.softmax = torch.nn.Softmax(dim=1)

    def forward(self, input: Tensor, target: Tensor, nan_targets: Tensor = None) -> Tensor:
        target = target.flatten()

        # set input and target with nans to 0s for regression loss
        if nan_targets is not None:
            input[nan_targets] = 0.0
            target[nan_targets] = 0.0
        # regression loss needs normalized logits to probability as input to do inner product with self.brackets
        # we apply softmax on the raw logits first
        softmax_input = self.softmax(input)
        # the softmax of a tensor of 0s would not be 0s anymore, so need to apply nan_targets here again to filter out
        if nan_targets is not None:
            softmax_input[nan_targets] = 0.0
        # [batch_size, n_classes] * [n_classes] ([0, 1, 2...n_brakets-1]) -> [batch_size]
        regression_input = torch.inner(softmax_input.to(self.brackets.dtype), self.brackets.to(input.device))
        regression_loss = self.regression_loss(regression_input, target.float(), reduction=self.reduction)
        # regression_loss needs some scaling by total_targets/num_real_targets
        if nan_targets is not None:
            num_real_targets = (~nan_targets).sum()
            factor1 = torch.where(num_real_targets > 0, 1, 0)
            factor2 = torch.where(num_real_targets > 0, 0, 1)
            regression_loss = factor1 * regression_loss * nan_targets.numel() / (num_real_targets + factor2)

            # set input and target with nans to -1000s for ce loss
            input[nan_targets] = -1000
            target[nan_targets] = -1000
        # cross_entropy loss needs raw logits as input
        # ce_loss does not need scaling as it already ignores -1000 masked nan values
        ce_loss = F.cross_entropy(
            input, target.long(), weight=self.weight, ignore_index=-1000, reduction=self.reduction
        )

        return self.alpha * ce_loss + (1 - self.alpha) * regression_loss


head = torch.nn.Linear(8, 5)
loss_fn = HybridCELoss(n_brackets=5)
preds = head(torch.randn(10, 8))
target = torch.randint(0, 5, (10, 1)).float()
target[[2, 7]] = float("nan")
loss = loss_fn(preds, target, nan_targets=torch.isnan(target).flatten())
loss.backward()
print(loss.item(), head.weight.grad.norm())
