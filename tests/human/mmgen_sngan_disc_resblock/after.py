import torch
import torch.nn as nn
from torch.nn.utils.parametrizations import spectral_norm


def build_activation_layer(cfg):
    cfg = cfg.copy()
    return {'ReLU': nn.ReLU, 'LeakyReLU': nn.LeakyReLU}[cfg.pop('type')](**cfg)


class SNConvModule(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, padding=0, act_cfg=None, with_spectral_norm=True):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding)
        if with_spectral_norm:
            self.conv = spectral_norm(self.conv)
        self.activate = build_activation_layer(act_cfg) if act_cfg else None

    def forward(self, x):
        # order=('act', 'conv')
        if self.activate is not None:
            x = self.activate(x)
        return self.conv(x)


class SNGANDiscResBlock(nn.Module):
    def __init__(self,
                 in_channels,
                 out_channels,
                 downsample=False,
                 act_cfg=dict(type='ReLU'),
                 with_spectral_norm=True):
        super().__init__()
        self.with_downsample = downsample
        self.conv_1 = SNConvModule(in_channels, out_channels, 3, padding=1, act_cfg=act_cfg,
                                   with_spectral_norm=with_spectral_norm)
        self.conv_2 = SNConvModule(out_channels, out_channels, 3, padding=1, act_cfg=act_cfg,
                                   with_spectral_norm=with_spectral_norm)
        if self.with_downsample:
            self.downsample = nn.AvgPool2d(2, 2)
        self.with_learnable_sc = in_channels != out_channels or downsample
        if self.with_learnable_sc:
            self.shortcut = SNConvModule(in_channels, out_channels, 1, with_spectral_norm=with_spectral_norm)

    def forward_shortcut(self, x):
        out = x
        if self.with_learnable_sc:
            out = self.shortcut(out)
            if self.with_downsample:
                out = self.downsample(out)
        return out

    def forward(self, x):
        shortcut = self.forward_shortcut(x)
        x = self.conv_1(x)
        x = self.conv_2(x)
        if self.with_downsample:
            x = self.downsample(x)
        return x + shortcut


disc = nn.Sequential(
    SNGANDiscResBlock(3, 8, downsample=True),
    SNGANDiscResBlock(8, 16, downsample=True),
    SNGANDiscResBlock(16, 16),
)
fake = nn.Conv2d(2, 3, 1)(torch.randn(2, 2, 8, 8))
disc(fake).sum(dim=(1, 2, 3)).mean().backward()
print(disc[1].shortcut.conv.bias.grad.norm())
