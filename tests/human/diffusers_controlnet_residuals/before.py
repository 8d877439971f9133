import torch
import torch.nn as nn
import torch.nn.functional as F


class UNetConditionModel(nn.Module):
    def __init__(self, channels=4):
        super().__init__()
        self.conv_in = nn.Conv2d(3, channels, 3, padding=1)
        self.down_blocks = nn.ModuleList(
            [nn.Sequential(nn.GroupNorm(2, channels), nn.SiLU(), nn.Conv2d(channels, channels, 3, padding=1)) for _ in range(2)]
        )
        self.mid_block = nn.Conv2d(channels, channels, 3, padding=1)
        self.up_blocks = nn.ModuleList([nn.Conv2d(2 * channels, channels, 3, padding=1) for _ in range(3)])
        self.conv_out = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, sample, down_block_additional_residuals=None, mid_block_additional_residual=None):
        sample = self.conv_in(sample)

        down_block_res_samples = (sample,)
        for downsample_block in self.down_blocks:
            sample = downsample_block(sample)
            down_block_res_samples += (sample,)

        if down_block_additional_residuals is not None:
            new_down_block_res_samples = ()

            for down_block_res_sample, down_block_additional_residual in zip(
                down_block_res_samples, down_block_additional_residuals
            ):
                down_block_res_sample += down_block_additional_residual
                new_down_block_res_samples += (down_block_res_sample,)

            down_block_res_samples = new_down_block_res_samples

        sample = self.mid_block(sample)
        if mid_block_additional_residual is not None:
            sample += mid_block_additional_residual

        for i, upsample_block in enumerate(self.up_blocks):
            res_sample = down_block_res_samples[-1 - i]
            sample = upsample_block(torch.cat([sample, res_sample], dim=1))
        return self.conv_out(sample)


unet = UNetConditionModel()
residuals = [torch.randn(1, 4, 8, 8) for _ in range(3)]
noise = torch.randn(1, 3, 8, 8)
model_pred = unet(torch.randn(1, 3, 8, 8), residuals, torch.randn(1, 4, 8, 8))
loss = F.mse_loss(model_pred, noise)
loss.backward()
print(unet.conv_in.weight.grad.norm())
