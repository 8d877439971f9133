import torch
import torch.nn as nn


class ConvModule(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, dilation=1):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size, stride=stride, dilation=dilation)
        self.bn = nn.BatchNorm1d(out_channels)
        self.activate = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.activate(self.bn(self.conv(x)))


class BasicTemporalBlock(nn.Module):
    def __init__(self, in_channels, out_channels, mid_channels=16, kernel_size=3, dilation=3, dropout=0.25,
                 causal=False, residual=True, use_stride_conv=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.dropout = dropout
        self.residual = residual
        self.use_stride_conv = use_stride_conv
        self.pad = (kernel_size - 1) * dilation // 2
        if use_stride_conv:
            self.stride = kernel_size
            self.causal_shift = kernel_size // 2 if causal else 0
            self.dilation = 1
        else:
            self.stride = 1
            self.causal_shift = kernel_size // 2 * dilation if causal else 0
            self.dilation = dilation

        self.conv1 = nn.Sequential(
            ConvModule(in_channels, mid_channels, kernel_size, self.stride, self.dilation), nn.Dropout(self.dropout))
        self.conv2 = nn.Sequential(ConvModule(mid_channels, out_channels, 1), nn.Dropout(self.dropout))

        if residual and in_channels != out_channels:
            self.short_cut = nn.Conv1d(in_channels, out_channels, 1)
        else:
            self.short_cut = None

    def forward(self, x):
        """Forward function."""
        out = self.conv1(x)
        out = self.conv2(out)

        if self.residual:
            if self.use_stride_conv:
                res = x[:, :, self.causal_shift + self.kernel_size // 2::self.kernel_size]
            else:
                res = x[:, :, (self.pad + self.causal_shift):(x.shape[2] - self.pad + self.causal_shift)]

            if self.short_cut is not None:
                res = self.short_cut(res)
            out += res

        return out


tcn = nn.Sequential(BasicTemporalBlock(8, 16, dropout=0), BasicTemporalBlock(16, 16, dilation=2, dropout=0))
feats = tcn(torch.randn(2, 8, 27))
feats.pow(2).mean().backward()
print(tcn[0].conv1[0].conv.weight.grad.norm())
