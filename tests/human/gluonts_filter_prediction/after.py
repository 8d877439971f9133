import torch
from torch import matmul, nn


def matvec(mat, vec):
    return matmul(mat, vec.unsqueeze(-1)).squeeze(-1)


def symmetrize(x):
    return 0.5 * (x + x.transpose(-1, -2))


def filter_forward_prediction_step(m, V, R, A, b=None):
    """ Single prediction step in forward filtering cycle
    (prediction --> measurement) """
    mp = matvec(A, m) if A is not None else m
    if b is not None:
        mp = mp + b  # do not 'mp += b', is inplace and wont work with autograd
    Vp = symmetrize(
        (matmul(A, matmul(V, A.transpose(-1, -2))) if A is not None else V) + R
    )
    return mp, Vp


def filter_forward_predictive_distribution(m, V, Q, C, d=None):
    """ The predictive distirbution p(yt | y_{1:t-1}) """
    Vpy = symmetrize(matmul(C, matmul(V, C.transpose(-1, -2))) + Q)
    mpy = matvec(C, m)
    if d is not None:
        mpy = mpy + d
    return mpy, Vpy


def filter_forward_measurement_step(y, m, V, Q, C, d=None):
    """ Single measurement/update step in forward filtering cycle """
    mpy, Vpy = filter_forward_predictive_distribution(m, V, Q, C, d)
    K = torch.linalg.solve(Vpy, matmul(C, V)).transpose(-1, -2)
    m = m + matvec(K, y - mpy)
    V = symmetrize(V - matmul(K, matmul(C, V)))
    return m, V, mpy, Vpy


class GaussianLinearSystem(nn.Module):
    def __init__(self, n_state, n_obs):
        super().__init__()
        self.m0 = nn.Parameter(torch.zeros(n_state))
        self.b = nn.Parameter(0.1 * torch.randn(n_state))
        self.C = nn.Parameter(torch.randn(n_obs, n_state))
        self.A = None
        self.n_state, self.n_obs = n_state, n_obs

    def log_prob(self, y):
        m, V = self.m0, torch.eye(self.n_state)
        R, Q = 0.1 * torch.eye(self.n_state), 0.1 * torch.eye(self.n_obs)
        log_prob = 0.0
        for t in range(y.shape[0]):
            mp, Vp = filter_forward_prediction_step(m=m, V=V, R=R, A=self.A, b=self.b)
            m, V, mpy, Vpy = filter_forward_measurement_step(y=y[t], m=mp, V=Vp, Q=Q, C=self.C)
            log_prob = log_prob + torch.distributions.MultivariateNormal(mpy, Vpy).log_prob(y[t])
        return log_prob


model = GaussianLinearSystem(3, 2)
loss = -model.log_prob(torch.randn(6, 2))
loss.backward()
print(loss.item(), model.m0.grad.norm(), model.b.grad.norm())
