import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvModule(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, padding=0, inplace=True):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding)
        self.activate = nn.ReLU(inplace=inplace)

    def forward(self, x):
        return self.activate(self.conv(x))


class RPNHead(nn.Module):
    """RPN head."""

    def __init__(self, in_channels, feat_channels=8, num_base_priors=3, num_convs=1):
        super().__init__()
        self.in_channels, self.feat_channels = in_channels, feat_channels
        self.num_base_priors, self.num_convs = num_base_priors, num_convs
        self._init_layers()

    def _init_layers(self):
        """Initialize layers of the head."""
        if self.num_convs > 1:
            rpn_convs = []
            for i in range(self.num_convs):
                if i == 0:
                    in_channels = self.in_channels
                else:
                    in_channels = self.feat_channels
                # use ``inplace=False`` to avoid error: one of the variables
                # needed for gradient computation has been modified by an
                # inplace operation.
                rpn_convs.append(
                    ConvModule(in_channels, self.feat_channels, 3, padding=1, inplace=False))
            self.rpn_conv = nn.Sequential(*rpn_convs)
        else:
            self.rpn_conv = nn.Conv2d(self.in_channels, self.feat_channels, 3, padding=1)
        self.rpn_cls = nn.Conv2d(self.feat_channels, self.num_base_priors, 1)
        self.rpn_reg = nn.Conv2d(self.feat_channels, self.num_base_priors * 4, 1)

    def forward_single(self, x):
        """Forward feature map of a single scale level."""
        x = self.rpn_conv(x)
        x = F.relu(x, inplace=False)
        rpn_cls_score = self.rpn_cls(x)
        rpn_bbox_pred = self.rpn_reg(x)
        return rpn_cls_score, rpn_bbox_pred

    def forward(self, feats):
        return tuple(map(list, zip(*map(self.forward_single, feats))))


head = RPNHead(4, num_convs=2)
cls_scores, bbox_preds = head([torch.randn(2, 4, 8, 8), torch.randn(2, 4, 4, 4)])
loss = sum(F.binary_cross_entropy_with_logits(c, torch.rand_like(c).round()) for c in cls_scores)
loss = loss + sum(F.smooth_l1_loss(b, torch.zeros_like(b)) for b in bbox_preds)
loss.backward()
print(head.rpn_conv[0].conv.weight.grad.norm())
