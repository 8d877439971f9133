"""A file is replaced as a whole or left alone."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import pytest

from unplace.files.writing import WriteError, replace_contents

BEFORE, AFTER = b"x += 1\r\n", b"x = x + 1\r\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.py"
    path.write_bytes(BEFORE)
    return path


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o4755])
def test_keeps_the_mode_bits_and_leaves_nothing_behind(file: Path, mode: int) -> None:
    file.chmod(mode)
    replace_contents(str(file), BEFORE, AFTER)
    assert file.read_bytes() == AFTER
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert list(file.parent.iterdir()) == [file]


def test_replaces_what_a_link_points_to(file: Path) -> None:
    link = file.parent / "elsewhere" / "link.py"
    link.parent.mkdir()
    link.symlink_to(file)
    replace_contents(str(link), BEFORE, AFTER)
    assert link.is_symlink()
    assert file.read_bytes() == AFTER
    assert list(link.parent.iterdir()) == [link]


def test_keeps_the_owner(file: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(file, 12345, 54321)
    replace_contents(str(file), BEFORE, AFTER)
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 54321)


def test_another_name_of_the_file_keeps_the_old_contents(file: Path) -> None:
    other = file.parent / "cache.bin"
    other.hardlink_to(file)
    replace_contents(str(file), BEFORE, AFTER)
    assert other.read_bytes() == BEFORE


def test_does_not_overwrite_what_somebody_else_wrote(file: Path) -> None:
    file.write_bytes(b"mine\n")
    with pytest.raises(WriteError, match="changed on disk"):
        replace_contents(str(file), BEFORE, AFTER)
    assert file.read_bytes() == b"mine\n"
    assert list(file.parent.iterdir()) == [file]


def test_a_read_only_file_stays(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(WriteError, match="read-only; make it writable"):
        replace_contents(str(file), BEFORE, AFTER)
    assert file.read_bytes() == BEFORE


def test_a_read_only_folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).is_file())  # the administrator may write anywhere
    with pytest.raises(WriteError, match="its folder is read-only; make it writable"):
        replace_contents(str(file), BEFORE, AFTER)
    assert file.read_bytes() == BEFORE


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes of Linux")
def test_keeps_extended_attributes_and_has_a_new_time(file: Path) -> None:
    try:
        os.setxattr(file, "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has none")
    os.utime(file, (1, 1))
    replace_contents(str(file), BEFORE, AFTER)
    assert os.getxattr(file, "user.note") == b"mine"
    assert file.stat().st_mtime > 1


def test_signals_wait_until_a_file_is_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def interrupted(descriptor: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_contents(str(file), BEFORE, AFTER)
    assert file.read_bytes() == AFTER
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("call", ["replace", "fsync", "chown"])
def test_a_failing_system_call_leaves_the_file_as_it_was(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(WriteError, match="No space left on device; the file is as it was"):
        replace_contents(str(file), BEFORE, AFTER)
    assert file.read_bytes() == BEFORE
    assert list(file.parent.iterdir()) == [file]


def test_an_interrupt_leaves_the_file_as_it_was(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace_contents(str(file), BEFORE, AFTER)
    assert file.read_bytes() == BEFORE
    assert list(file.parent.iterdir()) == [file]


def test_a_file_that_went_away(file: Path) -> None:
    file.unlink()
    with pytest.raises(WriteError, match="No such file"):
        replace_contents(str(file), BEFORE, AFTER)
