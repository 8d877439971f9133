"""Reads suppression comments: `# unplace: ignore`, `# unplace: ignore[UNP001]` and `# unplace: skip-file`."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from unplace import rules
from unplace.config.selection import no_rule
from unplace.diagnostics.findings import Finding, Problem, Trouble
from unplace.text import positions
from unplace.text.edits import Edit

_MARK = re.compile(r"#\s*unplace:")
_COMMENT = re.compile(
    r"#\s*unplace:\s*(?:"
    r"ignore\s*\[(?P<codes>[^\]#]*)\](?![\w-]|\s*\[)"
    r"|(?:ignore|(?P<skip>skip-file))(?=\s*(?:#|$)|\s+(?!(?i:unp)\d)[\w-])"  # followed by nothing, or a reason
    r")"
)
_SEPARATOR = re.compile(r"[\s,]+")
_HOW = "write `# unplace: ignore`, `# unplace: ignore[UNP001, UNP002]` or `# unplace: skip-file`"
_INSTEAD = "leave out the file with `# unplace: skip-file`, or the rule there with `per-file-ignores`"
_TO_LINE_END = re.compile(r"[^\r\n]*")
_OUTSIDE_STATEMENTS = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)


@dataclass(frozen=True, slots=True)
class Suppression:
    """An `ignore` comment; one without codes suppresses every rule.

    It covers the operations that its line is a part of. At the end of a statement of several lines, it also covers the
    operation that begins in the statement's first line.
    """

    line: int
    column: int
    codes: tuple[str, ...] | None
    statement_line: int | None = None

    def covers(self, code: str, line: int, end_line: int) -> bool:
        """Tell whether the comment covers an operation of the rule `code` in these lines."""
        is_near = line <= self.line <= end_line or line == self.statement_line
        return is_near and (self.codes is None or code in self.codes)

    def unneeded(self, findings: Sequence[Finding]) -> set[str]:
        """Return the codes that cover none of the findings; for a comment without codes that covers none, `*`."""
        reported = [finding for finding in findings if finding.is_reported]
        needed = {f.code for f in reported if self.covers(f.code, f.line, f.end_line)}
        if self.codes is None:
            return set() if needed else {"*"}
        return set(self.codes) - needed


@dataclass(frozen=True, slots=True)
class Invalid:
    """The problem with a comment, or a part of it, that can't be understood and so suppresses nothing."""

    line: int
    column: int
    reason: str


@dataclass(frozen=True, slots=True)
class Suppressions:
    """The suppression comments of one file."""

    comments: tuple[Suppression, ...] = ()
    skips_file: bool = False
    invalid: tuple[Invalid, ...] = ()

    def covers(self, code: str, line: int, end_line: int) -> bool:
        """Tell whether a comment covers an operation of the rule `code` in these lines."""
        return any(comment.covers(code, line, end_line) for comment in self.comments)

    def line_for(self, finding: Finding) -> int | None:
        """Return the line of the comment that suppresses a finding, or None."""
        covering = (c.line for c in self.comments if c.covers(finding.code, finding.line, finding.end_line))
        return next(covering, None)

    def without(self, comment: Suppression) -> Suppressions:
        """Return these comments without one of them."""
        return Suppressions(tuple(other for other in self.comments if other is not comment))

    def unused(self, findings: Callable[[Suppressions], Sequence[Finding]], path: str) -> list[Problem]:
        """Return the problems with comments, or codes in them, that suppress nothing or can't be understood.

        `findings` returns the findings of a run with the given comments. A comment is needed when its operation would
        be reported without any comment, or with all the others: a suppressed operation stays in place, which changes
        the verdicts about its neighbours.
        """
        invalid = Trouble.INVALID_SUPPRESSION
        problems = [
            Problem(path, f"invalid suppression: {each.reason}", each.line, each.column, trouble=invalid)
            for each in self.invalid
        ]
        alone = findings(Suppressions()) if self.comments else ()
        for comment in self.comments:
            unused = comment.unneeded(alone)
            if unused and len(self.comments) > 1:
                unused &= comment.unneeded(findings(self.without(comment)))
            if unused:
                codes = tuple(code for code in comment.codes or () if code in unused)
                about = f" of {', '.join(codes)}" if codes else ""
                message = f"unused suppression{about}: nothing here would be rewritten or refused; remove it"
                trouble = Trouble.UNUSED_SUPPRESSION
                problems.append(Problem(path, message, comment.line, comment.column, trouble=trouble, codes=codes))
        return problems


def read(text: str) -> Suppressions:
    """Read the suppression comments in a text that can be parsed."""
    if "unplace:" not in text:
        return Suppressions()
    comments: list[Suppression] = []
    invalid: list[Invalid] = []
    for token, line, end_line in _comments(text):
        own, column = token.start
        for mark in _MARK.finditer(token.string):  # it may follow another comment
            place = column + mark.start() + 1
            match = _COMMENT.match(token.string, mark.start())
            if match is None:
                if mark.start() == 0 or token.string[mark.start() - 1].isspace():  # else the comment only mentions it
                    invalid.append(Invalid(own, place, f"it isn't understood and holds nothing back; {_HOW}"))
                continue
            if match["skip"]:
                return Suppressions(skips_file=True)
            codes, reasons = _codes(match["codes"])
            invalid += [Invalid(own, place, reason) for reason in reasons]
            comments.append(Suppression(own, place, codes, line if own == end_line else None))
    return Suppressions(tuple(comments), invalid=tuple(invalid))


def _codes(written: str | None) -> tuple[tuple[str, ...] | None, list[str]]:
    """Return the known codes in the brackets of a comment (None without brackets), and errors for the unknown ones."""
    if written is None:
        return None, []
    codes = [code for code in _SEPARATOR.split(written.upper()) if code]
    if not codes:
        return (), [f"it names no rule and holds nothing back; {_HOW}"]
    known = rules.codes()
    return tuple(code for code in codes if code in known), [no_rule(code, known) for code in codes if code not in known]


def _comments(text: str) -> Iterator[tuple[tokenize.TokenInfo, int | None, int | None]]:
    """Yield the comments, each with the first and last line of the statement in or after which it stands."""
    for tokens in _statements(text):
        inside = [token for token in tokens if token.type not in _OUTSIDE_STATEMENTS]
        for token in tokens:
            if token.type == tokenize.COMMENT:
                is_inside = bool(inside) and inside[0].start < token.start
                yield token, *((inside[0].start[0], inside[-1].start[0]) if is_inside else (None, None))


def _statements(text: str) -> Iterator[list[tokenize.TokenInfo]]:
    """Yield the tokens of each logical line, with the lines of comments above it."""
    tokens: list[tokenize.TokenInfo] = []
    for token in positions.tokens(text):
        tokens.append(token)
        if token.type == tokenize.NEWLINE:
            yield tokens
            tokens = []
    yield tokens


def ignoring_edits(text: str, findings: Sequence[Finding], path: str) -> tuple[list[Edit], list[Problem]]:
    """Return the edits that add `# unplace: ignore[...]` to operations, and a problem for each that can't have one."""
    wanted: dict[int, set[str]] = {}
    problems: list[Problem] = []
    places = _line_ends(text)
    for finding in findings:
        line = places.get(finding.line) or places.get(finding.end_line)
        if line is None:
            message = f"no comment can stand in this line, because a string or a `\\` goes on; {_INSTEAD}"
            problems.append(Problem(path, message, finding.line, finding.column))
        else:
            wanted.setdefault(line, set()).add(finding.code)
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    known = {comment.line: comment for comment in read(text).comments}
    edits = [_ignoring(text, starts[line - 1], codes, known.get(line)) for line, codes in sorted(wanted.items())]
    return edits, problems


def removal(text: str, unused: Problem) -> Edit | None:
    """Return the edit that removes a comment that suppresses nothing, or the codes in it that don't.

        y += 1  # unplace: ignore[UNP001, UNP002]  # noqa

        y += 1  # unplace: ignore[UNP001]  # noqa

    None stands for a comment that isn't there any more.
    """
    lines = positions.Text(text)
    if unused.line is None or unused.column is None or unused.line > lines.line_count:
        return None
    start = lines.offset_of(unused.line, unused.column)
    line_end = lines.line_end(start)
    match = _COMMENT.match(text, start, line_end)
    if match is None:
        return None
    needed = [code for code in _codes(match["codes"])[0] or () if code not in unused.codes]
    if needed:
        return Edit(match.start(), match.end(), f"# unplace: ignore[{', '.join(needed)}]")
    following = text.find("#", match.end(), line_end)
    if following >= 0:
        return Edit(start, following, "")
    before = lines.before(start)
    start -= len(before) - len(before.rstrip())
    is_alone = not before.strip()
    return Edit(start, lines.starts[unused.line] if is_alone and unused.line < len(lines.starts) else line_end, "")


def _line_ends(text: str) -> dict[int, int]:
    """Map each line in which code begins to the line whose end can have a comment that covers this code.

    Since Python 3.12 the fields of f-strings are tokens, too, between `FSTRING_START` and `FSTRING_END` (and those of
    t-strings likewise). A comment in them is a syntax error for older versions.
    """
    places: dict[int, int] = {}
    for tokens in _statements(text):
        open_strings = 0
        for token in tokens:
            name = tokenize.tok_name[token.type]
            open_strings += name.endswith("STRING_START") - name.endswith("STRING_END")
            if token.type in (tokenize.NL, tokenize.NEWLINE) and not open_strings:
                places[token.start[0]] = token.start[0]
        code = [token for token in tokens if token.type not in _OUTSIDE_STATEMENTS]
        if code:
            places.setdefault(code[0].start[0], code[-1].start[0])
    return places


def _ignoring(text: str, start: int, codes: set[str], known: Suppression | None) -> Edit:
    """Return the edit that adds codes to the line that begins at `start`, in its own comment if it has one."""
    written = f"# unplace: ignore[{', '.join(sorted(codes.union(known.codes or () if known else ())))}]"
    line = _TO_LINE_END.match(text, start)
    assert line is not None
    if known is not None:
        match = _COMMENT.match(text, start + known.column - 1, line.end())
        assert match is not None
        return Edit(match.start(), match.end(), written)
    end = start + len(line.group().rstrip())
    return Edit(end, line.end(), f"  {written}")
