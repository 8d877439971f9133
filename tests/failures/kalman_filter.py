"""A Kalman filter with learned noise; mean and covariance are updated in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class KalmanFilter(nn.Module):
    def __init__(self):
        super().__init__()
        self.F = nn.Parameter(torch.tensor([[1.0, 0.1], [0.0, 1.0]]))
        self.H = torch.tensor([[1.0, 0.0]])
        self.log_q = nn.Parameter(torch.tensor(-2.0))
        self.log_r = nn.Parameter(torch.tensor(-1.0))

    def forward(self, zs):
        x = torch.zeros(2, 1)
        P = torch.eye(2)
        loss = 0.
        for z in zs:
            # predict
            x = self.F @ x
            P = self.F @ P @ self.F.T + self.log_q.exp() * torch.eye(2)
            # update
            y = z - self.H @ x
            S = self.H @ P @ self.H.T + self.log_r.exp()
            K = P @ self.H.T @ torch.inverse(S)
            x += K @ y
            P -= K @ self.H @ P
            loss = loss + (y * y / S + torch.log(S)).sum()
        return loss


def example():
    torch.manual_seed(0)
    return KalmanFilter(), (torch.randn(4),)
