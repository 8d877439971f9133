import torch
from torch import nn


class Wav2VecTransformerEncoder(nn.Module):
    def __init__(self, embedding_dim=16, conv_pos=8, groups=4):
        super().__init__()
        self.pos_conv = nn.Sequential(
            nn.Conv1d(embedding_dim, embedding_dim, kernel_size=conv_pos + 1, padding=conv_pos // 2, groups=groups),
            nn.GELU(),
        )
        self.layer_norm = nn.LayerNorm(embedding_dim)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(embedding_dim, 2, 32, batch_first=True) for _ in range(2)
        )

    def create_padding_mask(self, length):
        max_len = max(length)
        return torch.arange(max_len).expand(len(length), max_len) < length.unsqueeze(1)

    def forward(self, audio_signal, length):

        # Padding mask needed for transformer
        padding_mask = self.create_padding_mask(length)

        # Applying padding before convolution
        for idx, len in enumerate(length):
            audio_signal[idx, :, len:] = 0.0

        signal_conv = self.pos_conv(audio_signal)  # B, C, T
        audio_signal += signal_conv

        audio_signal = audio_signal.transpose(1, 2)  # B, C, T -> B, T, C
        audio_signal = self.layer_norm(audio_signal)

        context_emb = self.apply_transformer(audio_signal, padding_mask=padding_mask)

        context_emb = context_emb.transpose(1, 2)  # B, T, C -> B, C, T

        return context_emb, length  # Returning length for NeMo compatibility

    def apply_transformer(self, x, padding_mask=None):
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=~padding_mask)
        return x


feature_extractor = nn.Conv1d(1, 16, 5, stride=2)
encoder = Wav2VecTransformerEncoder()
features = feature_extractor(torch.randn(2, 1, 45))
context, _ = encoder(features, torch.tensor([21, 15]))
context.pow(2).mean().backward()
print(feature_extractor.weight.grad.norm())
