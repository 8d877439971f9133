from dataclasses import dataclass

import torch


@dataclass
class FireState:
    positions: torch.Tensor
    velocities: torch.Tensor
    forces: torch.Tensor
    energy: torch.Tensor
    dt: torch.Tensor
    alpha: torch.Tensor
    n_pos: int = 0


class SoftSphereModel(torch.nn.Module):
    def __init__(self, sigma=1.2, epsilon=1.0, alpha=2.0):
        super().__init__()
        self.sigma, self.epsilon, self.alpha = sigma, epsilon, alpha

    def forward(self, state):
        if not state.positions.requires_grad:
            state.positions.requires_grad_(True)
        i, j = torch.triu_indices(len(state.positions), len(state.positions), offset=1)
        dr = torch.norm(state.positions[i] - state.positions[j], dim=1)
        energy = (self.epsilon / self.alpha * (1 - dr / self.sigma).clamp(min=0) ** self.alpha).sum()
        forces = -torch.autograd.grad(energy, state.positions)[0]
        return {"energy": energy.detach(), "forces": forces.detach()}


def _ase_fire_step(state, model, *, n_min=5, dt_max=1.0, f_inc=1.1, f_dec=0.5, alpha_start=0.1, f_alpha=0.99,
                   max_step=0.2, eps=1e-8):
    # 1. Power and mixing
    power = (state.forces * state.velocities).sum()
    if power > 0:
        v_norm, f_norm = state.velocities.norm(), state.forces.norm()
        state.velocities = (1 - state.alpha) * state.velocities + state.alpha * state.forces * v_norm / (f_norm + eps)
        if state.n_pos > n_min:
            state.dt = torch.minimum(state.dt * f_inc, torch.tensor(dt_max))
            state.alpha = state.alpha * f_alpha
        state.n_pos += 1
    else:
        state.velocities = torch.zeros_like(state.velocities)
        state.dt, state.alpha, state.n_pos = state.dt * f_dec, torch.tensor(alpha_start), 0

    # Acceleration and trial step
    state.velocities += state.dt * state.forces
    dr_atom = state.dt * state.velocities

    # 6. Clamp to max_step
    dr_norm_atom = torch.norm(dr_atom, dim=1, keepdim=True)
    mask_atom_max_step = dr_norm_atom > max_step
    dr_atom = torch.where(
        mask_atom_max_step, max_step * dr_atom / (dr_norm_atom + eps), dr_atom
    )

    # 7. Position / cell update
    state.positions = state.positions + dr_atom

    # Get new forces and energy
    results = model(state)
    state.forces = results["forces"]
    state.energy = results["energy"]
    return state


model = SoftSphereModel()
positions = torch.rand(6, 3)
state = FireState(positions, torch.zeros(6, 3), torch.zeros(6, 3), torch.tensor(0.0), torch.tensor(0.1), torch.tensor(0.1))
results = model(state)
state.forces, state.energy = results["forces"], results["energy"]
for _ in range(10):
    state = _ase_fire_step(state, model)
print(state.energy)
