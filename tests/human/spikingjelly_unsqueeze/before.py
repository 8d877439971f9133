import torch
import torch.nn as nn
import torch.nn.functional as F


def multi_step_forward(x_seq, multi_step_module):
    y_seq = []
    if isinstance(multi_step_module, (list, tuple, nn.Sequential)):
        for t in range(x_seq.shape[0]):
            x_seq_t = x_seq[t]
            for m in multi_step_module:
                x_seq_t = m(x_seq_t)
            y_seq.append(x_seq_t)
    else:
        for t in range(x_seq.shape[0]):
            y_seq.append(multi_step_module(x_seq[t]))

    for t in range(y_seq.__len__()):
        y_seq[t].unsqueeze_(0)
    return torch.cat(y_seq, 0)


class IFNode(nn.Module):
    def __init__(self, v_threshold=1.):
        super().__init__()
        self.v_threshold = v_threshold
        self.v = 0.

    def forward(self, x):
        self.v = self.v + x
        spike = torch.sigmoid(4. * (self.v - self.v_threshold))
        self.v = self.v - spike.detach() * self.v_threshold
        return spike


net = nn.Sequential(nn.Linear(5, 8), IFNode(), nn.Linear(8, 3), IFNode())
x_seq = torch.rand(4, 2, 5)
fr = multi_step_forward(x_seq, net).mean(0)
loss = F.mse_loss(fr, torch.rand(2, 3))
loss.backward()
print(net[0].weight.grad.norm())
