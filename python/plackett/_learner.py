"""The learner in the manner of scikit-learn, which it does not need to be there."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from plackett._data import ColumnKind, Discretize, Kind, Missing, Reading, is_in_memory
from plackett._knowledge import Knowledge
from plackett._learn import Candidates, LearnedGraph, Method, Orient, Score, learn_dag
from plackett._likelihood import Columns, Linear, Tables, to_rows
from plackett._plackett import PlackettError


class OrderDAG:
    """:func:`plackett.learn_dag` in the manner of scikit-learn: settings first, then ``fit``.

    The settings are those of :func:`plackett.learn_dag`; only its ``score`` is called ``criterion`` here, because ``score`` is what
    cross-validation calls. After ``fit`` there are ``graph_``, the learned graph, its ``adjacency_`` and ``order_`` (as numbers
    of columns), ``n_features_in_``, and, if the columns of X have names, ``feature_names_in_``.

    >>> import plackett
    >>> model = plackett.simulate_sem(5, seed=1)
    >>> learner = plackett.OrderDAG(criterion="bic").fit(model.sample(500, seed=0))
    >>> learner.adjacency_.shape
    (5, 5)
    """

    graph_: LearnedGraph
    adjacency_: NDArray[np.int8]
    order_: NDArray[np.int64]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    _model: Linear | Tables | None

    def __init__(
        self,
        *,
        method: Method = "auto",
        criterion: Score = "auto",
        kind: Kind = "auto",
        kinds: Mapping[str, ColumnKind] | None = None,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        na: Sequence[str] | None = None,
        missing: Missing = "error",
        delimiter: str | None = None,
        decimal_comma: bool | None = None,
        header: bool | None = None,
        discretize: Discretize | None = None,
        bins: int | None = None,
        weights: Any = None,
        interventions: Any = None,
        covariance: bool | int = False,
        knowledge: Knowledge | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        standardize: bool = False,
        center: bool = True,
        lambda_: float | None = None,
        sigma2: float | None = None,
        penalty: float | None = None,
        threshold: float | None = None,
        ess: float | None = None,
        candidates: Candidates | None = None,
        max_parents: int | None = None,
        orient: Orient | None = None,
        alpha: float | None = None,
        max_conditioning: int | None = None,
        posterior: bool = False,
        bootstrap: int | None = None,
        executor: Executor | None = None,
        state: str | os.PathLike[str] | None = None,
        warm: bool = True,
        restarts: int | None = None,
        steps: int | None = None,
        memory: int = 1024,
        time_limit: float | None = None,
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.kind = kind
        self.kinds = kinds
        self.columns = columns
        self.drop = drop
        self.na = na
        self.missing = missing
        self.delimiter = delimiter
        self.decimal_comma = decimal_comma
        self.header = header
        self.discretize = discretize
        self.bins = bins
        self.weights = weights
        self.interventions = interventions
        self.covariance = covariance
        self.knowledge = knowledge
        self.standardize = standardize
        self.center = center
        self.lambda_ = lambda_
        self.sigma2 = sigma2
        self.penalty = penalty
        self.threshold = threshold
        self.ess = ess
        self.candidates = candidates
        self.max_parents = max_parents
        self.orient = orient
        self.alpha = alpha
        self.max_conditioning = max_conditioning
        self.posterior = posterior
        self.bootstrap = bootstrap
        self.executor = executor
        self.state = state
        self.warm = warm
        self.restarts = restarts
        self.steps = steps
        self.memory = memory
        self.time_limit = time_limit
        self.seed = seed
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns the graph of the columns of X. There is nothing to predict: y is left alone.

        >>> import plackett
        >>> data = plackett.simulate_sem(3, seed=1).sample(200, seed=0)
        >>> plackett.OrderDAG().fit(data).n_features_in_
        3
        """
        shape = _shape(X) if is_in_memory(X) else None
        if shape is not None and shape[1] < 2:
            raise PlackettError(f"X has {shape[1]} feature(s) (shape={shape}) while a minimum of 2 is required.")
        if shape is not None and shape[0] == 1:
            raise PlackettError("X has 1 sample: nothing can be learned from it")
        settings = self.get_params()
        graph = learn_dag(X, score=settings.pop("criterion"), **settings)
        names = _column_names(X)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_features_in_ = len(graph) if shape is None else shape[1]
        self.graph_ = graph
        self.adjacency_ = graph.adjacency
        self.order_ = np.array(graph._order, dtype=np.int64)
        self._model = None
        is_plain = graph.kind in ("continuous", "discrete") and self.missing in ("error", "drop")
        is_rows = self.weights is None and self.interventions is None and not self.covariance and self.discretize is None
        if is_plain and is_rows and is_in_memory(X):
            rows = self._rows(X)
            self._model = Tables(graph, rows) if graph.kind == "discrete" else Linear(graph, rows, self.center)
        return self

    def score(self, X: Any, y: Any = None) -> float:
        """The mean over the rows of X of log p(row), under the learned graph and the model that was fitted to the data that it was
        learned from: a linear Gaussian one for numbers, tables of probabilities for categories. Larger is better, and X
        should be rows that were not learned from. It is what scikit-learn's ``GridSearchCV`` compares.

        >>> import plackett
        >>> model = plackett.simulate_sem(5, degree=2, seed=1)
        >>> train, test = model.sample(500, seed=0), model.sample(500, seed=1)
        >>> learned, empty = (plackett.OrderDAG(criterion="bic", penalty=price).fit(train) for price in (1, 1e9))
        >>> learned.score(test) > empty.score(test)
        True
        """
        if not self.__sklearn_is_fitted__():
            raise PlackettError("this OrderDAG is not fitted yet: fit comes before score")
        shape = _shape(X)
        if shape is not None and shape[1] != self.n_features_in_:
            expected = f"OrderDAG is expecting {self.n_features_in_} features as input"
            raise PlackettError(f"X has {shape[1]} features, but {expected}")
        if self._model is None:
            raise PlackettError(
                "rows can be compared with graphs of numbers or of categories, learned from complete rows of an array or a frame "
                "that are neither cut nor weighted"
            )
        return self._model.mean_log_likelihood(self._rows(X))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name.

        >>> import plackett
        >>> plackett.OrderDAG(seed=3).get_params()["seed"]
        3
        """
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Changes settings by name.

        >>> import plackett
        >>> plackett.OrderDAG().set_params(seed=3).seed
        3
        """
        for name, value in params.items():
            if name not in self._names():
                raise PlackettError(f"there is no setting {name}; there are {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        # The setting lambda_ looks like something that was learned.
        return hasattr(self, "graph_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags  # type: ignore[import-untyped]

        inputs = InputTags(categorical=True, string=True)
        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=inputs)

    def _rows(self, X: Any) -> Columns:
        reading = Reading(self.kind, self.kinds, self.columns, self.drop, self.na, self.missing)
        return to_rows(X, reading, self.graph_.names, self.graph_.kind == "discrete")

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}" for name, value in self.get_params().items() if value is not defaults[name].default
        ]
        return f"OrderDAG({', '.join(changed)})"


def _shape(X: Any) -> tuple[int, int] | None:
    """The rows and columns of an array or a frame; none of something else, or of what the learner will refuse."""
    if type(X).__module__.startswith("scipy.sparse"):
        raise PlackettError("X is sparse: a dense array or a frame is needed")
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        raise PlackettError("Complex data not supported: numbers or categories are needed")
    try:
        shape: tuple[int, ...] = np.shape(X) if isinstance(X, list | tuple) else getattr(X, "shape", ())
    except ValueError:
        return None
    return (shape[0], shape[1]) if len(shape) == 2 else None


def _column_names(X: Any) -> list[str] | None:
    """The names of a frame's columns, if they are texts."""
    names = list(getattr(X, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None
