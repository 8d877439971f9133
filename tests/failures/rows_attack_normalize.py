"""An adversarial attack normalises the image by hand before the model sees it.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def forward(self, t):
        for ch, m, s in zip(t, self.mean, self.std):
            ch.sub_(m).div_(s)
        return t


preprocess = Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4])


def predict(img, model):
    x = img.clamp(0, 1)
    x = preprocess.forward(x)
    return model(x.unsqueeze(0)).softmax(-1)


def example():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(12, 2))
    return predict, (torch.rand(3, 2, 2, requires_grad=True), model)
