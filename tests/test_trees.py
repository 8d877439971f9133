"""Trees that are made of those of an earlier text, against CPython's parser."""

from __future__ import annotations

import ast
import random

from unplace.text.trees import parsed

PIECES = [
    *(
        "x = 1\n",
        "def f(a):\n    return a\n",
        "@wrap\ndef g():\n    pass\n",
        "if x:\n    y = 2\n",
        "else:\n    y = 3\n",
    ),
    *(
        "    z = 4\n",
        "a = 1; b = 2\n",
        "# a comment\n",
        "\n",
        "c = \\\n",
        "\\\n",
        "(\n",
        ")\n",
        '"""text\n',
        "d = [1,\n  2]\n",
    ),
    *(
        "+ 5\n",
        "try:\n    u()\nexcept E:\n    v()\n",
        "\x0cw = 1\n",
        "s = 'é'\n",
        "# ends with \\\n",
        "e = 1",
        "h = 2\r\n",
        "k = 3\r",
    ),
    *(
        "class A:\n    @p\n    def m(self): pass\n",
        "async def n():\n    await o\n",
        "print(f'{x}')\n",
        "lambda: (yield)\n",
    ),
]


def dumped(text: str) -> str:
    """Return the tree of a text with all its positions, or the complaint of the parser."""
    try:
        return ast.dump(parsed(text), include_attributes=True)
    except SyntaxError as error:
        return repr((error.msg, error.lineno, error.offset))


def expected(text: str) -> str:
    try:
        return ast.dump(ast.parse(text), include_attributes=True)
    except SyntaxError as error:
        return repr((error.msg, error.lineno, error.offset))


def changed(text: str, draw: random.Random) -> str:
    """Return a text with some characters replaced by a piece or by a few characters of it."""
    start = draw.randint(0, len(text))
    piece = draw.choice(PIECES)
    return text[:start] + piece[: draw.randint(0, len(piece))] + text[draw.randint(start, min(len(text), start + 9)) :]


def test_the_tree_of_a_changed_text_is_that_of_the_parser() -> None:
    valid = 0
    for seed in range(1500):
        draw = random.Random(seed)
        text = "".join(draw.choices(PIECES, k=draw.randint(1, 8)))
        for _ in range(4):
            found = dumped(text)
            assert found == expected(text), text
            valid += found.startswith("Module")
            text = changed(text, draw)
    assert valid > 500


def test_unchanged_statements_keep_their_nodes() -> None:
    before = parsed("def f(x):\n    return x\n\n\ndef g(x):\n    x += 1\n\n\ndef h(x):\n    return x\n")
    after = parsed("def f(x):\n    return x\n\n\ndef g(x):\n    x = x + 1\n\n\ndef h(x):\n    return x\n")
    assert [old is new for old, new in zip(before.body, after.body, strict=True)] == [True, False, True]
