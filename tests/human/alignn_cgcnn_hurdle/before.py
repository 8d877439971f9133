import torch
import torch.nn as nn
import torch.nn.functional as F


class CGCNNConvFull(nn.Module):
    def __init__(self, node_features=8, edge_features=4):
        super().__init__()
        self.linear_src = nn.Linear(node_features, 2 * node_features)
        self.linear_dst = nn.Linear(node_features, 2 * node_features)
        self.linear_edge = nn.Linear(edge_features, 2 * node_features)
        self.bn = nn.BatchNorm1d(node_features)

    def forward(self, g, node_feats, edge_feats):
        src, dst = g
        m = self.linear_src(node_feats)[src] + self.linear_dst(node_feats)[dst] + self.linear_edge(edge_feats)
        h_f, h_s = torch.chunk(m, 2, dim=1)
        m = torch.sigmoid(h_f) * F.softplus(h_s)
        h = torch.zeros_like(node_feats).index_add(0, dst, m)
        return F.softplus(node_feats + self.bn(h))


class CGCNN(nn.Module):
    def __init__(self, conv_layers=2, logscale=True, hurdle=True):
        super().__init__()
        self.atom_embedding = nn.Linear(5, 8)
        self.conv_layers = nn.ModuleList([CGCNNConvFull() for _ in range(conv_layers)])
        self.fc = nn.Linear(8, 8)
        self.logscale, self.hurdle = logscale, hurdle
        if self.hurdle:
            # add latent classifier: predict zero or nonzero
            self.fc_hurdle = nn.Linear(8, 1)
        self.fc_out = nn.Linear(8, 1)

    def readout(self, batch, node_features):
        num = torch.bincount(batch).unsqueeze(-1)
        return torch.zeros(len(num), node_features.shape[1]).index_add(0, batch, node_features) / num

    def forward(self, g, batch, atom_features, edge_features):
        # initial node features: atom feature network...
        node_features = self.atom_embedding(atom_features)

        # CGCNN-Conv block: update node features
        for conv_layer in self.conv_layers:
            node_features = conv_layer(g, node_features, edge_features)

        # crystal-level readout
        features = self.readout(batch, node_features)
        features = F.softplus(features)
        features = self.fc(features)
        features = F.softplus(features)

        out = self.fc_out(features)

        if self.logscale:
            out = torch.exp(out)

        if self.hurdle:
            logits = self.fc_hurdle(features)
            p = torch.sigmoid(logits)
            out[p < 0.5] = 0.0

        return torch.squeeze(out)


model = CGCNN()
g = (torch.randint(0, 12, (30,)), torch.randint(0, 12, (30,)))
batch = torch.arange(12) // 3
pred = model(g, batch, torch.randn(12, 5), torch.randn(30, 4))
F.mse_loss(pred, torch.rand(4)).backward()
print(model.atom_embedding.weight.grad.norm())
