"""Statistics and neural networks; graphs."""

from __future__ import annotations

import math

import numpy as np

from warpwise import cuda
from warpwise.cuda.types import float32, float64, int32

from .registry import Work, seeded, tiles, twin

BLOCK = 128
NEAREST = 5


@cuda.jit
def assign(points, centres, labels):
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


@twin(assign, gpu=256)
def assign_work(scale: int) -> Work:
    n, centres = 16384 * scale, seeded(60).normal(size=(16, 4))
    arguments = [seeded(61).normal(size=(n, 4)), centres, np.zeros(n, np.int32)]
    return Work(arguments, n // BLOCK, BLOCK, (n, 16, 4), differing=1e-4)


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


@twin(softmax, cpu=2, gpu=256)
def softmax_work(scale: int) -> Work:
    rows, columns = 2048 * scale, 32
    x = seeded(62).normal(scale=10, size=(rows, columns))
    return Work([x, np.zeros_like(x)], rows // BLOCK, BLOCK, (rows, columns), tolerance=1e-12)


@cuda.jit
def layer_norm(x, gain, bias, out):
    part = cuda.shared.array(BLOCK, float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    total = float32(0)
    for j in range(t, x.shape[1], BLOCK):
        total += x[row, j]
    part[t] = total
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    mean = part[0] / float32(x.shape[1])
    cuda.syncthreads()
    total = float32(0)
    for j in range(t, x.shape[1], BLOCK):
        total += (x[row, j] - mean) ** 2
    part[t] = total
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    scale = float32(1) / math.sqrt(part[0] / float32(x.shape[1]) + float32(1e-5))
    for j in range(t, x.shape[1], BLOCK):
        out[row, j] = (x[row, j] - mean) * scale * gain[j] + bias[j]


@twin(layer_norm, cpu=4, gpu=64)
def layer_norm_work(scale: int) -> Work:
    rows, columns = 512 * scale, 512
    x = seeded(63).normal(3, 2, (rows, columns)).astype(np.float32)
    gain, bias = seeded(64).normal(size=(2, columns)).astype(np.float32)
    arguments = [x, gain, bias, np.zeros_like(x)]
    return Work(arguments, rows, BLOCK, (columns,), tolerance=1e-5)


@cuda.jit
def convolution(image, filters, out):
    f = cuda.blockIdx.z
    j, i = cuda.grid(2)
    if i < out.shape[1] and j < out.shape[2]:
        total = float32(0)
        for c in range(image.shape[0]):
            for a in range(filters.shape[2]):
                for b in range(filters.shape[3]):
                    total += image[c, i + a, j + b] * filters[f, c, a, b]
        out[f, i, j] = max(total, float32(0))


@twin(convolution, cpu=2, gpu=64)
def convolution_work(scale: int) -> Work:
    width, height = 128, 128 * scale
    image = seeded(65).normal(size=(4, height + 2, width + 2)).astype(np.float32)
    filters = seeded(66).normal(size=(8, 4, 3, 3)).astype(np.float32)
    out = np.zeros((8, height, width), np.float32)
    grid = (*tiles(width, height, (32, 4)), 8)
    return Work([image, filters, out], grid, (32, 4), (4, 3, width, height), tolerance=1e-5)


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


@twin(max_pool, cpu=2)
def max_pool_work(scale: int) -> Work:
    width, height = 512, 512 * scale
    x = seeded(67).normal(size=(2 * height, 2 * width))
    arguments = [x, np.zeros((height, width)), np.zeros((height, width), np.int8)]
    grid = tiles(width, height, (32, 8))
    return Work(arguments, grid, (32, 8), (width, height), outputs=(1, 2))


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


@twin(attention, gpu=64)
def attention_work(scale: int) -> Work:
    rows, keys, width = 256 * scale, 64, 16
    q = seeded(68).normal(size=(rows, width))
    k, v = seeded(69).normal(size=(2, keys, width))
    arguments = [q, k, v, np.zeros_like(q)]
    return Work(arguments, rows // 64, 64, (rows, keys, width), tolerance=1e-12)


@cuda.jit
def classify(samples, points, labels, out):
    i = cuda.grid(1)
    if i >= samples.size:
        return
    near = cuda.local.array(NEAREST, float64)
    kind = cuda.local.array(NEAREST, int32)
    for j in range(NEAREST):
        near[j] = math.inf
    for p in range(points.size):
        d = abs(points[p] - samples[i])
        if d < near[NEAREST - 1]:
            at = NEAREST - 1
            while at > 0 and near[at - 1] > d:
                near[at], kind[at] = near[at - 1], kind[at - 1]
                at -= 1
            near[at], kind[at] = d, labels[p]
    votes = 0
    for j in range(NEAREST):
        votes += kind[j]
    out[i] = 1 if 2 * votes > NEAREST else 0


@twin(classify, gpu=256)
def classify_work(scale: int) -> Work:
    n, count = 2048 * scale, 256
    samples, points = seeded(70).random(n), seeded(71).random(count)
    labels = seeded(72).integers(0, 2, count).astype(np.int32)
    arguments = [samples, points, labels, np.zeros(n, np.int32)]
    return Work(arguments, n // BLOCK, BLOCK, (n, count))


@cuda.jit
def find_roots(parent, out):
    i = cuda.grid(1)
    if i < parent.size:
        root = i
        while parent[root] != root:
            root = parent[root]
        out[i] = root


@twin(find_roots, gpu=64)
def find_roots_work(scale: int) -> Work:
    n = scale << 16
    at = np.arange(n)
    parent = (at * np.minimum(1, 1.1 * seeded(73).random(n))).astype(np.int32)
    return Work([parent, np.zeros(n, np.int32)], n // BLOCK, BLOCK, (n,))


@cuda.jit
def floyd_step(distance, k, out):
    j, i = cuda.grid(2)
    n = distance.shape[0]
    if i < n and j < n:
        through = distance[i, k] + distance[k, j]
        out[i, j] = through if through < distance[i, j] else distance[i, j]


@twin(floyd_step, gpu=8)
def floyd_step_work(scale: int) -> Work:
    n = 1024 * scale
    distance = seeded(74).integers(1, 1000, (n, n)).astype(np.int32)
    grid = tiles(n, n, (32, 8))
    return Work([distance, n // 2, np.zeros_like(distance)], grid, (32, 8), (n,))


@cuda.jit
def page_ranks(starts, sources, degrees, ranks, damping, out):
    v = cuda.grid(1)
    if v < ranks.size:
        total = 0.0
        for e in range(starts[v], starts[v + 1]):
            u = sources[e]
            total += ranks[u] / degrees[u]
        out[v] = (1 - damping) / ranks.size + damping * total


@twin(page_ranks, cpu=4, gpu=256)
def page_ranks_work(scale: int) -> Work:
    rng, n = seeded(75), 8192 * scale
    starts = np.concatenate([[0], rng.integers(0, 16, n).cumsum()]).astype(np.int32)
    sources = rng.integers(0, n, starts[-1]).astype(np.int32)
    degrees = np.maximum(np.bincount(sources, minlength=n), 1).astype(np.int32)
    arguments = [starts, sources, degrees, np.full(n, 1 / n), 0.85, np.zeros(n)]
    return Work(arguments, n // BLOCK, BLOCK, (n,), tolerance=1e-13)
