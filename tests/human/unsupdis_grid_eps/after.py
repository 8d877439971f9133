import torch
import torch.nn as nn
import torch.nn.functional as F


def _meshgrid(height, width):
    x_t, y_t = torch.meshgrid(torch.linspace(-1, 1, width), torch.linspace(-1, 1, height), indexing='xy')
    ones = torch.ones(height * width)
    return torch.stack([x_t.reshape(-1), y_t.reshape(-1), ones])


class HomographyTransform(nn.Module):
    def __init__(self, out_size):
        super().__init__()
        self.out_size = out_size

    def forward(self, U, theta):
        eps = 1e-6
        num_batch = U.shape[0]
        out_height, out_width = self.out_size
        grid = _meshgrid(out_height, out_width)

        # Transform A x (x_t, y_t, 1)^T -> (x_s, y_s)
        T_g = torch.matmul(theta.reshape(-1, 3, 3), grid)  # [bs, 3, h*w]
        x_s, y_s, t_s = torch.chunk(T_g, 3, dim=1)

        t_s_flat = t_s.reshape(-1)
        small_value = (t_s_flat.detach().abs() < eps).float()
        t_s_flat = t_s_flat * (1-small_value) + eps * small_value

        x_s_flat = x_s.reshape(-1) / t_s_flat
        y_s_flat = y_s.reshape(-1) / t_s_flat
        flow = torch.stack([x_s_flat, y_s_flat], dim=-1).view(num_batch, out_height, out_width, 2)
        return F.grid_sample(U, flow, align_corners=True)


regression = nn.Linear(6, 9)
regression.bias.data = torch.eye(3).flatten()
stn = HomographyTransform((8, 8))
theta = regression(0.01 * torch.randn(1, 6))
warped = stn(torch.rand(1, 3, 8, 8), theta)
loss = F.l1_loss(warped, torch.rand(1, 3, 8, 8))
loss.backward()
print(regression.weight.grad.norm())
