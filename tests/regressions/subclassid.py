import torch
import torch.nn as nn
import torch.nn.functional as F
class M0(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(2)
    def forward(self, x: torch.Tensor):
        y = x.exp()
        z = self.norm(y)
        z += 1
        return z * y
class M(M0):
    def __init__(self):
        super().__init__()
        self.norm = nn.Identity()

def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
