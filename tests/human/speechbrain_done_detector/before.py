import torch
import torch.nn as nn
import torch.nn.functional as F


def length_to_mask(length, max_len):
    mask = torch.arange(max_len).expand(len(length), max_len) < length.unsqueeze(1)
    return mask.float()


class DoneDetector(nn.Module):
    """Detects whether a sample is finished"""

    def __init__(self, model, out):
        super().__init__()
        self.model = model
        self.out = out

    def forward(self, feats, length=None):
        out = self.model(feats)
        if length is not None:
            max_len = feats.size(1)
            mask = length_to_mask(length=length * max_len, max_len=max_len)
            out *= mask.unsqueeze(-1)
        out = self.out(out)
        return out


detector = DoneDetector(
    model=nn.Sequential(nn.Linear(5, 8), nn.LeakyReLU(), nn.Linear(8, 8), nn.Tanh()),
    out=nn.Linear(8, 1),
)
done = detector(torch.randn(3, 6, 5), length=torch.tensor([1.0, 0.5, 0.8]))
loss = F.binary_cross_entropy_with_logits(done.squeeze(-1), torch.ones(3, 6))
loss.backward()
print(detector.model[0].weight.grad.norm())
