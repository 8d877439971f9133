"""The forward variables of CTC in log space, filled into a (T, S) table.

Torch: modified by an inplace operation
"""
import torch


def ctc_forward(log_probs, labels, blank=0):
    ext = [blank]
    for l in labels:
        ext += [l, blank]
    T, S = log_probs.shape[0], len(ext)
    alpha = torch.full((T, S), -1e4)
    alpha[0, 0] = log_probs[0, blank]
    alpha[0, 1] = log_probs[0, ext[1]]
    for t in range(1, T):
        for s in range(S):
            a = alpha[t - 1, s]
            if s > 0:
                a = torch.logaddexp(a, alpha[t - 1, s - 1])
            if s > 1 and ext[s] != blank and ext[s] != ext[s - 2]:
                a = torch.logaddexp(a, alpha[t - 1, s - 2])
            alpha[t, s] = a + log_probs[t, ext[s]]
    return -torch.logaddexp(alpha[-1, -1], alpha[-1, -2])


def loss_fn(logits, labels):
    return ctc_forward(logits.log_softmax(-1), labels)


def example():
    torch.manual_seed(0)
    return loss_fn, (torch.randn(4, 3, requires_grad=True), [1, 2])
