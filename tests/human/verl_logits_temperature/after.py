import torch
import torch.nn as nn
import torch.nn.functional as F


class _GatherFromTP(torch.autograd.Function):
    """Gathers the vocab-sharded logits (here: one rank, so a view)."""

    @staticmethod
    def forward(ctx, logits):
        return logits.view_as(logits)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class CausalLM(nn.Module):
    def __init__(self, vocab=16, hidden=8):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.lm_head = nn.Linear(hidden, vocab)

    def forward(self, input_ids):
        return _GatherFromTP.apply(self.lm_head(torch.tanh(self.embed(input_ids))))


class FSDPEngine:
    def __init__(self, module):
        self.module = module

    def prepare_model_outputs(self, logits, output_args):
        input_ids_rolled = output_args["input_ids_rolled"]
        temperature_rmpad = output_args["temperature_rmpad"]
        logits_rmpad = logits.squeeze(0)  # (total_nnz, vocab_size)
        logits_rmpad = logits_rmpad / temperature_rmpad.clamp(min=1e-8).unsqueeze(-1).to(logits_rmpad.dtype)

        log_probs = F.log_softmax(logits_rmpad, dim=-1).gather(-1, input_ids_rolled.unsqueeze(-1)).squeeze(-1)
        return {"log_probs": log_probs}

    def forward_step(self, input_ids, temperature):
        logits = self.module(input_ids)
        output_args = {
            "input_ids_rolled": torch.roll(input_ids, shifts=-1, dims=1).squeeze(0),
            "temperature_rmpad": temperature.expand(input_ids.shape[1]),
        }
        return -self.prepare_model_outputs(logits, output_args)["log_probs"].mean()


engine = FSDPEngine(CausalLM())
loss = engine.forward_step(torch.randint(16, (1, 10)), torch.tensor([0.7]))
loss.backward()
print(engine.module.lm_head.weight.grad.norm())
