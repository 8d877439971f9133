"""Drawing commands are matched, and a canvas is updated in each case.

Torch: modified by an inplace operation
"""
import torch


def render(commands, canvas):
    canvas = torch.sigmoid(canvas)
    for command in commands:
        match command:
            case ("scale", s):
                canvas *= s
            case ("add", row, value):
                canvas[row] += value
            case {"op": "square"}:
                canvas.mul_(canvas)
            case _:
                raise ValueError(command)
    return canvas.sum()


def example():
    torch.manual_seed(0)
    commands = [("scale", 0.5), {"op": "square"}, ("add", 1, torch.ones(2))]
    return render, (commands, torch.randn(3, 2, requires_grad=True))
