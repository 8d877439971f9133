import torch
import torch.nn as nn
import torch.nn.functional as F


class SimpleModelScorer:
    def __init__(self, model, pad=0):
        self.model = model
        self.pad_index = pad

    def compute_logprobs(self, encoder_inputs, tgt_tokens):
        decoder_out = self.model(encoder_inputs)

        logprobs = F.log_softmax(decoder_out, dim=2)
        return logprobs

    def compute_scores(self, tgt_tokens, logprobs):
        """ logprobs: log probabilities of each token; returns hypothesis scores """
        i, j = torch.meshgrid(
            torch.arange(tgt_tokens.size(0)), torch.arange(tgt_tokens.size(1)), indexing="ij"
        )
        hypos_tokens_probs = torch.zeros(tgt_tokens.shape)
        hypos_tokens_probs = logprobs[i, j, tgt_tokens]
        pad = self.pad_index
        mask = 1.0 - tgt_tokens.eq(pad).float()
        hypos_scores = (hypos_tokens_probs * mask).sum(dim=1)
        return hypos_scores

    def score(self, encoder_inputs, tgt_tokens):
        logprobs = self.compute_logprobs(encoder_inputs, tgt_tokens)
        return self.compute_scores(tgt_tokens, logprobs)


model = nn.Linear(6, 11)
scorer = SimpleModelScorer(model)
hypos = torch.tensor([[3, 5, 2, 0], [7, 4, 9, 2]])
scores = scorer.score(torch.randn(2, 4, 6), hypos)
loss = -scores.sum()
loss.backward()
print(model.weight.grad.norm())
