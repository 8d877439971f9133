"""The Git repository that files come from and the commit goes to; the files of a user's checkout stay untouched."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unplace.batch.unattended_git import git, line, succeeds
from unplace.files.git import GitError

_BASE = "refs/unplace/base"


_FOREIGN = (
    "it belongs to another user, and git works in no such repository; run as its owner, or have git trust it "
    "(git config --global --add safe.directory {folder})"
)


class SkipError(Exception):
    """Raised where a repository is left alone; the message says why, and what its owner can do about it."""


def is_url(target: str) -> bool:
    """Tell whether Git would take a target for a URL: `scheme://...`, or `host:path` as for ssh, and no `C:/path`."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/\\:]{2,}:", target) is not None and not Path(target).exists()


@dataclass(frozen=True, slots=True)
class Origin:
    """A repository: its folder, and the commit to start from.

    `is_clone` tells that it is our own clone of a URL, in which nobody else works.
    """

    folder: Path
    base: str
    is_clone: bool

    def export(self, tree: Path, index: Path) -> None:
        """Check out the files of the base commit into the new folder `tree`, with an index of its own.

        Unlike `git worktree`, this leaves nothing in the repository, even if we are killed.
        """
        tree.mkdir(parents=True)
        Path(tree, ".git").mkdir()  # the marker at which the search for ignore files ends
        environment = self._environment(tree, index)
        git("read-tree", self.base, folder=tree, environment=environment)
        git("checkout-index", "--all", "--force", "--quiet", folder=tree, environment=environment)

    def commit(self, tree: Path, index: Path, paths: Sequence[str], message: str, identity: Mapping[str, str]) -> str:
        """Commit files of `tree` on top of the base, and return the commit's hash; it is on no branch yet.

        Its dates are those of the base: the same changes under the same identity always make the same commit.
        """
        environment = self._environment(tree, index)
        names = b"\0".join(os.fsencode(Path(path).as_posix()) for path in paths)
        git("update-index", "-z", "--stdin", folder=tree, environment=environment, stdin=names + b"\0")
        written = line("write-tree", folder=tree, environment=environment)
        date = line("show", "-s", "--format=%cd", "--date=raw", self.base, folder=self.folder)
        names_and_dates = {**identity, "GIT_AUTHOR_DATE": f"@{date}", "GIT_COMMITTER_DATE": f"@{date}"}
        arguments = ("commit-tree", written, "-p", self.base, "-F", "-")
        done = git(*arguments, folder=self.folder, environment=names_and_dates, stdin=message.encode())
        return done.decode("ascii").strip()

    def check_branch(self, branch: str, title: str) -> None:
        """Raise `SkipError` where the branch has commits that the base hasn't, but for one on top of it.

        `title` is that of the commits that a migration makes. In a clone, any branch will do.
        """
        tip = self._tip(branch)
        if tip is None or self.is_clone or self._is_merged(tip) or self._parents(tip) == [self.base]:
            return
        raise SkipError(self._taken(branch, title))

    def set_branch(self, branch: str, commit: str, title: str) -> str:
        """Create the branch at a commit, or move it there where the base has all its commits, or in a clone.

        A branch that has the same changes already stays as it is. Returns the commit that the branch is at. Raises
        `SkipError` where it has others. `title` is that of the commits that a migration makes.
        """
        tip = self._tip(branch)
        if tip is not None and self._contents(tip) == self._contents(commit):
            return tip
        if tip is not None and not self.is_clone and not self._is_merged(tip):
            raise SkipError(self._taken(branch, title))
        old = tip or "0" * len(commit)
        git("update-ref", "-m", "unplace migrate", f"refs/heads/{branch}", commit, old, folder=self.folder)
        return commit

    def patch(self, commit: str) -> bytes:
        """Return a commit as a patch for `git am` and `git apply`."""
        options = ("--stdout", "--binary", "--no-signature", "--no-color", "--no-ext-diff", "--no-renames", "-1")
        return git("format-patch", *options, commit, folder=self.folder)

    def push(self, branch: str) -> None:
        """Push the branch to `origin`, or to the only remote; never by force."""
        remotes = line("remote", folder=self.folder).split()
        remote = "origin" if "origin" in remotes or len(remotes) != 1 else remotes[0]
        git("push", "--quiet", remote, f"refs/heads/{branch}:refs/heads/{branch}", folder=self.folder)

    def _tip(self, branch: str) -> str | None:
        reference = f"refs/heads/{branch}"
        if not succeeds(("show-ref", "--verify", "--quiet", reference), self.folder):
            return None
        return line("rev-parse", reference, folder=self.folder)

    def _parents(self, commit: str) -> list[str]:
        return line("show", "-s", "--format=%P", commit, folder=self.folder).split()

    def _contents(self, commit: str) -> str:
        """Return the files of a commit, and the commits below it."""
        return line("show", "-s", "--format=%T %P", commit, folder=self.folder)

    def _is_merged(self, tip: str) -> bool:
        return succeeds(("merge-base", "--is-ancestor", tip, self.base), self.folder)

    def _taken(self, branch: str, title: str) -> str:
        titles = line("log", "--format=%s", f"{self.base}..refs/heads/{branch}", folder=self.folder).splitlines()
        whose = "of an earlier run" if titles == [title] else "with other commits"
        advice = f"merge it, or delete it (git -C {self.folder} branch -D {branch})"
        return f"it has a branch {branch} {whose}; {advice}, and run with --resume"

    def _environment(self, tree: Path, index: Path) -> dict[str, str]:
        place = line("rev-parse", "--absolute-git-dir", folder=self.folder)
        return {"GIT_DIR": place, "GIT_WORK_TREE": str(tree), "GIT_INDEX_FILE": str(index)}


def identity(target: str) -> dict[str, str]:
    """Return the environment variables that have Git commit elsewhere in the name in which it commits to a target here.

    Raises `GitError` where Git knows no name.
    """
    folder = Path(Path.cwd().anchor) if is_url(target) else Path(target)
    found: dict[str, str] = {}
    for role in ("AUTHOR", "COMMITTER"):
        name, _, rest = line("var", f"GIT_{role}_IDENT", folder=folder).partition(" <")
        found |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": rest.partition(">")[0]}
    return found


def opened(target: str, clone: Path) -> Origin | None:
    """Open the repository that a target names; return None for a folder outside Git. A URL is fetched into `clone`.

    Raises `GitError` where there is no such repository, `SkipError` where its working tree isn't clean.
    """
    if is_url(target):
        return _fetched(target, clone)
    folder = Path(target)
    if not folder.is_dir():
        raise GitError("no such folder" if not folder.exists() else "not a folder")
    try:
        git("rev-parse", "--git-dir", folder=folder)
    except GitError as error:
        if "not a git repository" in str(error):
            return None
        if "dubious ownership" in str(error):
            raise SkipError(_FOREIGN.format(folder=folder)) from None
        raise
    if line("rev-parse", "--is-bare-repository", folder=folder) == "false":
        top = line("rev-parse", "--show-toplevel", folder=folder)
        if os.path.realpath(top) != os.path.realpath(folder):
            raise GitError(f"is a folder of the repository {top}; name that")
        if git("status", "--porcelain", "--untracked-files=no", folder=folder):
            raise SkipError("its working tree has changes that aren't committed; commit or stash them")
    if not succeeds(("rev-parse", "--verify", "--quiet", "HEAD^{commit}"), folder):
        raise SkipError("it has no commit yet")
    return Origin(folder, line("rev-parse", "HEAD^{commit}", folder=folder), is_clone=False)


def _fetched(url: str, clone: Path) -> Origin:
    """Fetch the newest commit of a URL's default branch, without history; being killed meanwhile does no harm."""
    clone.mkdir(parents=True, exist_ok=True)
    git("init", "--quiet", "--bare", ".", folder=clone)
    git("config", "remote.origin.url", url, folder=clone)
    git("fetch", "--quiet", "--depth=1", "--no-tags", "origin", f"+HEAD:{_BASE}", folder=clone)
    return Origin(clone, line("rev-parse", _BASE, folder=clone), is_clone=True)
