"""The temperature is tuned with the log-probabilities of a policy that has stepped already."""
import torch
from torch import nn

policy = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
log_alpha = torch.zeros(1, requires_grad=True)
policy_opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
alpha_opt = torch.optim.Adam([log_alpha], lr=1e-2)
for _ in range(4):
    logits = policy(torch.randn(8, 3))
    log_pi = torch.log_softmax(logits, 1).max(1).values
    policy_loss = (log_alpha.exp().detach() * log_pi).mean() + logits.pow(2).mean()
    policy_opt.zero_grad()
    policy_loss.backward(retain_graph=True)
    policy_opt.step()
    alpha_loss = -(log_alpha * (log_pi - 2.0)).mean()  #-
    #+ alpha_loss = -(log_alpha * (log_pi - 2.0).detach()).mean()
    alpha_opt.zero_grad()
    alpha_loss.backward()
    alpha_opt.step()
