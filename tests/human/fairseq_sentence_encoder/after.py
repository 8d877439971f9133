import torch
import torch.nn as nn


class InterpretableEmbedding(nn.Module):
    """Stands in for the embedding layer and hands the given embeddings through."""

    def forward(self, embeddings):
        return embeddings


class TransformerSentenceEncoder(nn.Module):
    def __init__(self, vocab_size, embedding_dim, padding_idx, embed_scale=None):
        super().__init__()
        self.padding_idx = padding_idx
        self.embed_scale = embed_scale
        self.embed_tokens = nn.Embedding(vocab_size, embedding_dim, padding_idx)
        self.embed_positions = nn.Embedding(32, embedding_dim)
        self.layer = nn.TransformerEncoderLayer(embedding_dim, 2, 16, batch_first=True)

    def forward(self, tokens, padding_mask=None, positions=None):
        x = self.embed_tokens(tokens)

        if self.embed_scale is not None:
            x = x * self.embed_scale

        if self.embed_positions is not None:
            positions = torch.arange(x.size(1)) if positions is None else positions
            x = x + self.embed_positions(positions)

        # account for padding while computing the representation
        if padding_mask is not None:
            x = x * (1 - padding_mask.unsqueeze(-1).type_as(x))

        return self.layer(x)


model = TransformerSentenceEncoder(30, 8, 1, embed_scale=8 ** 0.5)
tokens = torch.tensor([[3, 4, 5, 1], [6, 7, 8, 9]])
embeddings = model.embed_tokens(tokens).detach().requires_grad_()
model.embed_tokens = InterpretableEmbedding()
score = model(embeddings, padding_mask=tokens.eq(1))[:, 0, 0]
score.sum().backward()
print(embeddings.grad.norm())
