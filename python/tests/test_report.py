"""Reports: the same file from the program and from Python, safe whatever is in the data, and enough to learn the graph again."""

import base64
import hashlib
import html
import json
import pickle
import re
import subprocess
import sys
import warnings
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import plackett

MODEL = plackett.simulate_sem(6, degree=2, seed=1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with data of numbers and of categories, some of them missing."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(MODEL.sample(200, seed=0), columns=MODEL.names).to_csv("numbers.csv", index=False)
    network = plackett.load_network("asia").sample(1000, seed=0).to_pandas().astype(str)
    network.iloc[3, 2] = ""
    network.iloc[7, 5] = ""
    network.to_csv("categories.csv", index=False)
    (tmp_path / "knowledge.json").write_text('{"forbidden": [["x1", "x2"]], "exogenous": ["x3"]}')
    return tmp_path


def program(*words):
    return subprocess.run([sys.executable, "-m", "plackett", *words], capture_output=True, text=True, check=False)


def learn(*arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", plackett.PlackettWarning)
        return plackett.learn_dag(*arguments, **settings)


CASES = {
    "plain": (["numbers.csv"], {}),
    "settings": (["numbers.csv", "--score", "bic", "--penalty", "1.5", "--seed", "3", "--drop", "x2", "--standardize", "--path"],
                 {"score": "bic", "penalty": 1.5, "seed": 3, "drop": ["x2"], "standardize": True, "path": True}),
    "knowledge": (["numbers.csv", "--knowledge", "knowledge.json", "--bootstrap", "8", "--cold"],
                  {"knowledge": "knowledge.json", "bootstrap": 8, "warm": False}),
    "missing": (["categories.csv", "--missing", "drop", "--ess", "2"], {"missing": "drop", "ess": 2.0}),
    "mixed": (["numbers.csv", "--categorical", "x1", "--discretize", "quantile", "--bins", "2", "--columns", "x1,x3,x4"],
              {"kinds": {"x1": "categories"}, "discretize": "quantile", "bins": 2, "columns": ["x1", "x3", "x4"]}),
    "tests": (["numbers.csv", "--method", "pc", "--alpha", "0.05"], {"method": "pc", "alpha": 0.05}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_program_and_python_write_the_same_bytes(folder, case):
    words, settings = CASES[case]
    done = program("learn", *words, "--report", "program.html")
    assert done.returncode == 0, done.stderr
    learn(words[0], **settings).report("python.html")
    assert (folder / "program.html").read_bytes() == (folder / "python.html").read_bytes()


@pytest.mark.parametrize("case", CASES)
def test_the_command_and_the_call_in_a_report_learn_the_same_graph(folder, case):
    words, settings = CASES[case]
    found = learn(words[0], **settings)
    found.report("report.html")
    command, call = (html.unescape(code) for code in re.findall(r"<code>(.*?)</code>", (folder / "report.html").read_text(encoding="utf-8"), re.DOTALL)[:2])
    assert command.startswith("plackett learn ")
    done = subprocess.run(f"{sys.executable} -m {command} --json", shell=True, capture_output=True, text=True, check=True)
    edges = [(edge["from"], edge["to"]) for edge in json.loads(done.stdout)["edges"]]
    assert sorted(edges) == sorted((start, end) for start, end, _ in found.edges)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", plackett.PlackettWarning)
        again = eval(call, {"plackett": plackett})
    np.testing.assert_array_equal(again.weights, found.weights)


class Elements(HTMLParser):
    """The elements of a page, with the text of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.raw, self.policy, self.text = [], {"script": [], "style": []}, "", ""
        self._open = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        assert not [name for name in attributes if name.startswith("on") or name == "style"], attributes
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag in self.raw:
            self._open = tag
            self.raw[tag].append([attributes.get("type"), ""])

    def handle_endtag(self, tag):
        if tag == self._open:
            self._open = None

    def handle_data(self, data):
        if self._open:
            self.raw[self._open][-1][1] += data
        else:
            self.text += data


HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a</script><!--", "it's & co", "\u2028line"]


def test_names_are_only_text_and_the_policy_names_what_runs(tmp_path):
    rows = plackett.simulate_sem(5, degree=2, seed=2).sample(300, seed=0)
    found = plackett.learn_dag(pd.DataFrame(rows, columns=HOSTILE))
    found.report(tmp_path / "hostile.html")
    page = Elements((tmp_path / "hostile.html").read_text(encoding="utf-8"))
    assert "img" not in page.tags and len(page.raw["style"]) == 1
    (kind, data), (_, script) = page.raw["script"]
    assert kind == "application/json" and not set(data) & set("<>&\u2028")
    document = json.loads(data)
    assert [node["name"] for node in document["nodes"]] == HOSTILE
    assert len([edge for edge in document["edges"] if edge.get("dag")]) == len(found.edges)
    assert all(name in page.text for name in HOSTILE)
    for directive, text in (("script-src", script), ("style-src", page.raw["style"][0][1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in page.policy
    assert page.policy.startswith("default-src 'none';") and "unsafe" not in page.policy and "http" not in page.policy


def test_a_truth_is_compared_with(tmp_path):
    found = plackett.learn_dag(MODEL.sample(300, seed=0))
    found.report(tmp_path / "truth.html", truth=MODEL)
    page = (tmp_path / "truth.html").read_text(encoding="utf-8")
    assert "Against the true graph" in page and "<td>right</td>" in page
    with pytest.raises(plackett.PlackettError, match="truth is 7"):
        found.report(tmp_path / "truth.html", truth=7)
    with pytest.raises(plackett.PlackettError):
        found.report(tmp_path / "truth.html", truth=plackett.simulate_sem(3))


def test_a_report_that_cannot_be_written_leaves_nothing_and_the_result(tmp_path):
    found = plackett.learn_dag(MODEL.sample(300, seed=0))
    with pytest.raises(OSError):
        found.report(tmp_path / "nowhere" / "report.html")
    with pytest.raises(plackett.PlackettError, match="where it was learned"):
        pickle.loads(pickle.dumps(found)).report(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == [] and len(found.edges) > 0
