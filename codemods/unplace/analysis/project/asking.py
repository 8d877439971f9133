"""Remembers the answers to questions about the files of a run, each with what it depends on.

Functions, attributes and names ask about each other in circles: a function about its parameters, these about the
callers, and their arguments about the function. A question that leads back to itself first gets the answer that says
nothing. What was found that way is found again as long as any answer in the circle changes, so that it doesn't depend
on who asked first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any, Generic, TypeVar, cast

from unplace.analysis.domain.values import Obj

T = TypeVar("T")

_MOST = 20
"""Maximum number of times that a question in a circle is asked again, after which it has the answer that is always
right. No circle in 13 packages needs more than six.
"""


class Trace:
    """What an answer depends on: readings, and the traces of other answers."""

    __slots__ = ("uses",)

    def __init__(self) -> None:
        """Start with an answer that depends on nothing."""
        self.uses: set[Hashable] = set()


class Memory:
    """The answers about one file, each with its trace, and the questions that have none for good yet."""

    __slots__ = ("answers", "open")

    def __init__(self) -> None:
        """Start without answers."""
        self.answers: dict[Hashable, tuple[Any, Hashable]] = {}
        self.open: dict[Hashable, _Question[Any]] = {}


class _Question(Generic[T]):
    """A question under way, or one whose answer depends on such a question; `readers` have seen its answer so far."""

    __slots__ = ("answer", "answers", "key", "memory", "number", "readers", "times", "trace", "unknown", "work")

    def __init__(
        self,
        memory: Memory,
        key: Hashable,
        work: Callable[[], T],
        first: T,
        unknown: T,
        answers: dict[Hashable, Any],
        number: int,
    ) -> None:
        self.memory, self.key, self.work, self.answer, self.answers = memory, key, work, first, answers
        self.unknown = unknown
        self.number = number
        self.times = 0
        self.readers: dict[_Question[Any], None] = {}
        self.trace = Trace()


class Asking:
    """The questions that are open, found to be in circles as Gabow's algorithm finds strongly connected components."""

    def __init__(self) -> None:
        """Start with nothing asked."""
        self._under_way: list[_Question[Any]] = []
        self._open: list[_Question[Any]] = []  # in the order in which they were asked first
        self._first: list[int] = []  # for each circle that may still grow, the number of its first question
        self._outdated: dict[_Question[Any], None] = {}  # those that have seen an answer which isn't so any more
        self._uses: set[Hashable] = set()
        self._likenesses = _Likenesses()

    # -- what answers depend on -----------------------------------------------------------------------------------

    def reads(self, *read: Hashable) -> None:
        """Note that the answer to the current question depends on something."""
        self._uses.update(read)

    def begin(self) -> None:
        """Forget what has been read outside of questions."""
        self._uses = set()

    def all_reads(self, further: Callable[[Hashable], Iterable[Hashable]]) -> set[Hashable]:
        """Return all that has been read, with what `further` adds for each."""
        found: set[Hashable] = set()
        todo = list(self._uses)
        while todo:
            use = todo.pop()
            if use not in found:
                found.add(use)
                todo += use.uses if isinstance(use, Trace) else further(use)
        return {use for use in found if not isinstance(use, Trace)}

    def noted(self, work: Callable[[], T]) -> tuple[T, Trace]:
        """Return what some work gives, and what that depends on."""
        trace = Trace()
        return self._noting(trace, work), trace

    def _noting(self, trace: Trace, work: Callable[[], T]) -> T:
        outer, self._uses = self._uses, trace.uses
        try:
            return work()
        finally:
            self._uses = outer
            if trace.uses:
                outer.add(trace)

    # -- answers --------------------------------------------------------------------------------------------------

    def answer(
        self,
        memory: Memory,
        key: Hashable,
        work: Callable[[], T],
        unknown: T,
        first: T,
        answers: dict[Hashable, tuple[Any, Hashable]] | None = None,
    ) -> T:
        """Return the answer to a question, which `work` finds where it isn't known.

        Whoever is in a circle with the question starts with its `first` answer; `unknown` is always right.
        """
        kept = memory.answers if answers is None else answers
        known = kept.get(key)
        if known is not None:
            if known[1] is not None:
                self._uses.add(known[1])
            return cast("T", known[0])
        question = memory.open.get(key)
        if question is None:
            return self._ask(_Question(memory, key, work, first, unknown, kept, len(self._open)))
        question.readers[self._under_way[-1]] = None
        self._uses.add(question.trace)
        while self._first[-1] > question.number:
            self._first.pop()
        return cast("T", question.answer)

    def _ask(self, question: _Question[T]) -> T:
        question.memory.open[question.key] = question
        self._open.append(question)
        self._first.append(question.number)
        try:
            self._find(question)
            if self._first[-1] == question.number:
                self._agree(question.number)
            if self._first[-1] == question.number:
                self._close(question.number)
            else:
                question.readers[self._under_way[-1]] = None
        except BaseException:
            self._drop(question.number)
            raise
        return question.answer

    def _find(self, question: _Question[Any]) -> None:
        """Find the answer to a question."""
        self._under_way.append(question)
        try:
            found = self._noting(question.trace, question.work)
        finally:
            self._under_way.pop()
        self._change(question, found)

    def _change(self, question: _Question[Any], answer: object) -> None:
        """Give a question an answer; where it is another one, those who have seen the one so far are outdated."""
        before, question.answer = question.answer, answer
        if question.readers and self._likenesses.of(before, {}) != self._likenesses.of(answer, {}):
            self._outdated.update(question.readers)
            question.readers.clear()

    def _agree(self, number: int) -> None:
        """Ask again, from the question of a number on, until no answer is outdated."""
        while (question := next((each for each in self._outdated if each.number >= number), None)) is not None:
            del self._outdated[question]
            question.times += 1
            if question.times <= _MOST:
                self._find(question)
            else:
                self._change(question, question.unknown)

    def _close(self, number: int) -> None:
        """Keep the answers of a circle, which begins with the question of a number."""
        self._first.pop()
        for question in self._open[number:]:
            del question.memory.open[question.key]
            question.answers[question.key] = question.answer, question.trace if question.trace.uses else None
        del self._open[number:]

    def _drop(self, number: int) -> None:
        """Forget all that was asked from the question of a number on: the work on it broke down."""
        for question in self._open[number:]:
            question.memory.open.pop(question.key, None)
            self._outdated.pop(question, None)
        del self._open[number:]
        while self._first and self._first[-1] >= number:
            self._first.pop()


class _Likenesses:
    """Numbers what answers tell, whichever abstract objects they tell it by: those of two walks are never the same.

    What an answer holds in several places is looked at once: written out, values that hold each other are too large.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, part: object, known: dict[int, int]) -> int:
        """Return the number of an answer or a part of it; `known` has those of its other parts, by their ids."""
        if id(part) not in known:
            known[id(part)] = self._numbers.setdefault(self._told(part, known), len(self._numbers))
        return known[id(part)]

    def _told(self, part: object, known: dict[int, int]) -> Hashable:
        if isinstance(part, Obj):
            return part.origin, part.label, part.operator, part.old, part.overlapping
        if isinstance(part, tuple):
            return type(part), *(self.of(each, known) for each in part)
        if isinstance(part, frozenset):
            return frozenset(self.of(each, known) for each in part)
        if isinstance(part, Hashable) and is_dataclass(part) and type(part).__hash__ is not object.__hash__:
            return type(part), *(self.of(getattr(part, each.name), known) for each in fields(part))
        return (type(part), part) if isinstance(part, Hashable) else object()
