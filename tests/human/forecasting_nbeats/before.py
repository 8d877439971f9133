import torch
from torch import nn


class NBEATSBlock(nn.Module):
    def __init__(self, units, thetas_dim, backcast_length, forecast_length):
        super().__init__()
        self.fc = nn.Sequential(
            nn.Linear(backcast_length, units), nn.ReLU(), nn.Linear(units, units), nn.ReLU()
        )
        self.theta_b_fc = nn.Linear(units, thetas_dim, bias=False)
        self.theta_f_fc = nn.Linear(units, thetas_dim, bias=False)


class NBEATSTrendBlock(NBEATSBlock):
    def __init__(self, units, thetas_dim, backcast_length, forecast_length):
        super().__init__(units, thetas_dim, backcast_length, forecast_length)
        steps = torch.linspace(-1, 1, backcast_length + forecast_length)
        coefficients = torch.stack([steps ** i for i in range(thetas_dim)])
        self.register_buffer("T_backcast", coefficients[:, :backcast_length])
        self.register_buffer("T_forecast", coefficients[:, backcast_length:])

    def forward(self, x):
        x = self.fc(x)
        return self.theta_b_fc(x).mm(self.T_backcast), self.theta_f_fc(x).mm(self.T_forecast)


class NBEATSGenericBlock(NBEATSBlock):
    def __init__(self, units, thetas_dim, backcast_length, forecast_length):
        super().__init__(units, thetas_dim, backcast_length, forecast_length)
        self.backcast_fc = nn.Linear(thetas_dim, backcast_length)
        self.forecast_fc = nn.Linear(thetas_dim, forecast_length)

    def forward(self, x):
        x = self.fc(x)
        return self.backcast_fc(self.theta_b_fc(x)), self.forecast_fc(self.theta_f_fc(x))


class NBeats(nn.Module):
    def __init__(self, context_length, prediction_length):
        super().__init__()
        self.net_blocks = nn.ModuleList(
            [
                NBEATSTrendBlock(8, 3, context_length, prediction_length),
                NBEATSGenericBlock(8, 4, context_length, prediction_length),
                NBEATSGenericBlock(8, 4, context_length, prediction_length),
            ]
        )

    def forward(self, x):
        # target
        target = x["encoder_cont"][..., 0]

        trend_forecast = []
        generic_forecast = []
        backcast = target  # initialize backcast
        for i, block in enumerate(self.net_blocks):
            # evaluate block
            backcast_block, forecast_block = block(backcast)

            # add for interpretation
            full = torch.cat([backcast_block.detach(), forecast_block.detach()], dim=1)
            if isinstance(block, NBEATSTrendBlock):
                trend_forecast.append(full)
            else:
                generic_forecast.append(full)

            # update backcast and forecast
            backcast -= backcast_block
            if i == 0:
                forecast = forecast_block
            else:
                forecast += forecast_block

        return dict(
            prediction=forecast,
            backcast=backcast,
            trend=torch.stack(trend_forecast, dim=0).sum(0),
            generic=torch.stack(generic_forecast, dim=0).sum(0),
        )


net = NBeats(12, 4)
out = net({"encoder_cont": torch.randn(6, 12, 1)})
loss = (out["prediction"] - torch.randn(6, 4)).abs().mean() + 0.1 * out["backcast"].pow(2).mean()
loss.backward()
print(loss.item(), out["trend"].shape, out["generic"].shape)
