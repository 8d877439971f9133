import torch
import torch.nn as nn


def exists(val):
    return val is not None


def get_max_value(t):
    return torch.finfo(t.dtype).max


class NeighborLayer(nn.Module):
    def __init__(self, dim, num_neighbors = 2):
        super().__init__()
        self.num_neighbors = num_neighbors
        self.radial = nn.Sequential(nn.Linear(1, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, feats, coors, neighbor_mask = None, adj_mat = None):
        rel_pos = coors[:, :, None, :] - coors[:, None, :, :]
        rel_dist = (rel_pos + 1e-4).norm(dim = -1)

        # rel_dist gets modified using adjacency or neighbor mask

        modified_rel_dist = rel_dist.clone()
        max_value = get_max_value(modified_rel_dist) # for masking out nodes from being considered as neighbors

        # neighbors

        if exists(neighbor_mask):
            modified_rel_dist.masked_fill_(~neighbor_mask, max_value)

        if exists(adj_mat):
            modified_rel_dist.masked_fill_(adj_mat, 0.)

        dist_values, nearest_indices = modified_rel_dist.topk(self.num_neighbors, dim = -1, largest = False)
        neighbor_rel_dist = rel_dist.gather(-1, nearest_indices)

        weights = self.radial(neighbor_rel_dist[..., None])
        b = torch.arange(feats.shape[0])[:, None, None]
        return (feats[b, nearest_indices] * weights).sum(dim = 2)


layer = NeighborLayer(8)
coors = torch.randn(1, 5, 3, requires_grad = True)
neighbor_mask = ~torch.eye(5, dtype = torch.bool)[None]
adj_mat = torch.eye(5, dtype = torch.bool).roll(1, 0)[None]
out = layer(torch.randn(1, 5, 8), coors, neighbor_mask = neighbor_mask, adj_mat = adj_mat)
out.pow(2).sum().backward()
print(coors.grad.norm())
