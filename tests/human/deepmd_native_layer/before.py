import torch


def get_activation_fn(activation_function):
    activation_function = activation_function.lower()
    if activation_function == "tanh":

        def fn(x):
            return torch.tanh(x)

        return fn
    elif activation_function in ("none", "linear"):

        def fn(x):
            return x

        return fn
    raise NotImplementedError(activation_function)


class NativeLayer(torch.nn.Module):
    def __init__(self, num_in, num_out, bias=True, use_timestep=False, activation_function=None, resnet=False):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(num_in, num_out) / num_in**0.5)
        self.b = torch.nn.Parameter(torch.randn(num_out)) if bias else None
        self.idt = torch.nn.Parameter(0.1 + 0.001 * torch.randn(num_out)) if use_timestep else None
        self.activation_function = activation_function if activation_function is not None else "none"
        self.resnet = resnet

    def forward(self, x):
        return self.call(x)

    def call(self, x):
        if self.w is None or self.activation_function is None:
            raise ValueError("w, b, and activation_function must be set")
        fn = get_activation_fn(self.activation_function)
        y = (
            torch.matmul(x, self.w[...]) + self.b[...]
            if self.b is not None
            else torch.matmul(x, self.w[...])
        )
        y = fn(y)
        if self.idt is not None:
            y *= self.idt
        if self.resnet and self.w.shape[1] == self.w.shape[0]:
            y += x
        elif self.resnet and self.w.shape[1] == 2 * self.w.shape[0]:
            y += torch.concat([x, x], axis=-1)
        return y


class FittingNet(torch.nn.Module):
    def __init__(self, in_dim, neuron, resnet_dt=True):
        super().__init__()
        dims = [in_dim, *neuron]
        self.layers = torch.nn.ModuleList(
            NativeLayer(i, o, use_timestep=resnet_dt, activation_function="tanh", resnet=True)
            for i, o in zip(dims[:-1], dims[1:])
        )
        self.layers.append(NativeLayer(neuron[-1], 1))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net = FittingNet(6, [8, 8, 16])
descriptor = torch.randn(2, 5, 6, requires_grad=True)
energy = net(descriptor).sum()
force = -torch.autograd.grad(energy, descriptor, create_graph=True)[0]
force.pow(2).mean().backward()
print(energy.item(), net.layers[0].w.grad.norm())
