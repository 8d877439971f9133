import torch


from typing import Callable, List, NamedTuple, Sequence
import torch


class _Tableau(NamedTuple):
    c: List[float]
    b: List[float]
    a: List[List[float]]


rk38_tableau = _Tableau(
    c=[0.0, 1 / 3, 2 / 3, 1.0],
    b=[1 / 8, 3 / 8, 3 / 8, 1 / 8],
    a=[[0.0, 0.0, 0.0, 0.0],
       [1 / 3, 0.0, 0.0, 0.0],
       [-1 / 3, 1.0, 0.0, 0.0],
       [1.0, -1.0, 1.0, 0.0]]
)


def explicit_rk(tableau: _Tableau,
                fcn: Callable[..., torch.Tensor], t: torch.Tensor, y0: torch.Tensor,
                params: Sequence[torch.Tensor]):
    c, b, a = tableau.c, tableau.b, tableau.a
    s = len(c)
    nt = len(t)
    dtype = t.dtype
    device = t.device

    # set up the results list
    yt = torch.empty((nt, *y0.shape), dtype=dtype, device=device)

    yt[0] = y0
    y = y0
    for i in range(nt - 1):
        t0 = t[i]
        h = t[i + 1] - t0
        ks: List[torch.Tensor] = []
        ksum = torch.tensor(0.0, dtype=dtype, device=device)
        for j in range(s):
            ak = torch.tensor(0.0, dtype=dtype, device=device)
            for m in range(j):
                ak = a[j][m] * ks[m] + ak
            k = fcn(t0 + c[j] * h, h * ak + y, *params)
            ks.append(k)
            ksum = ksum + b[j] * k
        y = h * ksum + y
        yt[i + 1] = y
    return yt


rate = torch.rand(5, requires_grad=True)
ts = torch.linspace(0, 1, 6)
solve = torch.vmap(lambda r, y0: explicit_rk(rk38_tableau, lambda t, y, r: -r * y + torch.sin(t), ts, y0, (r,)))
traj = solve(rate, torch.rand(5, 2))
traj.pow(2).sum().backward()
print(rate.grad)
