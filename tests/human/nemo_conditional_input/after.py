import torch


class ConditionalInput(torch.nn.Module):
    """Conditions a signal on a speaker embedding."""

    def __init__(self, hidden_dim, condition_dim, condition_types=[]):
        super().__init__()
        self.support_types = ["add", "concat"]
        self.condition_types = [tp for tp in condition_types if tp in self.support_types]
        self.hidden_dim = hidden_dim
        self.condition_dim = condition_dim

        if "add" in self.condition_types and condition_dim != hidden_dim:
            self.add_proj = torch.nn.Linear(condition_dim, hidden_dim)

        if "concat" in self.condition_types:
            self.concat_proj = torch.nn.Linear(hidden_dim + condition_dim, hidden_dim)

    def forward(self, signal, conditioning=None):
        """
        signal: B x T x C
        conditioning: B x 1 x C
        """
        if len(self.condition_types) > 0 and conditioning is None:
            raise ValueError('You should add additional data types as conditions e.g. speaker id or reference audio')

        if "add" in self.condition_types:
            if self.condition_dim != self.hidden_dim:
                conditioning = self.add_proj(conditioning)
            signal = signal + conditioning

        if "concat" in self.condition_types:
            conditioning = conditioning.repeat(1, signal.shape[1], 1)
            signal = torch.cat([signal, conditioning], dim=-1)
            signal = self.concat_proj(signal)

        return signal


class TemporalPredictor(torch.nn.Module):
    def __init__(self, input_size, condition_types):
        super().__init__()
        self.cond_input = ConditionalInput(input_size, 5, condition_types)
        self.layer = torch.nn.Conv1d(input_size, input_size, 3, padding=1)
        self.fc = torch.nn.Linear(input_size, 1)

    def forward(self, enc, conditioning=None):
        enc = self.cond_input(enc, conditioning)
        out = torch.relu(self.layer(enc.transpose(1, 2))).transpose(1, 2)
        return self.fc(out).squeeze(-1)


encoder = torch.nn.Sequential(torch.nn.Embedding(20, 8), torch.nn.Linear(8, 8), torch.nn.Tanh())
duration_predictor = TemporalPredictor(8, ["add"])
pitch_predictor = TemporalPredictor(8, ["add"])
enc_out = encoder(torch.randint(0, 20, (2, 6)))
spk_emb = torch.randn(2, 1, 5)
log_durs_predicted = duration_predictor(enc_out, spk_emb)
pitch_predicted = pitch_predictor(enc_out, spk_emb)
(log_durs_predicted.pow(2).mean() + pitch_predicted.abs().mean()).backward()
print(encoder[1].weight.grad.norm())
