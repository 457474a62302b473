"""What notebooks show: pictures, tables, figures for matplotlib, frames and a bar, in a kernel as people have it."""

import html.parser
import xml.etree.ElementTree as ET

import matplotlib
import nbclient
import nbformat
import numpy as np
import pandas as pd
import polars as pl
import pytest

import plackett
from plackett import _notebook

matplotlib.use("agg")
MODEL = plackett.simulate_sem(5, degree=2, seed=1)
ROWS = MODEL.sample(300, seed=0)

CELLS = [
    "import matplotlib.pyplot as plt, numpy as np, pandas as pd, plackett\nmodel = plackett.simulate_sem(5, degree=2, seed=1)",
    "plackett.Graph.from_edges([('rain', 'wet', 1.5), ('sprinkler', 'wet', -0.5)])",
    "found = plackett.learn_dag(pd.DataFrame(model.sample(100, seed=0), columns=model.names), score='bic', bootstrap=20, progress=True)\nfound",
    "plackett.load_network('asia')",
    "model",
    "plackett.minimize(lambda order: float(order[0]), 4, max_evaluations=20)",
    "found.edges_frame()",
    "found.plot();",
]


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    # Its own warnings are no matter of ours.
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def of_kind(outputs, kind):
    return [output["data"][kind] for output in outputs if kind in output.get("data", {})]


def check_html(text):
    """Every element is closed, and nothing runs."""
    open_tags = []

    class Checker(html.parser.HTMLParser):
        def handle_starttag(self, tag, attrs):
            assert tag not in ("script", "img", "iframe"), tag
            open_tags.append(tag)

        def handle_startendtag(self, tag, attrs):
            pass

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Checker().feed(text)
    assert open_tags == []


@pytest.mark.parametrize(("cell", "words"), [(1, ["rain", "sprinkler"]), (2, ["x1", "strength", "adjacent"]), (3, ["smoke"]), (4, ["x5"])])
def test_graphs_show_as_pictures(outputs, cell, words):
    shown = of_kind(outputs[cell], "text/html")[-1]
    check_html(shown)
    assert "<svg" in shown and all(word in shown for word in words)
    ET.fromstring(of_kind(outputs[cell], "image/svg+xml")[-1])


def test_an_optimum_shows_as_a_table(outputs):
    shown = of_kind(outputs[5], "text/html")[-1]
    check_html(shown)
    assert "evaluations" in shown and "value" in shown


def test_figures_and_frames_show_as_those_of_their_libraries(outputs):
    assert "<table" in of_kind(outputs[6], "text/html")[0]
    assert of_kind(outputs[7], "image/png")


def test_a_bar_shows_in_a_notebook_and_leaves_nothing(outputs):
    # The bar is a display that is updated in place, and empty in the end.
    bars = [output for output in outputs[2] if output.output_type == "display_data"]
    assert len(bars) == 1 and bars[0]["data"]["text/html"] == ""
    assert not [output for output in outputs[2] if output.output_type == "stream"]


def test_names_with_markup_are_only_text():
    names = ["<script>alert(1)</script>", '"><img src=x>', "a & b", "$x$", "long " * 20]
    found = plackett.learn_dag(pd.DataFrame(ROWS, columns=names))
    for shown in (found._repr_html_(), plackett.Graph(found.weights, names)._repr_html_()):
        check_html(shown)
        assert "&lt;script&gt;" in shown
    ET.fromstring(found._repr_svg_())
    found.plot().figure.canvas.draw()


def test_a_figure_has_every_node_and_arrow_on_the_axes_that_it_is_given():
    figure, (left, right) = matplotlib.pyplot.subplots(1, 2)
    assert MODEL.plot(left) is left and not right.texts
    arrows = [patch for patch in left.patches if isinstance(patch, matplotlib.patches.FancyArrowPatch)]
    assert len(arrows) == len(MODEL.graph.edges) and {text.get_text() for text in left.texts} == set(MODEL.names)
    places = {text.get_text(): text.get_position() for text in left.texts}
    assert all(places[start][1] < places[end][1] for start, end, _ in MODEL.graph.edges) and left.yaxis_inverted()
    # An arrow ends at its effect.
    ends = {tuple(np.round(arrow._posA_posB[1], 6)) for arrow in arrows}
    assert ends == {tuple(np.round(places[end], 6)) for _, end, _ in MODEL.graph.edges}
    plackett.Graph(np.zeros((3, 3))).plot().figure.canvas.draw()
    plackett.Graph(np.zeros((0, 0))).plot()
    matplotlib.pyplot.close("all")


def test_frames_have_all_that_is_said_of_an_edge():
    found = plackett.learn_dag(ROWS, score="bic", bootstrap=10)
    frame, other = found.edges_frame(), found.edges_frame("polars")
    assert isinstance(frame, pd.DataFrame) and isinstance(other, pl.DataFrame)
    assert list(frame.columns) == other.columns and {"from", "to", "weight", "strength", "direction", "adjacent", "forward"} <= set(frame.columns)
    assert len(frame) == len(found.edges) == len(other)
    row = frame.iloc[0]
    assert row["adjacent"] == found.support.of(row["from"], row["to"])["adjacent"]
    assert list(plackett.Graph(np.zeros((2, 2))).edges_frame().columns) == ["from", "to", "weight"]
    with pytest.raises(plackett.PlackettError, match="pandas or polars"):
        found.edges_frame("spark")


def test_long_tables_are_cut():
    rows = [{"a": number, "b": None} for number in range(30)]
    shown = _notebook.table(rows, "all_of_it")
    assert shown.count("<tr>") == 21 and "10 more" in shown and "<th" in shown and ">b<" not in shown
