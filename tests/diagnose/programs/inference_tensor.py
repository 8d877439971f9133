# kind: inference tensor, cause: inference, fix: safe
import torch

with torch.inference_mode():
    y = torch.ones(3)
y += 1  # culprit
