import torch
import torch.nn as nn
import torch.nn.functional as F


class conv2DBatchNormRelu(nn.Module):
    def __init__(self, in_channels, n_filters, k_size, stride, padding, bias=True):
        super(conv2DBatchNormRelu, self).__init__()
        self.cbr_unit = nn.Sequential(
            nn.Conv2d(in_channels, n_filters, k_size, stride, padding, bias=bias),
            nn.BatchNorm2d(n_filters),
            nn.ReLU(inplace=True),
        )

    def forward(self, inputs):
        return self.cbr_unit(inputs)


class pspnet(nn.Module):
    def __init__(self, n_classes=4):
        super(pspnet, self).__init__()
        self.n_classes = n_classes

        # Encoder
        self.convbnrelu1_1 = conv2DBatchNormRelu(3, 8, 3, 2, 1, False)
        self.res_block = conv2DBatchNormRelu(8, 8, 3, 1, 1, False)

        # Final conv layers
        self.cbr_final = conv2DBatchNormRelu(8, 8, 3, 1, 1, False)
        self.dropout = nn.Dropout2d(p=0.1, inplace=True)
        self.classification = nn.Conv2d(8, self.n_classes, 1, 1, 0)

    def forward(self, x):
        inp_shape = x.shape[2:]

        x = self.convbnrelu1_1(x)
        x = self.res_block(x)

        x = self.cbr_final(x)
        x = self.dropout(x)

        x = self.classification(x)
        x = F.interpolate(x, size=inp_shape, mode="bilinear", align_corners=True)
        return x


model = pspnet()
outputs = model(torch.randn(2, 3, 16, 16))
loss = F.cross_entropy(outputs, torch.randint(4, (2, 16, 16)))
loss.backward()
print(model.convbnrelu1_1.cbr_unit[0].weight.grad.norm())
