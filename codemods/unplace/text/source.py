"""Decodes the bytes of a file exactly as Python does, and encodes them again; line ends never change.

Files that hold Python among other things, such as notebooks, declare no encoding: they are UTF-8.
"""

from __future__ import annotations

import codecs
import io
import tokenize
from dataclasses import dataclass

_DECLARE = "declare its encoding in the first line (`# -*- coding: ... -*-`) or convert it to UTF-8"


class SourceError(Exception):
    """Raised where bytes can't be decoded as source, or text can't be encoded; with the place where it is known."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Source:
    """A file's bytes, and their text in the file's own encoding (without a byte order mark)."""

    data: bytes
    text: str
    encoding: str
    is_python: bool = True

    def with_text(self, text: str) -> Source:
        """Return the source with another text in the same encoding; raise `SourceError` where it can't be read back."""
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            letter = text[error.start]
            raise SourceError(f"the rewritten code contains {letter!r}, which {self.encoding} cannot encode") from None
        if read_source(data, is_python=self.is_python).text != text:
            raise SourceError(f"the rewritten code would not be read back as it was written ({self.encoding})")
        return Source(data, text, self.encoding, self.is_python)


def read_source(data: bytes, *, is_python: bool = True) -> Source:
    """Decode a file; raise `SourceError` where that fails.

    The encoding is that of the byte order mark or declaration (PEP 263), and UTF-8 where the file isn't Python.
    """
    if not is_python:
        return _read_utf8(data)
    if b"\0" in data:
        raise SourceError("contains NUL bytes, so it is not Python source; leave it out", *_place(data, data.index(0)))
    encoding = _declared_encoding(data)
    try:
        text = data.decode(encoding)
        survives = text.encode(encoding) == data
    except UnicodeDecodeError as error:
        raise _undecodable(error, _DECLARE) from None
    except (LookupError, UnicodeError) as error:
        raise SourceError(f"cannot decode as {encoding}: {error}; correct the declaration", 1, 1) from None
    if not survives:
        raise SourceError(f"does not survive decoding and encoding as {encoding}; convert it to UTF-8 first", 1, 1)
    return Source(data, text, encoding)


def _read_utf8(data: bytes) -> Source:
    if b"\0" in data:
        raise SourceError("contains NUL bytes, as UTF-16 does; convert it to UTF-8", *_place(data, data.index(0)))
    encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
    try:
        return Source(data, data.decode(encoding), encoding, is_python=False)
    except UnicodeDecodeError as error:
        raise _undecodable(error, "convert it to UTF-8") from None


def _declared_encoding(data: bytes) -> str:
    # Python takes a lone CR as a line end too, but `detect_encoding` doesn't.
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data
    try:
        return tokenize.detect_encoding(io.BytesIO(lines).readline)[0]
    except SyntaxError as error:
        try:
            data.decode("utf-8-sig")
        except UnicodeDecodeError as undecodable:
            raise _undecodable(undecodable, _DECLARE) from None
        raise SourceError(f"cannot decode: {error.msg}; correct the declaration", 1, 1) from None


def _undecodable(error: UnicodeDecodeError, advice: str) -> SourceError:
    message = f"cannot decode byte 0x{error.object[error.start]:02x} as {error.encoding}: {error.reason}; {advice}"
    return SourceError(message, *_place(error.object, error.start))


def _place(data: bytes, offset: int) -> tuple[int, int]:
    """Return line and column, from 1, of a byte that can't be decoded."""
    lines = data[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return len(lines), len(lines[-1].decode("utf-8", "replace")) + 1
