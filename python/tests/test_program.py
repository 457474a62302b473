"""The program that the package installs: the same as the one of the Rust crate, in both ways of starting it."""

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import plackett

SCRIPT = Path(sysconfig.get_path("scripts")) / ("plackett.exe" if os.name == "nt" else "plackett")
WAYS = {"script": [str(SCRIPT)], "module": [sys.executable, "-m", "plackett"]}

# Seconds that a busy machine may take.
PATIENCE = 60

# Answers every order and says so from the second on, when there is something to show.
WORKER = """
import json, pathlib, sys
for count, line in enumerate(sys.stdin):
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "value": asked["order"][0]}), flush=True)
    if count:
        pathlib.Path("asked").touch()
"""


@pytest.fixture(params=WAYS)
def program(request):
    return WAYS[request.param]


@pytest.fixture
def call(program, tmp_path):
    # Elsewhere than in the source folder, where `-m` would find the package without its native half.
    return lambda *arguments: subprocess.run([*program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)


def test_versions_agree(call):
    done = call("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"plackett {plackett.__version__}\n", "")


def test_results_are_printed(call):
    done = call("toy", "--items", "3", "--steps", "10", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["status"] == "finished"


def test_wrong_usage_and_bad_input_are_code_2(call):
    done = call("levitate")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unrecognized subcommand 'levitate'" in done.stderr and "Usage: plackett <COMMAND>" in done.stderr
    done = call("toy", "--items", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: the toy problem is empty: at least one entry is needed\n"


def test_a_folder_below_a_file_is_wrong_usage(call, tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = call("toy", "--steps", "10", "--out", str(Path("file", "out")))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")


def test_other_failures_are_code_1(call):
    done = call("optimize", "--items", "3", "--command", "exit 3", "--evaluations", "2")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: the program ended")


@pytest.mark.skipif(os.name == "nt", reason="Windows passes arguments as text, so that a name which is none cannot be given there")
def test_names_of_files_need_not_be_text(call):
    done = call("learn", os.fsdecode(b"no\xffsuch.csv"))
    assert done.returncode == 2 and "such.csv" in done.stderr, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT or SIGTERM that one process could send another")
class TestSignals:
    @pytest.fixture
    def child(self, program, tmp_path):
        """The program in the middle of a run that would not end."""
        (tmp_path / "worker.py").write_text(WORKER)
        command = f"'{sys.executable}' worker.py"
        arguments = ["optimize", "--items", "40", "--command", command, "--evaluations", "1000000000", "--json"]
        child = subprocess.Popen([*program, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + PATIENCE
        while not (tmp_path / "asked").exists():
            assert child.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        yield child
        child.kill()
        child.communicate()

    @pytest.mark.parametrize("wish", [signal.SIGINT, signal.SIGTERM], ids=lambda wish: wish.name)
    def test_a_wish_to_stop_shows_what_there_is(self, child, wish):
        child.send_signal(wish)
        output, complaint = child.communicate(timeout=PATIENCE)
        assert (child.returncode, complaint) == (0, b"")
        found = json.loads(output)
        assert found["status"] == "interrupted" and found["evaluations"] > 0

    def test_ctrl_c_ends_commands_that_have_nothing_to_show_in_the_middle(self, program, tmp_path):
        # Reading a pipe in which nothing ever comes, before anything could be shown.
        os.mkfifo(tmp_path / "data.csv")
        child = subprocess.Popen([*program, "learn", "data.csv"], cwd=tmp_path, stderr=subprocess.PIPE)
        # Opening the other end waits for the program to open its own.
        with (tmp_path / "data.csv").open("w"):
            child.send_signal(signal.SIGINT)
            _, complaint = child.communicate(timeout=PATIENCE)
        assert (child.returncode, complaint) == (-signal.SIGINT, b"")
