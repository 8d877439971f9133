import torch
from torch import nn


def log_sum_exp(x, dim=-1):
    max_value, _ = x.max(dim=dim, keepdim=True)
    res = torch.log(torch.sum(torch.exp(x - max_value), dim=dim, keepdim=True)) + max_value
    return res.squeeze(dim)


class ConditionalRandomField(nn.Module):
    def __init__(self, num_tags, include_start_end_trans=False):
        super(ConditionalRandomField, self).__init__()
        self.include_start_end_trans = include_start_end_trans
        self.num_tags = num_tags
        self.trans_m = nn.Parameter(torch.randn(num_tags, num_tags))
        if self.include_start_end_trans:
            self.start_scores = nn.Parameter(torch.randn(num_tags))
            self.end_scores = nn.Parameter(torch.randn(num_tags))

    def _normalizer_likelihood(self, logits, mask):
        seq_len, batch_size, n_tags = logits.size()
        alpha = logits[0]
        if self.include_start_end_trans:
            alpha += self.start_scores.view(1, -1)

        flip_mask = mask.eq(0)

        for i in range(1, seq_len):
            emit_score = logits[i].view(batch_size, 1, n_tags)
            trans_score = self.trans_m.view(1, n_tags, n_tags)
            tmp = alpha.view(batch_size, n_tags, 1) + emit_score + trans_score
            alpha = log_sum_exp(tmp, 1).masked_fill(flip_mask[i].view(batch_size, 1), 0) + \
                    alpha.masked_fill(mask[i].bool().view(batch_size, 1), 0)

        if self.include_start_end_trans:
            alpha += self.end_scores.view(1, -1)

        return log_sum_exp(alpha, 1)

    def _gold_score(self, logits, tags, mask):
        seq_len, batch_size, _ = logits.size()
        batch_idx = torch.arange(batch_size)
        seq_idx = torch.arange(seq_len)
        trans_score = self.trans_m[tags[:seq_len - 1], tags[1:]].masked_fill(mask.eq(0)[1:, :], 0)
        emit_score = logits[seq_idx.view(-1, 1), batch_idx.view(1, -1), tags].masked_fill(mask.eq(0), 0)
        score = trans_score.sum(0) + emit_score.sum(0)
        if self.include_start_end_trans:
            st_scores = self.start_scores.view(1, -1).repeat(batch_size, 1)[batch_idx, tags[0]]
            last_idx = mask.long().sum(0) - 1
            ed_scores = self.end_scores.view(1, -1).repeat(batch_size, 1)[batch_idx, tags[last_idx, batch_idx]]
            score = score + st_scores + ed_scores
        return score

    def forward(self, feats, tags, mask):
        feats = feats.transpose(0, 1)
        tags = tags.transpose(0, 1).long()
        mask = mask.transpose(0, 1).float()
        all_path_score = self._normalizer_likelihood(feats, mask)
        gold_path_score = self._gold_score(feats, tags, mask)

        return all_path_score - gold_path_score


fc = nn.Linear(10, 4)
crf = ConditionalRandomField(4, include_start_end_trans=True)
feats = torch.log_softmax(fc(torch.randn(3, 6, 10)), dim=-1)
mask = torch.arange(6).view(1, -1) < torch.tensor([6, 4, 2]).view(-1, 1)
loss = crf(feats, torch.randint(0, 4, (3, 6)), mask).mean()
loss.backward()
print(loss.item(), fc.weight.grad.norm())
