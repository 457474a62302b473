"""What calls cost, beside plain numpy where that does the same: run `python python/benches/calls.py` after a release build.

Plain numpy has no log space: it gives up where scores are spread over more than about 700.
"""

import subprocess
import sys
import time

import numpy as np

import plackett


def seconds(call, repeats=5):
    """The shortest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def plain_sample(scores, n, rng):
    return np.argsort(-(scores - np.log(-np.log(rng.uniform(size=(n, len(scores)))))), axis=1)


def plain_log_prob(scores, orders):
    ranked = scores[orders]
    ranked = ranked - ranked.max(axis=1, keepdims=True)
    return (ranked - np.log(np.cumsum(np.exp(ranked)[:, ::-1], axis=1)[:, ::-1])).sum(axis=1)


IMPORT = """
import time
import numpy
start = time.process_time()
import plackett
print(time.process_time() - start)
"""


def importing():
    """Beside numpy, which takes about 0.12 s: together they should stay below 0.2 s."""
    runs = [subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True) for _ in range(3)]
    print(f"importing, beside numpy: {min(float(run.stdout) for run in runs) * 1e3:.0f} ms")


def batches():
    for items, n in ((10, 100_000), (100, 10_000)):
        rng = np.random.default_rng(0)
        scores = rng.normal(size=items)
        law = plackett.PlackettLuce(scores)
        orders = law.sample(n, seed=0)
        np.testing.assert_allclose(law.log_prob(orders), plain_log_prob(scores, orders))
        sample = seconds(lambda: law.sample(n, seed=1)), seconds(lambda: plain_sample(scores, n, rng))
        log_prob = seconds(lambda: law.log_prob(orders)), seconds(lambda: plain_log_prob(scores, orders))
        for name, (ours, plain) in (("sample", sample), ("log_prob", log_prob)):
            print(f"{name}, {items} items: {ours / n * 1e9:.0f} ns an order, plain numpy {plain / n * 1e9:.0f} ns")


def single_calls():
    critic, calls = plackett.critics.Network(8), 1000

    def estimates():
        for seed in range(calls):
            plackett.estimate(np.zeros(8), lambda order: 1.0, estimator="relax", critic=critic, seed=seed)

    print(f"a RELAX estimate, 8 items, 1 sample: {seconds(estimates) / calls * 1e6:.0f} us")
    evaluations = 20_000
    for method in ("insertion", "pl-relax"):
        took = seconds(lambda: plackett.minimize(lambda order: 0.0, 20, method=method, max_evaluations=evaluations), 3)
        print(f"minimize by {method}, 20 items: {took / evaluations * 1e6:.1f} us an evaluation beside the function's own")


if __name__ == "__main__":
    importing()
    batches()
    single_calls()
