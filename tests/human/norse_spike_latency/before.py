import torch
import torch.nn as nn


class SuperSpike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (10.0 * x.abs() + 1.0) ** 2


def lif_current_encoder(input_current, voltage, dt=0.1):
    dv = dt * (input_current - voltage)
    voltage = voltage + dv
    z = SuperSpike.apply(voltage - 1.0)
    voltage = voltage - z * voltage
    return z, voltage


def spike_latency_lif_encode(input_current, seq_length, dt=0.1):
    """
    Encodes an input value by the time the first spike occurs.
    """
    voltage = torch.zeros_like(input_current)
    z = torch.zeros_like(input_current)
    mask = torch.zeros_like(input_current).bool()
    spikes = []

    for _ in range(seq_length):
        z, voltage = lif_current_encoder(
            input_current=input_current, voltage=voltage, dt=dt
        )
        spikes += [torch.where(mask, torch.zeros_like(z), z)]
        mask[z.bool()] = 1

    return torch.stack(spikes)


encoder = nn.Linear(4, 6)
current = torch.relu(encoder(torch.rand(2, 4))) * 8
spikes = spike_latency_lif_encode(current, seq_length=8)
latency = (spikes * torch.arange(8.)[:, None, None]).sum(0)
loss = latency.mean()
loss.backward()
print(encoder.weight.grad.norm())
