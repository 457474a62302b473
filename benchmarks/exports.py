"""Graphs and networks handed to other libraries and back: networkx, pydot, causal-learn, pgmpy and DoWhy read what is written, and what they
write is read. Every line of the table is a check that failed to find a difference; one that finds one ends with an error.
"""

import pathlib
import tempfile

import numpy as np
import pandas as pd
import report

import plackett


def arrows(graph):
    """The edges whose direction is known, and the others as sets."""
    known = {(a, b) for a, b, _ in graph.edges} - set(graph.open_edges)
    return known, {frozenset(edge) for edge in graph.open_edges}


def random_graphs(first, sets):
    """Graphs some of whose directions are open, as learned from data."""
    for seed in range(first, first + sets):
        model = plackett.simulate_sem(8, degree=2, noise=(0.5, 2.0), seed=seed)
        frame = pd.DataFrame(model.sample(300, seed=seed), columns=model.names)
        graph = plackett.learn_dag(frame, score="bic")
        graph.frame = frame
        yield graph


def by_networkx(graph):
    import networkx as nx

    for text, read in ((graph.to_graphml(), nx.parse_graphml), (graph.to_gml(), nx.parse_gml)):
        found = read(text)
        assert set(found.edges) == {(a, b) for a, b, _ in graph.edges}
        assert arrows(plackett.Graph.from_networkx(found)) == arrows(graph)
    for text in ("\n".join(nx.generate_graphml(graph.to_networkx())), "\n".join(nx.generate_gml(graph.to_networkx()))):
        assert arrows(plackett.Graph.from_text(text)) == arrows(graph)


def by_pydot(graph):
    import pydot

    (found,) = pydot.graph_from_dot_data(graph.to_dot())
    edges = {(edge.get_source().strip('"'), edge.get_destination().strip('"')) for edge in found.get_edges()}
    dashed = {
        frozenset((edge.get_source().strip('"'), edge.get_destination().strip('"')))
        for edge in found.get_edges()
        if edge.get("style") == "dashed"
    }
    assert edges == {(a, b) for a, b, _ in graph.edges} and dashed == arrows(graph)[1]
    assert arrows(plackett.Graph.from_text(found.to_string())) == arrows(graph)


def by_causal_learn(graph):
    from causallearn.utils.TXT2GeneralGraph import txt2generalgraph

    general = graph.to_causal_learn()
    assert arrows(plackett.Graph.from_causal_learn(general)) == arrows(graph)
    # Its own text, and ours in its reader.
    assert arrows(plackett.Graph.from_text(str(general))) == arrows(graph)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "graph.txt"
        path.write_text(graph.to_tetrad())
        assert np.array_equal(txt2generalgraph(str(path)).graph, general.graph)


def by_dowhy(graph):
    import networkx as nx
    from dowhy import CausalModel

    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, len(graph))), columns=graph.names)
    edges = {(a, b) for a, b, _ in graph.edges}
    for text in (graph.to_gml(), graph.to_dot(), graph.to_networkx()):
        model = CausalModel(frame, treatment=graph.names[0], outcome=graph.names[1], graph=text)
        found = model._graph._graph
        named = {(str(a).strip('"'), str(b).strip('"')) for a, b in found.edges}
        assert edges <= named, (edges - named)
    causal = graph.to_dowhy_gcm()
    assert set(causal.graph.edges) == edges and nx.is_directed_acyclic_graph(causal.graph)


def by_dowhy_gcm(graph):
    """What is fitted here draws there: raising a cause by one moves the mean by the effect."""
    from dowhy import gcm

    gcm.config.disable_progress_bars()
    gcm.config.set_default_n_jobs(1)
    gcm.util.general.set_random_seed(0)
    frame = graph.frame
    certain = plackett.Graph(graph.weights, graph.names)
    fitted = certain.fit(frame)
    causal = fitted.to_dowhy_gcm()
    pairs = [(a, b) for a in certain.names for b in certain.descendants(a)]
    cause, outcome = max(pairs, key=lambda pair: abs(certain.effect(*pair, frame).effect))
    moved = gcm.average_causal_effect(
        causal, outcome, interventions_alternative={cause: lambda x: 1.0}, interventions_reference={cause: lambda x: 0.0}, num_samples_to_draw=20000
    )
    total = np.linalg.inv(np.eye(len(certain)) - fitted.graph.weights)
    expected = total[certain.names.index(cause), certain.names.index(outcome)]
    deviation = np.sqrt(np.linalg.multi_dot([total.T, np.diag([row["variance"] for row in fitted.coefficients if row["from"] == "intercept"]), total]).diagonal()).max()
    assert abs(moved - expected) < 5 * deviation * np.sqrt(2 / 20000), (moved, expected)


def by_pgmpy(name):
    from pgmpy.readwrite import BIFReader

    network = plackett.load_network(name)
    other = network.to_pgmpy()
    assert other.check_model()
    again = plackett.BayesNet.from_pgmpy(other)
    for node in network.names:
        assert set(again.edges) == set(network.edges) and again.states[node] == network.states[node]
    # The axes of a table follow the names, which are the same nodes in another order there.
    for node in network.names:
        mine = [start for start in network.names if (start, node) in network.edges]
        theirs = [start for start in again.names if (start, node) in again.edges]
        axes = [theirs.index(parent) for parent in mine] + [len(mine)]
        np.testing.assert_allclose(np.transpose(again.table(node), axes), network.table(node))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "network.bif"
        path.write_text(network.to_bif())
        assert set(BIFReader(str(path)).get_model().edges()) == set(network.edges)


def main():
    told = report.arguments("exports", __doc__, 20)
    rows = []
    for check in (by_networkx, by_pydot, by_causal_learn, by_dowhy, by_dowhy_gcm):
        sets = told.sets
        for graph in random_graphs(told.first_seed, sets):
            check(graph)
        rows.append({"library": check.__name__[3:].replace("_", " "), "graphs": sets})
    names = ["asia", "survey"] if told.quick else ["asia", "survey", "cancer", "sachs", "child", "alarm", "insurance"]
    for name in names:
        by_pgmpy(name)
    rows.append({"library": "pgmpy", "graphs": len(names)})
    lines = ["| library | graphs there and back |", "| --- | ---: |", *(f"| {row['library']} | {row['graphs']} |" for row in rows)]
    report.give("exports", "\n".join(lines) + "\n", rows, told.out)


if __name__ == "__main__":
    main()
