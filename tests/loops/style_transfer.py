"""Style transfer: the features of the style image are computed once, by a network that is trained too."""
import torch
from torch import nn


def gram(f):
    return f.flatten(1) @ f.flatten(1).t()


vgg = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1))
image = torch.rand(1, 3, 6, 6, requires_grad=True)
style = torch.rand(1, 3, 6, 6)
style_features = vgg(style)  #-
#+ style_features = vgg(style).detach()
optimizer = torch.optim.Adam([image, *vgg.parameters()], lr=1e-2)
for step in range(4):
    optimizer.zero_grad()
    loss = (gram(vgg(image)[0]) - gram(style_features[0])).pow(2).mean()
    loss.backward(retain_graph=True)
    optimizer.step()
