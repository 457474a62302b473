"""Statistics from engines, under fire: Dask loses a worker in the middle of a run, and Spark sums up by `mapInArrow`, where
there is a Java runtime. Both must give the statistics of the whole."""

import os
import shutil
import signal
import sys
import time

import numpy as np
import pandas as pd

import plackett

ROWS, PARTS = 40_000, 20


def frame():
    data = plackett.simulate_sem(8, degree=2, seed=1).sample(ROWS, seed=0)
    return pd.DataFrame(data, columns=[f"x{column + 1}" for column in range(8)])


def slow(part, victim):
    """A partition that takes a while; the first one to run kills its own worker."""
    time.sleep(0.2)
    try:
        os.close(os.open(victim, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return part
    os.kill(os.getpid(), signal.SIGKILL)


def with_dask(data, folder):
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    victim = os.path.join(folder, "killed")
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster):
            parts = dd.from_pandas(data, npartitions=PARTS).map_partitions(slow, victim, meta=data.iloc[:0])
            statistics = plackett.Statistics(parts, kind="continuous")
    assert os.path.exists(victim), "no worker was killed"
    return statistics


def with_spark(data):
    import pyarrow as pa
    from pyspark.sql import SparkSession

    # These two functions are the recipe of the documentation.
    def summed_up(batches):
        statistics = plackett.Statistics(batches, kind="continuous")
        yield pa.RecordBatch.from_pydict({"part": [statistics.to_bytes()]})

    def merged(rows):
        return plackett.Statistics().merge(*(bytes(row.part) for row in rows))

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        spark = session.createDataFrame(data).repartition(PARTS)
        return merged(spark.mapInArrow(summed_up, "part binary").collect())
    finally:
        session.stop()


def check(name, statistics, expected):
    assert statistics.rows == ROWS, f"{name}: {statistics.rows} rows"
    found = plackett.learn_dag(statistics)
    assert found.cpdag == expected.cpdag and np.isclose(found.score, expected.score, rtol=1e-9), name
    print(f"{name}: {statistics.rows:,} rows, the same graph")


def main():
    import tempfile

    data = frame()
    expected = plackett.learn_dag(data)
    with tempfile.TemporaryDirectory() as folder:
        check("Dask, a worker killed", with_dask(data, folder), expected)
    if shutil.which("java") is None:
        print("Spark: there is no Java runtime, so that it is left out")
        return
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    check("Spark", with_spark(data), expected)


if __name__ == "__main__":
    main()
