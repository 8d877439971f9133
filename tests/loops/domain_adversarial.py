"""Domain adversarial training: the domain classifier's loss goes back through the features after the step."""
import torch
import torch.nn.functional as F
from torch import nn

feature = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 6))
label_clf = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
domain_clf = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
opt_main = torch.optim.SGD(list(feature.parameters()) + list(label_clf.parameters()), lr=0.05, momentum=0.9)
opt_domain = torch.optim.SGD(domain_clf.parameters(), lr=0.05, momentum=0.9)


def main():
    for epoch in range(3):
        x, y, d = torch.randn(8, 4), torch.randint(0, 2, (8,)), torch.randint(0, 2, (8,))
        f = feature(x)
        domain_loss = F.cross_entropy(domain_clf(f), d)  #-
        main_loss = F.cross_entropy(label_clf(f), y) - 0.1 * F.cross_entropy(domain_clf(f), d)
        opt_main.zero_grad()
        main_loss.backward(retain_graph=True)
        opt_main.step()
        #+ domain_loss = F.cross_entropy(domain_clf(f.detach()), d)
        opt_domain.zero_grad()
        domain_loss.backward()
        opt_domain.step()


main()
