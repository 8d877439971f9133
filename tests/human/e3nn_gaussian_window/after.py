import math
import torch


def gaussian_radial_function(solutions, r_field, order_irreps, radii, sigma=.6,
                             J_max=10):
    """
    gaussian radial function with manual handling of shell radii
    :param radii: radii of the shells, sets mean of the radial gaussians
    """
    basis = []
    for r in radii:
        window = torch.exp(-.5 * ((r_field - r) / sigma)**2)
        window = window / (math.sqrt(2 * math.pi) * sigma)

        for sol, J in zip(solutions, order_irreps):
            if J <= J_max:
                x = sol.to(window.device) * window  # [m_out, m_in, N, M]
                basis.append(x)

    return torch.stack(basis, dim=0) if len(basis) > 0 else None


def point_kernel(weight, geometry, radii):
    difference_mat = geometry.unsqueeze(0) - geometry.unsqueeze(1)
    r_field = (difference_mat.pow(2).sum(-1) + 1e-6).sqrt()
    solutions = [torch.ones(1, 1, 4, 4), torch.randn(1, 3, 4, 4)[:, :1]]
    basis = gaussian_radial_function(solutions, r_field, [0, 1], radii)
    return (weight[:, None, None, None, None] * basis).sum(0)


geometry = torch.rand(4, 3, requires_grad=True)
weight = torch.randn(6, requires_grad=True)
kernel = point_kernel(weight, geometry, radii=[0., .5, 1.])
loss = kernel.pow(2).sum()
loss.backward()
print(geometry.grad.norm(), weight.grad.norm())
