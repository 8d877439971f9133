import torch
import torch.nn as nn


class PairTransition(nn.Module):
    def __init__(self, c_z, n):
        super().__init__()
        self.layer_norm = nn.LayerNorm(c_z)
        self.linear_1 = nn.Linear(c_z, n * c_z)
        self.linear_2 = nn.Linear(n * c_z, c_z)

    def forward(self, z, mask):
        z = self.layer_norm(z)
        z = self.linear_2(torch.relu(self.linear_1(z)))
        return z * mask.unsqueeze(-1)


class TemplatePairStackBlock(nn.Module):
    def __init__(self, c_t):
        super().__init__()
        self.tri_att = PairTransition(c_t, 1)
        self.pair_transition = PairTransition(c_t, 2)

    def forward(self, z, mask, _mask_trans=True):
        for templ_idx in range(z.shape[-4]):
            # Select a single template at a time
            single = z[..., templ_idx:templ_idx+1, :, :, :]
            single_mask = mask[..., templ_idx:templ_idx+1, :, :]

            single = single + self.tri_att(single, mask=single_mask)
            single = single + self.pair_transition(
                single,
                mask=single_mask,
            )
            z[..., templ_idx:templ_idx+1, :, :, :] = single

        return z


embedder = nn.Linear(5, 8)
block = TemplatePairStackBlock(8)
t = embedder(torch.randn(2, 3, 4, 4, 5))
out = block(t, torch.ones(2, 3, 4, 4))
out.pow(2).mean().backward()
print(embedder.weight.grad.norm())
