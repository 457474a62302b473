"""The examples run, and say something."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "" and len(done.stdout.splitlines()) >= 5


def test_there_are_examples():
    assert [path.stem for path in EXAMPLES] == ["black_box", "causal_discovery", "gradients", "problem_file"]
