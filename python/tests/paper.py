"""The paper's formulas in plain numpy, for complex scores too: a step along the imaginary axis differentiates them to the last
digit, without any of the derivatives that the library has worked out by hand."""

import numpy as np

STEP = 1e-200


def gradient(function, point):
    """The gradient of a function of a real vector by complex steps."""
    steps = STEP * 1j * np.eye(len(point))
    return np.array([function(point + step).imag / STEP for step in steps])


def normalized(scores):
    largest = scores.real.max()
    return scores - largest - np.log(np.exp(scores - largest).sum())


def perturbed(scores, u):
    """Lemma 1: z = theta - log(-log u)."""
    return normalized(scores) - np.log(-np.log(u))


class Orders:
    """The Plackett-Luce distribution: definition 1, lemma 1 and proposition 1."""

    relaxation = "neural_sort"

    @staticmethod
    def outcome(z):
        return np.argsort(-z)

    @staticmethod
    def log_prob(scores, order):
        ranked = normalized(scores)[order]
        return sum(ranked[i] - np.log(np.exp(ranked[i:]).sum()) for i in range(len(ranked)))

    @staticmethod
    def conditional(scores, order, v):
        ranked = np.exp(normalized(scores)[order])
        z = np.zeros_like(ranked)
        previous = 0.0
        for i, item in enumerate(order):
            previous = previous - np.log(v[i]) / ranked[i:].sum()
            z[item] = -np.log(previous)
        return z

    @staticmethod
    def relaxed(z, tau):
        """Row i of NeuralSort: softmax(((k + 1 - 2i) z - sum_m |z - z_m|) / tau)."""
        difference = z[:, None] - z[None, :]
        spread = (difference * np.sign(difference.real)).sum(axis=1)
        ranks = np.arange(1, len(z) + 1)
        return softmax(((len(z) + 1 - 2 * ranks)[:, None] * z[None, :] - spread[None, :]) / tau)


class Categories:
    """The categorical distribution: the Gumbel-max trick and equation 10."""

    relaxation = "softmax"

    @staticmethod
    def outcome(z):
        return int(np.argmax(z))

    @staticmethod
    def log_prob(scores, category):
        return normalized(scores)[category]

    @staticmethod
    def conditional(scores, category, v):
        top = -np.log(-np.log(v[category]))
        z = -np.log(-np.log(v) / np.exp(normalized(scores)) + np.exp(-top))
        z[category] = top
        return z

    @staticmethod
    def relaxed(z, tau):
        return softmax(z / tau)


def softmax(logits):
    weights = np.exp(logits - logits.real.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def network(parameters, hidden, z):
    """w2 relu(W1' z + b1) + b2."""
    inputs = len(z)
    w1 = parameters[: inputs * hidden].reshape(inputs, hidden)
    b1, w2 = parameters[inputs * hidden : -hidden - 1], parameters[-hidden - 1 : -1]
    layer = z @ w1 + b1
    return w2 @ np.where(layer.real > 0, layer, 0) + parameters[-1]


def reinforce(law, scores, value, u):
    """Equation 1: f(b) d/dtheta log p(b)."""
    b = law.outcome(perturbed(scores, u))
    return value(b) * gradient(lambda theta: law.log_prob(theta, b), scores)


def relax(law, scores, value, critic, u, v):
    """Equations 11 and 13: [f(b) - c(z~)] d/dtheta log p(b) + d/dtheta c(z) - d/dtheta c(z~)."""
    b = law.outcome(perturbed(scores, u))
    advantage = value(b) - critic(law.conditional(scores, b, v))
    return (
        advantage * gradient(lambda theta: law.log_prob(theta, b), scores)
        + gradient(lambda theta: critic(perturbed(theta, u)), scores)
        - gradient(lambda theta: critic(law.conditional(theta, b, v)), scores)
    )
