import torch


class Boxes:
    def __init__(self, tensor: torch.Tensor):
        if tensor.numel() == 0:
            tensor = tensor.reshape((-1, 4)).to(dtype=torch.float32)
        assert tensor.dim() == 2 and tensor.size(-1) == 4, tensor.size()

        self.tensor = tensor

    def area(self) -> torch.Tensor:
        box = self.tensor
        area = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
        return area

    def clip(self, box_size) -> None:
        """
        Clip (in place) the boxes by limiting x coordinates to the range [0, width]
        and y coordinates to the range [0, height].
        """
        assert torch.isfinite(self.tensor).all(), "Box tensor contains infinite or NaN!"
        h, w = box_size
        x1 = self.tensor[:, 0].clamp(min=0, max=w)
        y1 = self.tensor[:, 1].clamp(min=0, max=h)
        x2 = self.tensor[:, 2].clamp(min=0, max=w)
        y2 = self.tensor[:, 3].clamp(min=0, max=h)
        self.tensor = torch.stack((x1, y1, x2, y2), dim=-1)


def pairwise_intersection(boxes1, boxes2):
    lt = torch.max(boxes1.tensor[:, None, :2], boxes2.tensor[:, :2])
    rb = torch.min(boxes1.tensor[:, None, 2:], boxes2.tensor[:, 2:])
    return (rb - lt).clamp(min=0).prod(dim=2)


pred = torch.nn.Parameter(torch.tensor([[-2.0, 1.0, 5.0, 6.0], [3.0, 2.0, 12.0, 9.0]]))
gt = Boxes(torch.tensor([[0.0, 0.0, 4.0, 5.0], [4.0, 3.0, 9.0, 8.0]]))
boxes = Boxes(pred)
boxes.clip((10, 10))
inter = pairwise_intersection(boxes, gt).diagonal()
iou = inter / (boxes.area() + gt.area() - inter)
loss = (1 - iou).sum()
loss.backward()
print(pred.grad)
