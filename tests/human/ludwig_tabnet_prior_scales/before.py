import torch
from torch.nn import Linear, BatchNorm1d


class FeatureTransformer(torch.nn.Module):
    def __init__(self, input_size, size, shared_fc_layers=None):
        super().__init__()
        self.shared_fc_layers = shared_fc_layers or torch.nn.ModuleList([Linear(input_size, 2 * size)])
        self.fc = Linear(size, 2 * size)

    def forward(self, inputs):
        hidden = torch.nn.functional.glu(self.shared_fc_layers[0](inputs))
        return (hidden + torch.nn.functional.glu(self.fc(hidden))) * 0.5 ** 0.5


class AttentiveTransformer(torch.nn.Module):
    def __init__(self, size, input_size):
        super().__init__()
        self.fc = Linear(size, input_size)

    def forward(self, inputs, prior_scales):
        hidden = self.fc(inputs)
        hidden = hidden * prior_scales
        return torch.softmax(hidden, dim=-1)


class TabNet(torch.nn.Module):
    def __init__(self, input_size, size, output_size, num_steps=1, relaxation_factor=1.5, sparsity=1e-5):
        super().__init__()
        self.output_size = output_size
        self.num_steps = num_steps
        self.relaxation_factor = relaxation_factor
        self.sparsity = sparsity
        self.batch_norm = BatchNorm1d(input_size)
        self.feature_transforms = torch.nn.ModuleList([FeatureTransformer(input_size, size + output_size)])
        self.attentive_transforms = torch.nn.ModuleList([None])
        for i in range(num_steps):
            self.feature_transforms.append(
                FeatureTransformer(input_size, size + output_size,
                                   shared_fc_layers=self.feature_transforms[0].shared_fc_layers))
            self.attentive_transforms.append(AttentiveTransformer(size, input_size))
        self.final_projection = Linear(output_size, output_size)

    def forward(self, features):
        batch_size = features.shape[0]  # b_s
        num_features = features.shape[-1]  # i_s
        out_accumulator = torch.zeros((batch_size, self.output_size))  # [b_s, o_s]
        aggregated_mask = torch.zeros([batch_size, num_features])  # [b_s, i_s]
        prior_scales = torch.ones((batch_size, num_features))  # [b_s, i_s]
        masks = []
        total_entropy = 0.0

        features = self.batch_norm(features)  # [b_s, i_s]
        masked_features = features

        x = self.feature_transforms[0](masked_features)  # [b_s, s + o_s]

        for step_i in range(1, self.num_steps + 1):
            # x in following is shape [b_s, s]
            mask_values = self.attentive_transforms[step_i](
                x[:, self.output_size:], prior_scales)  # [b_s, i_s]

            # relaxation factor 1 forces the feature to be only used once
            prior_scales *= self.relaxation_factor - mask_values  # [b_s, i_s]

            # entropy is used to penalize the amount of sparsity
            # in feature selection
            total_entropy += torch.mean(
                torch.sum(
                    -mask_values * torch.log(mask_values + 0.00001),
                    dim=1)
            ) / self.num_steps

            masks.append(torch.unsqueeze(torch.unsqueeze(mask_values, 0), 3))  # [1, b_s, i_s, 1]

            masked_features = torch.multiply(mask_values, features)

            x = self.feature_transforms[step_i](masked_features)  # [b_s, s + o_s]

            # x in following is shape [b_s, o_s]
            out = torch.nn.functional.relu(x[:, :self.output_size])  # [b_s, o_s]
            out_accumulator += out

            scale = torch.sum(out, dim=1, keepdim=True) / self.num_steps
            aggregated_mask += mask_values * scale  # [b_s, i_s]

        final_output = self.final_projection(out_accumulator)  # [b_s, o_s]
        sparsity_loss = torch.multiply(self.sparsity, total_entropy)
        return final_output, aggregated_mask, masks, sparsity_loss


tabnet = TabNet(6, 4, 3, num_steps=3)
output, aggregated_mask, masks, sparsity_loss = tabnet(torch.randn(8, 6))
loss = output.pow(2).mean() + sparsity_loss
loss.backward()
print(loss.item(), aggregated_mask.shape, len(masks))
