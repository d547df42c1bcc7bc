"""Layers of nets over a graph in compiled code: what adds a row of numbers to another through weights [inputs, outputs]."""

from __future__ import annotations

import numpy as np

from fogbound.core.compiled import kernel

TINY = np.float32(1e-5)


@kernel
def add(out, weights, inputs):
    """out += inputs @ weights; zeros cost nothing."""
    for i in range(inputs.size):
        x = inputs[i]
        if x != np.float32(0.0):
            for j in range(weights.shape[1]):
                out[j] += x * weights[i, j]


@kernel
def add_bytes(out, weights, inputs):
    """The same for bytes that stand for 0 to 1."""
    for i in range(inputs.size):
        if inputs[i] != 0:
            x = np.float32(inputs[i]) / np.float32(255.0)
            for j in range(weights.shape[1]):
                out[j] += x * weights[i, j]


@kernel
def norm(x, out):
    """x with mean 0 and variance 1."""
    size = np.float32(x.size)
    total = squares = np.float32(0.0)
    for i in range(x.size):
        total += x[i]
        squares += x[i] * x[i]
    mean = total / size
    scale = np.float32(1.0) / np.sqrt(squares / size - mean * mean + TINY)
    for i in range(x.size):
        out[i] = (x[i] - mean) * scale


@kernel
def rectify(x):
    for i in range(x.size):
        x[i] = max(x[i], np.float32(0.0))
