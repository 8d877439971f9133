import torch
import torch.nn as nn


class ResEncoder(nn.Module):
    def __init__(self, in_channels, out_channels):
        super(ResEncoder, self).__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, kernel_size=3, padding=1)
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.relu = nn.ReLU(inplace=False)
        self.conv1x1 = nn.Conv2d(in_channels, out_channels, kernel_size=1)

    def forward(self, x):
        residual = self.conv1x1(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = out + residual
        out = self.relu(out)
        return out


class Decoder(nn.Module):
    def __init__(self, in_channels, out_channels):
        super(Decoder, self).__init__()
        self.conv = nn.Sequential(
                nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1),
                nn.BatchNorm2d(out_channels),
                nn.ReLU(inplace=True),
                nn.Conv2d(out_channels, out_channels, kernel_size=3, padding=1),
                nn.BatchNorm2d(out_channels),
                nn.ReLU(inplace=True)
        )

    def forward(self, x):
        out = self.conv(x)
        return out


class CSNet(nn.Module):
    def __init__(self, classes, channels):
        super(CSNet, self).__init__()
        self.enc_input = ResEncoder(channels, 4)
        self.encoder1 = ResEncoder(4, 8)
        self.downsample = nn.MaxPool2d(kernel_size=2, stride=2)
        self.decoder1 = Decoder(8, 4)
        self.deconv1 = nn.ConvTranspose2d(8, 4, kernel_size=2, stride=2)
        self.final = nn.Conv2d(4, classes, kernel_size=1)

    def forward(self, x):
        enc_input = self.enc_input(x)
        down1 = self.downsample(enc_input)
        enc1 = self.encoder1(down1)
        up1 = self.deconv1(enc1)
        up1 = torch.cat((enc_input, up1), dim=1)
        dec1 = self.decoder1(up1)
        return torch.sigmoid(self.final(dec1))


net = CSNet(1, 3)
pred = net(torch.randn(2, 3, 16, 16))
loss = nn.functional.mse_loss(pred, torch.rand(2, 1, 16, 16))
loss.backward()
print(loss.item())
