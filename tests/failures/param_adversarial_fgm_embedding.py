"""FGM: the embedding is attacked by name and restored afterwards.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class FGM:
    def __init__(self, model):
        self.model = model
        self.backup = {}

    def attack(self, epsilon=1., emb_name="emb"):
        for name, param in self.model.named_parameters():
            if param.requires_grad and emb_name in name:
                self.backup[name] = param.detach().clone()
                norm = torch.norm(param.grad)
                if norm != 0 and not torch.isnan(norm):
                    r_at = epsilon * param.grad / norm
                    param.add_(r_at)

    def restore(self, emb_name="emb"):
        for name, param in self.model.named_parameters():
            if param.requires_grad and emb_name in name:
                param.copy_(self.backup[name])
        self.backup = {}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(4, 3)
        self.fc = nn.Linear(3, 2)

    def forward(self, ids):
        return self.fc(self.emb(ids).mean(1).tanh())


def adversarial_loss(ids, y, temperature):
    torch.manual_seed(2)
    model = Classifier()
    fgm = FGM(model)
    nn.functional.cross_entropy(model(ids), y).backward()
    fgm.attack()
    loss = nn.functional.cross_entropy(model(ids) / temperature, y)
    return loss


def example():
    torch.manual_seed(0)
    return adversarial_loss, (torch.tensor([[0, 1], [2, 3]]), torch.tensor([0, 1]), torch.tensor(0.7, requires_grad=True))
