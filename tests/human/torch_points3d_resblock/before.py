import torch
import torch.nn as nn


class Seq(nn.Sequential):
    def append(self, module):
        self.add_module(str(len(self)), module)
        return self


class ResBlock(torch.nn.Module):
    def __init__(self, input_nc, output_nc, convolution):
        super().__init__()
        self.block = (
            Seq()
            .append(convolution(input_nc, output_nc, kernel_size=3, padding=1))
            .append(nn.BatchNorm3d(output_nc))
            .append(nn.ReLU())
            .append(convolution(output_nc, output_nc, kernel_size=3, padding=1))
            .append(nn.BatchNorm3d(output_nc))
            .append(nn.ReLU())
        )

        if input_nc != output_nc:
            self.downsample = (
                Seq().append(nn.Conv3d(input_nc, output_nc, kernel_size=1)).append(nn.BatchNorm3d(output_nc))
            )
        else:
            self.downsample = None

    def forward(self, x):
        out = self.block(x)
        if self.downsample:
            out += self.downsample(x)
        else:
            out += x
        return out


class ResNetDown(torch.nn.Module):
    def __init__(self, down_conv_nn, N=1):
        super().__init__()
        self.conv_in = nn.Conv3d(down_conv_nn[0], down_conv_nn[0], kernel_size=2, stride=2)
        blocks = [ResBlock(down_conv_nn[0] if i == 0 else down_conv_nn[1], down_conv_nn[1], nn.Conv3d) for i in range(N)]
        self.blocks = nn.Sequential(*blocks)

    def forward(self, x):
        out = self.conv_in(x)
        return self.blocks(out)


down = ResNetDown([2, 4], N=2)
out = down(torch.randn(2, 2, 6, 6, 6))
out.pow(2).mean().backward()
print(down.conv_in.weight.grad.norm())
