import torch


def cot_laplacian(verts, faces, eps=1e-12):
    V, F = verts.shape[0], faces.shape[0]

    face_verts = verts[faces]
    v0, v1, v2 = face_verts[:, 0], face_verts[:, 1], face_verts[:, 2]

    # Side lengths of each triangle, of shape (sum(F_n),)
    A = (v1 - v2).norm(dim=1)
    B = (v0 - v2).norm(dim=1)
    C = (v0 - v1).norm(dim=1)

    # Area of each triangle (with Heron's formula)
    s = 0.5 * (A + B + C)
    area = (s * (s - A) * (s - B) * (s - C)).clamp(min=eps).sqrt()

    A2, B2, C2 = A * A, B * B, C * C
    cota = (B2 + C2 - A2) / area
    cotb = (A2 + C2 - B2) / area
    cotc = (A2 + B2 - C2) / area
    cot = torch.stack([cota, cotb, cotc], dim=1)
    cot = cot / 4.0

    ii = faces[:, [1, 2, 0]]
    jj = faces[:, [2, 0, 1]]
    idx = torch.stack([ii, jj], dim=0).view(2, F * 3)
    L = torch.sparse_coo_tensor(idx, cot.view(-1), (V, V))
    L = L + L.t()

    # For each vertex, compute the sum of areas for triangles containing it.
    idx = faces.view(-1)
    inv_areas = torch.zeros(V, dtype=torch.float32)
    val = torch.stack([area] * 3, dim=1).view(-1)
    inv_areas = inv_areas.scatter_add(0, idx, val)
    return L, 1.0 / inv_areas.view(-1, 1)


verts = torch.rand(4, 3, requires_grad=True)
faces = torch.tensor([[0, 1, 2], [1, 3, 2]])
L, inv_areas = cot_laplacian(verts, faces)
loss = L.to_dense().pow(2).sum() + inv_areas.sum()
loss.backward()
print(verts.grad.norm())
