"""What is known of a graph, in Python."""

import numpy as np
import pytest

import plackett

RNG = np.random.default_rng(0)
A = RNG.normal(size=500)
B = A + 0.5 * RNG.normal(size=500)
C = B + RNG.normal(size=500)
DATA = {"a": A, "b": B, "c": C, "d": RNG.normal(size=500)}


def edges(found):
    return [edge[:2] for edge in found.edges]


def test_knowledge_is_kept_and_its_cost_is_told():
    known = plackett.Knowledge(tiers=[["c"], ["b"], ["a"]], required=[("d", "b")], apart=[("a", "d")])
    found = plackett.learn_dag(DATA, knowledge=known, score="bic")
    assert {("c", "b"), ("b", "a"), ("d", "b")} <= set(edges(found))
    assert found.cpdag.undirected == ()
    cost = found.knowledge
    assert len(cost.statements) == 4 and cost.complete
    assert cost.cost == pytest.approx(found.score - cost.free_score)
    assert "d -> b is required" in [one.statement for one in cost.decisive]
    assert cost.decisive[0].cost > 0
    assert plackett.learn_dag(DATA).knowledge is None


def test_every_form_says_the_same(tmp_path):
    known = plackett.Knowledge(tiers=[["c"], {"columns": ["b", "d"], "within": False}], exogenous=["a"])
    path = tmp_path / "known.json"
    path.write_text(known.to_json())
    assert plackett.Knowledge.read(path) == known
    assert "exogenous=['a']" in repr(known)
    as_dict = {"tiers": known.tiers, "exogenous": ["a"]}
    found = [plackett.learn_dag(DATA, knowledge=form) for form in (known, as_dict, path, str(path))]
    assert all(edges(other) == edges(found[0]) for other in found)
    learner = plackett.OrderDAG(knowledge=known).fit(DATA)
    assert edges(learner.graph_) == edges(found[0])
    assert plackett.learn_dag(DATA, knowledge=plackett.Knowledge()).knowledge is None


@pytest.mark.parametrize("method", ["insertion", "pl", "pl-relax", "order-mcmc", "random", "exact", "pc"])
def test_every_method_keeps_it(method):
    found = plackett.learn_dag(DATA, knowledge={"tiers": [["c"], ["b"], ["a"]]}, method=method, steps=None)
    assert ("b", "c") not in edges(found) and ("a", "b") not in edges(found)


def test_categories_and_gaps():
    data = plackett.load_network("asia").sample(2000, seed=0)
    known = {"required": [("bronc", "smoke")], "terminal": ["xray"]}
    found = plackett.learn_dag(data, knowledge=known)
    assert ("bronc", "smoke") in edges(found)
    holes = {name: np.where(np.arange(500) % 9 == 0, np.nan, values) for name, values in DATA.items()}
    with pytest.warns(plackett.PlackettWarning, match="missing"):
        found = plackett.learn_dag(holes, knowledge={"required": [("c", "a")]}, missing="em")
    assert ("c", "a") in edges(found)


@pytest.mark.parametrize(
    ("knowledge", "part"),
    [
        ({"required": [("a", "b"), ("b", "a")]}, "a -> b -> a"),
        ({"required": [("a", "bb")]}, 'nearest is "b"'),
        ({"require": []}, "require"),
        ({"required": ["ab"]}, "list is needed"),
        ({"required": [("a",)]}, "pairs"),
        ({"tiers": "ab"}, "a list is needed"),
        ({"tiers": [{"names": ["a"]}]}, "columns"),
        ({"exogenous": [1]}, "names"),
        (3, "plackett.Knowledge"),
        ("no such file", "no such file"),
    ],
)
def test_what_cannot_be_is_refused(knowledge, part):
    with pytest.raises(plackett.PlackettError, match=part.replace("(", r"\(")):
        plackett.learn_dag(DATA, knowledge=knowledge)
