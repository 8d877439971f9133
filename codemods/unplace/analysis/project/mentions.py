"""Finds the files of a run that contain a name, judged by their bytes.

A run asks for hundreds of names. So a file is read once for all of its words, and once for each form of code that many
names are looked for in (`class Name(Base`, `Base.method = quick`); only rarer patterns are searched for one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

_STARRED = re.compile(rb"import[\s\\]*\*")
_BOUND = rb"(?<![.\w])%s(?=\s*(?:[=:,;|)\]}#\\]|$|\b(?:in|if)\b)|[ \t]*[\r\n])|\b(?:def|class|type)[\s\\]+%s\b"
"""Matches a name in a definition, or before text that can follow a binding; rarely one in the prose of a comment."""

_MIXING = re.compile(rb"\bclass\s+\w+\s*\([^:]*,")
_WORD = re.compile(rb"\w+")
_CLASS = r"\bclass\s+(?=\w+\s*\(([^:]*))(\w+)"
_RENAMED = r"\b(\w+)\s+as\s+(\w+)"
_METHOD = r"[\r\n][ \t\f]+(?:async\s+)?def\s+(\w+)"
_PUT = r"\b(\w+\.\w+)(?=\s*(?:=[^=]|[,:)\]]))"
_STORED = r"(?<!\bself)\.(\w+)(?=\s*=[^=])"
_SET_OF_ANY = r"\bsetattr\([^,]*,\s*[\"'](\w+)[\"']"
_SET = r"\bsetattr\([^,]*\b(\w+\s*,\s*[\"']\w+)[\"']"


class Form(NamedTuple):
    """A form of code about a name: the pattern's first group contains it, or is it where its words are joined by dots.

    The second group, if there is one, has the name that such code gives: that of the class, or of the import.
    """

    pattern: str
    name: str


class Query(NamedTuple):
    """The names that a file has to contain, all of them; it has to show one of some patterns or forms, if any."""

    names: tuple[str, ...]
    patterns: tuple[str, ...] = ()
    forms: tuple[Form, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str], shown: Iterable[str | Form]) -> Query:
        """Return the query about files that contain all of some names, and show one of some patterns or forms."""
        shown = tuple(shown)
        patterns = sorted(each for each in shown if isinstance(each, str))
        forms = sorted(each for each in shown if isinstance(each, Form))
        return cls(tuple(sorted(names)), tuple(patterns), tuple(forms))


Asked = tuple[Query, str]
"""A query, and the file that asks about the others."""


def deriving(base: str) -> Form:
    """Return the form of a class whose bases contain a name."""
    return Form(_CLASS, base)


def renaming(name: str) -> Form:
    """Return the form of another name for a name: `import Model as Net`."""
    return Form(_RENAMED, name)


def defining(method: str) -> Form:
    """Return the form of the definition of a method."""
    return Form(_METHOD, method)


def replacing(owner: str, method: str) -> tuple[Form, Form]:
    """Return the forms of an assignment to a method of a class: `Model.norm = f`, `setattr(Model, "norm", f)`."""
    return Form(_PUT, f"{owner}.{method}"), Form(_SET, f"{owner}.{method}")


def storing(attribute: str) -> tuple[Form, Form]:
    """Return the forms of a store in an attribute of another object: `net.fc = ...`, `setattr(net, "fc", ...)`."""
    return Form(_STORED, attribute), Form(_SET_OF_ANY, attribute)


class _Shown:
    """What is shown of a form of code: the `files` that were searched for it, and the names given, by name and file."""

    def __init__(self) -> None:
        self.files = set[str]()
        self.given: dict[str, dict[str, list[str]]] = {}

    def search(self, pattern: str, path: str, data: bytes) -> None:
        """Search a file."""
        self.files.add(path)
        for match in re.finditer(pattern.encode(), data):
            about, *gives = match.groups()
            words = _WORD.findall(about)
            for name in {*words, b".".join(words)}:
                self.given.setdefault(name.decode(), {}).setdefault(path, []).append((gives or words)[0].decode())

    def forget(self, path: str) -> None:
        """Forget a file."""
        self.files.discard(path)
        for given in self.given.values():
            given.pop(path, None)


class Mentions:
    """The names in the files of a run; the files are read at the first query."""

    def __init__(self, files: Iterable[str], changed: Mapping[str, bytes] | None = None) -> None:
        """Start with the absolute paths of the files; `changed` has the bytes of those that aren't as on disk."""
        self._files = files
        self._changed = dict(changed or {})
        self._holding: dict[str, frozenset[str]] = {}
        self._answers: dict[Query, tuple[str, ...]] = {}
        self._shown: dict[str, _Shown] = {}
        self._mixing: dict[str, bool] = {}  # which files have classes of several bases
        self._binding: dict[tuple[str, str], bool] = {}

    def change(self, contents: Mapping[str, bytes]) -> tuple[set[str], set[Query]]:
        """Give files other contents, and return the words and the queries whose files aren't the same any more."""
        self._changed |= contents
        words, queries = set[str](), set[Query]()
        for path in contents if "contents" in vars(self) else ():
            before, self.contents[path] = self.contents.get(path, b""), contents[path]
            words |= self._reread(path, before)
            self._mixing.pop(path, None)
            for shown in self._shown.values():
                shown.forget(path)
            for key in [key for key in self._binding if key[0] == path]:
                del self._binding[key]
            for query, files in self._answers.items():
                if self._is_about(query, path) != (path in files):
                    self._answers[query] = tuple(sorted({*files} ^ {path}))
                    queries.add(query)
        return words, queries

    def _reread(self, path: str, before: bytes) -> set[str]:
        """Return the words that a file contains now, or did before, but not both."""
        now = set(_WORD.findall(self.contents[path]))
        changed = now ^ set(_WORD.findall(before))
        for word in changed:
            files = self._by_word.setdefault(word, [])
            if word in now and path not in files:
                files.append(path)
            elif word not in now and path in files:
                files.remove(path)
            self._holding.pop(word.decode(), None)
        return {word.decode() for word in changed}

    def are_elsewhere(self, name: str, path: str) -> bool:
        """Tell whether any other file contains a name, in whatever meaning."""
        return not name.isascii() or not self._of(name) <= {path}

    def others_with(self, query: Query, path: str) -> tuple[str, ...]:
        """Return the other files that a query is about."""
        return tuple(found for found in self._matching(query) if found != path)

    def derived_in(self, path: str, base: str) -> list[str]:
        """Return the names of the classes of a file whose lists of bases contain a name, and its other names there."""
        return [name for form in (deriving(base), renaming(base)) for name in self._given(form, {path}).get(path, ())]

    def may_override(self, path: str, method: str) -> bool:
        """Tell whether a class of a file may have its own method, or have it from another base."""
        if not method.isascii() or path in self._of(method):
            return True
        found = self._mixing.get(path)
        if found is None:
            found = self._mixing[path] = _MIXING.search(self.contents[path]) is not None
        return found

    def may_bind(self, path: str, name: str) -> bool:
        """Tell whether a file may bind a name, judged by its bytes, so that it needn't be parsed."""
        known = self._binding.get((path, name))
        if known is None:
            data = self.contents.get(path, b"")
            known = not name.isascii() or _STARRED.search(data) is not None
            if not known and (plain := name.encode()) in data:
                known = re.search(_BOUND % (plain, plain), data) is not None
            self._binding[path, name] = known
        return known

    def _matching(self, query: Query) -> tuple[str, ...]:
        """Return the files that a query is about."""
        found = self._answers.get(query)
        if found is None:
            every = frozenset(self.contents if all(map(str.isascii, query.names)) else ())
            holding = every.intersection(*map(self._of, query.names if every else ()))
            found = self._answers[query] = tuple(sorted(self._showing(query, holding)))
        return found

    def _is_about(self, query: Query, path: str) -> bool:
        are_held = all(name.isascii() and path in self._of(name) for name in query.names)
        return are_held and path in self._showing(query, {path})

    def _showing(self, query: Query, files: Set[str]) -> Set[str]:
        """Return those of some files that show one of the patterns or forms of a query."""
        if not query.patterns and not query.forms:
            return files
        found = set[str]().union(*(self._given(form, files).keys() & files for form in query.forms))
        patterns = [re.compile(pattern.encode(errors="surrogateescape")) for pattern in query.patterns]
        for file in files - found if patterns else ():
            if any(pattern.search(self.contents[file]) for pattern in patterns):
                found.add(file)
        return found

    def _given(self, form: Form, files: Set[str]) -> Mapping[str, Sequence[str]]:
        """Return the names that files give in a form of code about a name, at least those of some files."""
        shown = self._shown.setdefault(form.pattern, _Shown())
        for path in files - shown.files:
            shown.search(form.pattern, path, self.contents[path])
        return shown.given.get(form.name, {})

    def _of(self, name: str) -> frozenset[str]:
        found = self._holding.get(name)
        if found is None:
            found = self._holding[name] = frozenset(self._by_word.get(name.encode(), ()))
        return found

    @cached_property
    def _by_word(self) -> dict[bytes, list[str]]:
        """The files that contain each word: a run asks for hundreds, and reading all files for each costs more."""
        found: dict[bytes, list[str]] = {}
        for path, data in self.contents.items():
            for word in set(_WORD.findall(data)):
                found.setdefault(word, []).append(path)
        return found

    @cached_property
    def contents(self) -> dict[str, bytes]:
        """The bytes of each readable file, by path."""
        found: dict[str, bytes] = {}
        for path in self._files:
            try:
                found[path] = self._changed[path] if path in self._changed else Path(path).read_bytes()
            except OSError:  # noqa: PERF203 - reported when it is that file's turn
                continue
        return found
