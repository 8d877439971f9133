import torch


def rotation_matrix_from_points(m0, m1):
    # crude least-squares alignment instead of the quaternion solution
    cov = m0 @ m1.transpose(1, 2)
    u, _, v = torch.linalg.svd(cov.detach())
    return (u @ v).transpose(1, 2)


def minimize_rotation_and_translation(targ_nxyz,
                                      this_nxyz,
                                      get_p_grad=False):

    p = this_nxyz[:, :, 1:]
    if get_p_grad:
        p.requires_grad = True
    p0 = targ_nxyz[:, :, 1:]

    c = p.mean(1).reshape(-1, 1, 3)
    p -= c

    c0 = p0.mean(1).reshape(-1, 1, 3)
    p0 = p0 - c0

    R = rotation_matrix_from_points(p.transpose(1, 2),
                                    p0.transpose(1, 2))

    num_repeats = targ_nxyz.shape[0]
    p_repeat = torch.repeat_interleave(p, num_repeats, dim=0)

    new_p = torch.einsum("ijk,ilk->ijl", p_repeat, R)

    if get_p_grad:
        rmsd = (new_p - p0).pow(2).sum(-1).mean().sqrt()
        rmsd.backward()

    return new_p.detach(), p0


this_nxyz = torch.rand(1, 5, 4)
targ_nxyz = torch.rand(1, 5, 4)
new_p, p0 = minimize_rotation_and_translation(targ_nxyz, this_nxyz, get_p_grad=True)
print((new_p - p0).norm())
