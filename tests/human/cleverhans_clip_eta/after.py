import math

import torch


def clip_eta(eta, norm, eps):
  """
  :param eta: Tensor
  :param norm: inf, 1, or 2
  :param eps: float
  """
  if norm not in [math.inf, 1, 2]:
    raise ValueError('norm must be inf, 1, or 2.')

  avoid_zero_div = torch.tensor(1e-12, dtype=eta.dtype, device=eta.device)
  reduc_ind = list(range(1, len(eta.size())))
  if norm == math.inf:
    eta = torch.clamp(eta, -eps, eps)
  else:
    if norm == 1:
      raise NotImplementedError("L1 clip is not implemented.")
      norm = torch.max(
          avoid_zero_div,
          torch.sum(torch.abs(eta), dim=reduc_ind, keepdim=True)
      )
    elif norm == 2:
      norm = torch.sqrt(torch.max(
          avoid_zero_div,
          torch.sum(eta ** 2, dim=reduc_ind, keepdim=True)
      ))
    factor = torch.min(
        torch.tensor(1., dtype=eta.dtype, device=eta.device),
        eps / norm
        )
    eta = eta * factor
  return eta


model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 4))
x = torch.randn(5, 3, 2, 2)
y = torch.randint(0, 4, (5,))
delta = torch.randn(5, 3, 2, 2, requires_grad=True)
eta = clip_eta(torch.tanh(delta), 2, 0.3)
loss = torch.nn.functional.cross_entropy(model(x + eta), y)
loss.backward()
print(loss.item(), delta.grad.norm())
