import torch
import torch.nn as nn


class GatedResBlock(nn.Module):
    def __init__(
        self,
        in_channel,
        channel,
        kernel_size,
        activation=nn.ELU,
        dropout=0.1,
        auxiliary_channel=0,
    ):
        super().__init__()

        self.activation = activation(inplace=True)
        self.conv1 = nn.Conv2d(in_channel, channel, kernel_size, padding=kernel_size // 2)

        if auxiliary_channel > 0:
            self.aux_conv = nn.Conv2d(auxiliary_channel, channel, 1)

        self.dropout = nn.Dropout(dropout)

        self.conv2 = nn.Conv2d(channel, in_channel * 2, kernel_size, padding=kernel_size // 2)

        self.gate = nn.GLU(1)

    def forward(self, input, aux_input=None):
        out = self.conv1(self.activation(input))

        if aux_input is not None:
            out = out + self.aux_conv(self.activation(aux_input))

        out = self.activation(out)
        out = self.dropout(out)
        out = self.conv2(out)

        out = self.gate(out)
        out += input

        return out


stem = nn.Conv2d(1, 4, 3, padding=1)
resblocks = nn.ModuleList([GatedResBlock(4, 6, 3) for _ in range(2)])
out_resblock = GatedResBlock(4, 6, 3, auxiliary_channel=4)
background = stem(torch.randn(2, 1, 5, 5))
out = background
for resblock in resblocks:
    out = resblock(out)
out = out_resblock(out, aux_input=background)
out.mean().backward()
print(stem.weight.grad.norm())
