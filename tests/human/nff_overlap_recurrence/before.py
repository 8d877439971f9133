import torch


def horizontal(s, p, r_pa):

    num = s.shape[0]

    for i in range(1, num):
        s[i, :] = r_pa * s[i - 1, :]

        if i > 1:
            extra = 1 / (2 * p.detach()) * ((i - 1) * s[i - 2, :])
            s[i, :] += extra

    return s


def vertical(s, r_pb, p):

    l_1 = s.shape[2]

    i_range = torch.arange(s.shape[1])
    r_pb_shape = r_pb.reshape(-1, 1)

    zeros = torch.zeros(3, 1)

    for j in range(1, l_1):

        s_term = r_pb_shape * s[:, :, j - 1]
        new_s = torch.cat((zeros, s[:, :-1, j - 1]), dim=1)
        i_term = i_range / (2 * p) * new_s

        s[:, :, j] = (s_term + i_term)

    return s


def get_s(r_a, r_b, a, b, l_max=3):
    p = a + b
    big_p = (a * r_a + b * r_b) / p
    s_0 = torch.zeros(l_max, 3)
    s_0[0] = torch.exp(-a * b / p * (r_a - r_b) ** 2)
    s_x = horizontal(s_0, p, big_p - r_a)
    s = torch.zeros(3, l_max, l_max)
    s[:, :, 0] = s_x.transpose(0, 1)
    return vertical(s, big_p - r_b, p).prod(dim=0)


r_a = torch.rand(3, requires_grad=True)
r_b = torch.rand(3, requires_grad=True)
a = torch.tensor(0.8, requires_grad=True)
overlap = get_s(r_a, r_b, a, torch.tensor(1.2))
overlap.sum().backward()
print(r_a.grad.norm(), r_b.grad.norm(), a.grad)
