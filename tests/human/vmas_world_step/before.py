import torch

X, Y = 0, 1


class EntityState:
    def __init__(self, pos, vel):
        self.pos, self.vel, self.force = pos, vel, None


class Agent:
    def __init__(self, state, mass=1.0, drag=0.25, linear_friction=None):
        self.state, self.mass, self.drag, self.linear_friction = state, mass, drag, linear_friction


class World:
    def __init__(self, entities, batch_dim, substeps=2, x_semidim=None, y_semidim=None, gravity=(0.0, -0.5)):
        self.entities, self._batch_dim, self._substeps, self._dim_p = entities, batch_dim, substeps, 2
        self._x_semidim, self._y_semidim = x_semidim, y_semidim
        self._gravity = torch.tensor(gravity)
        self._sub_dt = 0.1 / substeps

    def step(self):
        # forces
        self.force = torch.zeros(self._batch_dim, len(self.entities), self._dim_p)

        for substep in range(self._substeps):
            # gather forces applied to entities
            self.force[:] = 0

            for i, entity in enumerate(self.entities):
                # apply agent force controls
                self._apply_action_force(entity, i)
                # apply friction
                self._apply_friction_force(entity, i)
                # apply gravity
                self._apply_gravity(entity, i)

            for i, entity in enumerate(self.entities):
                # integrate physical state
                self._integrate_state(entity, i, substep)

    def _apply_action_force(self, agent, index):
        self.force[:, index] += agent.state.force

    def _apply_gravity(self, entity, index):
        self.force[:, index] += entity.mass * self._gravity

    def _apply_friction_force(self, entity, index):
        if entity.linear_friction is not None:
            vel = entity.state.vel
            speed = torch.linalg.vector_norm(vel, dim=1)
            self.force[:, index] += -(vel / speed.unsqueeze(-1)) * entity.linear_friction * entity.mass

    def _integrate_state(self, entity, index, substep):
        if substep == 0:
            entity.state.vel = entity.state.vel * (1 - entity.drag)
        accel = self.force[:, index] / entity.mass
        entity.state.vel += accel * self._sub_dt
        new_pos = entity.state.pos + entity.state.vel * self._sub_dt
        if self._x_semidim is not None:
            new_pos[:, X] = torch.clamp(new_pos[:, X], -self._x_semidim, self._x_semidim)
        if self._y_semidim is not None:
            new_pos[:, Y] = torch.clamp(new_pos[:, Y], -self._y_semidim, self._y_semidim)
        entity.state.pos = new_pos


policy = torch.nn.Linear(4, 2)
agents = [Agent(EntityState(torch.rand(3, 2), torch.rand(3, 2)), mass=m, linear_friction=0.1) for m in (1.0, 2.0)]
world = World(agents, batch_dim=3, x_semidim=1.0, y_semidim=1.0)
for _ in range(3):
    for agent in agents:
        agent.state.force = policy(torch.cat([agent.state.pos, agent.state.vel], dim=-1))
    world.step()
sum(a.state.pos.norm(dim=-1).sum() for a in agents).backward()
print(policy.weight.grad.norm())
