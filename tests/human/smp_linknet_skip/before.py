import torch
import torch.nn as nn


class Conv2dReLU(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, padding=0):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.block(x)


class DecoderBlock(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()

        self.block = nn.Sequential(
            Conv2dReLU(in_channels, in_channels // 4, kernel_size=1),
            nn.Upsample(scale_factor=2),
            Conv2dReLU(in_channels // 4, out_channels, kernel_size=1),
        )

    def forward(self, x):
        x, skip = x
        x = self.block(x)
        if skip is not None:
            x += skip
        return x


layer1, layer2 = DecoderBlock(16, 8), DecoderBlock(8, 4)
encoder_head, skip = torch.randn(2, 16, 4, 4), torch.randn(2, 8, 8, 8, requires_grad=True)
x = layer1([encoder_head, skip])
x = layer2([x, None])
x.mean().backward()
print(skip.grad.norm())
