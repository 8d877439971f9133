import torch
import torch.nn as nn


class Tacotron2(nn.Module):
    def __init__(self, num_chars, num_speakers=0, dim=8):
        super(Tacotron2, self).__init__()
        self.embedding = nn.Embedding(num_chars, dim)
        self.encoder = nn.LSTM(dim, dim, batch_first=True)
        self.decoder = nn.Linear(dim, 4)
        if num_speakers > 1:
            self.speaker_embedding = nn.Embedding(num_speakers, dim)
            self.speaker_embedding.weight.data.normal_(0, 0.3)

    def forward(self, text, speaker_ids=None):
        embedded_inputs = self.embedding(text)
        encoder_outputs, _ = self.encoder(embedded_inputs)
        encoder_outputs = self._add_speaker_embedding(encoder_outputs,
                                                      speaker_ids)
        return self.decoder(encoder_outputs)

    def _add_speaker_embedding(self, encoder_outputs, speaker_ids):
        if hasattr(self, "speaker_embedding") and speaker_ids is not None:
            speaker_embeddings = self.speaker_embedding(speaker_ids)

            speaker_embeddings.unsqueeze_(1)
            speaker_embeddings = speaker_embeddings.expand(encoder_outputs.size(0),
                                                           encoder_outputs.size(1),
                                                           -1)
            encoder_outputs += speaker_embeddings
        return encoder_outputs


model = Tacotron2(20, num_speakers=3)
mel = model(torch.randint(0, 20, (2, 5)), torch.tensor([0, 2]))
criterion = nn.L1Loss()
loss = criterion(mel, torch.randn(2, 5, 4))
loss.backward()
print(model.embedding.weight.grad.norm())
