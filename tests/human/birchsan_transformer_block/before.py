import torch
from torch import nn, einsum


class FeedForward(nn.Module):
    def __init__(self, dim, mult=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim))

    def forward(self, x):
        return self.net(x)


class CrossAttention(nn.Module):
    def __init__(self, query_dim, context_dim=None):
        super().__init__()
        context_dim = query_dim if context_dim is None else context_dim
        self.scale = query_dim ** -0.5
        self.to_q = nn.Linear(query_dim, query_dim, bias=False)
        self.to_k = nn.Linear(context_dim, query_dim, bias=False)
        self.to_v = nn.Linear(context_dim, query_dim, bias=False)
        self.to_out = nn.Linear(query_dim, query_dim)

    def forward(self, x, context=None):
        context = x if context is None else context
        sim = einsum('b i d, b j d -> b i j', self.to_q(x), self.to_k(context)) * self.scale
        attn = sim.softmax(dim=-1)
        return self.to_out(einsum('b i j, b j d -> b i d', attn, self.to_v(context)))


class BasicTransformerBlock(nn.Module):
    def __init__(self, dim, context_dim=None):
        super().__init__()
        self.attn1 = CrossAttention(query_dim=dim)  # is a self-attention
        self.ff = FeedForward(dim)
        self.attn2 = CrossAttention(query_dim=dim, context_dim=context_dim)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, context=None):
        return self._forward(x, context)

    def _forward(self, x, context=None):
        x = x.contiguous() if x.device.type == 'mps' else x
        x += self.attn1(self.norm1(x))
        x += self.attn2(self.norm2(x), context=context)
        x += self.ff(self.norm3(x))
        return x


class SpatialTransformer(nn.Module):
    def __init__(self, in_channels, inner_dim, depth=1, context_dim=None):
        super().__init__()
        self.norm = nn.GroupNorm(2, in_channels)
        self.proj_in = nn.Conv2d(in_channels, inner_dim, kernel_size=1)
        self.transformer_blocks = nn.ModuleList(
            [BasicTransformerBlock(inner_dim, context_dim=context_dim) for d in range(depth)])
        self.proj_out = nn.Conv2d(inner_dim, in_channels, kernel_size=1)

    def forward(self, x, context=None):
        b, c, h, w = x.shape
        x_in = x
        x = self.norm(x)
        x = self.proj_in(x)
        x = x.flatten(2).transpose(1, 2)
        for block in self.transformer_blocks:
            x = block(x, context=context)
        x = x.transpose(1, 2).reshape(b, -1, h, w)
        x = self.proj_out(x)
        return x + x_in


net = SpatialTransformer(4, 8, depth=2, context_dim=6)
out = net(torch.randn(2, 4, 4, 4), context=torch.randn(2, 3, 6))
out.pow(2).mean().backward()
print(net.proj_in.weight.grad.norm())
