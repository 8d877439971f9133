import torch
import torch.nn as nn
import torch.utils.checkpoint as cp


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None, with_cp=False):
        super().__init__()
        self.norm1 = nn.InstanceNorm2d(planes)
        self.norm2 = nn.InstanceNorm2d(planes)
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride=stride, padding=1)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride
        self.with_cp = with_cp

    def forward(self, x):
        """Forward function."""

        def _inner_forward(x):
            identity = x

            out = self.conv1(x)
            out = self.norm1(out)
            out = self.relu(out)

            out = self.conv2(out)
            out = self.norm2(out)
            out = self.relu(out)

            if self.downsample is not None:
                identity = self.downsample(x)

            out = out + identity

            return out

        if self.with_cp and x.requires_grad:
            out = cp.checkpoint(_inner_forward, x, use_reentrant=False)
        else:
            out = _inner_forward(x)

        out = self.relu(out)

        return out


class RAFTEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 7, stride=2, padding=3)
        self.res_layer1 = BasicBlock(8, 8)
        self.res_layer2 = BasicBlock(8, 12, stride=2, downsample=nn.Conv2d(8, 12, 1, stride=2))

    def forward(self, x):
        return self.res_layer2(self.res_layer1(self.conv1(x).relu()))


encoder = RAFTEncoder()
fmap1, fmap2 = encoder(torch.randn(2, 3, 16, 16)), encoder(torch.randn(2, 3, 16, 16))
corr = torch.einsum("bchw,bcij->bhwij", fmap1, fmap2)
corr.pow(2).mean().backward()
print(encoder.conv1.weight.grad.norm())
