import math
import torch


class RotatedBoxes:
    """(x_center, y_center, width, height, angle)"""

    def __init__(self, tensor: torch.Tensor):
        assert tensor.dim() == 2 and tensor.size(-1) == 5, tensor.size()
        self.tensor = tensor

    def area(self) -> torch.Tensor:
        box = self.tensor
        area = box[:, 2] * box[:, 3]
        return area

    def normalize_angles(self) -> None:
        """
        Restrict angles to the range of [-180, 180) degrees
        """
        angle_tensor = (self.tensor[:, 4] + 180.0) % 360.0 - 180.0
        self.tensor = torch.cat((self.tensor[:, :4], angle_tensor[:, None]), dim=1)

    def corners(self) -> torch.Tensor:
        self.normalize_angles()
        x, y, w, h, a = self.tensor.unbind(dim=1)
        theta = a * math.pi / 180.0
        c, s = torch.cos(theta), torch.sin(theta)
        pts = []
        for dx, dy in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
            pts.append(torch.stack((x + dx * w * c + dy * h * s, y - dx * w * s + dy * h * c), dim=1))
        return torch.stack(pts, dim=1)


params = torch.tensor([[5.0, 5.0, 4.0, 2.0, 200.0], [3.0, 6.0, 2.0, 2.0, -30.0]], requires_grad=True)
target = torch.rand(2, 4, 2) * 8
boxes = RotatedBoxes(params)
loss = (boxes.corners() - target).pow(2).mean() + 0.01 * boxes.area().sum()
loss.backward()
print(params.grad)
