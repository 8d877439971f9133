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

    for energy_target in targets:
        energy = model_outputs[energy_target].block().values
        forces = torch.autograd.grad(energy.sum(), systems, create_graph=True)
        model_outputs[energy_target].block().add_gradient("positions", -torch.cat(forces))

    # Perform averaging by numer of atoms
    num_atoms = torch.tensor([len(s) for s in systems])
    num_atoms = torch.reshape(num_atoms, (-1, 1))

    new_model_outputs = model_outputs.copy()
    new_targets = targets.copy()

    for pa_target in peratom_targets:

        # Update predictions
        cur_model_block = new_model_outputs[pa_target].block().copy()
        new_model_block_values = cur_model_block.values / num_atoms
        new_model_block = TensorBlock(
            values=new_model_block_values,
            samples=cur_model_block.samples,
        )
        for param, gradient in cur_model_block.gradients():
            new_model_block.add_gradient(param, gradient)

        # Update targets
        cur_target_block = new_targets[pa_target].block().copy()
        new_target_block_values = cur_target_block.values / num_atoms
        new_target_block = TensorBlock(
            values=new_target_block_values,
            samples=cur_target_block.samples,
        )
        for param, gradient in cur_target_block.gradients():
            new_target_block.add_gradient(param, gradient)

        new_model_outputs[pa_target] = TensorMap(blocks=[new_model_block])
        new_targets[pa_target] = TensorMap(blocks=[new_target_block])

    # Compute and return the loss and associated info:
    return loss(new_model_outputs, new_targets)


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
