import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn import Parameter


class OpenUnmix(nn.Module):
    def __init__(self, nb_bins=9, nb_channels=2, hidden_size=8, nb_layers=1, max_bin=7):
        super().__init__()
        self.nb_output_bins = nb_bins
        self.nb_bins = max_bin
        self.hidden_size = hidden_size

        self.fc1 = nn.Linear(self.nb_bins * nb_channels, hidden_size, bias=False)
        self.bn1 = nn.BatchNorm1d(hidden_size)
        self.lstm = nn.LSTM(hidden_size, hidden_size // 2, num_layers=nb_layers, bidirectional=True)
        self.fc2 = nn.Linear(hidden_size * 2, hidden_size, bias=False)
        self.fc3 = nn.Linear(hidden_size, self.nb_output_bins * nb_channels, bias=False)

        self.input_mean = Parameter(torch.zeros(self.nb_bins))
        self.input_scale = Parameter(torch.ones(self.nb_bins))
        self.output_scale = Parameter(torch.ones(self.nb_output_bins))
        self.output_mean = Parameter(torch.ones(self.nb_output_bins))

    def forward(self, x):
        # permute so that batch is last for lstm
        x = x.permute(3, 0, 1, 2)
        # get current spectrogram shape
        nb_frames, nb_samples, nb_channels, nb_bins = x.data.shape

        mix = x.detach().clone()

        # crop
        x = x[..., : self.nb_bins]
        # shift and scale input to mean=0 std=1 (across all bins)
        x = x + self.input_mean
        x = x * self.input_scale

        # to (nb_frames*nb_samples, nb_channels*nb_bins)
        # and encode to (nb_frames*nb_samples, hidden_size)
        x = self.fc1(x.reshape(-1, nb_channels * self.nb_bins))
        # normalize every instance in a batch
        x = self.bn1(x)
        x = x.reshape(nb_frames, nb_samples, self.hidden_size)
        # squash range ot [-1, 1]
        x = torch.tanh(x)

        lstm_out = self.lstm(x)

        # lstm skip connection
        x = torch.cat([x, lstm_out[0]], -1)

        # first dense stage + batch norm
        x = F.relu(self.fc2(x.reshape(-1, x.shape[-1])))

        # second dense stage + layer norm
        x = self.fc3(x)
        x = x.reshape(nb_frames, nb_samples, nb_channels, self.nb_output_bins)

        # apply output scaling
        x *= self.output_scale
        x += self.output_mean

        # since our output is non-negative, we can apply RELU
        x = F.relu(x) * mix
        # permute back to (nb_samples, nb_channels, nb_bins, nb_frames)
        return x.permute(1, 2, 3, 0)


unmix = OpenUnmix()
X = torch.rand(2, 2, 9, 6, requires_grad=True)
Y_hat = unmix(X)
F.mse_loss(Y_hat, torch.rand(2, 2, 9, 6)).backward()
print(X.grad.norm())
