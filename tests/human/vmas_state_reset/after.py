import torch


class TorchUtils:
    @staticmethod
    def where_from_index(env_index, new_value, old_value):
        mask = torch.zeros_like(old_value, dtype=torch.bool, device=old_value.device)
        mask[env_index] = True
        return torch.where(mask, new_value, old_value)


class EntityState:
    def __init__(self, batch_dim, dim_p=2):
        self.pos = torch.zeros(batch_dim, dim_p)
        self.rot = torch.zeros(batch_dim, 1)
        self.vel = torch.zeros(batch_dim, dim_p)
        self.ang_vel = None

    def _reset(self, env_index):
        for attr_name in ["pos", "rot", "vel", "ang_vel"]:
            attr = self.__getattribute__(attr_name)
            if attr is not None:
                if env_index is None:
                    self.__setattr__(attr_name, torch.zeros_like(attr))
                else:
                    self.__setattr__(
                        attr_name, TorchUtils.where_from_index(env_index, 0, attr)
                    )


class AgentState(EntityState):
    def __init__(self, batch_dim, dim_p=2):
        super().__init__(batch_dim, dim_p)
        self.c = None
        self.force = torch.zeros(batch_dim, dim_p)

    def _reset(self, env_index):
        for attr_name in ["c", "force"]:
            attr = self.__getattribute__(attr_name)
            if attr is not None:
                if env_index is None:
                    self.__setattr__(attr_name, torch.zeros_like(attr))
                else:
                    self.__setattr__(
                        attr_name, TorchUtils.where_from_index(env_index, 0, attr)
                    )
        super()._reset(env_index)


class Environment:
    def __init__(self, num_envs, dt=0.1):
        self.state = AgentState(num_envs)
        self.dt = dt

    def observation(self):
        return torch.cat([self.state.pos, self.state.vel], dim=-1)

    def step(self, action):
        self.state.force = action.clamp(-1, 1)
        self.state.vel = self.state.vel * 0.9 + self.state.force * self.dt
        self.state.pos = self.state.pos + self.state.vel * self.dt
        reward = -torch.linalg.vector_norm(self.state.pos - 1.0, dim=-1)
        reward = reward - 0.02 * torch.linalg.vector_norm(self.state.force, dim=-1)
        done = torch.rand(len(reward)) < 0.3
        return self.observation(), reward, done

    def reset_at(self, index):
        self.state._reset(index)
        return self.observation()


policy = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
env = Environment(num_envs=8)
obs, total = env.observation(), 0
for _ in range(6):
    obs, reward, done = env.step(policy(obs))
    total = total + reward.sum()
    for i in done.nonzero().squeeze(-1).tolist():
        obs = env.reset_at(i)
(-total).backward()
print(policy[0].weight.grad.norm())
