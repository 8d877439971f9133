import torch


def _gather_feat(feat, ind):
    dim = feat.size(2)
    ind = ind.unsqueeze(2).expand(ind.size(0), ind.size(1), dim)
    return feat.gather(1, ind)


def _topk(scores, K=40):
    batch, num_class, height, width = scores.size()

    topk_scores, topk_inds = torch.topk(scores.flatten(2, 3), K)

    topk_inds = topk_inds % (height * width)
    topk_ys = (topk_inds // width).float()
    topk_xs = (topk_inds % width).int().float()

    topk_score, topk_ind = torch.topk(topk_scores.view(batch, -1), K)
    topk_classes = (topk_ind // K).float()
    topk_ys = _gather_feat(topk_ys.view(batch, -1, 1), topk_ind).view(batch, K)
    topk_xs = _gather_feat(topk_xs.view(batch, -1, 1), topk_ind).view(batch, K)
    return topk_score, topk_classes, topk_ys, topk_xs


def decode_bbox_from_heatmap_sliced(heatmap, rot_cos, rot_sin, center, center_z, dim,
                                    point_cloud_range=None, voxel_size=None, feature_map_stride=None, vel=None,
                                    score_thresh=None, topk_outp=None):
    batch_size, num_class, _, _ = heatmap.size()

    assert topk_outp is not None

    ret_pred_dicts = []
    for k in range(batch_size):
        (scores, class_ids, ys, xs) = topk_outp[k]

        angle = torch.atan2(rot_sin[k], rot_cos[k])
        xs += center[k][:, 0]
        ys += center[k][:, 1]

        xs = xs * feature_map_stride * voxel_size[0] + point_cloud_range[0]
        ys = ys * feature_map_stride * voxel_size[1] + point_cloud_range[1]

        box_part_list = [xs.unsqueeze(dim=-1), ys.unsqueeze(dim=-1), center_z[k], dim[k], angle]

        if vel is not None:
            box_part_list.append(vel[k])

        box_preds = torch.cat((box_part_list), dim=-1)
        mask = scores > score_thresh if score_thresh is not None else scores >= 0
        ret_pred_dicts.append({'boxes': box_preds[mask], 'scores': scores[mask], 'labels': class_ids[mask]})
    return ret_pred_dicts


B, K = 2, 5
backbone, heads = torch.nn.Conv2d(4, 8, 3, padding=1), torch.nn.Conv2d(8, 11, 1)
out = heads(backbone(torch.randn(B, 4, 6, 6)).relu())
heatmap, regs = out[:, :3].sigmoid(), out[:, 3:].flatten(2)
scores, class_ids, ys, xs = _topk(heatmap, K)
topk_outp = list(zip(scores, class_ids, ys.unbind(0), xs.unbind(0)))
inds = (ys * 6 + xs).long()
sliced = [r[:, i].T for r, i in zip(regs, inds)]
center, center_z, dim, rot = zip(*(s.split([2, 1, 3, 2], dim=-1) for s in sliced))
ret = decode_bbox_from_heatmap_sliced(
    heatmap, [r[:, :1] for r in rot], [r[:, 1:] for r in rot], center, center_z, [d.exp() for d in dim],
    point_cloud_range=[-3.0, -3.0], voxel_size=[0.1, 0.1], feature_map_stride=2, topk_outp=topk_outp)
sum(r['boxes'].abs().mean() + (1 - r['scores']).mean() for r in ret).backward()
print(backbone.weight.grad.norm())
