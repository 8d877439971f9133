import torch
import torch.nn as nn
import torch.nn.functional as F


class InputNormalization(torch.nn.Module):
    def __init__(self, norm_type="sentence", eps=1e-10):
        super().__init__()
        self.norm_type = norm_type
        self.eps = eps

    def forward(self, x, lengths):
        N_batches = x.shape[0]

        current_means = []
        current_stds = []

        for snt_id in range(N_batches):
            # Avoiding padded time steps
            actual_size = torch.round(lengths[snt_id] * x.shape[1]).int()

            # computing statistics
            current_mean, current_std = self._compute_current_stats(
                x[snt_id, 0:actual_size, ...]
            )
            current_means.append(current_mean)
            current_stds.append(current_std)

            if self.norm_type == "sentence":
                x[snt_id] = (x[snt_id] - current_mean.data) / current_std.data

        return x

    def _compute_current_stats(self, x):
        current_mean = torch.mean(x, dim=0).detach()
        current_std = torch.std(x, dim=0).detach()
        current_std = torch.max(current_std, self.eps * torch.ones_like(current_std))
        return current_mean, current_std


frontend = nn.Sequential(nn.Linear(6, 5), nn.Sigmoid())
normalize = InputNormalization()
head = nn.Linear(5, 3)
feats = normalize(frontend(torch.randn(2, 10, 6)), torch.tensor([1.0, 0.7]))
loss = F.cross_entropy(head(feats).mean(1), torch.tensor([0, 2]))
loss.backward()
print(frontend[0].weight.grad.norm())
