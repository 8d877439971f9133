import torch
def run(x: torch.Tensor):
    r = torch.sigmoid(x.T)
    r.sub_(r[0])
    return r

def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
