#!/usr/bin/env python3
"""Do all of a release but the upload: build the wheel and the sdist, check them, install the wheel and run it.

python scripts/release.py            # build into dist/, check, install into an empty environment, run
python scripts/release.py 0.2.0      # the same for a new version: version.py and CHANGELOG.md are changed, committed
                                     # and tagged once everything holds; what is left to do is printed

Needs `pip install -e '.[release]'`. Nothing is sent anywhere.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
VERSION = ROOT / "codemods/unplace/version.py"
CHANGELOG = ROOT / "CHANGELOG.md"
ACTION = ROOT / "action.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"

IN_THE_WHEEL = ("unplace/py.typed", "unplace/cli/__init__.py")
IN_THE_SDIST = (
    "pyproject.toml",
    "LICENSE",
    "action.yml",
    "tests/conftest.py",
    "docs/commands.md",
    "examples/coupling.py",
)
MODEL = "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n"
MODEL += "\n\nf(torch.ones(3, requires_grad=True))\n"


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", nargs="?", help="the version to release; without one, nothing but dist/ is written")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where to put the files (default: dist/)")
    given = parser.parse_args()
    missing = [name for name in ("build", "twine") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"not released: {' and '.join(missing)} needed: pip install -e '.[release]'", file=sys.stderr)
        return 1
    before = VERSION.read_text("utf-8"), CHANGELOG.read_text("utf-8")
    if given.version is not None:
        prepare(given.version)
    try:
        wheel, sdist = build(given.dist)
        check_contents(wheel, sdist)
        run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
        try_out(wheel)
    except (ReleaseError, subprocess.CalledProcessError) as error:
        VERSION.write_text(before[0], "utf-8")
        CHANGELOG.write_text(before[1], "utf-8")
        print(f"not released: {error}", file=sys.stderr)
        return 1
    print(f"good: {wheel.name} and {sdist.name}")
    if given.version is not None:
        run("git", "commit", "-qm", f"Release {given.version}", str(VERSION), str(CHANGELOG), cwd=ROOT)
        run("git", "tag", f"v{given.version}", cwd=ROOT)
        print(f"committed and tagged; left to do:\n  git push origin HEAD v{given.version}")
        print(f"  python -m twine upload {shlex.quote(str(wheel))} {shlex.quote(str(sdist))}")
    return 0


class ReleaseError(Exception):
    """Something that keeps the version from being released."""


def prepare(version: str) -> None:
    """Write a version into `version.py`, and its date into the changelog."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        raise SystemExit(f"{version} is no version such as 0.2.0 or 0.2.0rc1")
    if output("git", "status", "--porcelain", "--untracked-files=no"):
        raise SystemExit("there are changes that aren't committed")
    if output("git", "tag", "--list", f"v{version}"):
        raise SystemExit(f"the tag v{version} is there already")
    text = CHANGELOG.read_text("utf-8")
    title = "## [Unreleased]\n"
    if title not in text:
        raise SystemExit(f"CHANGELOG.md has no line {title.strip()}")
    today = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    CHANGELOG.write_text(text.replace(title, f"{title}\n## [{version}] - {today}\n", 1), "utf-8")
    written = re.sub(r'(?<=__version__ = ")[^"]*', version, VERSION.read_text("utf-8"))
    VERSION.write_text(written, "utf-8")


def build(folder: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from it, as installers do; return wheel and sdist."""
    if folder.exists():
        shutil.rmtree(folder)
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def check_contents(wheel: Path, sdist: Path) -> None:
    """Raise `ReleaseError` where something is missing, or something is in the wheel that doesn't belong there."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    own = {path.relative_to(ROOT / "codemods").as_posix() for path in files_of("codemods/unplace")}
    odd = [name for name in names if name not in own and ".dist-info/" not in name]
    missing = [name for name in (*IN_THE_WHEEL, *sorted(own)) if name not in names]
    if odd or missing:
        raise ReleaseError(f"the wheel has {odd[:5]} and lacks {missing[:5]}")
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    if absent := [name for name in IN_THE_SDIST if name not in inside]:
        raise ReleaseError(f"the sdist lacks {absent}")


def files_of(folder: str) -> list[Path]:
    """Return the files of a folder that Git knows."""
    return [ROOT / line for line in output("git", "ls-files", folder).splitlines()]


def try_out(wheel: Path) -> None:
    """Install the wheel into an empty environment, away from the checkout, and run its commands and hooks there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "unplace", with_pip=True)
        bin_folder = folder / "unplace" / ("Scripts" if sys.platform == "win32" else "bin")
        python, unplace = str(bin_folder / "python"), str(bin_folder / "unplace")
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel))
        work = folder / "work"
        work.mkdir()
        (work / "model.py").write_text(MODEL, "utf-8")
        version = wheel.name.split("-")[1]
        expect(f"unplace {version}\n", unplace, "--version", cwd=work)
        expect(None, python, "-m", "unplace", "rule", "--all", cwd=work)
        for entry in re.findall(r"^  entry: (.*)$", HOOKS.read_text("utf-8"), re.MULTILINE):
            program, *arguments = shlex.split(entry)
            done = subprocess.run([str(bin_folder / program), *arguments, "model.py"], cwd=work, check=False)
            if done.returncode not in (0, 1):
                raise ReleaseError(f"`{entry}` ended with {done.returncode}")
        if "y = y + 1" not in (work / "model.py").read_text("utf-8"):
            raise ReleaseError("the hook did not rewrite the model")
        expect(None, unplace, "check", "--output-format", "sarif", cwd=work)
        if sys.platform != "win32":
            try_action(folder, work)


def try_action(folder: Path, work: Path) -> None:
    """Run the steps of the GitHub Action behind its installation, which `folder` holds as the runner's folder would."""
    (work / "model.py").write_text(MODEL, "utf-8")
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    environment = {"PATHS": ".", "ARGS": "--only harmful", "SARIF": "found.sarif", "RUNNER_TEMP": str(folder)}
    for step in action["runs"]["steps"]:
        if "run" not in step or step["name"] == "Install":
            continue
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=work, env={**os.environ, **environment}, capture_output=True, check=False)
        if done.returncode != 1 or b"::error " not in done.stdout:
            raise ReleaseError(
                f"step {step['name']} of the action ended with {done.returncode}: {done.stderr.decode()}"
            )
    if not (work / "found.sarif").is_file():
        raise ReleaseError("the action wrote no SARIF")


def expect(printed: str | None, *command: str, cwd: Path) -> None:
    """Run a command; raise `ReleaseError` where it fails, or prints something else."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode or (printed is not None and done.stdout != printed):
        raise ReleaseError(f"`{shlex.join(command)}` ended with {done.returncode}: {done.stdout}{done.stderr}")


def output(*command: str) -> str:
    """Return what a command prints in the repository."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def run(*command: str, cwd: Path | None = None) -> None:
    """Run a command; raise an error where it fails."""
    subprocess.run(command, cwd=cwd, check=True)


if __name__ == "__main__":
    sys.exit(main())
