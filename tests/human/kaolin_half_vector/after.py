import torch


def _dot(a, b):
    return torch.sum(a * b, dim=-1, keepdim=True)


def _ggx_v1(m2, nDotX):
    return 1. / (nDotX + torch.sqrt(m2 + (1. - m2) * nDotX * nDotX))


def fresnel(ldh, spec_albedo):
    powTerm = torch.pow(1. - ldh, 5)
    return spec_albedo + (1. - spec_albedo) * powTerm


def sg_warp_specular_term(normal, roughness, view, spec_albedo):
    ndf_direction = 2 * _dot(view, normal) * normal - view
    ndl = torch.clamp(_dot(normal, ndf_direction), min=0., max=1.)
    ndv = torch.clamp(_dot(normal, view), min=0., max=1.)
    h = ndf_direction + view
    _h = h / torch.sqrt(_dot(h, h))
    ldh = torch.clamp(_dot(ndf_direction, _h), min=0., max=1.)

    m2 = (roughness * roughness).unsqueeze(-1)
    output = _ggx_v1(m2, ndl) * _ggx_v1(m2, ndv)
    output = output * fresnel(ldh, spec_albedo)
    output = output * ndl
    return torch.clamp(output, min=0.)


normal = torch.nn.functional.normalize(torch.rand(6, 3), dim=-1).requires_grad_()
view = torch.nn.functional.normalize(torch.rand(6, 3), dim=-1)
roughness = torch.rand(6, requires_grad=True)
color = sg_warp_specular_term(normal, roughness, view, torch.rand(6, 3))
loss = color.mean()
loss.backward()
print(normal.grad.norm(), roughness.grad.norm())
