"""Reading speed, and data that do not fit in memory: rows of 20 columns a second, beside polars' reader of the same file in the
same run, one thread each, and the peak memory of a process that learns from 10⁷ rows in a Parquet file.

What plackett does includes kinds, warnings, fingerprint and moments, by which a graph could be learned; polars only parses.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import report

COLUMNS = 20
LEVELS = np.array(["low", "middle", "high"])


def write_text(folder, rows):
    """A file of numbers and a file of words."""
    rng = np.random.default_rng(1)
    names = [f"x{column + 1}" for column in range(COLUMNS)]
    numbers, words = folder / "numbers.csv", folder / "words.csv"
    pl.DataFrame(rng.normal(size=(rows, COLUMNS)), schema=names).write_csv(numbers)
    pl.DataFrame({name: LEVELS[rng.integers(0, 3, rows)] for name in names}).write_csv(words)
    return {"numbers": numbers, "words": words}


def write_parquet(path, rows):
    """Rows of a linear model, written in row groups."""
    rng = np.random.default_rng(2)
    names = [f"x{column + 1}" for column in range(COLUMNS)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, 100_000):
            count = min(100_000, rows - start)
            data = rng.normal(size=(count, COLUMNS))
            for column in range(1, COLUMNS):
                data[:, column] += 0.5 * data[:, column - 1]
            writer.write_table(pa.Table.from_arrays(list(data.T.copy()), schema=schema))


def seconds(action, times):
    """The shortest time of the processor."""
    best = np.inf
    for _ in range(times):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


# The peak is the kernel's mark of this process; getrusage would tell that of the parent, which had the data.
STATISTICS = """
import json, pathlib, sys, time
import plackett
start = time.perf_counter()
if sys.argv[1] == "none":
    rows = 0
elif sys.argv[1] == "file":
    rows = plackett.Statistics(sys.argv[2]).rows
else:
    import duckdb
    rows = plackett.Statistics(duckdb.sql(f"select * from '{sys.argv[2]}'")).rows
status = pathlib.Path("/proc/self/status").read_text().splitlines()
peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
print(json.dumps({"rows": rows, "seconds": time.perf_counter() - start, "peak_mib": peak}))
"""


def summed_up(how, path):
    """Sums a file up in a process of its own."""
    done = subprocess.run([sys.executable, "-c", STATISTICS, how, str(path)], check=True, capture_output=True, text=True)
    # An engine may show its progress before.
    return json.loads(done.stdout.strip().splitlines()[-1])


def markdown(result):
    text = f"# Reading\n\nMade by `./scripts/benchmark reading`. {__doc__}\n## Text files\n\n"
    text += "| file | rows | plackett, rows a second | polars, rows a second | ours / theirs |\n" + "| --- " * 5 + "|\n"
    for kind, found in result["text"].items():
        ours, theirs = found["plackett"], found["polars"]
        text += f"| {COLUMNS} columns of {kind} | {found['rows']:,} | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.2f} |\n"
    text += "\n## More rows than are held\n\nA process of its own; the first line is one that reads nothing.\n\n"
    text += "| from | rows | seconds | peak MiB |\n" + "| --- " * 4 + "|\n"
    for how, found in result["parquet"].items():
        text += f"| {how} | {found['rows']:,} | {found['seconds']:.1f} | {found['peak_mib']:.0f} |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    import plackett

    rows, times, many = (50_000, 2, 300_000) if arguments.quick else (500_000, 5, 10_000_000)
    result = {"columns": COLUMNS, "text": {}, "parquet": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind, path in write_text(folder, rows).items():
            ours = seconds(lambda path=path: plackett.Statistics(path), times)
            theirs = seconds(lambda path=path: pl.read_csv(path), times)
            result["text"][kind] = {"rows": rows, "plackett": rows / ours, "polars": rows / theirs}
            print(f"{kind}: plackett {rows / ours:,.0f} rows a second, polars {rows / theirs:,.0f}")
        path = folder / "many.parquet"
        write_parquet(path, many)
        for how in ("none", "file", "duckdb"):
            try:
                found = summed_up(how, path)
            except subprocess.CalledProcessError as error:
                print(f"{how}: {error.stderr.strip().splitlines()[-1]}")
                continue
            result["parquet"][how] = found
            print(f"{how}: {found['rows']:,} rows in {found['seconds']:.1f} s, peak {found['peak_mib']:.0f} MiB")
    report.give("reading", markdown(result), result, arguments.out)


if __name__ == "__main__":
    main()
