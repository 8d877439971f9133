import copy
import torch


class TensorBlock:
    def __init__(self, values, samples):
        self.values, self.samples = values, samples
        self._gradients = {}

    def add_gradient(self, parameter, gradient):
        self._gradients[parameter] = gradient

    def gradients(self):
        return list(self._gradients.items())

    def copy(self):
        return copy.copy(self)


class TensorMap:
    def __init__(self, blocks):
        self._blocks = blocks

    def block(self):
        return self._blocks[0]


def loss(model_outputs, targets):
    total = 0.0
    for key, target in targets.items():
        block = model_outputs[key].block()
        total = total + (block.values - target.block().values).pow(2).mean()
        for _, gradient in block.gradients():
            total = total + gradient.pow(2).mean()
    return total


def compute_model_loss(loss, model, systems, targets, peratom_targets):
    """Compute the loss of a model on a set of targets."""
    for system in systems:
        system.requires_grad_(True)

    # Based on the keys of the targets, get the outputs of the model:
    model_outputs = {key: model(systems) for key in targets}

    # modify model predictions and targets where averaging per atom is requested
    if len(peratom_targets) > 0:
        num_atoms = torch.tensor([len(s) for s in systems])
        num_atoms = torch.reshape(num_atoms, (-1, 1))

        for pa_target in peratom_targets:
            model_outputs[pa_target].block().values /= num_atoms
            # to prevent averaging builds up over epochs
            targets = targets.copy()
            targets[pa_target].block().values /= num_atoms

    for energy_target in targets:
        energy = model_outputs[energy_target].block().values
        forces = torch.autograd.grad(energy.sum(), systems, create_graph=True)
        model_outputs[energy_target].block().add_gradient("positions", -torch.cat(forces))

    return loss(model_outputs, targets)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))

    def forward(self, systems):
        values = torch.stack([self.net(s).sum(dim=0) for s in systems])
        return TensorMap([TensorBlock(torch.nn.functional.softplus(values).exp(), list(range(len(systems))))])


model = Model()
systems = [torch.randn(n, 3) for n in (2, 4, 3)]
targets = {"energy": TensorMap([TensorBlock(torch.rand(3, 1), [0, 1, 2])])}
for epoch in range(2):
    compute_model_loss(loss, model, systems, targets, peratom_targets=["energy"]).backward()
print(model.net[0].weight.grad.norm())
