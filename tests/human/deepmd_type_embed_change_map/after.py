import torch


class NativeLayer(torch.nn.Module):
    def __init__(self, num_in, num_out, resnet=True):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(num_in, num_out))
        self.resnet = resnet

    def forward(self, x):
        y = torch.tanh(torch.matmul(x, self.w))
        if self.resnet and self.w.shape[1] == self.w.shape[0]:
            y = y + x
        elif self.resnet and self.w.shape[1] == 2 * self.w.shape[0]:
            y = y + torch.concat([x, x], axis=-1)
        return y


class EmbeddingNet(torch.nn.Module):
    def __init__(self, in_dim, neuron):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            NativeLayer(i, o) for i, o in zip([in_dim, *neuron[:-1]], neuron))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class TypeEmbedNet(torch.nn.Module):
    def __init__(self, *, ntypes, neuron, type_map):
        super().__init__()
        self.ntypes = ntypes
        self.neuron = neuron
        self.type_map = type_map
        self.embedding_net = EmbeddingNet(ntypes, neuron)

    def forward(self):
        return self.embedding_net(torch.eye(self.ntypes))

    def change_type_map(self, type_map):
        remap_index = [self.type_map.index(tt) for tt in type_map]
        first_layer_matrix = self.embedding_net.layers[0].w
        eye_vector = torch.eye(self.ntypes, dtype=first_layer_matrix.dtype)
        # preprocess for resnet connection
        if self.neuron[0] == self.ntypes:
            first_layer_matrix = first_layer_matrix + eye_vector
        elif self.neuron[0] == self.ntypes * 2:
            first_layer_matrix = first_layer_matrix + torch.concat(
                [eye_vector, eye_vector], axis=-1
            )

        first_layer_matrix = first_layer_matrix[remap_index]
        new_ntypes = len(type_map)
        eye_vector = torch.eye(new_ntypes, dtype=first_layer_matrix.dtype)

        if self.neuron[0] == new_ntypes:
            first_layer_matrix = first_layer_matrix - eye_vector
        elif self.neuron[0] == new_ntypes * 2:
            first_layer_matrix = first_layer_matrix - torch.concat(
                [eye_vector, eye_vector], axis=-1
            )

        self.embedding_net.layers[0].w = torch.nn.Parameter(first_layer_matrix.detach())
        self.type_map = type_map
        self.ntypes = new_ntypes


net = TypeEmbedNet(ntypes=3, neuron=[6, 12], type_map=["O", "H", "N"])
net.change_type_map(["H", "N"])
net().pow(2).mean().backward()
print(net.embedding_net.layers[0].w.grad.norm())
