"""Statistics from batches, files and engines, weights, and covariance matrices."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import plackett


@pytest.fixture(scope="module")
def numbers() -> NDArray[np.float64]:
    return plackett.simulate_sem(6, degree=2, seed=1).sample(2000, seed=0)


@pytest.fixture(scope="module")
def frame(numbers: NDArray[np.float64]) -> pd.DataFrame:
    return pd.DataFrame(numbers, columns=[f"x{column + 1}" for column in range(6)])


@pytest.fixture(scope="module")
def words() -> pd.DataFrame:
    sample = plackett.load_network("asia").sample(3000, seed=2)
    return pd.DataFrame(
        {name: np.array(sample.states[name])[sample.codes[:, at]] for at, name in enumerate(sample.names)}
    )


@pytest.fixture(scope="module")
def mixed(frame: pd.DataFrame) -> pd.DataFrame:
    grades = pd.cut(frame["x4"], [-np.inf, -1.0, 0.5, np.inf], labels=["low", "middle", "top"])
    # One grade comes late, so that the first parts do not know it.
    grades = grades.astype(str).mask(frame.index > 1950, "late")
    return frame.assign(x4=grades, x6=np.where(frame["x6"] > 0, "yes", "no"))


def equivalent(found: plackett.LearnedGraph, expected: plackett.LearnedGraph) -> None:
    # Sums in another order differ by rounding, which decides between graphs of one class.
    assert found.cpdag == expected.cpdag
    assert found.score == pytest.approx(expected.score, rel=1e-9)


def same(found: plackett.LearnedGraph, expected: plackett.LearnedGraph) -> None:
    equivalent(found, expected)
    np.testing.assert_array_equal(found.adjacency, expected.adjacency)


@pytest.mark.parametrize("data", ["frame", "words", "mixed"])
def test_batches_of_any_sort_are_the_data(data: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    frame = request.getfixturevalue(data)
    expected = plackett.learn_dag(frame)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, tmp_path / "data.parquet", row_group_size=500)
    relation = duckdb.sql(f"select * from '{tmp_path / 'data.parquet'}'")
    sources: list[Any] = [
        iter([frame[:700], frame[700:]]),
        iter(table.to_batches(max_chunksize=400)),
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=999)),
        pl.from_pandas(frame).lazy(),
        relation,
    ]
    for source in sources:
        statistics = plackett.Statistics(source)
        assert statistics.rows == len(frame)
        same(plackett.learn_dag(statistics), expected)
    same(plackett.learn_dag(duckdb.sql(f"select * from '{tmp_path / 'data.parquet'}'")), expected)
    same(plackett.learn_dag(pl.from_pandas(frame).lazy()), expected)


def test_statistics_are_saved_sent_and_merged(
    frame: pd.DataFrame, words: pd.DataFrame, mixed: pd.DataFrame, tmp_path: Path
) -> None:
    for data in (frame, words, mixed):
        parts = [plackett.Statistics(data[start : start + 600]) for start in range(0, len(data), 600)]
        whole = plackett.Statistics().merge(*parts[:2], *(part.to_bytes() for part in parts[2:]))
        assert pickle.loads(pickle.dumps(whole)).to_bytes() == whole.to_bytes()
        whole.save(tmp_path / "whole")
        assert plackett.Statistics.load(tmp_path / "whole").rows == len(data)
        expected = plackett.learn_dag(data)
        equivalent(plackett.learn_dag(tmp_path / "whole"), expected)
        equivalent(plackett.learn_dag(plackett.Statistics().update(tmp_path / "whole")), expected)
        assert expected.score_name in whole.scores
    assert repr(plackett.Statistics()) == "<Statistics: empty>"
    assert repr(plackett.Statistics(mixed)) == "<Statistics: 2000 rows, 6 columns, mixed>"
    assert plackett.Statistics(words).distinct_rows < 200
    damaged = bytearray(plackett.Statistics(words).to_bytes())
    damaged[100] ^= 1
    for wrong, message in (
        (lambda: plackett.Statistics().merge(bytes(damaged)), "checksum"),
        (lambda: plackett.Statistics(frame).merge(plackett.Statistics(words)), "not those expected"),
        (lambda: plackett.Statistics().names, "empty"),
        (lambda: plackett.Statistics(iter([])), "no batch"),
        (lambda: plackett.learn_dag(plackett.Statistics(frame), kind="discrete"), "needs rows"),
        (lambda: plackett.learn_dag(plackett.Statistics(mixed), score="nal"), "serve dg and cg"),
    ):
        with pytest.raises(plackett.PlackettError, match=message):
            wrong()


def test_rows_beyond_memory_are_summed_up() -> None:
    data = np.random.default_rng(0).normal(size=(200_000, 3))
    data[:, 2] += data[:, 0]
    held, summed = plackett.learn_dag(data), plackett.learn_dag(data, memory=1)
    same(summed, held)
    assert summed.input["fingerprint"] == held.input["fingerprint"]


def test_a_dask_cluster_sums_up_where_the_data_are(
    frame: pd.DataFrame, words: pd.DataFrame, mixed: pd.DataFrame
) -> None:
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster):
        for data in (frame, words, mixed):
            statistics = plackett.Statistics(dd.from_pandas(data, npartitions=11))
            assert statistics.rows == len(data)
            equivalent(plackett.learn_dag(statistics), plackett.learn_dag(data))


def test_weights_are_numbers_of_rows(frame: pd.DataFrame, words: pd.DataFrame) -> None:
    for data in (frame[:500], words[:500]):
        weights = np.arange(len(data)) % 3
        repeated = data.loc[data.index.repeat(weights)]
        expected = plackett.learn_dag(repeated)
        same(plackett.learn_dag(data, weights=weights), expected)
        found = plackett.learn_dag(data.assign(w=weights), weights="w")
        same(found, expected)
        assert "by which n = 499" in found.input["notes"][0]
    relative = plackett.learn_dag(frame, weights=np.linspace(0.5, 1.5, len(frame)))
    assert "by which n = 1846" in relative.input["notes"][0]
    for wrong, message in (
        ({"weights": -np.ones(2000)}, "negative"),
        ({"weights": np.ones(7)}, "size"),
        ({"weights": "nothing"}, "no column"),
    ):
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.learn_dag(frame, **wrong)
    with pytest.raises(plackett.PlackettError, match="count rows"):
        plackett.learn_dag(words, weights=np.full(3000, 0.5))


def test_a_covariance_matrix_is_worth_its_rows(frame: pd.DataFrame, tmp_path: Path) -> None:
    expected = plackett.learn_dag(frame, score="bic")
    covariance = frame.cov(ddof=0)
    for found in (
        plackett.learn_dag(covariance, covariance=2000, score="bic"),
        plackett.learn_dag(covariance.to_numpy(), covariance=2000, names=list(frame.columns), score="bic"),
    ):
        equivalent(found, expected)
    path = tmp_path / "d.cov.txt"
    rows = [" ".join(repr(float(x)) for x in covariance.to_numpy()[row, : row + 1]) for row in range(6)]
    path.write_text("\n".join(["2000", " ".join(frame.columns), *rows]))
    equivalent(plackett.learn_dag(path, score="bic"), expected)
    for wrong, message in (
        ({"covariance": True}, "covariance=N"),
        ({"covariance": 2000, "center": False}, "center=False needs the means"),
        ({"covariance": 2000, "kind": "discrete"}, "needs rows"),
    ):
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.learn_dag(covariance, **wrong)


def test_orders_of_categories_are_kept() -> None:
    values = ["low", "high", "low", "middle"] * 20
    grade = pd.Categorical(values, categories=["low", "middle", "high"], ordered=True)
    other = pl.Series(values, dtype=pl.Enum(["low", "middle", "high"]))
    y = np.arange(80) % 2
    for data in (pd.DataFrame({"grade": grade, "y": y}), pl.DataFrame({"grade": other, "y": y})):
        found = plackett.learn_dag(data)
        assert found.kind == "discrete"


def test_a_constant_column_is_a_node_without_edges(frame: pd.DataFrame) -> None:
    with pytest.warns(plackett.PlackettWarning, match='"c" is constant'):
        found = plackett.learn_dag(frame.assign(c=1.0))
    assert found.cpdag.directed == plackett.learn_dag(frame).cpdag.directed
    with pytest.warns(plackett.PlackettWarning, match='"x1" is constant'):
        assert len(plackett.learn_dag(np.array([["a", "b"], ["a", "c"]] * 20)).edges) == 0


def test_what_counts_each_row_once_refuses_weights(frame: pd.DataFrame) -> None:
    words = frame.assign(word=["x", "y"] * (len(frame) // 2))
    with pytest.raises(plackett.PlackettError, match="weighs the rows.*weights=None"):
        plackett.learn_dag(words, weights=np.ones(len(frame)))
    holes = frame.copy()
    holes.iloc[3, 0] = np.nan
    with pytest.raises(plackett.PlackettError, match='rows that have weights.*missing="drop" keeps'):
        plackett.learn_dag(holes, weights=np.ones(len(frame)), missing="em")
    with pytest.raises(plackett.PlackettError, match="in which nothing is missing"):
        plackett.Statistics(holes, missing="em")


def workbook(path: Path, rows: list[list[Any]]) -> None:
    """A small workbook, as Excel would write it but for its styles."""
    import zipfile
    from xml.sax.saxutils import escape

    def cell(value: Any) -> str:
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        return "<c/>" if value is None else f"<c><v>{value!r}</v></c>"

    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
            'ContentType="application/xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook {space} xmlns:r="{office}"><sheets><sheet name="trial" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/worksheet" '
            'Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet {space}><sheetData>{body}</sheetData></worksheet>")


def test_workbooks_are_read(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.xlsx"
    workbook(path, [list(frame.columns), *frame[:300].to_numpy().tolist()])
    found = plackett.learn_dag(path)
    same(found, plackett.learn_dag(frame[:300]))
    assert found.input["notes"] == ['the sheet "trial" of a workbook']
    workbook(path, [["a", "b"], [1.5, 2.0], [None, 1.0], [3.5, 7.0]])
    with pytest.raises(plackett.PlackettError, match='column "a": the value is missing'):
        plackett.learn_dag(path)
    path.write_bytes(b"PK\x03\x04 no workbook")
    with pytest.raises(plackett.PlackettError, match="workbook cannot be read"):
        plackett.learn_dag(path)


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip", "lz4"])
def test_parquet_files_are_read(compression: str, frame: pd.DataFrame, words: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    for data in (frame, words):
        table = pa.Table.from_pandas(data, preserve_index=False)
        pq.write_table(table, path, compression=compression, row_group_size=700)
        found = plackett.learn_dag(path)
        same(found, plackett.learn_dag(data))
        assert found.input["fingerprint"] == plackett.learn_dag(data).input["fingerprint"]
        assert plackett.Statistics(path).rows == len(data)


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "lz4"])
def test_arrow_files_are_read(compression: str, frame: pd.DataFrame, words: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.arrow"
    graded = words.assign(grade=pd.Categorical(["low", "high"] * (len(words) // 2), ["low", "high"], ordered=True))
    for data in (frame, words, graded):
        feather.write_feather(data, path, compression=compression, chunksize=700)
        found = plackett.learn_dag(path)
        expected = plackett.learn_dag(data)
        same(found, expected)
        assert found.input["fingerprint"] == expected.input["fingerprint"]
        assert found.input["columns"] == expected.input["columns"]
        assert [column["is_ordered"] for column in found.input["columns"]] == [name == "grade" for name in data.columns]
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(plackett.PlackettError, match="Arrow file cannot be read"):
        plackett.learn_dag(path)


def test_types_of_parquet_columns_are_honored(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    rows = np.arange(60)
    table = pa.table(
        {
            "flag": pa.array(rows % 3 == 0),
            "half": pa.array((rows * 7 % 31 + 0.5).astype(np.float32)),
            "count": pa.array(rows * 11 % 59, pa.int64()),
            "when": pa.array(rows, pa.timestamp("ms")),
            "gaps": pa.array([None if row % 7 == 3 else float(row) for row in rows * 13 % 61]),
        }
    )
    pq.write_table(table, path)
    with pytest.raises(plackett.PlackettError, match='"when" is of a type'):
        plackett.learn_dag(path)
    found = plackett.learn_dag(path, columns=["half", "count"])
    assert [column["kind"] for column in found.input["columns"]] == ["numbers", "numbers"]
    with pytest.warns(plackett.PlackettWarning, match="9 of 60 rows .* left out"):
        dropped = plackett.learn_dag(path, columns=["half", "count", "gaps"], missing="drop")
    assert dropped.input["columns"][2]["missing"] == 9
    with pytest.raises(plackett.PlackettError, match="no column"):
        plackett.learn_dag(path, drop=["nothing"])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(plackett.PlackettError, match="Parquet file cannot be read"):
        plackett.learn_dag(path)
