import torch


def einsum(equation, *operands):
    """
    Log-sum-exp implementation of einsum.
    """
    inputs, output = equation.split('->')
    if inputs == output:
        return operands[0][...]  # create a new object
    inputs = inputs.split(',')

    shifts = []
    exp_operands = []
    for dims, operand in zip(inputs, operands):
        shift = operand.detach()
        for i, dim in enumerate(dims):
            if dim not in output:
                shift = shift.max(i, keepdim=True)[0]
        # avoid nan due to -inf - -inf
        shift.clamp_(min=torch.finfo(shift.dtype).min)
        exp_operands.append((operand - shift).exp())

        # permute shift to match output
        shift = shift.reshape(torch.Size(size for size, dim in zip(operand.shape, dims)
                                         if dim in output))
        if shift.dim():
            shift = shift.reshape((1,) * (len(output) - shift.dim()) + shift.shape)
            dims = [dim for dim in dims if dim in output]
            dims = [dim for dim in output if dim not in dims] + dims
            shift = shift.permute(*(dims.index(dim) for dim in output))
        shifts.append(shift)

    result = torch.einsum(equation, exp_operands).log()
    return sum(shifts + [result])


logits = torch.randn(3, requires_grad=True)
trans = torch.randn(3, 4, requires_grad=True)
init = logits.log_softmax(-1)
joint = einsum('a,ab->ab', init, trans.log_softmax(-1))
loss = -joint[[0, 1, 2], [1, 3, 0]].sum()
loss.backward()
print(logits.grad.norm(), trans.grad.norm())
