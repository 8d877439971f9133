import torch


class SO2Matrix:
    dim = 2

    def __init__(self, mat):
        self.mat = mat

    @classmethod
    def wedge(cls, phi):
        Phi = phi.new_zeros(phi.shape[0], cls.dim, cls.dim)
        Phi[:, 0, 1] = -phi
        Phi[:, 1, 0] = phi
        return Phi

    @classmethod
    def inv_left_jacobian(cls, phi):
        """(see Barfoot/Eade)."""
        if phi.dim() < 1:
            phi = phi.unsqueeze(dim=0)

        jac = phi.__class__(phi.shape[0], cls.dim, cls.dim)

        # Near phi==0, use first order Taylor expansion
        small_angle_mask = phi.abs() < 1e-6
        small_angle_inds = small_angle_mask.nonzero().squeeze_(dim=1)

        if len(small_angle_inds) > 0:
            jac[small_angle_inds] = torch.eye(cls.dim).expand(
                len(small_angle_inds), cls.dim, cls.dim) \
                - 0.5 * cls.wedge(phi[small_angle_inds])

        # Otherwise...
        large_angle_mask = small_angle_mask.logical_not()
        large_angle_inds = large_angle_mask.nonzero().squeeze_(dim=1)

        if len(large_angle_inds) > 0:
            angle = phi[large_angle_inds]
            ha = 0.5 * angle       # half angle
            hacha = ha / ha.tan()  # half angle * cot(half angle)

            ha.unsqueeze_(dim=1).unsqueeze_(
                dim=2).expand_as(jac[large_angle_inds])
            hacha.unsqueeze_(dim=1).unsqueeze_(
                dim=2).expand_as(jac[large_angle_inds])

            A = hacha * \
                torch.eye(cls.dim).unsqueeze_(
                    dim=0).expand_as(jac[large_angle_inds])
            B = -ha * cls.wedge(phi.__class__([1.]))

            jac[large_angle_inds] = A + B

        return jac.squeeze_()

    def log(self):
        return torch.atan2(self.mat[:, 1, 0], self.mat[:, 0, 0])


def se2_log(rot, trans):
    phi = rot.log()
    rho = torch.bmm(SO2Matrix.inv_left_jacobian(phi), trans.unsqueeze(dim=2)).squeeze(dim=2)
    return torch.cat([rho, phi.unsqueeze(dim=1)], dim=1)


theta = torch.tensor([0.0, 0.4, -1.1, 2.0], requires_grad=True)
mat = torch.stack([theta.cos(), -theta.sin(), theta.sin(), theta.cos()], dim=1).view(4, 2, 2)
xi = se2_log(SO2Matrix(mat), torch.randn(4, 2))
xi.pow(2).sum().backward()
print(theta.grad)
