import torch
import torch.nn as nn
import torch.nn.functional as F


class Bottleneck(nn.Module):
    expansion = 2

    def __init__(self, inplanes, outplanes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, outplanes, kernel_size=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outplanes)
        self.conv2 = nn.Conv2d(outplanes, outplanes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outplanes)
        self.conv3 = nn.Conv2d(outplanes, self.expansion * outplanes, kernel_size=1, bias=False)
        self.bn3 = nn.BatchNorm2d(self.expansion * outplanes)

        self.shortcut = nn.Sequential()
        if stride != 1 or inplanes != self.expansion * outplanes:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inplanes, self.expansion * outplanes,
                          kernel_size=1, stride=stride, bias=False),
                nn.BatchNorm2d(self.expansion * outplanes)
            )

    def forward(self, input_data: torch.Tensor) -> torch.Tensor:
        """
        Parameters
        ----------
        input_data : torch.Tensor
            batch of features with size (batch, channel, sample)
        """

        outputs = F.relu(self.bn1(self.conv1(input_data)))
        outputs = F.relu(self.bn2(self.conv2(outputs)))
        outputs = F.relu(self.bn3(self.conv3(outputs)))
        # out = self.se(out)
        outputs += self.shortcut(input_data)
        outputs = F.relu(outputs)
        return outputs


class ThinResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Sequential(Bottleneck(4, 4), Bottleneck(8, 4))
        self.layer2 = Bottleneck(8, 8, stride=2)
        self.embedding = nn.Linear(16, 6)

    def forward(self, waveforms):
        return self.embedding(self.layer2(self.layer1(waveforms)).mean(dim=(2, 3)))


model = ThinResNet()
F.cross_entropy(model(torch.randn(3, 4, 8, 10)), torch.tensor([0, 2, 5])).backward()
print(model.layer1[0].conv1.weight.grad.norm())
