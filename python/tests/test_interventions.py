"""Rows in which columns were set from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import plackett

MODEL = plackett.simulate_sem(8, degree=2, noise=(0.5, 2.0), seed=3)
DATA, TOLD = MODEL.sample_experiments(500, ["x2", "x5", ["x3", "x7"]], 150, seed=0)
FRAME = pd.DataFrame(DATA, columns=list(MODEL.names))


def learn(data: Any, **settings: Any) -> plackett.LearnedGraph:
    return plackett.learn_dag(data, score="bic", **settings)


WITH = learn(DATA, interventions=TOLD)


def same(found: plackett.LearnedGraph) -> bool:
    return found.edges == WITH.edges and found.cpdag == WITH.cpdag and found.score == WITH.score


def test_experiments_help():
    assert plackett.metrics.shd(MODEL, WITH) < plackett.metrics.shd(MODEL, learn(DATA))
    assert WITH.input["interventions"] == {
        "observed_rows": 500,
        "targets": {"x2": 150, "x3": 150, "x5": 150, "x7": 150},
    }
    assert "interventions" not in learn(DATA).input


def test_the_class_is_the_interventional_one():
    family = [["x2"], ["x5"], ["x3", "x7"]]
    assert WITH.cpdag == plackett.Graph(WITH.weights).interventional_cpdag(family)
    chain = plackett.Graph.from_edges([("a", "b"), ("b", "c")])
    assert chain.interventional_cpdag([]) == chain.cpdag
    assert chain.interventional_cpdag(["b"]).undirected == ()
    with pytest.raises(plackett.PlackettError, match='no node "q"'):
        chain.interventional_cpdag([["q"]])


@pytest.mark.parametrize(
    "told",
    [
        [[MODEL.names.index(name) for name in row] for row in TOLD],
        [None if not row else row[0] if len(row) == 1 else tuple(row) for row in TOLD],
        np.array(["+".join(row) for row in TOLD]),
        [float("nan") if not row else ";".join(row) for row in TOLD],
        pd.Series([" ; ".join(row) or None for row in TOLD]),
    ],
)
def test_targets_come_in_any_form(told):
    assert same(learn(DATA, interventions=told))


def test_targets_come_in_columns():
    named = FRAME.assign(target=["+".join(row) for row in TOLD])
    assert same(learn(named, interventions="target"))
    assert same(learn(named, interventions="target", columns=list(MODEL.names)))
    flags = FRAME.assign(
        **{f"do {name}": [name in row for row in TOLD] for name in ("x2", "x3", "x7")},
        first=[int("x5" in row and at % 2 == 0) for at, row in enumerate(TOLD)],
        second=[int("x5" in row and at % 2 == 1) for at, row in enumerate(TOLD)],
    )
    told = {"x2": "do x2", "x3": "do x3", "x7": ["do x7"], "x5": ["first", "second"]}
    assert same(learn(flags, interventions=told))


def test_files_and_batches(tmp_path: Path):
    file = tmp_path / "data.csv"
    FRAME.assign(target=["+".join(row) for row in TOLD]).to_csv(file, index=False)
    assert same(learn(file, interventions="target"))
    plain = tmp_path / "plain.csv"
    FRAME.to_csv(plain, index=False)
    assert same(learn(plain, interventions=TOLD))
    whole = pd.read_csv(file)
    batches = (whole[start : start + 200] for start in range(0, len(whole), 200))
    assert same(learn(batches, interventions="target"))


def test_rows_that_are_left_out_take_their_targets_along():
    gaps = FRAME.copy()
    gaps.iloc[::7, 2] = np.nan
    kept = gaps.notna().all(axis=1).to_numpy()
    with pytest.warns(plackett.PlackettWarning, match="rows are left out"):
        found = learn(gaps, interventions=TOLD, missing="drop")
    expected = learn(FRAME[kept], interventions=[row for row, is_kept in zip(TOLD, kept, strict=True) if is_kept])
    assert found.edges == expected.edges and found.score == expected.score
    with pytest.raises(plackett.PlackettError, match='missing="drop"'):
        learn(gaps, interventions=TOLD, missing="em")


def test_support_and_probabilities_are_those_of_the_rows_that_were_not_set():
    support = learn(DATA, interventions=TOLD, bootstrap=20).support
    assert support.replicates == 20
    assert all(support.of(start, end)["adjacent"] > 0.5 for start, end, _ in WITH.edges)
    found = plackett.learn_dag(DATA, interventions=TOLD, posterior=True)
    assert found.score_name == "bge" and found.probabilities.shape == (8, 8)
    assert found.cpdag == plackett.Graph(found.weights).interventional_cpdag([["x2"], ["x5"], ["x3", "x7"]])


def test_a_learner_takes_them():
    assert same(plackett.OrderDAG(criterion="bic", interventions=TOLD).fit(DATA).graph_)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (TOLD[1:], "949 entries for 950 rows"),
        (3, "must be the name of a column"),
        ([["q"]] * 950, '"q" is no column that is learned from'),
        ([9] * 950, "numbered 0 to 7"),
        ([1.5] * 950, "a name or the number of a column"),
        (["x1"] * 950, "set in all rows but 0"),
        ([object()] * 950, "a name, the number of a column, None or a list"),
        ({}, "empty"),
        ("nowhere", "nowhere"),
    ],
)
def test_slips_are_told(told, message):
    with pytest.raises(plackett.PlackettError, match=message):
        learn(DATA, interventions=told)


def test_what_has_no_meaning_is_refused():
    with pytest.raises(plackett.PlackettError, match="pc tests independences"):
        plackett.learn_dag(DATA, interventions=TOLD, method="pc")
    with pytest.raises(plackett.PlackettError, match="interventions"):
        plackett.learn_dag(plackett.Statistics(DATA), interventions=TOLD)
    with pytest.raises(plackett.PlackettError, match="interventions"):
        plackett.learn_dag(np.cov(DATA.T), covariance=500, interventions=TOLD)
    with pytest.raises(plackett.PlackettError, match="no variable 'q' to set"):
        MODEL.sample_experiments(10, ["q"], 5)
