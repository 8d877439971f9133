import torch
import torch.nn as nn


def k_adjacency(A, k):
    return (torch.matrix_power(A, k) > 0).float()


class MLP(nn.Module):

    def __init__(self, in_channels, out_channels, act_cfg=dict(type='ReLU'), dropout=0):
        super().__init__()
        channels = [in_channels] + out_channels
        self.layers = nn.ModuleList()
        for i in range(1, len(channels)):
            if dropout > 1e-3:
                self.layers.append(nn.Dropout(p=dropout))
            self.layers.append(nn.Conv2d(channels[i - 1], channels[i], kernel_size=1))
            self.layers.append(nn.BatchNorm2d(channels[i]))
            if act_cfg:
                self.layers.append(nn.ReLU())

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class ST_MSGCN(nn.Module):

    def __init__(self, in_channels, out_channels, A, num_scales, window_size, residual=False):
        super().__init__()
        self.num_scales = num_scales
        A_large = (A + torch.eye(len(A))).tile(window_size, window_size)
        A_scales = torch.stack([k_adjacency(A_large, k) for k in range(num_scales)])
        self.register_buffer('A', A_scales / A_scales.sum(-1, keepdim=True))

        self.PA = nn.Parameter(self.A.clone())
        nn.init.uniform_(self.PA, -1e-6, 1e-6)

        self.mlp = MLP(in_channels * num_scales, [out_channels])

        # Residual connection
        if not residual:
            self.residual = lambda x: 0
        elif (in_channels == out_channels):
            self.residual = lambda x: x
        else:
            self.residual = MLP(in_channels, [out_channels], act_cfg=None)

        self.act = nn.ReLU()

    def forward(self, x):
        N, C, T, V = x.shape  # T = number of windows, V = self.V * window_size
        A = self.A + self.PA

        # Perform Graph Convolution
        res = self.residual(x)
        agg = torch.einsum('kvu,nctv->nkctu', A, x)
        agg = agg.reshape(N, self.num_scales * C, T, V)
        out = self.mlp(agg)
        if res == 0:
            return self.act(out)
        else:
            return self.act(out + res)


A = torch.diag(torch.ones(4), 1)
A = A + A.T
gcn3d = ST_MSGCN(3, 8, A, num_scales=3, window_size=2)
head = nn.Linear(8, 4)
cls_score = head(gcn3d(torch.randn(2, 3, 6, 10)).mean(dim=(2, 3)))
nn.functional.cross_entropy(cls_score, torch.tensor([1, 3])).backward()
print(gcn3d.PA.grad.norm())
