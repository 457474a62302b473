"""A causal graph from a table: from a data frame to edges that can be trusted, and how to see which cannot.

`causal_discovery.rs` is the same in Rust. Run it with `python examples/causal_discovery.py`, or cell by cell in an editor that knows `# %%`.
"""

# %% Categories: records of patients with diseases of the lung, drawn from a network whose graph is known.
import numpy as np
import pandas as pd

import plackett

network = plackett.load_network("asia")
patients = network.sample(10_000, seed=0).to_pandas()
print(patients.head(3))

# %% One call. Words are taken for categories, and the names of the columns are kept.
found = plackett.learn_dag(patients, posterior=True)
for cause, effect, weight in found.edges:
    print(f"{cause:>6} -> {effect:<6}  the score would lose {weight:.1f} without it")

# %% Which directions do the data tell? Graphs of one equivalence class fit the data equally well.
print("told by the data:", found.cpdag.directed)
print("either way:", found.cpdag.undirected)

# %% How sure is it? The posterior probability of every edge, whether the graph has it or not.
assert found.probabilities is not None
probable = pd.DataFrame(found.probabilities, index=found.names, columns=found.names).round(2)
print(probable)

# %% The truth is known here, so the graph can be compared with it. Graphs know which way their edges point.
print("SHD of the classes:", plackett.metrics.shd_cpdag(network, found))

# %% Numbers: a random linear model of 12 variables. If the noise is of one size, every direction can be told.
model = plackett.simulate_sem(12, degree=2, seed=0)
data = model.sample(1000, seed=0)
learned = plackett.learn_dag(data)
print(f"{learned.score_name}, because {learned.score_choice}")
print("SHD:", plackett.metrics.shd(model, learned))

# %% Bare matrices do not say what they mean, so it must be said: here entry (row i, column j) is the edge i -> j.
distance = plackett.metrics.sid(model.graph.adjacency, learned.adjacency, edge_direction="row_to_column")
print("SID:", distance)

# %% In the manner of scikit-learn; and on standardized data, where only the equivalence class can be found.
learner = plackett.OrderDAG(criterion="bic", standardize=True).fit(data)
print("SHD of the classes on standardized data:", plackett.metrics.shd_cpdag(model, learner.graph_))

# %% On to other tools: networkx, or Graphviz.
graph = learned.to_networkx()
print(f"x1 has {len(graph.pred['x1'])} causes; the picture begins {learned.to_dot()[:20]!r}")

assert np.array_equal(learned.adjacency, model.graph.adjacency)
assert plackett.metrics.shd_cpdag(network, found) <= 3
