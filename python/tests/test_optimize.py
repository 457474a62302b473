"""Minimizing black boxes: asked and told, in threads, in processes and on a cluster."""

import _thread
import itertools
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import permutations

import numpy as np
import pytest
from failing import Mine, broken

import plackett

METHODS = ["default", "insertion", "pl-relax", "pl-reinforce", "pl-relax+insertion", "pl-surrogate"]
WANTED = np.array([3, 1, 4, 0, 2, 5])


def distance(order):
    return float(abs(order - WANTED).sum())


def longer(order):
    return float(abs(order[:6] - WANTED).sum())


def distances(orders):
    return abs(orders - WANTED).sum(axis=1)


def deadly(order):
    if order.tolist() == [2, 0, 3, 1]:
        os._exit(3)
    return float(order[0])


def sleepy(order):
    if order.tolist() == [2, 0, 3, 1]:
        time.sleep(1e6)
    return float(order[0])


class TestMinimize:
    @pytest.mark.parametrize("method", METHODS)
    def test_finds_the_order(self, method):
        best = plackett.minimize(distance, 6, method=method, max_evaluations=5000)
        assert best.order.tolist() == WANTED.tolist() and best.value == 0 and best.failures == 0
        if method == "default":  # there are no more orders
            assert best.status == "finished" and best.evaluations == 720
        else:
            assert best.status == "evaluations" and best.evaluations == 5000

    def test_finds_the_best_of_all_orders(self):
        cost = np.random.default_rng(0).normal(size=(7, 7))

        def tour(order):
            return cost[order, np.roll(order, -1)].sum()

        exact = min(tour(np.array(order)) for order in permutations(range(7)))
        best = plackett.minimize(tour, 7, method="insertion", moves=["insert", "swap", "reverse"])
        assert best.value == pytest.approx(exact)
        assert plackett.minimize(tour, 7).value == pytest.approx(exact)

    def test_values_rank_by_rank(self):
        def parts(order):
            return abs(order - WANTED).astype(float)

        best = plackett.minimize(parts, 6, method="pl", target=0, max_evaluations=20000)
        assert best.order.tolist() == WANTED.tolist()

    def test_limits(self):
        best = plackett.minimize(distance, 6, target=4)
        assert best.status == "target" and best.value <= 4
        best = plackett.minimize(longer, 12, time_limit=0.1)
        assert best.status == "time" and best.seconds >= 0.1
        assert plackett.minimize(distance, 6, max_evaluations=7).evaluations == 7
        assert plackett.minimize(longer, 8).evaluations == 10_000
        best = plackett.minimize(distance, 6, start=WANTED, patience=20)
        assert best.status == "patience" and best.evaluations == 21
        best = plackett.minimize(longer, 8, callback=lambda evaluation: evaluation.evaluations == 9)
        assert best.status == "callback" and best.evaluations == 9

    def test_one_item(self):
        best = plackett.minimize(lambda order: 1.0, 1, max_evaluations=3)
        assert best.order.tolist() == [0] and best.evaluations == 1

    def test_no_order_is_asked_twice(self):
        seen = []
        best = plackett.minimize(lambda order: seen.append(tuple(order)) or distance(order[:6]), 9, max_evaluations=3000)
        assert len(set(seen)) == len(seen) == best.evaluations == 3000

    def test_the_trace_and_the_callback_tell_of_everything(self):
        told = []
        best = plackett.minimize(distance, 6, max_evaluations=200, callback=told.append)
        assert [evaluation.evaluations for evaluation in told] == list(range(1, 201))
        assert all(evaluation.value == distance(evaluation.order) for evaluation in told)
        assert told[-1].best == best.value == best.trace[-1].value
        values = [point.value for point in best.trace]
        assert values == sorted(values, reverse=True)
        assert [told[point.evaluations - 1].value for point in best.trace] == values

    def test_starts(self):
        first = []
        plackett.minimize(lambda order: first.append(order.tolist()) or 1.0, 3, start=[[2, 1, 0], [0, 2, 1]], max_evaluations=2)
        assert first == [[2, 1, 0], [0, 2, 1]]
        assert plackett.minimize(distance, 6, start=WANTED, max_evaluations=1).value == 0

    def test_a_choice_of_items(self):
        best = plackett.minimize(lambda chosen: -float(chosen @ [3, 2, 1]), 12, top=3)
        assert best.order.tolist() == [11, 10, 9] and best.status == "finished" and best.evaluations == 12 * 11 * 10
        with ThreadPoolExecutor(2) as executor:
            again = plackett.minimize(lambda chosen: -float(chosen @ [3, 2, 1]), 12, top=3, executor=executor)
        assert again.order.tolist() == [11, 10, 9]
        batched = plackett.minimize(lambda chosen: -(chosen @ [3.0, 2, 1]), 12, top=3, batch=True)
        assert batched.order.tolist() == [11, 10, 9]

    def test_several_orders_at_once(self):
        def both(orders):
            left, right = orders
            assert sorted(left) == [0, 1, 2, 3] and sorted(right) == [0, 1, 2]
            return float(abs(left - [2, 0, 3, 1]).sum() + abs(right - [1, 2, 0]).sum())

        best = plackett.minimize(both, [4, 3])
        assert [part.tolist() for part in best.order] == [[2, 0, 3, 1], [1, 2, 0]] and best.evaluations == 24 * 6
        started = plackett.minimize(both, [4, 3], start=([2, 0, 3, 1], [1, 2, 0]), max_evaluations=1)
        assert started.value == 0
        assert plackett.minimize(both, [4, 3], method="pl-reinforce", max_evaluations=300).evaluations == 300

    def test_noise_is_averaged_and_not_picked(self):
        rng = np.random.default_rng(4)
        for noise in (True, "detect"):
            lowest = []

            def noisy(order):
                lowest.append(distance(order) + 3 * rng.standard_normal())
                return lowest[-1]

            best = plackett.minimize(noisy, 6, noise=noise, max_evaluations=2000)
            assert best.value > min(lowest) and 0 < best.error < 1.5
            assert abs(best.value - distance(best.order)) < 5 * best.error
            assert distance(best.order) <= 4
        assert plackett.minimize(distance, 6, noise="detect", max_evaluations=50).error is None

    def test_autosave_goes_on(self, tmp_path):
        path = tmp_path / "run.json"
        first = plackett.minimize(longer, 8, max_evaluations=300, autosave=path)
        again = plackett.minimize(longer, 8, max_evaluations=500, autosave=path)
        assert first.evaluations == 300 and again.evaluations == 500
        assert plackett.minimize(lambda order: 1 / 0, 8, max_evaluations=500, autosave=path).value == again.value
        with pytest.raises(plackett.PlackettError, match="other items or settings"):
            plackett.minimize(longer, 8, seed=1, autosave=path)

    @pytest.mark.parametrize("method", METHODS)
    def test_who_evaluates_makes_no_difference(self, method):
        settings = {"method": method, "max_evaluations": 600, "seed": 3, "window": 5}
        seen = []
        alone = plackett.minimize(lambda order: seen.append(order.tolist()) or distance(order), 6, **settings)
        batched = plackett.minimize(distances, 6, batch=True, **settings)
        with ThreadPoolExecutor(4) as executor:
            threaded = plackett.minimize(distance, 6, executor=executor, **settings)
        assert len(seen) == 600
        for other in (batched, threaded):
            assert other.order.tolist() == alone.order.tolist()
            np.testing.assert_array_equal(other.optimizer.scores, alone.optimizer.scores)
            assert other.optimizer.status == alone.optimizer.status

    def test_constraints_are_kept(self):
        def checked(order):
            ranks = np.argsort(order)
            assert ranks[5] < ranks[0] and ranks[2] == 1 and 3 <= ranks[4] <= 4
            return distance(order)

        for method in ("default", "insertion", "pl-reinforce", "pl-relax", "pl-relax+insertion", "pl-surrogate"):
            best = plackett.minimize(checked, 6, method=method, before=[(5, 0)], pins={2: 1}, ranks={4: (3, 4)}, max_evaluations=500)
            assert best.order[1] == 2

    def test_a_bar_on_demand(self, capsys):
        plackett.minimize(lambda order: time.sleep(0.001) or distance(order), 6, max_evaluations=300, progress=True)
        assert "best" in capsys.readouterr().err
        plackett.minimize(distance, 6, max_evaluations=300)
        assert capsys.readouterr().err == ""

    def test_interruption_returns_the_best_so_far(self):
        def interrupting(after):
            count = itertools.count(1)

            def evaluated(order):
                if next(count) == after:
                    _thread.interrupt_main()
                return distance(order)

            return evaluated

        best = plackett.minimize(interrupting(100), 6, max_evaluations=600)
        assert best.status == "interrupted" and best.value == distance(best.order)
        with ThreadPoolExecutor(2) as executor:
            slow = plackett.minimize(interrupting(100), 6, max_evaluations=600, executor=executor)
        assert slow.status == "interrupted"
        resumed = plackett.minimize(distance, optimizer=slow.optimizer, target=0)
        assert resumed.order.tolist() == WANTED.tolist()

    def test_interruption_before_the_first_value(self):
        def stuck(order):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            plackett.minimize(stuck, 6)


class TestExecutors:
    def test_processes(self):
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
            best = plackett.minimize(distance, 6, executor=executor, max_evaluations=200)
        assert best.order.tolist() == plackett.minimize(distance, 6, max_evaluations=200, window=8).order.tolist()

    def test_a_process_that_dies_is_replaced(self):
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(2, mp_context=context) as executor:
            best = plackett.minimize(deadly, 4, executor=executor, on_error="skip")
        assert best.status == "finished" and best.evaluations == 24 and best.failures == 1
        with ProcessPoolExecutor(2, mp_context=context) as executor, pytest.raises(BrokenExecutor):
            plackett.minimize(deadly, 4, executor=executor)
        made = []

        def make():
            made.append(ProcessPoolExecutor(2, mp_context=context))
            return made[-1]

        again = plackett.minimize(deadly, 4, executor=make, on_error="skip")
        assert again.failures == 1 and len(made) == 3  # broken by all together, then by the one alone

    def test_evaluations_that_hang(self):
        release = threading.Event()

        def hanging(order):
            if order[0] == 0 and order[1] == 1:
                release.wait()
            return distance(np.concatenate([order, [4, 5]]))

        alone = plackett.minimize(hanging, 4, timeout=0.2)
        assert alone.failures == 2 and alone.evaluations == 24 and alone.status == "finished"
        with ThreadPoolExecutor(3) as executor:
            threaded = plackett.minimize(hanging, 4, executor=executor, timeout=0.2)
            assert threaded.failures == 2
            # Nothing is left to evaluate anything, and the time is up all the same.
            stuck = plackett.minimize(lambda order: order[0] == 1 and release.wait() or 0.0, 4, executor=executor, time_limit=0.5)
            assert stuck.status == "time"
            release.set()

    def test_processes_that_hang_are_killed(self):
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
            best = plackett.minimize(sleepy, 4, executor=executor, timeout=10.0)
        assert best.failures == 1 and best.evaluations == 24

    def test_a_slow_answer_does_not_stop_the_others(self):
        # The first evaluation does not end before seven others have begun: whoever waited for it in batches of less would hang.
        begun, enough = itertools.count(1), threading.Event()

        def slow(order):
            number = next(begun)
            if number == 8:
                enough.set()
            if number == 1:
                assert enough.wait(600)
            return distance(order)

        with ThreadPoolExecutor(2) as executor:
            best = plackett.minimize(slow, 6, executor=executor, max_evaluations=30, window=8)
        assert best.evaluations == 30

    @pytest.mark.filterwarnings("ignore")
    def test_a_dask_cluster_of_two_processes(self, tmp_path):
        distributed = pytest.importorskip("distributed")
        wanted, folder = WANTED.tolist(), str(tmp_path)

        def remote(order):
            with open(os.path.join(folder, str(os.getpid())), "w"):
                pass
            return float(sum(abs(item - goal) for item, goal in zip(order.tolist(), wanted)))

        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            best = plackett.minimize(remote, 6, executor=client.get_executor(), max_evaluations=200)
            with pytest.raises(ZeroDivisionError):
                plackett.minimize(lambda order: 1 / 0, 6, executor=client.get_executor())
        assert best.order.tolist() == plackett.minimize(distance, 6, max_evaluations=200, window=8).order.tolist()
        processes = os.listdir(tmp_path)
        assert len(processes) == 2 and str(os.getpid()) not in processes

    def test_exceptions_end_the_run_at_once(self):
        with ThreadPoolExecutor(2) as executor, pytest.raises(KeyError, match="mine"):
            plackett.minimize(lambda order: {}["mine"], 6, executor=executor)


class TestOptimizer:
    @pytest.mark.parametrize("method", METHODS)
    def test_saved_states_go_on_alike(self, method, tmp_path):
        def advance(optimizer, rounds):
            for _ in range(rounds):
                for proposal in optimizer.ask():
                    optimizer.tell(proposal, distance(proposal.order))

        whole = plackett.Optimizer(6, method=method, max_evaluations=400, seed=1)
        advance(whole, 5)
        whole.save(tmp_path / "state.json")
        copies = [
            plackett.Optimizer.load(tmp_path / "state.json"),
            plackett.Optimizer.from_json(whole.to_json()),
            pickle.loads(pickle.dumps(whole)),
        ]
        advance(whole, 20)
        for copy in copies:
            advance(copy, 20)
            assert copy.status == whole.status
            assert copy.best[1] == whole.best[1] and copy.best[0].tolist() == whole.best[0].tolist()
            np.testing.assert_array_equal(copy.scores, whole.scores)

    def test_minimize_goes_on_from_a_saved_state(self, tmp_path):
        optimizer = plackett.Optimizer(7, max_evaluations=800, seed=5)
        first = plackett.minimize(longer, optimizer=optimizer, max_evaluations=300)
        first.optimizer.save(tmp_path / "state.json")
        resumed = plackett.minimize(longer, optimizer=plackett.Optimizer.load(tmp_path / "state.json"), max_evaluations=800)
        whole = plackett.minimize(longer, 7, max_evaluations=800, seed=5)
        assert resumed.evaluations == whole.evaluations == 800
        assert resumed.optimizer.to_json() == whole.optimizer.to_json()

    def test_answers_in_any_order_and_from_any_thread(self):
        def run(shuffle):
            optimizer = plackett.Optimizer(6, method="pl-reinforce", samples=8)
            for _ in range(20):
                asked = optimizer.ask(8)
                if shuffle:
                    with ThreadPoolExecutor(4) as executor:
                        list(executor.map(lambda p: optimizer.tell(p, distance(p.order)), asked[::-1]))
                else:
                    for proposal in asked:
                        optimizer.tell(proposal, distance(proposal.order))
            return optimizer

        assert run(True).to_json() == run(False).to_json()

    def test_maximizing(self):
        optimizer = plackett.Optimizer(6, maximize=True)
        for _ in range(720):
            for proposal in optimizer.ask():
                optimizer.tell(proposal, -distance(proposal.order))
        assert optimizer.best[0].tolist() == WANTED.tolist()
        assert repr(optimizer) == "<Optimizer of 6 items, best -0.0>"

    def test_failures_and_foreign_orders(self):
        optimizer = plackett.Optimizer(4, method="pl-relax", samples=4)
        first, second, third, fourth = optimizer.ask()
        optimizer.tell_failed(first, "no license")
        optimizer.tell(second, np.nan)
        optimizer.tell(third, 3)
        optimizer.tell(fourth, np.float32(2))
        optimizer.tell([3, 2, 1, 0], 1.0)
        status = optimizer.status
        assert (status.asked, status.told, status.failed, status.pending, status.foreign) == (4, 2, 2, 0, 1)
        assert optimizer.best[0].tolist() == [3, 2, 1, 0] and optimizer.best[1] == 1.0
        assert optimizer.pending() == [] and optimizer.mode().shape == (4,)

    def test_parts(self):
        optimizer = plackett.Optimizer(3, method="pl")
        (proposal,) = optimizer.ask(1)
        optimizer.tell(proposal, [1.0, 2.0, 3.0])
        assert optimizer.best[1] == 6.0
        (proposal,) = optimizer.ask(1)
        with pytest.raises(plackett.PlackettError, match="3 are needed"):
            optimizer.tell(proposal, [1.0, 2.0])

    def test_wrong_answers(self):
        optimizer = plackett.Optimizer(3, method="pl-relax")
        (proposal,) = optimizer.ask(1)
        for value in ("1", None, [1.0, 2.0], 1j):
            with pytest.raises(plackett.PlackettError, match="a number is needed"):
                optimizer.tell(proposal, value)
        optimizer.tell(proposal, 1.0)
        with pytest.raises(plackett.PlackettError):
            optimizer.tell(proposal, 1.0)  # again
        for order in ([0, 0, 1], [0, 1], [0, 1, 3], [-1, 0, 1], [0.0, 1.0, 2.0], 3, [[0, 1, 2]]):
            with pytest.raises(plackett.PlackettError):
                optimizer.tell(order, 1.0)
        with pytest.raises(plackett.PlackettError, match="not a proposal"):
            optimizer.tell_failed([0, 1, 2])
        with pytest.raises(plackett.PlackettError, match="n is"):
            optimizer.ask(-1)

    @pytest.mark.parametrize("text", ["", "{}", "[1]", '{"plackett_state": "optimizer", "version": 99}', "\0"])
    def test_wrong_states(self, text, tmp_path):
        with pytest.raises(plackett.PlackettError):
            plackett.Optimizer.from_json(text)

    def test_files_that_cannot_be_written(self, tmp_path):
        with pytest.raises(plackett.PlackettError, match="none"):
            plackett.Optimizer(3).save(tmp_path / "none" / "state.json")
        with pytest.raises(FileNotFoundError):
            plackett.Optimizer.load(tmp_path / "state.json")


class TestBadInput:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"n_items": 0}, "n_items"),
            ({"n_items": -3}, "n_items"),
            ({"n_items": 2.5}, "n_items"),
            ({"n_items": None}, "n_items"),
            ({"method": "magic"}, "method"),
            ({"max_evaluations": 0}, "max_evaluations"),
            ({"time_limit": 0}, "time_limit"),
            ({"time_limit": np.nan}, "time_limit"),
            ({"target": np.nan}, "target"),
            ({"target": "low"}, "target"),
            ({"samples": 1}, "samples"),
            ({"learning_rate": -1.0}, "learning_rate"),
            ({"learning_rate": np.nan}, "learning_rate"),
            ({"hidden": 0}, "hidden"),
            ({"moves": [], "method": "insertion"}, "moves"),
            ({"moves": ["hop"], "method": "insertion"}, "hop"),
            ({"moves": ["swap"]}, "method insertion"),
            ({"window": 0}, "window"),
            ({"top": 0}, "top"),
            ({"top": 7}, "top is 7"),
            ({"noise": "loud"}, "noise"),
            ({"noise": True, "method": "pl-reinforce"}, "noisy values with a gradient"),
            ({"start": [0, 1]}, "entries where 6"),
            ({"start": 3}, "start"),
            ({"timeout": 0}, "timeout"),
            ({"patience": 0}, "patience"),
            ({"callback": 3}, "callback"),
            ({"executor": 3}, "executor"),
            ({"n_items": [2, 0]}, "n_items"),
            ({"n_items": []}, "n_items"),
            ({"n_items": [2, 2], "top": 1}, "top"),
            ({"n_items": [3, 3], "start": [0, 1]}, "start"),
            ({"moves": "insert"}, "moves"),
            ({"before": [(0, 1), (1, 0)]}, "0"),
            ({"before": [(0, 9)]}, "9"),
            ({"before": [3]}, "pairs"),
            ({"pins": {0: 1, 1: 1}}, "1"),
            ({"ranks": {0: (3, 2)}}, "ranks 3 to 2"),
            ({"ranks": {0: 3}}, "dictionary"),
            ({"ranks": [(0, 1, 2)]}, "dictionary"),
            ({"maximize": True}, "minimizes"),
            ({"seed": -1}, "seed"),
            ({"on_error": "ignore"}, "on_error"),
            ({"optimizer": plackett.Optimizer(6), "seed": 1}, "settings of its own"),
            ({"optimizer": plackett.Optimizer(5)}, "settings of its own"),
            ({"batch": True, "executor": ThreadPoolExecutor()}, "executor"),
        ],
    )
    def test_settings(self, settings, message):
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.minimize(distance, **{"n_items": 6, **settings})

    def test_unknown_settings(self):
        with pytest.raises(TypeError, match="speed"):
            plackett.minimize(distance, 6, speed=9)
        with pytest.raises(plackett.PlackettError, match="a function is needed"):
            plackett.minimize(3, 6)

    @pytest.mark.parametrize("answer", ["1.0", None, [1.0, 2.0], 1j, np.nan, np.inf])
    def test_answers_that_are_no_numbers(self, answer):
        with pytest.raises(plackett.PlackettError, match=r"on \["):
            plackett.minimize(lambda order: answer, 3)

    def test_exceptions_come_through_as_they_are(self):
        for batch in (False, True):
            with pytest.raises(Mine, match="by design"):
                plackett.minimize(broken, 3, batch=batch)

    def test_failures_that_are_skipped(self):
        def fussy(order):
            if order[0] == 0:
                raise RuntimeError("not this one")
            return np.nan if order[0] == 1 else distance(order)

        best = plackett.minimize(fussy, 6, on_error="skip", max_evaluations=700)
        assert best.failures > 0 and best.order[0] not in (0, 1)
        with pytest.raises(plackett.PlackettError, match="something is wrong with f"):
            plackett.minimize(lambda order: np.nan, 6, on_error="skip")

    def test_orders_cannot_be_changed_by_the_function(self):
        with pytest.raises(ValueError, match="read-only"):
            plackett.minimize(lambda order: order.sort(), 3)


class _Plain(ThreadPoolExecutor):
    """As joblib's loky has it: without a way to cancel what has not begun."""

    def shutdown(self, wait=True):
        super().shutdown(wait=wait)


def test_an_executor_that_can_only_be_shut_down():
    found = plackett.minimize(distance, 6, max_evaluations=200, executor=_Plain, window=4)
    assert found.value == plackett.minimize(distance, 6, max_evaluations=200, window=4).value


class _Stoppable(Executor):
    """As an executor on a cluster may have it: what has begun, and here never ends if item 0 is first, can be stopped."""

    def __init__(self):
        self.stopped = []

    def submit(self, function, /, order):
        future = Future()
        future.set_running_or_notify_cancel()
        future.cancel = lambda: self.stopped.append(order.tolist())
        if order[0] != 0:
            future.set_result(function(order))
        return future


def test_what_takes_too_long_is_canceled():
    executor = _Stoppable()
    found = plackett.minimize(distance, 6, max_evaluations=30, start=[0, 1, 2, 3, 4, 5], executor=executor, timeout=0.05, on_error="skip")
    assert [0, 1, 2, 3, 4, 5] in executor.stopped and len(executor.stopped) == found.failures


_SHARED = """
import sys
import plackett

def slow(order):
    return float(sum(abs(rank - item) for rank, item in enumerate(order.tolist())))

found = plackett.minimize(slow, 25, max_evaluations=150, journal=sys.argv[1], seed=3)
print(found.value)
"""


class TestJournal:
    def test_processes_share_a_run(self, tmp_path):
        path = tmp_path / "run.journal"
        call = [sys.executable, "-c", _SHARED, str(path)]
        both = [subprocess.Popen(call, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        values = [float(process.communicate(timeout=100)[0]) for process in both]
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert lines[0] == {"plackett": "journal", "version": 1, "items": 25, "objective": "slow of 25, top None"}
        told = [line for line in lines[1:] if "order" in line]
        assert {line["by"] for line in told} == {0, 1}
        assert len({tuple(line["order"]) for line in told}) > 0.95 * len(told), "with one seed they ask different orders"
        assert min(values) == min(line["value"] for line in told)
        with path.open("a") as journal:
            journal.write('{"by":0,"order":[3,')  # a process died here
        third = float(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
        assert third <= min(values)

    def test_nothing_is_evaluated_twice_and_failures_are_written_down(self, tmp_path):
        path, asked = tmp_path / "run.journal", []

        def f(order):
            asked.append(tuple(order.tolist()))
            if order[0] == 3:
                raise ValueError("no")
            return float(order[0])

        for _ in range(2):
            found = plackett.minimize(f, 4, journal=path, on_error="skip")
            assert found.status == "finished"
            assert found.value == 0
        values = [order for order in asked if order[0] != 3]
        assert len(values) == len(set(values)) == 18
        assert '"failed":"ValueError: no"' in path.read_text()

    def test_what_does_not_go_together(self, tmp_path):
        path = tmp_path / "run.journal"
        for wrong in ({"noise": True}, {"autosave": tmp_path / "state"}, {"method": "pl"}):
            with pytest.raises(plackett.PlackettError, match="shared by a journal"):
                plackett.minimize(lambda order: 0.0, 3, journal=path, **wrong)
        plackett.minimize(lambda order: 0.0, 3, journal=path, max_evaluations=2)
        with pytest.raises(plackett.PlackettError, match="of a run with 3 items"):
            plackett.minimize(lambda order: 0.0, 4, journal=path)
