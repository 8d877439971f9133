import torch


class Transform3d:
    def __init__(self, dtype=torch.float32, device="cpu", matrix=None, rot=None, pos=None):
        if matrix is None:
            self._matrix = torch.eye(4, dtype=dtype, device=device).view(1, 4, 4)
        else:
            self._matrix = matrix.view(-1, 4, 4)

        if pos is not None:
            ones = torch.ones(1, dtype=dtype, device=device)
            if not torch.is_tensor(pos):
                pos = torch.tensor(pos, dtype=dtype, device=device)
            # self._matrix[:, :3, 3] = pos
            pos_h = torch.cat((pos, ones), dim=-1).reshape(-1, 4, 1)
            self._matrix = torch.cat((self._matrix[:, :, :3], pos_h), dim=-1)

        if rot is not None:
            zeros = torch.zeros(1, 3, dtype=dtype, device=device)
            if not torch.is_tensor(rot):
                rot = torch.tensor(rot, dtype=dtype, device=device)
            rot_h = torch.cat((rot, zeros), dim=-2).reshape(-1, 4, 3)
            self._matrix = torch.cat((rot_h, self._matrix[:, :, 3].reshape(-1, 4, 1)), dim=-1)

    def get_matrix(self):
        return self._matrix

    def compose(self, other):
        return Transform3d(matrix=self._matrix @ other._matrix)


def rotation_z(th):
    c, s = torch.cos(th), torch.sin(th)
    zero, one = torch.zeros_like(th), torch.ones_like(th)
    return torch.stack([c, -s, zero, s, c, zero, zero, zero, one]).reshape(3, 3)


def end_effector(th):
    link = Transform3d(pos=[1.0, 0.0, 0.0])
    tg = Transform3d()
    for i in range(th.shape[0]):
        joint = Transform3d(rot=rotation_z(th[i]), pos=th[i] * torch.tensor([0.0, 0.0, 0.1]))
        tg = tg.compose(joint).compose(link)
    return tg.get_matrix()[0, :3, 3]


th = torch.rand(6, 3, requires_grad=True)
ee = torch.vmap(end_effector)(th)
loss = (ee - torch.rand(6, 3)).pow(2).sum()
loss.backward()
print(th.grad.norm())
