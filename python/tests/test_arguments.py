"""Arrays come in many forms: every argument takes all those that hold the same numbers, refuses the others by name, and leaves what it was
given as it was."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import plackett
from plackett import critics, metrics, problems

SCORES = np.array([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5], [0.25, 3.0, 0.0]])
ORDERS = np.array([[2, 0, 1], [0, 1, 2], [1, 2, 0]])
SQUARE = np.array([[0.0, 2.0, 1.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
DISTANCES = SQUARE + SQUARE.T
ROWS = plackett.simulate_sem(3, degree=2, seed=1).sample(60, seed=0)
WEIGHTS = np.arange(60) % 3 + 1.0

CRITIC = critics.Network(3, hidden=4, seed=0)
LAW = plackett.PlackettLuce(SCORES[0])


def learned(data: Any, **settings: Any) -> Any:
    return plackett.learn_dag(data, seed=0, **settings).weights


def float_of_first(order: Any) -> float:
    return float(order[0])


def told(orders: Any) -> Any:
    surrogate = plackett.Surrogate(3)
    surrogate.observe(orders, [1.0, 2.0, 3.0])
    return surrogate.predict(ORDERS)


# Every argument that is an array: what is made of it, and one that is right.
FLOATS: dict[str, tuple[Callable[[Any], Any], np.ndarray]] = {
    "scores": (lambda a: plackett.PlackettLuce(a).log_prob([0, 1, 2]), SCORES),
    "scores of categories": (lambda a: plackett.Categorical(a).log_prob([2]), SCORES[0]),
    "z of neural_sort": (lambda a: plackett.neural_sort(a, 0.5), SCORES),
    "log_alpha": (lambda a: plackett.sinkhorn(a), SCORES),
    "adjacency": (lambda a: plackett.Graph(a).weights, SQUARE),
    "truth": (lambda a: metrics.shd(a, SQUARE, edge_direction="row_to_column"), SQUARE),
    "estimate": (lambda a: metrics.sid(SQUARE, a, edge_direction="row_to_column"), SQUARE),
    "distances": (lambda a: problems.tsp(a).value([0, 2, 1]), DISTANCES),
    "flows": (lambda a: problems.qap(a, DISTANCES).value([0, 2, 1]), DISTANCES),
    "times": (lambda a: problems.flow_shop(a).value([0, 2, 1]), DISTANCES),
    "matrix": (lambda a: problems.linear_ordering(a).value([0, 2, 1]), SQUARE),
    "costs": (lambda a: problems.assignment(a).value([0, 2, 1]), SQUARE),
    "noise": (
        lambda a: plackett.estimate(LAW, float_of_first, u=a, v=np.full((3, 3), 0.5), n_samples=3).gradient,
        np.array([[0.2, 0.5, 0.7], [0.1, 0.9, 0.4], [0.6, 0.3, 0.8]]),
    ),
    "values": (lambda a: plackett.gradient(plackett.draw(LAW, 3, seed=1), a), np.array([1.0, 2.0, 4.0])),
    "weights of rankings": (lambda a: plackett.PlackettLuce.fit(ORDERS, weights=a, ridge=0.1).law.scores, np.array([1.0, 2.0, 1.0])),
    "z of a critic": (lambda a: CRITIC.value_and_gradient(a)[0], SCORES[0]),
    "data": (learned, ROWS),
    "weights of rows": (lambda a: learned(ROWS, weights=a), WEIGHTS),
    "covariance": (lambda a: learned(a, covariance=100), np.cov(ROWS.T)),
}
ITEMS: dict[str, tuple[Callable[[Any], Any], np.ndarray]] = {
    "orders": (LAW.log_prob, ORDERS),
    "categories": (plackett.Categorical(SCORES[0]).log_prob, np.array([0, 2, 1])),
    "rankings": (lambda a: plackett.PlackettLuce.fit(a, ridge=0.1).law.scores, ORDERS),
    "orders of a surrogate": (told, ORDERS),
    "order": (problems.tsp(DISTANCES).value, ORDERS[0]),
    "start": (lambda a: plackett.minimize(float_of_first, 3, max_evaluations=6, start=a, seed=0).value, ORDERS[0]),
}


def read_only(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def spaced(array: np.ndarray) -> np.ndarray:
    room = np.full([2 * length for length in array.shape], -9, dtype=array.dtype)
    room[tuple(slice(None, None, 2) for _ in array.shape)] = array
    return room[tuple(slice(None, None, 2) for _ in array.shape)]


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": lambda a: a.tolist(),
    "read-only": read_only,
    "Fortran": np.asfortranarray,
    "strided": spaced,
    "backwards": lambda a: a[::-1].copy()[::-1],
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "objects": lambda a: a.astype(object),
    "unmasked": np.ma.masked_array,
    "subclass": lambda a: a.view(type("Sub", (np.ndarray,), {})),
    "extension": lambda a: a.astype("O") if a.ndim > 1 else pd.array(a, dtype="Float64" if a.dtype.kind == "f" else "Int64"),
}
WRONG: dict[str, Callable[[np.ndarray], Any]] = {
    "complex": lambda a: a.astype(complex),
    "words": lambda a: a.astype(str),
    "dates": lambda a: a.astype("datetime64[s]"),
    "records": lambda a: np.zeros(a.shape, dtype=[("a", float)]),
    "sparse": lambda a: sparse.csr_array(np.atleast_2d(a)),
    "no array": lambda a: object(),
    "ragged": lambda a: [[1, 2], [3]],
    "nothing": lambda a: None,
}


OPTIONAL = ("noise", "weights of rankings", "weights of rows", "start")
# Texts of numbers are numbers in data.
UNDERSTOOD = {("data", "words"), ("weights of rows", "words"), *((name, "nothing") for name in OPTIONAL)}


def by_name(table: dict[str, Any]) -> Any:
    return pytest.mark.parametrize("name", list(table))


@by_name(FLOATS | ITEMS)
def test_every_form_of_the_same_numbers_gives_the_same_answer(name: str) -> None:
    make, plain = (FLOATS | ITEMS)[name]
    wanted = make(plain)
    before = plain.copy()
    for form, change in FORMS.items():
        found = make(change(plain))
        np.testing.assert_array_equal(found, wanted, err_msg=f"{name}: {form}")
    np.testing.assert_array_equal(plain, before, err_msg=f"{name} was changed")


@by_name(FLOATS | ITEMS)
def test_what_holds_no_numbers_is_refused(name: str) -> None:
    make, plain = (FLOATS | ITEMS)[name]
    for form, change in WRONG.items():
        if (name, form) in UNDERSTOOD:
            continue
        with pytest.raises(plackett.PlackettError) as refusal:
            make(change(plain))
            pytest.fail(f"{name}: {form} was taken")
        assert str(refusal.value), form


@by_name(FLOATS | ITEMS)
def test_masked_values_are_never_taken_for_values(name: str) -> None:
    make, plain = (FLOATS | ITEMS)[name]
    masked = np.ma.masked_array(plain, mask=np.zeros(plain.shape, dtype=bool))
    masked[(-1,) * plain.ndim] = np.ma.masked
    with pytest.raises(plackett.PlackettError, match="mask|missing|weight|finite"):
        make(masked)


@pytest.mark.filterwarnings("ignore:values are missing")
def test_what_is_masked_is_missing_in_data() -> None:
    masked = np.ma.masked_array(ROWS, mask=np.zeros(ROWS.shape, dtype=bool))
    masked[:5, 0] = np.ma.masked
    holes = ROWS.copy()
    holes[:5, 0] = np.nan
    np.testing.assert_array_equal(learned(masked, missing="drop"), learned(holes, missing="drop"))


def test_items_are_whole_numbers() -> None:
    for wrong in ([[2.0, 0.0, 1.0]], [[True, False, True]], [[2**70, 0, 1]]):
        with pytest.raises(plackett.PlackettError, match="orders"):
            LAW.log_prob(wrong)


def test_arrays_may_be_written_to_during_a_call() -> None:
    # What is read is copied first: whatever is then found to be an order has the probability of one.
    law = plackett.PlackettLuce(np.linspace(0.0, 1.0, 50))
    orders = np.tile(np.arange(50), (4000, 1))
    swapped = orders[:, ::-1].copy()
    ends = threading.Event()

    def write() -> None:
        while not ends.is_set():
            orders[:] = swapped
            orders[:] = 99  # no such item

    wanted = {float(law.log_prob(np.arange(50))), float(law.log_prob(swapped[0]))}
    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(20):
            try:
                found = law.log_prob(orders)
            except plackett.PlackettError:
                pass  # an item that does not exist, or a row of which a part was written: then it has an item twice
            else:
                assert {float(value) for value in found} <= wanted
    finally:
        ends.set()
        writer.join()
