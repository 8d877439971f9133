import torch
import torch.nn as nn


def conv_sequence(in_channels, out_channels, act_layer=None, norm_layer=None, **kwargs):
    conv_seq = [nn.Conv2d(in_channels, out_channels, **kwargs)]
    if norm_layer is not None:
        conv_seq.append(norm_layer(out_channels))
    if act_layer is not None:
        conv_seq.append(act_layer)
    return conv_seq


class ScaleConv2d(nn.Module):
    def __init__(self, scale, planes, kernel_size, stride=1, groups=1, downsample=False,
                 act_layer=None, norm_layer=None):
        super().__init__()

        self.scale = scale
        self.width = planes // scale
        self.conv = nn.ModuleList([nn.Sequential(*conv_sequence(self.width, self.width,
                                                                act_layer, norm_layer,
                                                                kernel_size=3, stride=stride, padding=1,
                                                                groups=groups, bias=False))
                                   for _ in range(max(1, scale - 1))])

        if downsample:
            self.downsample = nn.AvgPool2d(kernel_size=3, stride=stride, padding=1)
        else:
            self.downsample = None

    def forward(self, x):

        # Split the channel dimension into groups of self.width channels
        split_x = torch.split(x, self.width, 1)
        out = []
        for idx, layer in enumerate(self.conv):
            # If downsampled, don't add previous branch
            if idx == 0 or self.downsample is not None:
                _res = split_x[idx]
            else:
                _res = out[-1] + split_x[idx]
            out.append(layer(_res))
        # Use the last chunk as shortcut connection
        if self.scale > 1:
            # If the convs were strided, the shortcut needs to be downsampled
            if self.downsample is not None:
                out.append(self.downsample(split_x[-1]))
            else:
                out.append(split_x[-1])

        return torch.cat(out, 1)


model = nn.Sequential(
    ScaleConv2d(4, 16, 3, stride=2, downsample=True, act_layer=nn.ReLU(inplace=True), norm_layer=nn.BatchNorm2d),
    ScaleConv2d(4, 16, 3, act_layer=nn.ReLU(inplace=True), norm_layer=nn.BatchNorm2d),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(16, 10),
)
out = model(torch.rand(2, 16, 8, 8))
loss = torch.nn.functional.cross_entropy(out, torch.zeros(2, dtype=torch.long))
loss.backward()
print(loss.item())
