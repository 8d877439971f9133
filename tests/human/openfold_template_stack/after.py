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
        single_templates = [
            t.unsqueeze(-4) for t in torch.unbind(z, dim=-4)
        ]
        single_templates_masks = [
            m.unsqueeze(-3) for m in torch.unbind(mask, dim=-3)
        ]
        for i in range(len(single_templates)):
            single = single_templates[i]
            single_mask = single_templates_masks[i]

            single = single + self.tri_att(single, mask=single_mask)
            single = single + self.pair_transition(
                single,
                mask=single_mask,
            )
            single_templates[i] = single

        z = torch.cat(single_templates, dim=-4)

        return z


embedder = nn.Linear(5, 8)
block = TemplatePairStackBlock(8)
t = embedder(torch.randn(2, 3, 4, 4, 5))
out = block(t, torch.ones(2, 3, 4, 4))
out.pow(2).mean().backward()
print(embedder.weight.grad.norm())
