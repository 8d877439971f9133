import logging
import torch

_triton_available = False


def _triton_softmax(x, mask, log, causal):
    raise RuntimeError("no triton here")


def log_softmax(x, mask=None, causal=False):
    return _softmax_dispatch(x, log=True, mask=mask, causal=causal)


def softmax(x, mask=None, causal=False):
    return _softmax_dispatch(x, log=False, mask=mask, causal=causal)


def _softmax_dispatch(x, log, mask, causal=False):
    # Triton is used if
    # - CUDA
    # - there's enough data to make it faster than pytorch
    # - there was no previous failure
    if _triton_available and torch.cuda.is_available() and x.is_cuda:
        try:
            return _triton_softmax(x, mask, log, causal)
        except RuntimeError as e:
            logging.warning(e)

    if mask is not None:
        x += mask

    if log:
        return torch.log_softmax(x, dim=-1)
    else:
        return torch.softmax(x, dim=-1)


shape = (8, 8)
X = torch.normal(0, 1, size=shape, requires_grad=True)
mask = torch.zeros(shape)
mask[:, 6:] = float("-inf")
Y = softmax(X, mask=mask)
loss = torch.norm(Y)
loss.backward()
print(torch.norm(X.grad))
