import torch
import torch.nn as nn


class ElectronicEmbedding(nn.Module):
    def __init__(self, property_key, num_features):
        super().__init__()
        self.property_key = property_key
        self.linear_q = nn.Linear(num_features, num_features)
        self.linear_k = nn.Linear(1, num_features)

    def forward(self, input_embedding, inputs):
        q = self.linear_q(input_embedding)
        k = self.linear_k(inputs[self.property_key][inputs["idx_m"]].unsqueeze(-1))
        return torch.sigmoid((q * k).sum(-1, keepdim=True)) * k


class PaiNN(nn.Module):
    def __init__(self, n_atom_basis, electronic_embeddings=None):
        super().__init__()
        self.embedding = nn.Embedding(20, n_atom_basis, padding_idx=0)
        self.electronic_embeddings = nn.ModuleList(electronic_embeddings or [])
        self.out = nn.Linear(n_atom_basis, 1)

    def forward(self, inputs):
        # get tensors from input dictionary
        atomic_numbers = inputs["Z"]

        # compute initial embeddings
        q = self.embedding(atomic_numbers)
        for embedding in self.electronic_embeddings:
            q = q + embedding(q, inputs)
        q = q.unsqueeze(1)

        inputs["scalar_representation"] = q.squeeze(1)
        return inputs


model = PaiNN(8, [ElectronicEmbedding("total_charge", 8), ElectronicEmbedding("spin_multiplicity", 8)])
inputs = {
    "Z": torch.tensor([8, 1, 1, 6]),
    "idx_m": torch.tensor([0, 0, 0, 1]),
    "total_charge": torch.tensor([1.0, 0.0]),
    "spin_multiplicity": torch.tensor([1.0, 3.0]),
}
energy = model.out(model(inputs)["scalar_representation"]).sum()
energy.backward()
print(model.embedding.weight.grad.norm())
