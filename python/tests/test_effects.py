"""Fitted models, effects, inference, and graphs for other programs."""

import io
import itertools
import json
import pickle
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import plackett


@pytest.fixture(scope="module")
def model():
    return plackett.simulate_sem(6, degree=2, noise=(0.5, 2.0), seed=3)


@pytest.fixture(scope="module")
def data(model):
    return model.sample(400, seed=0)


class TestFit:
    def test_coefficients_and_errors_are_those_of_least_squares(self, model, data):
        fitted = model.graph.fit(data)
        weights = model.graph.weights
        for node, name in enumerate(model.names):
            parents = np.flatnonzero(weights[:, node])
            design = np.column_stack([np.ones(len(data)), data[:, parents]])
            slopes, _, _, _ = np.linalg.lstsq(design, data[:, node])
            rest = data[:, node] - design @ slopes
            variance = rest @ rest / (len(data) - design.shape[1])
            errors = np.sqrt(variance * np.diag(np.linalg.inv(design.T @ design)))
            found = [row for row in fitted.coefficients if row["to"] == name]
            assert [row["from"] for row in found] == ["intercept", *(model.names[parent] for parent in parents)]
            np.testing.assert_allclose([row["estimate"] for row in found], slopes, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose([row["error"] for row in found], errors, rtol=1e-9)
            np.testing.assert_allclose(found[0]["variance"], variance, rtol=1e-9)

    def test_tables_are_counts_with_a_prior(self):
        asia = plackett.load_network("asia")
        frame = asia.sample(500, seed=2).to_pandas()
        table = asia.graph.fit(frame, ess=3).table("dysp")
        counts = frame.groupby(["bronc", "either", "dysp"], observed=False).size().to_numpy().reshape(2, 2, 2) + 3 / 8
        np.testing.assert_allclose(table, counts / counts.sum(axis=2, keepdims=True), rtol=1e-12)

    def test_a_model_is_saved_and_read_to_the_last_bit(self, model, data, tmp_path):
        fitted = model.graph.fit(data)
        fitted.save(tmp_path / "model.json")
        again = plackett.FittedModel.read(tmp_path / "model.json")
        assert again.to_json() == fitted.to_json() == pickle.loads(pickle.dumps(fitted)).to_json()
        assert again.log_likelihood(data) == fitted.log_likelihood(data)
        text = json.dumps({**json.loads(fitted.to_json()), "version": 9})
        (tmp_path / "later.json").write_text(text)
        with pytest.raises(plackett.PlackettError, match="of version 9"):
            plackett.FittedModel.read(tmp_path / "later.json")

    def test_the_log_likelihood_is_that_of_the_normal_distribution(self, data):
        fitted = plackett.Graph(np.zeros((6, 6)), [f"x{node + 1}" for node in range(6)]).fit(data)
        variances = data.var(axis=0, ddof=1)
        expected = -0.5 * (((data - data.mean(axis=0)) ** 2 / variances).sum() + len(data) * np.log(2 * np.pi * variances).sum())
        np.testing.assert_allclose(fitted.log_likelihood(data), expected, rtol=1e-12)

    def test_a_column_is_predicted_from_all_others(self, model, data):
        fitted = model.graph.fit(data)
        weights = fitted.graph.weights
        noise = np.array([next(row["variance"] for row in fitted.coefficients if row["to"] == name) for name in model.names])
        # The precision matrix of the fitted model gives every conditional mean.
        turned = np.eye(6) - weights
        precision = turned @ np.diag(1 / noise) @ turned.T
        intercepts = np.array([row["estimate"] for row in fitted.coefficients if row["from"] == "intercept"])
        means = intercepts @ np.linalg.inv(turned)
        for node, name in enumerate(model.names):
            others = [other for other in range(6) if other != node]
            expected = means[node] - (data[:, others] - means[others]) @ precision[others, node] / precision[node, node]
            np.testing.assert_allclose(fitted.predict(data, name), expected, atol=1e-8)
            found = fitted.predict_distribution(data[:1], name)
            np.testing.assert_allclose(found["deviation"], precision[node, node] ** -0.5)

    def test_mixed_data_and_one_row(self):
        rng = np.random.default_rng(0)
        group = rng.choice(["a", "b"], 300)
        x = rng.normal(size=300) + (group == "b")
        frame = pd.DataFrame({"group": group, "x": x, "y": 2 * x * (group == "a") + rng.normal(size=300)})
        graph = plackett.Graph.from_edges([("group", "x"), ("group", "y"), ("x", "y")])
        fitted = graph.fit(frame)
        slopes = {row["given"]["group"]: row["estimate"] for row in fitted.coefficients if row["from"] == "x"}
        assert abs(slopes["a"] - 2) < 0.3 and abs(slopes["b"]) < 0.3
        assert fitted.predict(frame[:1], "group")[0] in ("a", "b")
        assert set(fitted.sample(50, seed=1, do={"group": "a"})["group"]) == {"a"}
        with pytest.raises(plackett.PlackettError, match="there are numbers"):
            fitted.to_network()

    def test_bad_input_is_told(self, model, data):
        fitted = model.graph.fit(data)
        with pytest.raises(plackett.PlackettError, match='"y"'):
            plackett.Graph.from_edges([("y", "x1")]).fit(pd.DataFrame(data, columns=model.names))
        with pytest.raises(plackett.PlackettError, match="no column|y"):
            fitted.predict(data, "y")
        with pytest.raises(plackett.PlackettError, match="ess"):
            model.graph.fit(data, ess=-1)
        with pytest.raises(plackett.PlackettError, match="no setting 'score'"):
            model.graph.fit(data, score="bic")
        asia = plackett.load_network("asia")
        few = asia.graph.fit(asia.sample(200, seed=0))
        strange = {name: ["maybe", "no"] for name in asia.names}
        with pytest.raises(plackett.PlackettError, match='"maybe", which is none of'):
            few.log_likelihood(strange)


class TestEffect:
    def test_an_effect_is_the_coefficient_given_the_adjustment_set(self, model, data):
        for cause, outcome in itertools.permutations(model.names, 2):
            found = model.graph.effect(cause, outcome, data)
            if outcome not in model.graph.descendants(cause):
                assert (found.effect, found.low, found.high) == (0, 0, 0) and found.values[0].is_absent
                continue
            places = [model.names.index(name) for name in (cause, *found.adjustment)]
            design = np.column_stack([data[:, places], np.ones(len(data))])
            slopes, _, _, _ = np.linalg.lstsq(design, data[:, model.names.index(outcome)])
            assert abs(found.effect - slopes[0]) < 1e-9 and found.low < found.effect < found.high
            assert model.graph.is_adjustment_set(cause, outcome, found.adjustment)

    def test_a_learned_graph_lists_what_is_open(self, data):
        found = plackett.learn_dag(data, score="bic")
        several = [
            effect
            for cause, outcome in itertools.permutations(found.names, 2)
            if (effect := found.effect(cause, outcome)).effect is None
        ]
        assert several and all(len(effect.values) > 1 and effect.adjustment is None for effect in several)
        effects = [value.effect for value in several[0].values]
        assert effects == sorted(effects) and several[0].low <= effects[0] and effects[-1] <= several[0].high
        assert f"{len(effects)} values" in str(several[0])

    def test_the_graph_may_be_another(self, data):
        found = plackett.learn_dag(data, score="bic")
        effect = found.effect("x1", "x2", bootstrap=10, progress=False)
        assert effect.resampling["replicates"] == 10
        assert (effect.low, effect.high) == (effect.resampling["low"], effect.resampling["high"])
        with pytest.raises(plackett.PlackettError, match="takes no other data"):
            found.effect("x1", "x2", data, bootstrap=10)

    def test_a_graph_that_was_sent_elsewhere_asks_for_data(self, data):
        found = plackett.learn_dag(data, score="bic")
        sent = pickle.loads(pickle.dumps(found))
        with pytest.raises(plackett.PlackettError, match="no longer with it"):
            sent.fit()
        assert sent.fit(data).to_json() == found.fit().to_json()

    def test_bad_questions_are_refused(self, model, data):
        for arguments, message in [
            ({"cause": "x1", "outcome": "x1"}, "the same"),
            ({"cause": "x1", "outcome": "y"}, '"y"'),
            ({"cause": "x1", "outcome": "x2", "level": 0}, "level is 0"),
            ({"cause": "x1", "outcome": "x2", "adjustment": "best"}, "adjustment is 'best'"),
            ({"cause": "x1", "outcome": "x2", "change": ("a", "b")}, "is for categories"),
        ]:
            with pytest.raises(plackett.PlackettError, match=message):
                model.graph.effect(data=data, **arguments)


def test_inference_is_that_of_all_configurations():
    network = plackett.load_network("survey")
    sums = {state: 0.0 for state in network.states["T"]}
    for states in itertools.product(*(range(len(network.states[name])) for name in network.names)):
        row = dict(zip(network.names, states, strict=True))
        if network.states["R"][row["R"]] != "big":
            continue
        # E is set, so that its own table does not count.
        if network.states["E"][row["E"]] != "uni":
            continue
        chance = 1.0
        for name in network.names:
            if name != "E":
                parents = [start for start, end in network.edges if end == name]
                chance *= network.table(name)[tuple(row[parent] for parent in parents)][row[name]]
        sums[network.states["T"][row["T"]]] += chance
    found = network.query("T", evidence={"R": "big"}, do={"E": "uni"})
    for state, total in sums.items():
        assert abs(found[state] - total / sum(sums.values())) < 1e-12
    with pytest.raises(plackett.PlackettError, match="none of"):
        network.query("T", evidence={"R": "huge"})


class TestFormats:
    @pytest.fixture
    def graph(self):
        graph = plackett.Graph.from_text('pdag { "a b" -- c; c -> d; "é" -> d }')
        assert graph.open_edges
        return graph

    def test_networkx_reads_what_is_written(self, graph):
        edges = {(start, end) for start, end, _ in graph.edges}
        for text, read in (
            (graph.to_graphml(), lambda text: nx.read_graphml(io.BytesIO(text.encode()))),
            (graph.to_gml(), nx.parse_gml),
        ):
            read_back = read(text)
            assert set(read_back.nodes) == set(graph.names) and set(read_back.edges) == edges
            assert {(a, b) for a, b, is_open in read_back.edges(data="open") if is_open} == set(graph.open_edges)
            assert plackett.Graph.from_text(text).open_edges == graph.open_edges
        again = plackett.Graph.from_networkx(graph.to_networkx())
        assert (again.edges, again.open_edges) == (graph.edges, graph.open_edges)

    def test_what_networkx_writes_is_read(self, graph):
        written = nx.DiGraph()
        written.add_nodes_from(["x", "y & z", '"q"'])
        written.add_edge("x", "y & z", weight=-0.25)
        written.add_edge("x", '"q"', weight=2)
        for text in ("\n".join(nx.generate_graphml(written)), "\n".join(nx.generate_gml(written))):
            read = plackett.Graph.from_text(text)
            assert read.names == ("x", "y & z", '"q"')
            assert read.edges == [("x", "y & z", -0.25), ("x", '"q"', 2.0)]

    @pytest.mark.parametrize("what", ["dot", "graphml", "gml", "dagitty"])
    def test_open_directions_survive(self, graph, what, tmp_path):
        (tmp_path / "graph").write_text(getattr(graph, f"to_{what}")(), encoding="utf-8")
        read = plackett.Graph.read(tmp_path / "graph")
        assert read.names == graph.names and read.open_edges == graph.open_edges

    def test_names_that_a_format_cannot_hold_are_refused(self, graph):
        for what in ("tetrad", "bnlearn"):
            with pytest.raises(plackett.PlackettError, match="cannot be written"):
                getattr(graph, f"to_{what}")()

    def test_a_learned_graph_has_support(self, data):
        found = plackett.learn_dag(data, score="bic", bootstrap=5, progress=False)
        edges = found.to_networkx().edges(data=True)
        assert all({"weight", "open", "support", "direction"} <= set(facts) for _, _, facts in edges)

    def test_cycles_and_unknown_nodes_are_told(self):
        with pytest.raises(plackett.PlackettError, match="the text: the graph has a cycle: a -> b -> a"):
            plackett.Graph.from_text("digraph { a -> b -> a }")
        graph = plackett.Graph.from_edges([("a", "b")])
        with pytest.raises(plackett.PlackettError, match='no node "c"'):
            graph.ancestors("c")


def test_several_causes_are_set_together() -> None:
    model = plackett.simulate_sem(6, degree=2, noise=(0.5, 2.0), seed=3)
    data = model.sample(4000, seed=0)
    weights = model.graph.weights
    outcome = model.graph.order[-1]
    causes = model.graph.ancestors(outcome)[:2]
    found = model.graph.effect(causes, outcome, data, level=0.999)
    assert isinstance(found, plackett.JointEffect)
    places = [model.names.index(cause) for cause in causes]
    cut = weights.copy()
    cut[:, places] = 0
    total = np.linalg.inv(np.eye(6) - cut)[:, model.names.index(outcome)]
    for cause, place in zip(causes, places, strict=True):
        part = found.values[0].parts[cause]
        assert part.low <= total[place] <= part.high
    assert found.low <= total[places].sum() <= found.high
    # One cause by itself is the same question as before, asked another way.
    alone = model.graph.effect([causes[0]], outcome, data)
    single = model.graph.effect(causes[0], outcome, data)
    assert alone.effect is not None
    assert single.effect is not None
    assert abs(alone.effect - single.effect) < 4 * single.values[0].standard_error
    learned = plackett.learn_dag(data, score="bic")
    resampled = learned.effect(causes, outcome, bootstrap=5)
    assert resampled.resampling is not None
    assert resampled.resampling["replicates"] == 5


def test_several_categories_are_set_together() -> None:
    asia = plackett.load_network("asia")
    rows = asia.sample(20000, seed=1)
    change = {"smoke": ("no", "yes"), "bronc": ("no", "yes")}
    found = asia.graph.effect(["smoke", "bronc"], "dysp", rows, change=change, state="yes")
    assert found.changes == change
    for states, expected in found.values[0].levels.items():
        truth = asia.query("dysp", do=dict(zip(found.causes, states, strict=True)))
        assert abs(expected["yes"][0] - truth["yes"]) < 0.03
    for wrong, word in (({"change": ("no", "yes")}, "dict"), ({"adjustment": "parents"}, "one cause"), ({"change": {"tub": ("no", "yes")}}, "tub")):
        with pytest.raises(plackett.PlackettError, match=word):
            asia.graph.effect(["smoke", "bronc"], "dysp", rows, **wrong)  # type: ignore[call-overload]


@pytest.mark.parametrize("ending", ["csv", "json", "dot", "gv", "graphml", "gml", "dagitty", "tetrad", "txt", "bnlearn"])
def test_graphs_are_saved_by_the_ending_of_the_name(ending: str, tmp_path: Path) -> None:
    graph = plackett.Graph.from_text("pdag { a -- b; b -> c; d -> c }")
    path = tmp_path / f"graph.{ending}"
    graph.save(path)
    again = plackett.Graph.read(path)
    assert {(a, b) for a, b, _ in again.edges} == {(a, b) for a, b, _ in graph.edges}
    assert again.open_edges == ([] if ending in ("csv", "bnlearn") else graph.open_edges)


def test_an_ending_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(plackett.PlackettError, match="graphml"):
        plackett.Graph.from_edges([("a", "b")]).save(tmp_path / "graph.xyz")
