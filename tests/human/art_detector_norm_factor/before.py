import torch
import torch.nn as nn
import torch.nn.functional as F


class ObjectDetector:
    def __init__(self, model, clip_values=(0, 255), channels_first=False):
        self.model = model
        self.clip_values = clip_values
        self.channels_first = channels_first

    def _preprocess_inputs(self, x, no_grad=True):
        if self.clip_values is not None:
            norm_factor = self.clip_values[1]
        else:
            norm_factor = 1.0

        x_tensor = x if torch.is_tensor(x) else torch.from_numpy(x)
        if not self.channels_first:
            x_tensor = torch.permute(x_tensor, (0, 3, 1, 2))
        x_tensor /= norm_factor

        # Set gradients
        if not no_grad:
            if x_tensor.is_leaf:
                x_tensor.requires_grad = True
            else:
                x_tensor.retain_grad()
        return x_tensor

    def loss_gradient(self, x, y):
        x_grad = self._preprocess_inputs(x, no_grad=False)
        loss = F.mse_loss(self.model(x_grad).flatten(1), y)
        loss.backward()
        return x_grad.grad


model = nn.Sequential(nn.Conv2d(3, 2, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
detector = ObjectDetector(model)
patch = nn.Parameter(torch.rand(2, 8, 8, 3) * 255)
grads = detector.loss_gradient(patch, torch.rand(2, 2))
print(grads.norm(), patch.grad.norm())
