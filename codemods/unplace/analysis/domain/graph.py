"""Where the graph of a tensor comes from: from nowhere, from what the code in sight shows, or from outside.

A graph is the set of its sources. Operations and branches add up what comes in, so that a source stands for what may
happen on some path. The sources that aren't names of parameters have a space in them.
"""

from __future__ import annotations

from collections.abc import Iterable

Graph = frozenset[str]
"""The sources of a tensor's graph: names of parameters of the function, and the ones below."""

NO_GRAPH: Graph = frozenset()
"""No source: the tensor is never part of a graph."""

LEAF: Graph = frozenset(["a leaf"])
"""The tensor is a leaf itself: made with `requires_grad=True`, or a parameter of a module."""

SEEN: Graph = frozenset(["leaves in sight"])
"""The tensor is calculated from leaves or weights that the code shows."""

UNSEEN: Graph = frozenset(["code out of sight"])
"""Only code that the analysis can't see could have given the tensor a graph."""

RESULTS: Graph = frozenset(["results of code out of sight"])
"""The same, where a call of such code returned the tensor: a network that a library makes, most often."""

ARGUMENTS: Graph = frozenset(["all arguments"])
"""What is returned by a call has the graph of all that it is given; in descriptions of calls only."""

_SOURCES_OF_ALL = LEAF | SEEN | UNSEEN | RESULTS | ARGUMENTS


def derived(graph: Graph) -> Graph:
    """Return the graph of what is calculated from a tensor: a leaf is a leaf in sight."""
    return (graph - LEAF) | SEEN if graph >= LEAF else graph


def joined(first: Graph, second: Graph) -> Graph:
    """Return the graph of what is one of two tensors; only of two leaves is it certain that it is one."""
    if first is second or first == second:
        return first
    return derived(first | second)


def of_all(graphs: Iterable[Graph]) -> Graph:
    """Return the graph of what is calculated from several tensors."""
    found = NO_GRAPH
    for graph in graphs:
        if not graph <= found:
            found = found | graph if found else graph
    return derived(found)


def extended(graph: Graph, written: Graph) -> Graph:
    """Return the graph of a tensor after something was written into it; torch lets nobody write into a leaf."""
    return graph if written <= graph or graph == LEAF else derived(graph | written)


def is_seen(graph: Graph) -> bool:
    """Tell whether the code in sight shows that a tensor has a graph, on some path."""
    return not graph.isdisjoint(LEAF | SEEN)


def parameters_of(graph: Graph) -> Graph:
    """Return the parameters of the function whose arguments bring the graph."""
    return graph - _SOURCES_OF_ALL
