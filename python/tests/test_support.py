"""Support by the bootstrap: the same numbers wherever it runs, its end, and its going on."""

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import plackett


@pytest.fixture(scope="module")
def data():
    return plackett.simulate_sem(6, degree=2, noise=(0.5, 2.0), seed=3).sample(150, seed=0)


@pytest.fixture(scope="module")
def found(data):
    return plackett.learn_dag(data, bootstrap=20, seed=4)


def test_shares_add_up_and_cover_the_graph(found):
    support = found.support
    assert (support.replicates, support.wanted) == (20, 20)
    for pair in support:
        assert pair["adjacent"] == pytest.approx(pair["forward"] + pair["backward"] + pair["undirected"])
        assert support.of(pair["to"], pair["from"])["forward"] == pair["backward"]
    pairs = {(pair["from"], pair["to"]) for pair in support}
    assert all((start, end) in pairs for start, end, _ in found.edges)
    assert len(support.to_pandas()) == len(support)
    consensus = support.consensus()
    assert len(consensus.directed) + len(consensus.undirected) == sum(pair["adjacent"] > 0.5 for pair in support)
    assert plackett.learn_dag(plackett.simulate_sem(3).sample(50, seed=0)).support is None


def test_a_warm_start_changes_nothing_where_the_search_is_exact(data):
    found = plackett.learn_dag(data, bootstrap=8, seed=1, warm=False)
    again = plackett.learn_dag(data, bootstrap=8, seed=1)
    assert list(found.support) == list(again.support)
    assert list(plackett.learn_dag(data, bootstrap=8, seed=2).support) != list(found.support)


@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2, get_context("spawn"))])
def test_an_executor_changes_nothing(data, found, make):
    with make() as executor:
        elsewhere = plackett.learn_dag(data, bootstrap=20, seed=4, executor=executor)
    assert list(elsewhere.support) == list(found.support)


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_changes_nothing(data, found):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        elsewhere = plackett.learn_dag(data, bootstrap=20, seed=4, executor=client.get_executor())
    assert list(elsewhere.support) == list(found.support)


def test_an_executor_works_on_files_and_frames(tmp_path, found, data):
    path = tmp_path / "data.csv"
    np.savetxt(path, data, delimiter=",", header=",".join(found.names), comments="")
    with ThreadPoolExecutor(1) as executor:
        support = plackett.learn_dag(path, bootstrap=20, seed=4, executor=executor).support
        assert list(support) == list(found.support)
        with pytest.raises(plackett.PlackettError, match="read again elsewhere"):
            plackett.learn_dag(iter([data]), bootstrap=5, executor=executor)


def test_a_state_is_gone_on_with(tmp_path, data, found):
    state = tmp_path / "state.json"
    plackett.learn_dag(data, bootstrap=7, seed=4, state=state)
    assert list(plackett.learn_dag(data, bootstrap=20, seed=4, state=state).support) == list(found.support)
    with pytest.raises(plackett.PlackettError, match="other data, settings or another seed"):
        plackett.learn_dag(data, bootstrap=20, seed=5, state=state)


def test_time_leaves_what_is_done(data):
    with pytest.warns(plackett.PlackettWarning, match="the run ended after"):
        found = plackett.learn_dag(data, bootstrap=1_000_000, time_limit=1.0)
    assert 0 <= found.support.replicates < 1_000_000


def test_what_does_not_fit_is_refused(data):
    with pytest.raises(plackett.PlackettError, match="executor is for bootstrap"):
        plackett.learn_dag(data, executor=ThreadPoolExecutor(1))
    with pytest.raises(plackett.PlackettError, match="bootstrap draws rows anew"):
        plackett.learn_dag(np.cov(data.T), covariance=150, bootstrap=5)
    with pytest.raises(plackett.PlackettError, match="bootstrap"):
        plackett.learn_dag(data, bootstrap=0)


def test_the_learner_has_it_too(data):
    learner = plackett.OrderDAG(bootstrap=4, criterion="bic").fit(data)
    assert learner.graph_.support.replicates == 4


def test_what_is_handed_to_an_executor_can_be_sent(data):
    from plackett._data import Reading, to_data
    from plackett._support import Replicates

    source = (data, Reading(is_resampled=True), None, "center", None, False)
    work = Replicates(to_data(*source), to_data, source, {}, None, None)
    assert pickle.loads(pickle.dumps(work))._data is None


def test_the_summary_tells_the_support_and_what_is_doubtful(data, found):
    text = found.summary()
    assert "share of 20 resamples" in text and "this way" in text
    assert "--json" not in text, "that is for the program"
    doubtful = [
        edge
        for edge in found.edge_table
        if edge["direction"] not in ("open", "known") and found.support.of(edge["from"], edge["to"])["forward"] < 0.5
    ]
    assert (f"{len(doubtful)} of {len(found.edges)} edges" in text) == bool(doubtful)
    assert "resample" not in plackett.learn_dag(data).summary()
