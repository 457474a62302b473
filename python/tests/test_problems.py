"""Published problems from Python: their values by definition, and searches that find the best of all orders."""

from itertools import permutations

import numpy as np
import pytest

import plackett

RNG = np.random.default_rng(3)
A, B = RNG.integers(0, 20, (2, 6, 6)).astype(float)
TIMES = RNG.integers(1, 20, (6, 3))
POINTS = RNG.uniform(size=(6, 2))


def makespan(order):
    ends = np.zeros(3)
    for job in order:
        for machine in range(3):
            ends[machine] = max(ends[machine], ends[machine - 1] if machine else 0) + TIMES[job, machine]
    return ends[-1]


PROBLEMS = {
    "qap": (plackett.problems.qap(A, B), lambda o: (A * B[np.ix_(o, o)]).sum(), min),
    "tsp": (plackett.problems.tsp(POINTS), lambda o: np.linalg.norm(POINTS[o] - POINTS[np.roll(o, -1)], axis=1).sum(), min),
    "pfsp": (plackett.problems.flow_shop(TIMES), makespan, min),
    "lop": (plackett.problems.linear_ordering(A), lambda o: np.triu(A[np.ix_(o, o)], 1).sum(), max),
    "assignment": (plackett.problems.assignment(A), lambda o: A[np.arange(6), o].sum(), min),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_values_and_the_best_of_all_orders(kind):
    problem, value, better = PROBLEMS[kind]
    orders = [np.array(order) for order in permutations(range(6))]
    for order in orders[::50]:
        assert problem.value(order) == pytest.approx(value(order))
    best = better(value(order) for order in orders)
    found = problem.solve(max_evaluations=20_000)
    assert found.value == pytest.approx(best) and problem.value(found.order) == pytest.approx(best)
    assert found.trace[-1].value == found.value and found.status in ("evaluations", "target")
    assert problem.kind == kind and problem.n_items == 6 and problem.is_maximizing == (better is max)
    assert repr(problem).startswith(f"<{kind} ")


def test_constraints_limits_and_seeds():
    problem = PROBLEMS["pfsp"][0]
    bound = problem.solve(max_evaluations=5_000, before=[(4, 0)], pins={2: 1})
    ranks = np.argsort(bound.order)
    assert ranks[4] < ranks[0] and ranks[2] == 1
    assert problem.solve(patience=5_000).status == "patience"
    assert problem.solve(time_limit=0.05).status == "time"
    assert problem.solve(target=1e9, max_evaluations=10**9).status == "target"
    first, second = (problem.solve(max_evaluations=3_000, seed=5) for _ in range(2))
    assert first.order.tolist() == second.order.tolist()


@pytest.mark.parametrize("kind", PROBLEMS)
def test_as_many_evaluations_are_made_as_were_asked_for(kind):
    problem = PROBLEMS[kind][0]
    for asked in (1, 17, 1_000):
        solved = problem.solve(max_evaluations=asked, target=-np.inf if not problem.is_maximizing else np.inf)
        assert (solved.evaluations, solved.status) == (asked, "evaluations")


@pytest.mark.parametrize("kind", PROBLEMS)
def test_windows_of_ranks(kind):
    problem, value, best = PROBLEMS[kind]
    allowed = [o for o in permutations(range(6)) if o.index(2) in (1, 2) and o.index(4) in (3, 4) and o.index(0) < 2]
    solved = problem.solve(max_evaluations=20_000, ranks={2: (1, 2), 4: (3, 4), 0: (0, 1)})
    assert solved.value == pytest.approx(best(value(np.array(o)) for o in allowed))
    assert tuple(solved.order.tolist()) in allowed


def test_files_and_what_is_known_of_them(tmp_path):
    path = tmp_path / "four.dat"
    path.write_text("4 110\n0 1 2 3\n1 0 5 4\n2 5 0 6\n3 4 6 0\n\n0 9 1 2\n9 0 3 1\n1 3 0 4\n2 1 4 0\n")
    problem = plackett.problems.read(path, kind="qap")
    assert problem.name == "four" and problem.best_known == 110
    assert problem.solve(max_evaluations=1000).gap == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: plackett.problems.tsp([1.0, 2.0]), "matrix is needed"),
        (lambda: plackett.problems.tsp([[0, np.nan], [1, 0]]), "NaN|finite"),
        (lambda: plackett.problems.qap(A, B[:5]), "5 rows"),
        (lambda: plackett.problems.qap(A, B[:5, :5]), "25"),
        (lambda: plackett.problems.flow_shop([[-1.0]]), "negative"),
        (lambda: plackett.problems.flow_shop(TIMES).value([0, 1]), "6 are needed"),
        (lambda: plackett.problems.flow_shop(TIMES).value([0, 0, 1, 2, 3, 4]), "0"),
        (lambda: plackett.problems.flow_shop(TIMES).solve(method="magic"), "magic"),
        (lambda: plackett.problems.flow_shop(TIMES).solve(time_limit=0), "time_limit"),
        (lambda: plackett.problems.flow_shop(TIMES).solve(before=[(0, 9)]), "9"),
        (lambda: plackett.problems.read("x.dat", kind="sat"), "sat"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(plackett.PlackettError, match=message):
        make()
