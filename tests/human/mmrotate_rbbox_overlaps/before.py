import torch


def box_iou_rotated(bboxes1, bboxes2, mode, is_aligned):
    """Axis-aligned stand-in for the compiled operator."""
    if not is_aligned:
        bboxes1, bboxes2 = bboxes1[:, None], bboxes2[None]
    lt = torch.maximum(bboxes1[..., :2] - bboxes1[..., 2:4] / 2, bboxes2[..., :2] - bboxes2[..., 2:4] / 2)
    rb = torch.minimum(bboxes1[..., :2] + bboxes1[..., 2:4] / 2, bboxes2[..., :2] + bboxes2[..., 2:4] / 2)
    overlap = (rb - lt).clamp(min=0).prod(-1)
    area1, area2 = bboxes1[..., 2:4].prod(-1), bboxes2[..., 2:4].prod(-1)
    return overlap / (area1 + area2 - overlap if mode == 'iou' else area1)


def rbbox_overlaps(bboxes1, bboxes2, mode='iou', is_aligned=False):
    """Calculate overlap between two set of bboxes."""
    assert mode in ['iou', 'iof']
    # Either the boxes are empty or the length of boxes's last dimension is 5
    assert (bboxes1.size(-1) == 5 or bboxes1.size(0) == 0)
    assert (bboxes2.size(-1) == 5 or bboxes2.size(0) == 0)

    # resolve `rbbox_overlaps` abnormal when input rbbox is too small.
    bboxes1[:, 2:4].clamp_(min=1e-3)
    bboxes2[:, 2:4].clamp_(min=1e-3)

    rows = bboxes1.size(0)
    cols = bboxes2.size(0)
    if is_aligned:
        assert rows == cols

    if rows * cols == 0:
        return bboxes1.new(rows, 1) if is_aligned else bboxes1.new(rows, cols)

    return box_iou_rotated(bboxes1, bboxes2, mode, is_aligned)


class RotatedHead(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.reg = torch.nn.Linear(8, 5)
        self.cls = torch.nn.Linear(8, 1)

    def loss(self, feats, anchors, gt_bboxes):
        deltas = self.reg(feats)
        wh = anchors[:, 2:4] * deltas[:, 2:4].exp()
        decode_bbox_pred = torch.cat([anchors[:, :2] + deltas[:, :2], wh, deltas[:, 4:]], dim=1)
        loss_bbox = (decode_bbox_pred.log1p() - gt_bboxes.log1p()).abs().mean()
        # quality target of the classification branch
        quality = rbbox_overlaps(decode_bbox_pred, gt_bboxes, is_aligned=True)
        score = self.cls(feats).squeeze(-1).sigmoid()
        loss_cls = (score - quality.detach()).pow(2).mean()
        return loss_cls + loss_bbox


head = RotatedHead()
anchors = torch.rand(6, 5) + 1.0
gt_bboxes = anchors + 0.1 * torch.rand(6, 5)
loss = head.loss(0.1 * torch.randn(6, 8), anchors, gt_bboxes)
loss.backward()
print(head.reg.weight.grad.norm())
