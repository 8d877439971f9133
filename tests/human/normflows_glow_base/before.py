import numpy as np
import torch
import torch.nn as nn


class GlowBase(nn.Module):
    def __init__(self, d, num_classes=None):
        super().__init__()
        self.d = d
        self.num_classes = num_classes
        self.class_cond = num_classes is not None
        self.loc = nn.Parameter(torch.zeros(1, d))
        self.log_scale = nn.Parameter(torch.zeros(1, d))
        if self.class_cond:
            self.loc_cc = nn.Parameter(torch.randn(num_classes, d))
            self.log_scale_cc = nn.Parameter(torch.zeros(num_classes, d))
        self.temperature = None

    def log_prob(self, z, y=None):
        # Perpare parameter
        loc = self.loc
        log_scale = self.log_scale
        if self.class_cond:
            if y.dim() == 1:
                y_onehot = torch.zeros((len(y), self.num_classes), dtype=self.loc.dtype,
                                       device=self.loc.device)
                y_onehot.scatter_(1, y[:, None], 1)
                y = y_onehot
            loc += y @ self.loc_cc
            log_scale += y @ self.log_scale_cc
        if self.temperature is not None:
            log_scale += np.log(self.temperature)
        # Get log prob
        log_p = - 0.5 * self.d * np.log(2 * np.pi) \
                - torch.sum(log_scale, dim=1) \
                - 0.5 * torch.sum(torch.pow((z - loc) / torch.exp(log_scale), 2), dim=1)
        return log_p


base = GlowBase(4, num_classes=3)
base.temperature = 0.7
log_q = base.log_prob(torch.randn(6, 4), torch.randint(3, (6,)))
loss = -log_q.mean()
loss.backward()
print(base.loc.grad.norm(), base.loc_cc.grad.norm())
