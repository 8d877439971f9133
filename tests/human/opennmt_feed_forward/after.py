import torch
import torch.nn as nn


class PositionwiseFeedForward(nn.Module):
    """ A two-layer Feed-Forward-Network with residual layer norm. """
    def __init__(self, size, hidden_size, dropout=0.1):
        super(PositionwiseFeedForward, self).__init__()
        self.w_1 = nn.Linear(size, hidden_size)
        self.w_2 = nn.Linear(hidden_size, size)
        self.layer_norm = nn.LayerNorm(size)
        # Save a little memory, by doing inplace.
        self.dropout_1 = nn.Dropout(dropout, inplace=False)
        self.relu = nn.ReLU(inplace=False)
        self.dropout_2 = nn.Dropout(dropout)

    def forward(self, x):
        inter = self.dropout_1(self.relu(self.w_1(self.layer_norm(x))))
        output = self.dropout_2(self.w_2(inter))
        return output + x


class TransformerEncoderLayer(nn.Module):
    def __init__(self, size, dropout, head_count=2, hidden_size=16):
        super(TransformerEncoderLayer, self).__init__()
        self.self_attn = nn.MultiheadAttention(size, head_count, dropout=dropout, batch_first=True)
        self.feed_forward = PositionwiseFeedForward(size, hidden_size, dropout)
        self.layer_norm = nn.LayerNorm(size)

    def forward(self, input, mask=None):
        input_norm = self.layer_norm(input)
        mid, _ = self.self_attn(input_norm, input_norm, input_norm, key_padding_mask=mask)
        return self.feed_forward(mid + input)


layer = TransformerEncoderLayer(8, 0.1)
src = torch.randn(2, 5, 8)
out = layer(src)
out.pow(2).mean().backward()
print(layer.feed_forward.w_1.weight.grad.norm())
