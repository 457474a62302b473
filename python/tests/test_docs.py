"""The code on the pages of the documentation runs, and their links lead somewhere.

On a page, `python` blocks run one after another and share their names, and `console` blocks run what follows each `$`, all in one
empty folder. The lines that a `console` block shows below a command must be in its output, in that order, whatever is between them;
`...` stands for anything. A block under a comment `<!-- not run: why -->` is left out. Rust is not run here: pages take it from `examples`, which cargo compiles.
"""

import os
import re
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "pages"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "python" / "README.md", *sorted(SITE.rglob("*.md"))]

# Languages that may stand on a page without being run.
SHOWN_ONLY = {"text", "json", "csv", "toml"}
RUN = {"python", "console"}

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: .+ -->\n+$")
SNIPPET = re.compile(r'^--8<-- "(.+)"$', re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")

# Seconds that a command may take on a busy machine.
PATIENCE = 120


@dataclass
class Block:
    """A piece of code, and the line of the page on which it begins."""

    language: str
    code: str
    line: int
    is_run: bool


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            match[1], match[2], text.count("\n", 0, match.start(2)) + 1, NOT_RUN.search(text, 0, match.start()) is None
        )
        for match in FENCE.finditer(text)
    ]


def run_python(block, page, names):
    # Line numbers of errors are those of the page.
    exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), names)


def run_console(block, page, folder):
    """Runs the commands one by one. A line that ends in a backslash goes on."""
    environment = {**os.environ, "PATH": f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"}
    for piece in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, shown = re.split(r"(?<!\\)\n", piece, maxsplit=1)
        done = subprocess.run(
            command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        found = done.stdout + done.stderr
        assert done.returncode == 0 and is_shown_in(shown, found), f"{page}:{block.line}: {command}\n{found}"


def is_shown_in(shown, found):
    """Whether all lines are there, one after another, however they are spaced."""
    lines = [r"\s+".join(map(re.escape, line.split())).replace(r"\.\.\.", ".*?") for line in shown.splitlines()]
    return re.search(".*?".join(lines), found, re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__page__"}
    for block in blocks_of(page):
        if block.is_run and block.language == "python":
            run_python(block, str(page), names)
        elif block.is_run and block.language == "console":
            run_console(block, str(page), tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_is_run_or_says_why_not(page):
    for block in blocks_of(page):
        is_snippet = SNIPPET.fullmatch(block.code.strip()) is not None
        assert is_snippet or not block.is_run or block.language in RUN | SHOWN_ONLY, f"{page}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_snippets_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in SNIPPET.findall(text):
        assert (ROOT / target).is_file(), f"{page}: {target}"
    for target in LINK.findall(FENCE.sub("", text)):
        if not re.match(r"[a-z]+:", target):
            # The pictures of the results are copied into the site when it is built.
            is_picture = page.is_relative_to(SITE) and target.endswith(".svg")
            assert ((ROOT if is_picture else page.parent) / target).exists(), f"{page}: {target}"


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    pages = [page.relative_to(SITE).as_posix() for page in sorted(SITE.rglob("*.md"))]
    assert [page for page in pages if f'"{page}"' not in navigation] == []


def test_python_examples_have_rust_twins():
    names = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert names == {path.stem for path in (ROOT / "examples").glob("*.rs")}


def test_pages_that_fail_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n```python\n1 / 0\n```\n\n```console\n$ echo word\nwort\n```\n")
    python, console = blocks_of(page)
    with pytest.raises(ZeroDivisionError) as caught:
        run_python(python, str(page), {})
    assert caught.traceback[-1].lineno + 1 == 4
    with pytest.raises(AssertionError, match="word"):
        run_console(console, str(page), tmp_path)
