"""Small detectors, and the functions on boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from kinds_cases import Case
from kinds_exercise import backward
from torch import nn


def cases() -> Iterator[Case]:
    """Yield the cases of yolox."""

    def model(depthwise: bool, act: str) -> Callable[[], None]:
        def made() -> None:
            from yolox.models import YOLOPAFPN, YOLOX, YOLOXHead

            backbone = YOLOPAFPN(0.33, 0.0625, in_channels=[256, 512, 1024], depthwise=depthwise, act=act)
            head = YOLOXHead(3, 0.0625, in_channels=[256, 512, 1024], depthwise=depthwise, act=act)
            head.initialize_biases(0.01)
            network = YOLOX(backbone, head)
            targets = torch.zeros(2, 5, 5)
            targets[:, 0] = torch.tensor([1.0, 16, 16, 12, 12])
            targets[0, 1] = torch.tensor([2.0, 40, 40, 20, 24])
            head.use_l1 = True
            backward({k: v for k, v in network(torch.rand(2, 3, 64, 64), targets).items() if k == "total_loss"})
            network.eval()
            found = network(torch.rand(2, 3, 64, 64))
            from yolox.utils import postprocess

            postprocess(found, 3, 0.0)
            postprocess(found, 3, 0.0, class_agnostic=True)

        return made

    yield model(False, "silu")
    yield model(True, "relu")
    yield model(False, "lrelu")

    def utilities() -> None:
        from yolox import utils
        from yolox.models.losses import IOUloss
        from yolox.models.yolo_fpn import YOLOFPN

        boxes = torch.rand(4, 4) + torch.tensor([0.0, 0, 2, 2])
        utils.bboxes_iou(boxes, boxes)
        utils.bboxes_iou(boxes, boxes, xyxy=False)
        utils.xyxy2cxcywh(boxes.clone())
        utils.xyxy2xywh(boxes.clone())
        utils.adjust_box_anns(boxes.clone(), 0.5, 1, 1, 10, 10)
        utils.matrix_iou(boxes.numpy(), boxes.numpy())
        for kind in ("iou", "giou"):
            for reduction in ("mean", "sum", "none"):
                backward(IOUloss(reduction, kind)(boxes.clone().requires_grad_(), boxes))
        network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
        average = utils.ModelEMA(network)
        average.update(network)
        utils.fuse_model(network.eval())
        utils.fuse_conv_and_bn(network[0], network[1])
        YOLOFPN(21)(torch.rand(1, 3, 64, 64))

    yield utilities
