"""Statistics and neural networks."""

from __future__ import annotations

import math

import numpy as np
from launching import over, over_2d

from warpwise import cuda
from warpwise.cuda.types import float32, float64


@cuda.jit
def assign(points, centres, labels, sums, counts):
    i = cuda.grid(1)
    if i < points.shape[0]:
        best, label = math.inf, 0
        for c in range(centres.shape[0]):
            d = 0.0
            for k in range(points.shape[1]):
                d += (points[i, k] - centres[c, k]) ** 2
            if d < best:
                best, label = d, c
        labels[i] = label
        cuda.atomic.add(counts, label, 1)
        for k in range(points.shape[1]):
            cuda.atomic.add(sums, (label, k), points[i, k])


def test_a_step_of_k_means(rng):
    points, centres = rng.normal(size=(200, 2)), rng.normal(size=(4, 2))
    labels, sums, counts = np.empty(200, np.int32), np.zeros((4, 2)), np.zeros(4, np.int32)
    over(assign, 200, points, centres, labels, sums, counts)
    expected = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (
        np.array_equal(labels, expected)
        and counts.tolist() == np.bincount(expected, minlength=4).tolist()
    )
    totals = np.stack([points[expected == c].sum(axis=0) for c in range(4)])
    np.testing.assert_allclose(sums, totals, rtol=1e-10, atol=1e-12)


@cuda.jit
def softmax(x, out):
    row = cuda.grid(1)
    if row < x.shape[0]:
        largest = -math.inf
        for v in x[row]:
            largest = max(largest, v)
        total = 0.0
        for j in range(x.shape[1]):
            out[row, j] = math.exp(x[row, j] - largest)
            total += out[row, j]
        for j in range(x.shape[1]):
            out[row, j] /= total


def test_softmax(rng):
    x = rng.normal(scale=10, size=(30, 17))
    out = np.empty_like(x)
    over(softmax, 30, x, out)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), rtol=1e-12)


@cuda.jit
def layer_norm(x, gain, bias, out):
    part = cuda.shared.array(32, float64)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    total = 0.0
    for j in range(t, x.shape[1], 32):
        total += x[row, j]
    part[t] = total
    cuda.syncthreads()
    mean = 0.0
    for k in range(32):
        mean += part[k]
    mean /= x.shape[1]
    cuda.syncthreads()
    total = 0.0
    for j in range(t, x.shape[1], 32):
        total += (x[row, j] - mean) ** 2
    part[t] = total
    cuda.syncthreads()
    variance = 0.0
    for k in range(32):
        variance += part[k]
    scale = 1 / math.sqrt(variance / x.shape[1] + 1e-5)
    for j in range(t, x.shape[1], 32):
        out[row, j] = (x[row, j] - mean) * scale * gain[j] + bias[j]


def test_layer_normalisation(rng):
    x, gain, bias = rng.normal(3, 2, (6, 50)), rng.normal(size=50), rng.normal(size=50)
    out = np.empty_like(x)
    layer_norm[6, 32](x, gain, bias, out)
    normal = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out, normal * gain + bias, rtol=1e-9, atol=1e-12)


@cuda.jit
def gelu(x, out):
    i = cuda.grid(1)
    if i < x.size:
        inner = float32(0.7978845608) * (x[i] + float32(0.044715) * x[i] ** 3)
        out[i] = float32(0.5) * x[i] * (1 + math.tanh(inner))


def test_gelu(rng):
    x = rng.normal(size=200).astype(np.float32)
    out = np.empty_like(x)
    over(gelu, 200, x, out)
    v = x.astype(float)
    expected = 0.5 * v * (1 + np.tanh(0.7978845608 * (v + 0.044715 * v**3)))
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-7)


@cuda.jit
def convolution(image, filters, out):
    f = cuda.blockIdx.z
    j, i = cuda.grid(2)
    if i < out.shape[1] and j < out.shape[2]:
        total = 0.0
        for c in range(image.shape[0]):
            for a in range(filters.shape[2]):
                for b in range(filters.shape[3]):
                    total += image[c, i + a, j + b] * filters[f, c, a, b]
        out[f, i, j] = max(total, 0.0)


def test_a_convolution_layer(rng):
    image, filters = rng.normal(size=(2, 11, 12)), rng.normal(size=(3, 2, 3, 3))
    out = np.empty((3, 9, 10))
    convolution[(2, 2, 3), (8, 8)](image, filters, out)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(1, 2))
    expected = np.maximum(np.einsum("cijab,fcab->fij", windows, filters), 0)
    np.testing.assert_allclose(out, expected, rtol=1e-10, atol=1e-12)


@cuda.jit
def max_pool(x, out, where):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        best, at = -math.inf, 0
        for a in range(2):
            for b in range(2):
                if x[2 * i + a, 2 * j + b] > best:
                    best = x[2 * i + a, 2 * j + b]
                    at = 2 * a + b
        out[i, j], where[i, j] = best, at


def test_max_pooling(rng):
    x = rng.normal(size=(14, 18))
    out, where = np.empty((7, 9)), np.empty((7, 9), np.int8)
    over_2d(max_pool, out.shape, x, out, where)
    blocks = x.reshape(7, 2, 9, 2).transpose(0, 2, 1, 3).reshape(7, 9, 4)
    assert np.array_equal(out, blocks.max(axis=2)) and np.array_equal(where, blocks.argmax(axis=2))


@cuda.jit
def logistic_gradient(x, y, weights, gradient):
    i = cuda.grid(1)
    if i < x.shape[0]:
        score = 0.0
        for k in range(weights.size):
            score += weights[k] * x[i, k]
        error = 1 / (1 + math.exp(-score)) - (1.0 if y[i] else 0.0)
        for k in range(weights.size):
            cuda.atomic.add(gradient, k, error * x[i, k])


def test_the_gradient_of_logistic_regression(rng):
    x, y, weights = rng.normal(size=(150, 5)), rng.random(150) < 0.4, rng.normal(size=5)
    gradient = np.zeros(5)
    over(logistic_gradient, 150, x, y, weights, gradient)
    np.testing.assert_allclose(gradient, (1 / (1 + np.exp(-x @ weights)) - y) @ x, rtol=1e-10)


@cuda.jit
def attention(q, k, v, out):
    row = cuda.grid(1)
    if row < q.shape[0]:
        largest, total = -math.inf, 0.0
        for d in range(v.shape[1]):
            out[row, d] = 0.0
        for j in range(k.shape[0]):
            score = 0.0
            for d in range(q.shape[1]):
                score += q[row, d] * k[j, d]
            score /= math.sqrt(q.shape[1])
            new = max(largest, score)
            keep, weight = math.exp(largest - new), math.exp(score - new)
            total = total * keep + weight
            for d in range(v.shape[1]):
                out[row, d] = out[row, d] * keep + weight * v[j, d]
            largest = new
        for d in range(v.shape[1]):
            out[row, d] /= total


def test_attention_in_one_pass(rng):
    q, k, v = rng.normal(size=(3, 20, 6))
    out = np.empty((20, 6))
    over(attention, 20, q, k, v, out)
    scores = q @ k.T / math.sqrt(6)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, weights @ v / weights.sum(1, keepdims=True), rtol=1e-10)


@cuda.jit
def classify(samples, points, labels, k, out):
    i = cuda.grid(1)
    if i >= samples.size:
        return
    near = cuda.local.array(5, float64)
    kind = cuda.local.array(5, np.int32)
    for j in range(k):
        near[j] = math.inf
    for p in range(points.size):
        d = abs(points[p] - samples[i])
        if d < near[k - 1]:
            at = k - 1
            while at > 0 and near[at - 1] > d:
                near[at], kind[at] = near[at - 1], kind[at - 1]
                at -= 1
            near[at], kind[at] = d, labels[p]
    votes = 0
    for j in range(k):
        votes += kind[j]
    out[i] = 1 if 2 * votes > k else 0


def test_k_nearest_neighbours(rng):
    samples, points = rng.random(60), rng.random(90)
    labels = rng.integers(0, 2, 90).astype(np.int32)
    out = np.empty(60, np.int32)
    over(classify, 60, samples, points, labels, 5, out)
    order = np.abs(points - samples[:, None]).argsort(axis=1)[:, :5]
    assert np.array_equal(out, (labels[order].sum(axis=1) > 2).astype(int))


@cuda.jit
def correlation(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    if i < m and j <= i:
        si = sj = sii = sjj = sij = 0.0
        for r in range(n):
            a, b = x[r, i], x[r, j]
            si, sj = si + a, sj + b
            sii, sjj, sij = sii + a * a, sjj + b * b, sij + a * b
        value = (n * sij - si * sj) / math.sqrt((n * sii - si * si) * (n * sjj - sj * sj))
        out[i, j] = out[j, i] = value


def test_correlations(rng):
    x = rng.normal(size=(60, 7))
    out = np.empty((7, 7))
    correlation[(1, 1), (8, 8)](x, out)
    np.testing.assert_allclose(out, np.corrcoef(x.T), rtol=1e-9, atol=1e-12)
