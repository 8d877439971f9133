import torch
import torch.nn as nn
import torch.nn.functional as F


class SpikingCell(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.linear_ih = nn.Linear(input_size, hidden_size)
        self.linear_hh = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, h):
        return torch.sigmoid(4. * (self.linear_ih(x) + self.linear_hh(h)))


class SpikingRNNBase(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers, dropout_p=0.):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.dropout_p = dropout_p
        sizes = [input_size] + [hidden_size] * (num_layers - 1)
        self.cells = nn.ModuleList(SpikingCell(n, hidden_size) for n in sizes)

    def forward(self, x, states=None):
        T = x.shape[0]
        batch_size = x.shape[1]
        if states is None:
            states_list = torch.zeros(self.num_layers, batch_size, self.hidden_size).to(x)
        else:
            states_list = states

        output = []
        for t in range(T):
            states_list[0] = self.cells[0](x[t], states_list[0].clone())
            for i in range(1, self.num_layers):
                y = states_list[i - 1].clone()
                if self.training and self.dropout_p > 0:
                    y = F.dropout(y, p=self.dropout_p, training=True)
                states_list[i] = self.cells[i](y, states_list[i].clone())
            output.append(states_list[-1].clone().unsqueeze(0))
        return torch.cat(output, dim=0), states_list


net = SpikingRNNBase(4, 6, 2)
out, states = net(torch.randn(5, 3, 4))
loss = F.mse_loss(out.mean(0), torch.rand(3, 6))
loss.backward()
print(net.cells[0].linear_ih.weight.grad.norm())
