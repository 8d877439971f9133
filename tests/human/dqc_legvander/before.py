import torch


def legvander(x, order, orderfirst=False):
    # x: (..., nx)
    # order: int

    assert order >= 0, "Order must be a non-negative integer"

    # (order+1, *xshape)
    y = torch.empty(order+1, *x.shape, dtype=x.dtype, device=x.device)
    y[0] = 1.0
    if order > 0:
        y[1] = x
        for i in range(2, order+1):
            y[i] = (y[i-1] * x * ((2.0*i-1.0)/i) - y[i-2] * ((i-1.0)/i))

    if not orderfirst:
        # (*xshape, order+1)
        return y.transpose(0,-1)
    else:
        return y


def legint_coeffs(fval, x, w, order):
    # projects the function values on the Legendre polynomials
    basis = legvander(x, order, orderfirst=True)
    norm = (2 * torch.arange(order+1, dtype=x.dtype) + 1) / 2.0
    return norm * (basis * fval * w).sum(dim=-1)


theta = (torch.rand(12, dtype=torch.double) * 3).requires_grad_()
cost = torch.cos(theta)
w = torch.ones(12, dtype=torch.double) / 6
coeffs = legint_coeffs(torch.exp(cost), cost, w, order=4)
loss = (coeffs ** 2).sum()
loss.backward()
print(theta.grad.norm())
