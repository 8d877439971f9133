import torch


def prod(ls):
    """
    :param list[T]|tuple[T] ls:
    :rtype: T|int|float
    """
    if len(ls) == 0:
        return 1
    x = ls[0]
    for y in ls[1:]:
        x = x * y
    return x


class ScaleLayer(torch.nn.Module):
    def __init__(self, n_scales, dim):
        super().__init__()
        self.scales = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(dim)) for _ in range(n_scales)])

    def total_scale(self):
        return prod(list(self.scales))

    def forward(self, source):
        return source * self.total_scale()


layer = ScaleLayer(3, 4)
source = torch.randn(5, 4)
loss = (layer(source) - torch.randn(5, 4)).pow(2).mean()
loss.backward()
print([p.grad.norm() for p in layer.scales])
