import torch
import torch.nn.functional as F


def _update_moment(updates, moments, decay, order):
    def f(g, t):
        return t.mul(decay).add(g.pow(order), alpha=1 - decay) if g is not None else t

    return tuple(map(f, updates, moments))


def scale_by_adam(b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0):
    def init_fn(params):
        mu = tuple(torch.zeros_like(p) for p in params)
        nu = tuple(torch.zeros_like(p) for p in params)
        return mu, nu, 0

    def update_fn(updates, state):
        mu, nu, count = state
        mu = _update_moment(updates, mu, b1, order=1)
        nu = _update_moment(updates, nu, b2, order=2)
        count = count + 1
        mu_hat = tuple(t.div(1 - b1 ** count) for t in mu)
        nu_hat = tuple(t.div(1 - b2 ** count) for t in nu)

        def f(g, m, v):
            return m.div(v.add(eps_root).sqrt_().add_(eps)) if g is not None else None

        updates = tuple(map(f, updates, mu_hat, nu_hat))
        return updates, (mu, nu, count)

    return init_fn, update_fn


meta = torch.tensor(0.5, requires_grad=True)
params = (torch.randn(3, requires_grad=True),)
x, y = torch.randn(8, 3), torch.randn(8)
init_fn, update_fn = scale_by_adam(eps=1e-3)
state = init_fn(params)
for _ in range(2):
    inner_loss = F.mse_loss(x @ params[0], y) + meta * params[0].pow(2).sum()
    grads = torch.autograd.grad(inner_loss, params, create_graph=True)
    updates, state = update_fn(grads, state)
    params = tuple(p - 0.1 * u for p, u in zip(params, updates))
outer_loss = F.mse_loss(x @ params[0], y)
outer_loss.backward()
print(meta.grad)
