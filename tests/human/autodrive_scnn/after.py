import math
import torch
from torch import nn as nn
from torch.nn import functional as F


class SpatialConv(nn.Module):
    # SCNN

    def __init__(self, num_channels=8):
        super().__init__()
        self.conv_d = nn.Conv2d(num_channels, num_channels, (1, 9), padding=(0, 4))
        self.conv_u = nn.Conv2d(num_channels, num_channels, (1, 9), padding=(0, 4))
        self.conv_r = nn.Conv2d(num_channels, num_channels, (9, 1), padding=(4, 0))
        self.conv_l = nn.Conv2d(num_channels, num_channels, (9, 1), padding=(4, 0))
        self._adjust_initializations(num_channels=num_channels)

    def _adjust_initializations(self, num_channels=128):
        # https://github.com/XingangPan/SCNN/issues/82
        bound = math.sqrt(2.0 / (num_channels * 9 * 5))
        nn.init.uniform_(self.conv_d.weight, -bound, bound)
        nn.init.uniform_(self.conv_u.weight, -bound, bound)
        nn.init.uniform_(self.conv_r.weight, -bound, bound)
        nn.init.uniform_(self.conv_l.weight, -bound, bound)

    def build_slice(self, vertical, reverse, shape):
        # refer to https://github.com/harryhan618/SCNN_Pytorch/blob/master/model.py
        slices = []
        if vertical:  # h
            concat_dim = 2
            length = shape[concat_dim]
            for i in range(length):
                slices.append(
                    (slice(None), slice(None), slice(i, i + 1), slice(None))
                )
        else:  # w
            concat_dim = 3
            length = shape[concat_dim]
            for i in range(length):
                slices.append(
                    (slice(None), slice(None), slice(None), slice(i, i + 1))
                )
        if reverse:
            slices = slices[::-1]
        return slices, concat_dim

    def non_inplace_forward(self, input):
        output = input
        vertical = [True, True, False, False]
        reverse = [False, True, False, True]
        convs = [self.conv_d, self.conv_u, self.conv_r, self.conv_l]
        for ver, rev, conv in zip(vertical, reverse, convs):
            slices, dim = self.build_slice(ver, rev, input.shape)
            output_slices = []
            for idx, s in enumerate(slices):
                # the condition is to align with the original forward
                if (rev is False and idx > 0) or (rev is True and idx < len(slices) - 1 and idx > 0):
                    output_slices.append(output[s] + F.relu(conv(output_slices[-1])))
                else:
                    output_slices.append(output[s])
            if rev:
                output_slices = output_slices[::-1]
            output = torch.cat(output_slices, dim=dim)
        return output

    def forward(self, input):
        output = input

        output = self.non_inplace_forward(output)

        return output


backbone = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
scnn, classifier = SpatialConv(), nn.Conv2d(8, 5, 1)
prob_maps = classifier(F.dropout2d(scnn(backbone(torch.randn(2, 3, 5, 7))), 0.1))
F.cross_entropy(prob_maps, torch.randint(0, 5, (2, 5, 7))).backward()
print(scnn.conv_d.weight.grad.norm(), backbone[0].weight.grad.norm())
