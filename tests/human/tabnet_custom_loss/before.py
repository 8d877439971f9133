import torch
from torch.nn.utils import clip_grad_norm_


class TabNetNoEmbeddings(torch.nn.Module):
    def __init__(self, input_dim, output_dim):
        super().__init__()
        self.attention = torch.nn.Linear(input_dim, input_dim)
        self.final_mapping = torch.nn.Linear(input_dim, output_dim, bias=False)

    def forward(self, x):
        M = torch.softmax(self.attention(x), dim=-1)
        M_loss = torch.mean(torch.sum(torch.mul(M, torch.log(M + 1e-15)), dim=1))
        return self.final_mapping(torch.mul(M, x)), M_loss


def my_rmse_loss_fn(y_pred, y_true):
    mse_loss = (y_true - y_pred) ** 2
    return torch.sqrt(torch.mean(mse_loss))


class TabModel:
    def __init__(self, input_dim, output_dim, loss_fn, lambda_sparse=1e-3, clip_value=1):
        self.device = torch.device('cpu')
        self.network = TabNetNoEmbeddings(input_dim, output_dim)
        self.loss_fn = loss_fn
        self.lambda_sparse = lambda_sparse
        self.clip_value = clip_value
        self._optimizer = torch.optim.Adam(self.network.parameters(), lr=0.02)

    def compute_loss(self, y_pred, y_true):
        return self.loss_fn(y_pred, y_true)

    def _train_batch(self, X, y):
        batch_logs = {"batch_size": X.shape[0]}

        X = X.to(self.device).float()
        y = y.to(self.device).float()

        for param in self.network.parameters():
            param.grad = None

        output, M_loss = self.network(X)

        loss = self.compute_loss(output, y)
        # Add the overall sparsity loss
        loss -= self.lambda_sparse * M_loss

        # Perform backward pass and optimization
        loss.backward()
        if self.clip_value:
            clip_grad_norm_(self.network.parameters(), self.clip_value)
        self._optimizer.step()

        batch_logs["loss"] = loss.detach().item()

        return batch_logs


model = TabModel(5, 1, loss_fn=my_rmse_loss_fn)
for _ in range(3):
    print(model._train_batch(torch.randn(16, 5), torch.randn(16, 1)))
