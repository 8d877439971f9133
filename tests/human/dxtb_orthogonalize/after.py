import torch


def gaussian_integral(alpha_i, alpha_j, coeff_i, coeff_j):
    eij = alpha_i.unsqueeze(-1) + alpha_j.unsqueeze(-2 if alpha_j.ndim > 1 else 0)
    overlap = coeff_i.unsqueeze(-1) * coeff_j.unsqueeze(-2 if coeff_j.ndim > 1 else 0) * (3.14159 / eij) ** 1.5
    return overlap.sum((-2, -1))


def orthogonalize(alpha, coeff):
    """
    Orthogonalize a contracted Gaussian basis function to an existing basis
    function. The second basis function is orthonormalized against the first.
    """
    coeff_i, coeff_j = coeff
    alpha_i, alpha_j = alpha

    # Calculate overlap between basis functions
    overlap = gaussian_integral(alpha_i, alpha_j, coeff_i, coeff_j)

    # Create new basis function from the pair which is orthogonal to the first
    # basis function
    alpha_new = torch.cat((alpha_j, alpha_i), dim=-1)
    coeff_new = torch.cat((coeff_j, -overlap * coeff_i), dim=-1)

    # Normalization of the new basis function might be off, calculate self overlap
    selfoverlap = gaussian_integral(alpha_new, alpha_new, coeff_new, coeff_new)
    coeff_new = coeff_new / torch.sqrt(selfoverlap)

    return alpha_new, coeff_new


alphas = [torch.rand(3, requires_grad=True), torch.rand(2, requires_grad=True)]
coeffs = [torch.rand(3, requires_grad=True), torch.rand(2, requires_grad=True)]
a, c = orthogonalize(tuple(alphas), tuple(coeffs))
(a * c).sum().backward()
print([p.grad.norm().item() for p in alphas + coeffs])
