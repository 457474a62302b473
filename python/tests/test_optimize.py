"""Minimizing black boxes: asked and told, in threads, in processes and on a cluster."""

import _thread
import itertools
import multiprocessing
import os
import pickle
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import permutations

import numpy as np
import pytest
from failing import Mine, broken

import plackett

METHODS = ["insertion", "pl-relax", "pl-reinforce", "pl-relax+insertion"]
WANTED = np.array([3, 1, 4, 0, 2, 5])


def distance(order):
    return float(abs(order - WANTED).sum())


def distances(orders):
    return abs(orders - WANTED).sum(axis=1)


class TestMinimize:
    @pytest.mark.parametrize("method", METHODS)
    def test_finds_the_order(self, method):
        best = plackett.minimize(distance, 6, method=method, max_evaluations=5000)
        assert best.order.tolist() == WANTED.tolist() and best.value == 0
        assert best.status == "evaluations" and best.evaluations == 5000 and best.failures == 0

    def test_finds_the_best_of_all_orders(self):
        cost = np.random.default_rng(0).normal(size=(7, 7))

        def tour(order):
            return cost[order, np.roll(order, -1)].sum()

        exact = min(tour(np.array(order)) for order in permutations(range(7)))
        best = plackett.minimize(tour, 7, moves=["insert", "swap", "reverse"])
        assert best.value == pytest.approx(exact)

    def test_values_rank_by_rank(self):
        def parts(order):
            return abs(order - WANTED).astype(float)

        best = plackett.minimize(parts, 6, method="pl", target=0, max_evaluations=20000)
        assert best.order.tolist() == WANTED.tolist()

    def test_limits(self):
        best = plackett.minimize(distance, 6, target=4)
        assert best.status == "target" and best.value <= 4
        best = plackett.minimize(distance, 6, time_limit=0.1)
        assert best.status == "time" and best.seconds >= 0.1
        assert plackett.minimize(distance, 6, max_evaluations=7).evaluations == 7
        assert plackett.minimize(distance, 6).evaluations == 10_000

    def test_one_item(self):
        assert plackett.minimize(lambda order: 1.0, 1, max_evaluations=3).order.tolist() == [0]

    @pytest.mark.parametrize("method", METHODS)
    def test_who_evaluates_makes_no_difference(self, method):
        settings = {"method": method, "max_evaluations": 600, "seed": 3}
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
            assert ranks[5] < ranks[0] and ranks[2] == 1
            return distance(order)

        for method in ("insertion", "pl-reinforce"):
            best = plackett.minimize(checked, 6, method=method, before=[(5, 0)], pins={2: 1}, max_evaluations=500)
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

        best = plackett.minimize(interrupting(100), 6, max_evaluations=10**9)
        assert best.status == "interrupted" and best.value == distance(best.order)
        with ThreadPoolExecutor(2) as executor:
            slow = plackett.minimize(interrupting(100), 6, max_evaluations=10**9, executor=executor)
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
        assert best.order.tolist() == plackett.minimize(distance, 6, max_evaluations=200).order.tolist()

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
        assert best.order.tolist() == plackett.minimize(distance, 6, max_evaluations=200).order.tolist()
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
        first = plackett.minimize(distance, 6, max_evaluations=300, seed=5)
        first.optimizer.save(tmp_path / "state.json")
        resumed = plackett.minimize(distance, optimizer=plackett.Optimizer.load(tmp_path / "state.json"), max_evaluations=800)
        whole = plackett.minimize(distance, 6, max_evaluations=800, seed=5)
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
        for _ in range(400):
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
            ({"moves": []}, "moves"),
            ({"moves": ["hop"]}, "hop"),
            ({"moves": "insert"}, "moves"),
            ({"before": [(0, 1), (1, 0)]}, "0"),
            ({"before": [(0, 9)]}, "9"),
            ({"before": [3]}, "pairs"),
            ({"pins": {0: 1, 1: 1}}, "1"),
            ({"before": [(0, 1)], "method": "pl-relax"}, "RELAX with constraints"),
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

        best = plackett.minimize(fussy, 6, on_error="skip", max_evaluations=2000)
        assert best.failures > 0 and best.order[0] not in (0, 1)
        with pytest.raises(plackett.PlackettError, match="something is wrong with f"):
            plackett.minimize(lambda order: np.nan, 6, on_error="skip")

    def test_orders_cannot_be_changed_by_the_function(self):
        with pytest.raises(ValueError, match="read-only"):
            plackett.minimize(lambda order: order.sort(), 3)
