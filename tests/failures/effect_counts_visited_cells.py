"""A counter masks what it has counted, on the map that the planner goes on with.

Torch: modified by an inplace operation
"""
import torch


class VisitCounter:
    def __init__(self, limit):
        self.limit = limit
        self.counts = []

    def observe(self, occupancy):
        occ = occupancy.flatten()
        self.counts.append(int((occ > self.limit).sum()))
        occ[occ > self.limit] = 0


def plan(cost, start, counter):
    belief = torch.softmax(-cost.flatten(), 0).view_as(cost)
    entropy = -(belief * belief.log()).sum()
    counter.observe(belief)
    return entropy + (belief * start).sum()


def example():
    torch.manual_seed(0)
    return plan, (torch.randn(2, 3, requires_grad=True), torch.randn(2, 3), VisitCounter(0.25))
