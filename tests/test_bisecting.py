"""Which changes make a check fail, and how many runs it takes to find out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from unplace.verification.bisecting import guilty_sets


class Check:
    """Fails when all changes of one of the guilty sets are made; counts what it is asked, repeats not."""

    def __init__(self, *guilty: set[int]) -> None:
        self._guilty = guilty
        self.asked: set[frozenset[int]] = set()

    def __call__(self, changes: Sequence[int]) -> bool:
        self.asked.add(frozenset(changes))
        return any(guilty <= set(changes) for guilty in self._guilty)


@pytest.mark.parametrize("guilty", range(200))
def test_one_guilty_change_of_200_takes_at_most_12_runs(guilty: int) -> None:
    check = Check({guilty})
    assert guilty_sets(range(200), check) == [[guilty]]
    assert len(check.asked) <= 12


def test_no_guilty_change_takes_one_run() -> None:
    check = Check()
    assert guilty_sets(range(200), check) == []
    assert len(check.asked) == 1


def test_several_guilty_changes_are_found_one_by_one() -> None:
    check = Check({3}, {77}, {78}, {199})
    assert sorted(guilty_sets(range(200), check)) == [[3], [77], [78], [199]]
    assert len(check.asked) <= 45


def test_changes_that_are_only_guilty_together_are_found_together() -> None:
    check = Check({5, 120, 150})
    assert [sorted(found) for found in guilty_sets(range(200), check)] == [[5, 120, 150]]
    assert len(check.asked) <= 32


def test_what_is_found_is_minimal() -> None:
    check = Check({1, 9}, {2}, {4, 5, 6})
    found = guilty_sets(range(12), check)
    assert all(check(changes) for changes in found)
    assert not any(check([c for c in changes if c != one]) for changes in found for one in changes)
    left = [change for change in range(12) if not any(change in changes for changes in found)]
    assert not check(left)


@pytest.mark.parametrize("fails", [lambda changes: True, lambda changes: len(changes) > 3])
def test_it_ends_whatever_the_check_says(fails: Callable[[Sequence[int]], bool]) -> None:
    found = guilty_sets(range(10), fails)
    assert sum(map(len, found)) <= 10
