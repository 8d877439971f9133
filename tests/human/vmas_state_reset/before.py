import torch


class EntityState:
    def __init__(self, batch_dim, dim_p=2):
        self.pos = torch.zeros(batch_dim, dim_p)
        self.rot = torch.zeros(batch_dim, 1)
        self.vel = torch.zeros(batch_dim, dim_p)
        self.ang_vel = None

    def _reset(self, env_index):
        for attr in [self.pos, self.rot, self.vel, self.ang_vel]:
            if attr is not None:
                if env_index is None:
                    attr[:] = 0.0
                else:
                    attr[env_index] = 0.0


class AgentState(EntityState):
    def __init__(self, batch_dim, dim_p=2):
        super().__init__(batch_dim, dim_p)
        self.c = None
        self.force = torch.zeros(batch_dim, dim_p)

    def _reset(self, env_index):
        for attr in [self.c, self.force]:
            if attr is not None:
                if env_index is None:
                    attr[:] = 0.0
                else:
                    attr[env_index] = 0.0
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
