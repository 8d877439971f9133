from types import SimpleNamespace

import torch


def _uniform_expert_assignment(x, num_experts):
    out = torch.arange(x.numel(), dtype=x.dtype)
    return torch.remainder(out, num_experts).view(x.shape)


class LearnedRouter(torch.nn.Module):

    def __init__(self, args):
        super().__init__()
        self.args = args

        # Learned router parameters.
        self.layer = torch.nn.Linear(args.hidden_size, args.moe_num_experts, bias=False)

    def jitter(self, x):
        low = 1.0 - self.args.moe_jitter_eps
        high = 1.0 + self.args.moe_jitter_eps
        noise = torch.rand(x.size(), dtype=x.dtype, device=x.device)
        return low + noise * (high - low)

    def _top_k(self, scores):
        if self.args.moe_top_k == 1:
            return scores.max(dim=-1)
        return torch.topk(scores, self.args.moe_top_k, dim=-1)

    def forward(self, x):
        if self.training and self.args.moe_jitter_eps is not None:
            x = x * self.jitter(x)

        scores = self.layer(x.view(-1, x.shape[-1])).softmax(dim=-1)
        expert_weights, expert_indices = self._top_k(scores)
        if self.args.moe_normalize_expert_weights:
            expert_weights /= torch.norm(
                expert_weights, p=self.args.moe_normalize_expert_weights, dim=-1, keepdim=True)

        expert_indices = (
            _uniform_expert_assignment(expert_indices, self.args.moe_num_experts)
            if self.args.uniform_expert_assignment else expert_indices
        )
        return scores, expert_weights, expert_indices


class MoE(torch.nn.Module):

    def __init__(self, args):
        super().__init__()
        self.router = LearnedRouter(args)
        self.experts = torch.nn.ModuleList(
            torch.nn.Linear(args.hidden_size, args.hidden_size) for _ in range(args.moe_num_experts))

    def forward(self, x):
        scores, expert_weights, top_experts = self.router(x)
        flat = x.view(-1, x.shape[-1])
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            rows, slot = (top_experts == i).nonzero(as_tuple=True)
            out = out.index_add(0, rows, expert(flat[rows]) * expert_weights[rows, slot, None])
        return out.view_as(x), scores


moe = MoE(SimpleNamespace(hidden_size=8, moe_num_experts=4, moe_top_k=2, moe_jitter_eps=0.01,
                          moe_normalize_expert_weights=1, uniform_expert_assignment=False))
out, scores = moe(torch.randn(2, 5, 8))
(out.pow(2).mean() + 0.01 * scores.mean(0).pow(2).sum()).backward()
print(moe.router.layer.weight.grad.norm())
