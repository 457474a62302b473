"""Graphs, metrics and models against networkx, brute force and plain numpy."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plackett
from plackett import metrics

ROW = {"edge_direction": "row_to_column"}


@st.composite
def dags(draw, nodes=None):
    d = draw(st.integers(1, 6)) if nodes is None else nodes
    order = draw(st.permutations(range(d)))
    matrix = np.zeros((d, d), dtype=int)
    for i in range(d):
        for j in range(i + 1, d):
            matrix[order[i], order[j]] = draw(st.booleans())
    return matrix


def colliders(matrix):
    """The pairs with an arrow into the same node that are not joined themselves."""
    d = len(matrix)
    joined = matrix + matrix.T
    return {
        (i, j, k)
        for i in range(d)
        for j in range(i)
        for k in range(d)
        if matrix[i, k] and matrix[j, k] and not joined[i, j]
    }


def equivalent(a, b):
    return np.array_equal(a + a.T, b + b.T) and colliders(a) == colliders(b)


@given(st.integers(1, 6).flatmap(lambda d: st.tuples(dags(d), dags(d))))
def test_shd_counts_pairs_that_differ(pair):
    true, est = pair
    d = len(true)
    expected = sum((true[i, j], true[j, i]) != (est[i, j], est[j, i]) for i in range(d) for j in range(i))
    assert metrics.shd(true, est, **ROW) == expected
    found = metrics.compare(true, est, **ROW)
    assert found.missing + found.extra + found.reversed == found.shd == expected


@given(st.integers(1, 5).flatmap(lambda d: st.tuples(dags(d), dags(d))))
def test_equivalent_graphs_have_no_distance_between_their_classes(pair):
    assert (metrics.shd_cpdag(*pair, **ROW) == 0) == equivalent(*pair)


@given(dags(4))
def test_cpdag_has_the_directions_that_all_equivalent_graphs_share(matrix):
    graph, names = plackett.Graph(matrix), ("x1", "x2", "x3", "x4")
    members = []
    for order in permutations(range(4)):
        ranks = np.argsort(order)
        member = np.where(ranks[:, None] < ranks[None, :], matrix + matrix.T, 0)
        if equivalent(member, matrix):
            members.append(member)
    common, some = np.minimum.reduce(members), np.maximum.reduce(members)
    directed = {(names[i], names[j]) for i, j in zip(*np.nonzero(common))}
    undirected = {frozenset((names[i], names[j])) for i, j in zip(*np.nonzero(some * some.T))}
    assert set(graph.cpdag.directed) == directed
    assert {frozenset(edge) for edge in graph.cpdag.undirected} == undirected


@given(st.integers(2, 5).flatmap(lambda d: st.tuples(dags(d), dags(d))))
def test_sid_counts_wrong_adjustments(pair):
    """Parents of i in the estimate must be a valid adjustment set for the effect of i on j in the truth."""
    true, est = (nx.DiGraph([(i, j) for i, j in zip(*np.nonzero(matrix))]) for matrix in pair)
    for graph in (true, est):
        graph.add_nodes_from(range(len(pair[0])))
    wrong = 0
    for i in true:
        parents, descendants = set(est.predecessors(i)), nx.descendants(true, i)
        for j in set(true) - {i}:
            if j in parents:
                wrong += j in descendants
                continue
            on_paths = {k for k in descendants if k == j or j in nx.descendants(true, k)}
            if any(parents & (nx.descendants(true, k) | {k}) for k in on_paths):
                wrong += 1
                continue
            cut = true.copy()
            cut.remove_edges_from([(i, k) for k in on_paths if true.has_edge(i, k)])
            wrong += not nx.is_d_separator(cut, {i}, {j}, parents)
    assert metrics.sid(*pair, **ROW) == wrong


@given(dags())
def test_direction_is_what_it_is_said_to_be(matrix):
    empty = np.zeros_like(matrix)
    columns = {"edge_direction": "column_to_row"}
    for metric in (metrics.shd, metrics.shd_cpdag, metrics.sid):
        assert metric(matrix.T, empty, **columns) == metric(matrix, empty, **ROW)
        assert metric(plackett.Graph(matrix), matrix.T, **columns) == 0


def test_directions_must_be_said():
    matrix = [[0, 1], [0, 0]]
    for metric in (metrics.shd, metrics.shd_cpdag, metrics.sid, metrics.compare):
        with pytest.raises(TypeError, match="edge_direction"):
            metric(matrix, matrix)
        with pytest.raises(plackett.PlackettError, match="edge_direction"):
            metric(matrix, matrix, edge_direction="sideways")
        with pytest.raises(TypeError):
            metric(matrix, matrix, "row_to_column")


def test_graphs_are_matched_by_name():
    true = plackett.Graph.from_edges([("a", "b"), ("b", "c")])
    same = plackett.Graph.from_edges([("b", "c"), ("a", "b")], names="cba")
    assert metrics.compare(true, same) == (0, 0, 0, 0, 0, 0)
    assert metrics.shd(true, same.to_networkx()) == 0
    network = plackett.load_network("asia")
    assert metrics.shd(network, network.graph) == 0
    with pytest.raises(plackett.PlackettError, match="only true has c; only est has d"):
        metrics.shd(true, plackett.Graph.from_edges([("a", "b")], names="abd"))
    with pytest.raises(plackett.PlackettError, match="undirected"):
        metrics.shd(true, nx.Graph([("a", "b")]))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1]], "square"),
        ([0, 1], "square"),
        ([[0, 1], [1, 0]], "cycle"),
        ([[1.0]], "cycle"),
        ([[0, np.nan], [0, 0]], "finite"),
        ([[0, np.inf], [0, 0]], "finite"),
        ([["a", "b"], ["c", "d"]], "numbers"),
        (np.zeros((3, 3)), "nodes"),
    ],
)
def test_wrong_matrices(matrix, message):
    with pytest.raises(plackett.PlackettError, match=message):
        metrics.shd(np.zeros((2, 2)), matrix, **ROW)
    if message != "nodes":
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.Graph(matrix)


class TestGraph:
    def test_both_ways_of_making_one(self):
        graph = plackett.Graph.from_edges([("a", "b", 2.0), ("c", "a", -1)], names="abc")
        assert graph.weights.tolist() == [[0, 2, 0], [0, 0, 0], [-1, 0, 0]]
        assert graph.adjacency.tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
        assert graph.edges == [("a", "b", 2.0), ("c", "a", -1.0)]
        assert graph.order == ["c", "a", "b"]
        assert len(graph) == 3 and repr(graph) == "<Graph of 3 nodes and 2 edges>"
        assert dict(graph.to_networkx().edges) == {
            ("a", "b"): {"weight": 2.0, "open": False},
            ("c", "a"): {"weight": -1.0, "open": False},
        }
        assert '"a" -> "b" [label="2", coefficient="2"]' in graph.to_dot()
        with pytest.raises(ValueError, match="read-only"):
            graph.weights[0, 0] = 1

    @pytest.mark.parametrize(
        ("edges", "names", "message"),
        [
            ([("a",)], None, "is no edge"),
            ([("a", "b"), ("b", "a")], None, "cycle"),
            ([("a", "b")], ["a"], "not in names"),
            ([], ["a", "a"], "two nodes are named"),
        ],
    )
    def test_wrong_edges(self, edges, names, message):
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.Graph.from_edges(edges, names)

    def test_wrong_names(self):
        with pytest.raises(plackett.PlackettError, match="1 names for 2 nodes"):
            plackett.Graph(np.zeros((2, 2)), ["a"])


class TestSem:
    def test_samples_have_the_covariance_of_the_model(self):
        model = plackett.simulate_sem(6, degree=2, noise=(0.5, 2.0), seed=3)
        weights, noise = model.graph.weights, np.diag(model.noise_deviations**2)
        inverse = np.linalg.inv(np.eye(6) - weights)
        np.testing.assert_allclose(model.covariance(), inverse.T @ noise @ inverse, rtol=1e-10, atol=1e-10)
        drawn = np.cov(model.sample(200_000, seed=0).T)
        np.testing.assert_allclose(drawn, model.covariance(), rtol=0.05, atol=0.05 * abs(drawn).max())

    def test_seeds(self):
        model = plackett.simulate_sem(4)
        assert np.array_equal(model.sample(9, seed=1)[:4], model.sample(4, seed=1))
        assert not np.array_equal(model.sample(4), model.sample(4))
        assert np.array_equal(plackett.simulate_sem(9).graph.weights, plackett.simulate_sem(9, seed=0).graph.weights)
        assert repr(model) == f"<Sem of 4 nodes and {len(model.graph.edges)} edges>"

    @pytest.mark.parametrize(
        "settings",
        [
            {"n_nodes": 0},
            {"n_nodes": 2.5},
            {"degree": -1},
            {"degree": 11},
            {"graph": "tree"},
            {"noise": (0.0, 1.0)},
            {"noise": (2.0, 1.0)},
            {"noise": 1.0},
            {"noise": ("a", "b")},
            {"seed": -1},
        ],
    )
    def test_wrong_settings(self, settings):
        with pytest.raises(plackett.PlackettError):
            plackett.simulate_sem(**settings)


class TestNetwork:
    def test_samples_follow_the_tables(self):
        network = plackett.load_network("asia")
        data = network.sample(100_000, seed=0)
        columns = data.to_dict()
        assert data.codes.shape == (100_000, 8) and len(data) == 100_000
        given_smoke = columns["lung"][columns["smoke"] == "yes"]
        # P(lung | smoke) is 0.1: five standard errors of 50,000 draws.
        assert abs((given_smoke == "yes").mean() - network.table("lung")[0, 0]) < 0.007
        np.testing.assert_array_equal(network.sample(7, seed=0).codes, data.codes[:7])
        assert not np.array_equal(network.sample(50).codes, network.sample(50).codes)

    def test_likelihood_is_a_sum_over_nodes(self):
        network = plackett.load_network("survey")
        data, total = network.sample(50, seed=1), 0.0
        for node, name in enumerate(network.names):
            parents = np.flatnonzero(network.graph.weights[:, node])
            places = tuple(data.codes[:, column] for column in (*parents, node))
            total += np.log(network.table(name)[places]).sum()
        assert network.log_likelihood(data) == pytest.approx(total)
        with pytest.raises(plackett.PlackettError, match="columns and states"):
            network.log_likelihood(plackett.load_network("asia").sample(5))

    def test_bif_files(self, tmp_path):
        network = plackett.load_network("insurance")
        path = tmp_path / "copy.bif"
        path.write_text(network.to_bif())
        copy = plackett.load_network(path)
        assert copy.states == network.states and copy.edges == network.edges
        for name in network.names:
            np.testing.assert_allclose(copy.table(name), network.table(name), atol=1e-15)
        path.write_text("network {")
        with pytest.raises(plackett.PlackettError, match="copy.bif, line 1"):
            plackett.load_network(path)

    def test_wrong_names(self, tmp_path):
        with pytest.raises(plackett.PlackettError, match="known are alarm, asia"):
            plackett.load_network("alarmed")
        with pytest.raises(FileNotFoundError):
            plackett.load_network(tmp_path / "none.bif")
        with pytest.raises(plackett.PlackettError, match="no node"):
            plackett.load_network("asia").table("africa")

    def test_frames(self):
        frame = plackett.load_network("cancer").sample(20, seed=0).to_pandas()
        assert list(frame.columns) == ["Pollution", "Smoker", "Cancer", "Xray", "Dyspnoea"]
        assert list(frame["Smoker"].cat.categories) == list(plackett.load_network("cancer").states["Smoker"])
