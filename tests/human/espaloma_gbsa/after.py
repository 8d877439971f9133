import torch

torch.set_default_dtype(torch.float64)

distance_to_nm = 0.0529177
energy_from_kjmol = 1 / 2625.5


def step(x):
    """return (x > 0)"""
    return 1.0 * (x >= 0)


def gbsa_obc2_energy(
        distance_matrix, radii, scales, charges,
        offset=0.009, screening=138.935484,
        surface_tension=28.3919551,
        solvent_dielectric=78.5, solute_dielectric=1.0
):
    # convert distances and radii into units of nanometers before proceeding
    distance_matrix_in_nm = distance_matrix * distance_to_nm
    radii_in_nm = radii * distance_to_nm

    # scales are unitless

    N = len(radii_in_nm)
    eye = torch.eye(N, dtype=distance_matrix_in_nm.dtype)
    r = distance_matrix_in_nm + eye
    or1 = radii_in_nm.reshape((N, 1)) - offset
    or2 = radii_in_nm.reshape((1, N)) - offset
    sr2 = scales.reshape((1, N)) * or2

    L = torch.max(or1, torch.abs(r - sr2))
    U = r + sr2

    I = 1 / L \
        - 1 / U \
        + 0.25 * (r - sr2 ** 2 / r) * (1 / (U ** 2) - 1 / (L ** 2)) \
        + 0.5 * torch.log(L / U) / r
    I = torch.where(or1 < (sr2 - r), I + 2 * (1 / or1 - 1 / L), I)
    I = step(r + sr2 - or1) * 0.5 * I

    I -= torch.diag(torch.diag(I))
    I = torch.sum(I, dim=1)

    # okay, next compute born radii
    offset_radius = radii_in_nm - offset
    psi = I * offset_radius
    psi_term = 0.8 * psi + 2.909125 * psi ** 3

    B = 1 / (1 / offset_radius - torch.tanh(psi_term) / radii_in_nm)

    # finally, compute the energy terms
    E = 0.0

    # single particle
    E += torch.sum(surface_tension * (radii_in_nm + 0.14) ** 2 * (radii_in_nm / B) ** 6)
    E += torch.sum(-0.5 * screening * (
            1 / solute_dielectric - 1 / solvent_dielectric) * charges ** 2 / B)
    return E * energy_from_kjmol


n_particles = 5
distance_matrix = 3.0 + 2.0 * torch.rand(n_particles, n_particles)
radii = torch.full((n_particles,), 2.8, requires_grad=True)
scales = torch.full((n_particles,), 0.8, requires_grad=True)
charges = torch.randn(n_particles)
E = gbsa_obc2_energy(distance_matrix, radii, scales, charges)
E.backward()
print(E, radii.grad.norm(), scales.grad.norm())
