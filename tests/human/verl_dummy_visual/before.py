import torch
import torch.nn as nn
import torch.nn.functional as F


class Visual(nn.Module):
    def __init__(self, patch_dim, hidden):
        super().__init__()
        self.proj = nn.Linear(patch_dim, hidden)

    def forward(self, pixel_values):
        embeds = self.proj(pixel_values)
        return embeds, [torch.relu(embeds)]


class VLModel(nn.Module):
    def __init__(self, vocab=20, hidden=8, patch_dim=12):
        super().__init__()
        self.patch_dim = patch_dim
        self.embed_tokens = nn.Embedding(vocab, hidden)
        self.visual = Visual(patch_dim, hidden)
        self.lm_head = nn.Linear(hidden, vocab)

    def get_input_embeddings(self):
        return self.embed_tokens


def _get_input_embeds(model, input_ids, pixel_values=None):
    inputs_embeds = model.get_input_embeddings()(input_ids)

    if pixel_values is not None:
        image_embeds, _ = model.visual(pixel_values)
        inputs_embeds = inputs_embeds + image_embeds.mean(0)
    else:
        # handle mixed text-image data
        pixel_values = torch.zeros((16, model.patch_dim), dtype=inputs_embeds.dtype, device=inputs_embeds.device)
        image_embeds, dummy_deepstack_image_embeds = model.visual(pixel_values)
        inputs_embeds += 0.0 * image_embeds.mean()
        for emb in dummy_deepstack_image_embeds or []:
            inputs_embeds += 0.0 * emb.mean()

    return inputs_embeds


def make_inputs_require_grad(module, input, output):
    output.requires_grad_(True)


model = VLModel()
model.embed_tokens.weight.requires_grad_(False)
model.embed_tokens.register_forward_hook(make_inputs_require_grad)
input_ids = torch.randint(20, (2, 5))
logits = model.lm_head(_get_input_embeds(model, input_ids))
loss = F.cross_entropy(logits.flatten(0, 1), input_ids.flatten())
loss.backward()
print(model.lm_head.weight.grad.norm(), model.visual.proj.weight.grad.norm())
