import torch
import torch.nn as nn


class ATOCCommunicationNet(nn.Module):
    def __init__(self, thought_dim):
        super().__init__()
        self._bi_lstm = nn.LSTM(thought_dim, thought_dim // 2, bidirectional=True)

    def forward(self, data):
        out, _ = self._bi_lstm(data)
        return out


class ATOCActorNet(nn.Module):
    def __init__(self, obs_dim, thought_dim, action_dim, n_agent, m_group, initiator_threshold=0.4):
        super().__init__()
        self._n_agent, self._m_group, self._initiator_threshold = n_agent, m_group, initiator_threshold
        # Actor Net(I)
        self._actor_1 = nn.Sequential(nn.Linear(obs_dim, thought_dim), nn.LayerNorm(thought_dim))
        # Actor Net(II)
        self.actor_2 = nn.Sequential(nn.ReLU(), nn.Linear(thought_dim, action_dim), nn.Tanh())
        self.attention = nn.Sequential(nn.Linear(thought_dim, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())
        self._channel = ATOCCommunicationNet(thought_dim)

    def forward(self, data):
        # current_thoughts shape of (B, A, thoughts_dim)
        current_thoughts = self._actor_1(data['obs'])

        init_prob, is_initiator, group = self._get_initiate_group(current_thoughts)

        old_thoughts = current_thoughts.clone().detach()
        new_thoughts = self._update_current_thoughts(current_thoughts, group, is_initiator)

        action = self.actor_2(new_thoughts)
        return {'action': action, 'initiator_prob': init_prob, 'old_thoughts': old_thoughts}

    def _get_initiate_group(self, current_thoughts):
        # shape of init_prob is (B, A)
        init_prob = self.attention(current_thoughts).squeeze(-1)
        is_initiator = (init_prob > self._initiator_threshold)
        B, A = init_prob.shape[:2]

        thoughts_pair_dot = current_thoughts.bmm(current_thoughts.transpose(1, 2))
        thoughts_square = thoughts_pair_dot.diagonal(0, 1, 2)
        curr_thought_dists = thoughts_square.unsqueeze(1) - 2 * thoughts_pair_dot + thoughts_square.unsqueeze(2)

        group = torch.zeros(B, A, A)
        # roughly choose m closest as group
        for b in range(B):
            for i in range(A):
                if is_initiator[b][i]:
                    index_seq = curr_thought_dists[b][i].argsort()
                    group[b][i][index_seq[:self._m_group]] = 1
        return init_prob, is_initiator, group

    def _update_current_thoughts(self, current_thoughts, group, is_initiator):
        B, A = current_thoughts.shape[:2]

        for b in range(B):
            for i in range(A):
                if is_initiator[b][i]:
                    thoughts_to_commute = []
                    for j in range(A):
                        if group[b][i][j]:
                            thoughts_to_commute.append(current_thoughts[b][j])
                    thoughts_to_commute = torch.stack(thoughts_to_commute)
                    integrated_thoughts = self._channel(thoughts_to_commute.unsqueeze(1)).squeeze(1)
                    j_count = 0
                    for j in range(A):
                        if group[b][i][j]:
                            current_thoughts[b][j] = integrated_thoughts[j_count]
                            j_count += 1
        return current_thoughts


actor = ATOCActorNet(obs_dim=6, thought_dim=8, action_dim=2, n_agent=4, m_group=2)
out = actor({'obs': torch.randn(3, 4, 6)})
(out['action'].pow(2).mean() + out['initiator_prob'].mean()).backward()
print(actor._actor_1[0].weight.grad.norm())
