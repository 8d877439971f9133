"""Bytes to text and back, as Python itself does it."""

from __future__ import annotations

import codecs

import pytest

from unplace.text.source import SourceError, read_source

BOM = codecs.BOM_UTF8


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "utf-8"),
        (b"x = 1", "utf-8"),
        ("s = 'é'\n".encode(), "utf-8"),
        (BOM + "s = 'é'\n".encode(), "utf-8-sig"),
        (BOM + "# coding: utf-8\ns = 'é'\n".encode(), "utf-8-sig"),
        ("# -*- coding: latin-1 -*-\ns = 'é'\n".encode("latin-1"), "iso-8859-1"),
        ("#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\ns = '€'\n".encode("cp1252"), "cp1252"),
        ("# coding: latin-1\rs = 'é'\r".encode("latin-1"), "iso-8859-1"),
        ("# coding: shift_jis\r\ns = '表'\r\n".encode("shift_jis"), "shift_jis"),
        ("\n\n# coding: latin-1 (too late)\ns = 'é'\n".encode(), "utf-8"),
    ],
)
def test_reads_what_python_reads(data: bytes, encoding: str) -> None:
    source = read_source(data)
    assert source.encoding == encoding
    assert source.with_text(source.text).data == data
    here: dict[str, str] = {}
    there: dict[str, str] = {}
    exec(compile(data, "bytes", "exec"), here)
    exec(compile(source.text, "text", "exec"), there)
    assert here.get("s") == there.get("s")


@pytest.mark.parametrize(
    "text",
    ["a\r\nb\r\n", "a\rb\r", "a\nb\r\nc\rd", "\x0ca\n\x0c\n", "if a:\n\tb\n", "a\\\n", "a\n\n\n", "a = '\x85\u2028'\n"],
)
def test_line_ends_and_blanks_survive(text: str) -> None:
    source = read_source(text.encode())
    assert source.text == text
    assert source.with_text(text + "# more").data == text.encode() + b"# more"


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"x = 1\ny = '\xff'\n", (2, 6), "cannot decode byte 0xff as utf-8"),
        (b"x = 1\n\n\ny = '\xff'\n", (4, 6), "cannot decode byte 0xff as utf-8"),
        (BOM + b"'\xff'\n", (1, 2), "cannot decode byte 0xff as utf-8"),
        ("# €\r'".encode() + b"\xff'", (2, 2), "cannot decode byte 0xff as utf-8"),
        (b"# coding: ascii\n\n\n\xc3\xa9\n", (4, 1), "cannot decode byte 0xc3 as ascii"),
        (b"x = 1\ny\0\n", (2, 2), "NUL bytes"),
        ("x = 1\n".encode("utf-16"), (1, 4), "NUL bytes"),
        (b"# coding: no-such-thing\n", (1, 1), "unknown encoding: no-such-thing"),
        (BOM + b"# coding: latin-1\n", (1, 1), "encoding problem: utf-8"),
        (b"# coding: rot13\nk = 1\n", (1, 1), "is not a text encoding"),
        (b"# coding: utf-7\nx = '+AGE-'\n", (1, 1), "does not survive"),
    ],
)
def test_says_where_and_why_it_cannot_read(data: bytes, place: tuple[int, int], words: str) -> None:
    with pytest.raises(SourceError, match=words) as caught:
        read_source(data)
    assert (caught.value.line, caught.value.column) == place


def test_refuses_text_that_the_encoding_lacks() -> None:
    source = read_source(b"# coding: latin-1\n")
    with pytest.raises(SourceError, match="which iso-8859-1 cannot encode"):
        source.with_text(source.text + "'€'")


def test_refuses_text_that_would_be_read_otherwise() -> None:
    source = read_source("# coding: latin-1\ns = 'é'\n".encode("latin-1"))
    with pytest.raises(SourceError, match="cannot decode byte 0xe9 as utf-8"):
        source.with_text("'''\n\n" + source.text)
    with pytest.raises(SourceError, match="would not be read back"):
        read_source(b"x = 1\n").with_text("# coding: latin-1\ns = 'é'\n")


@pytest.mark.parametrize("mark", [b"", BOM])
def test_what_is_not_python_is_utf_8(mark: bytes) -> None:
    data = mark + "# Vibe coding: a séance\n".encode()
    source = read_source(data, is_python=False)
    assert source.text == "# Vibe coding: a séance\n"
    assert source.with_text(source.text + "é").data == data + "é".encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('"é"'.encode("latin-1"), "cannot decode byte 0xe9 as utf-8: invalid continuation byte; convert it to UTF-8"),
        ("{}".encode("utf-16-le"), "contains NUL bytes, as UTF-16 does; convert it to UTF-8"),
    ],
)
def test_what_to_do_about_what_is_neither(data: bytes, words: str) -> None:
    with pytest.raises(SourceError, match=f"^{words}$") as caught:
        read_source(data, is_python=False)
    assert (caught.value.line, caught.value.column) == (1, 2)
