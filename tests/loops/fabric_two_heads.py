"""Two heads on one encoder in the manner of Fabric; the second head has its own optimizer."""
import torch
from torch import nn


class Fabric:
    def setup(self, module, optimizer):
        return module, optimizer

    def backward(self, tensor, *args, **kwargs):
        tensor.backward(*args, **kwargs)


fabric = Fabric()
encoder = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 8))
main_head, aux_head = nn.Linear(8, 1), nn.Linear(8, 1)
main_opt = torch.optim.AdamW([*encoder.parameters(), *main_head.parameters()], lr=1e-2)
aux_opt = torch.optim.AdamW(aux_head.parameters(), lr=1e-2)
for _ in range(4):
    x, y = torch.randn(6, 3), torch.randn(6, 1)
    h = encoder(x)
    main_loss = (main_head(h) - y).pow(2).mean()
    main_opt.zero_grad()
    fabric.backward(main_loss, retain_graph=True)
    main_opt.step()
    aux_loss = (aux_head(h) + y).pow(2).mean()  #-
    #+ aux_loss = (aux_head(h.detach()) + y).pow(2).mean()
    aux_opt.zero_grad()
    fabric.backward(aux_loss)
    aux_opt.step()
