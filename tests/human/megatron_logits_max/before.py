import torch


class VocabParallelCrossEntropy:
    @staticmethod
    def calculate_logits_max(vocab_parallel_logits):
        """Calculates logits_max."""

        vocab_parallel_logits = vocab_parallel_logits.float()
        # Maximum value along vocab dimension across all GPUs.
        logits_max = torch.max(vocab_parallel_logits, dim=-1)[0]

        return vocab_parallel_logits, logits_max

    @staticmethod
    def calculate_predicted_logits(vocab_parallel_logits, target, logits_max):
        """Calculates predicted logits."""

        # In-place subtraction reduces memory pressure.
        vocab_parallel_logits -= logits_max.unsqueeze(dim=-1)

        logits_2d = vocab_parallel_logits.view(-1, vocab_parallel_logits.size(-1))
        predicted_logits = logits_2d[torch.arange(logits_2d.size(0)), target.view(-1)].view_as(target)
        exp_logits = vocab_parallel_logits
        torch.exp(vocab_parallel_logits, out=exp_logits)
        sum_exp_logits = exp_logits.sum(dim=-1)
        return predicted_logits, sum_exp_logits, exp_logits


class _VocabParallelCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, vocab_parallel_logits, target):
        """Vocab parallel cross entropy forward function."""
        vocab_parallel_logits, logits_max = VocabParallelCrossEntropy.calculate_logits_max(vocab_parallel_logits)
        predicted_logits, sum_exp_logits, exp_logits = VocabParallelCrossEntropy.calculate_predicted_logits(
            vocab_parallel_logits, target, logits_max
        )
        loss = torch.log(sum_exp_logits) - predicted_logits
        # Normalize and optionally smooth logits
        exp_logits.div_(sum_exp_logits.unsqueeze(dim=-1))
        ctx.save_for_backward(exp_logits, target)
        return loss

    @staticmethod
    def backward(ctx, grad_output):
        """Vocab parallel cross entropy backward function."""
        softmax, target = ctx.saved_tensors
        grad_input = softmax.clone()
        grad_2d = grad_input.view(-1, grad_input.size(-1))
        grad_2d[torch.arange(grad_2d.size(0)), target.view(-1)] -= 1.0
        grad_input.mul_(grad_output.unsqueeze(dim=-1))
        return grad_input, None


class GPTModel(torch.nn.Module):
    def __init__(self, softcap=30.0):
        super().__init__()
        self.embedding, self.output_layer = torch.nn.Embedding(12, 8), torch.nn.Linear(8, 12, bias=False)
        self.softcap = softcap

    def forward(self, tokens, labels):
        logits = self.output_layer(self.embedding(tokens)) / self.softcap
        logits = torch.tanh(logits)
        return _VocabParallelCrossEntropy.apply(logits, labels)


model = GPTModel()
tokens = torch.randint(0, 12, (6, 2))
model(tokens, tokens.roll(-1, 0)).mean().backward()
print(model.output_layer.weight.grad.norm())
