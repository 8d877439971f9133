import torch
import torch.nn as nn
import torch.nn.functional as F


def delta_rule_recurrence(q, k, v, beta):
    b, h, l, d_k = q.shape
    d_v = v.shape[-1]
    o = []
    S = torch.zeros(b, h, d_k, d_v).to(v)
    q = q * (d_k ** -0.5)
    for i in range(l):
        _k, _q = k[:, :, i], q[:, :, i]
        _v = v[:, :, i] - (S * _k[..., None]).sum(-2)
        _v = _v * beta[:, :, i, None]
        S = S + _k[..., None] * _v[..., None, :]
        o.append(torch.einsum('bhd,bhdm->bhm', _q, S))
    return torch.stack(o, dim=2)


class DeltaNet(nn.Module):
    def __init__(self, hidden_size=8, num_heads=2, use_beta=True):
        super().__init__()
        self.num_heads = num_heads
        self.use_beta = use_beta
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.b_proj = nn.Linear(hidden_size, num_heads, bias=False)

    def forward(self, hidden_states, attention_mask=None):
        split = lambda x: x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        q, k, v = map(split, (self.q_proj(hidden_states), self.k_proj(hidden_states), self.v_proj(hidden_states)))
        k = F.normalize(k, dim=-1)

        if self.use_beta:
            beta = self.b_proj(hidden_states).transpose(1, 2).sigmoid()
        else:
            beta = q.new_ones(q.shape[0], q.shape[1], q.shape[2])

        # dealing with padding
        if attention_mask is not None:
            beta = (torch.mul if self.training else torch.mul_)(beta, attention_mask[:, None, -beta.shape[-1]:])

        return delta_rule_recurrence(q, k, v, beta).transpose(1, 2).flatten(-2)


layer = DeltaNet()
mask = torch.tensor([[0, 1, 1, 1], [1, 1, 1, 1]])
o = layer(torch.randn(2, 4, 8), attention_mask=mask)
o.pow(2).mean().backward()
print(layer.b_proj.weight.grad.norm())
