import torch
import torch.nn as nn


class Transition(nn.Module):
    def __init__(self, c, n=2):
        super().__init__()
        self.layer_norm = nn.LayerNorm(c)
        self.linear_1 = nn.Linear(c, n * c)
        self.linear_2 = nn.Linear(n * c, c)

    def forward(self, x, mask):
        x = self.layer_norm(x)
        return self.linear_2(torch.relu(self.linear_1(x))) * mask[..., None]


class EvoformerBlock(nn.Module):
    def __init__(self, c_m, c_z):
        super().__init__()
        self.msa_att_row = Transition(c_m)
        self.msa_att_col = Transition(c_m)
        self.tri_mul_out = Transition(c_z)
        self.tri_mul_in = Transition(c_z)
        self.outer = nn.Linear(c_m, c_z)
        self.ps_dropout_row_layer = nn.Dropout(0.1)

    def forward(self, m, z, msa_mask, pair_mask):
        m = m + self.msa_att_row(m, mask=msa_mask)
        m = m + self.msa_att_col(m, mask=msa_mask)
        o = self.outer(m).mean(dim=-3)
        z = z + o[..., None, :] + o[..., None, :, :]
        z = z + self.ps_dropout_row_layer(self.tri_mul_out(z, mask=pair_mask))
        z = z + self.ps_dropout_row_layer(self.tri_mul_in(z, mask=pair_mask))
        return m, z


block = EvoformerBlock(6, 8)
m = torch.randn(3, 4, 6, requires_grad=True)
z = torch.randn(4, 4, 8, requires_grad=True)
m_out, z_out = block(m, z, torch.ones(3, 4), torch.ones(4, 4))
loss = m_out.pow(2).mean() + z_out.pow(2).mean()
loss.backward()
print(m.grad.norm(), z.grad.norm())
