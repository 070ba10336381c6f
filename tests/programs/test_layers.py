"""Layers of neural networks, against NumPy and SciPy in double precision."""

import numpy as np
import pytest
import scipy.signal
import scipy.special

import warpwise as ww


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


ACTIVATIONS = {
    "Identity": lambda x: x,
    "Relu": lambda x: np.maximum(x, 0),
    "LeakyRelu": lambda x: np.where(x > 0, x, 0.01 * x),
    "Gelu": lambda x: x * scipy.special.ndtr(x),
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_dense(load, rng, activation):
    run = load("layers/dense.cu")
    batch, inputs, outputs = 21, 45, 37
    x, w, b = floats(rng, batch, inputs), floats(rng, outputs, inputs), floats(rng, outputs)
    y = np.zeros((batch, outputs), np.float32)
    run(
        f"dense_forward<{activation}>", ww.In(x), ww.In(w), ww.In(b), ww.Out(y), batch, inputs,
        outputs, grid=(3, 2), block=(16, 16),
    )  # fmt: skip
    want = ACTIVATIONS[activation](x.astype(np.float64) @ w.T.astype(np.float64) + b)
    assert np.allclose(y, want, atol=1e-4)


def test_gradient_of_dense_weights(load, rng):
    run = load("layers/dense.cu")
    batch, inputs, outputs = 21, 45, 37
    x, grad = floats(rng, batch, inputs), floats(rng, batch, outputs).astype(np.float16)
    dw = np.zeros((outputs, inputs), np.float32)
    run(
        "dense_weight_grad", ww.In(x), ww.In(grad), ww.Out(dw), batch, inputs, outputs,
        grid=(6, 5), block=(8, 8),
    )  # fmt: skip
    assert np.allclose(dw, grad.T.astype(np.float64) @ x, atol=1e-4)


def test_softmax_and_cross_entropy(load, rng):
    run = load("layers/softmax.cu")
    rows, columns = 9, 301
    x = floats(rng, rows, columns) * 5
    y = np.zeros_like(x)
    run("softmax_rows<64>", ww.In(x), ww.Out(y), columns, grid=rows, block=64)
    want = scipy.special.softmax(x.astype(np.float64), axis=1)
    assert np.allclose(y, want, rtol=1e-4)
    label, loss = rng.integers(0, columns, rows).astype(np.int32), np.zeros(1)
    run("cross_entropy", ww.In(y), ww.In(label), ww.InOut(loss), rows, columns, block=64)
    assert np.isclose(loss[0], -np.log(want[np.arange(rows), label]).mean(), rtol=1e-4)


@pytest.mark.parametrize(("vector", "columns"), [(1, 77), (4, 132)])
def test_layer_norm(load, rng, vector, columns):
    run = load("layers/layer_norm.cu")
    rows = 11
    x, gamma, beta = floats(rng, rows, columns) + 3, floats(rng, columns), floats(rng, columns)
    y = np.zeros_like(x)
    run(
        f"layer_norm<{vector}>", ww.In(x), ww.In(gamma), ww.In(beta), ww.Out(y), rows, columns,
        1e-5, grid=3, block=128,
    )  # fmt: skip
    wide = x.astype(np.float64)
    want = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    assert np.allclose(y, want * gamma + beta, atol=1e-4)


def test_rms_norm(load, rng):
    run = load("layers/layer_norm.cu")
    rows, columns = 5, 71
    x, gamma = floats(rng, rows, columns), floats(rng, columns)
    y = np.zeros_like(x)
    run("rms_norm", ww.In(x), ww.In(gamma), ww.Out(y), columns, 1e-6, grid=rows, block=32)
    wide = x.astype(np.float64)
    want = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-6) * gamma
    assert np.allclose(y, want, atol=1e-5)


@pytest.mark.parametrize(("stride", "pad"), [(1, 1), (2, 0)])
def test_convolution_with_relu(load, rng, stride, pad):
    run = load("layers/convolution.cu")
    n, c, h, w, k, r = 2, 3, 19, 23, 4, 3
    x, filters, bias = floats(rng, n, c, h, w), floats(rng, k, c, r, r), floats(rng, k)
    run.module.get_global("c_filter").copy_from(filters)
    oh, ow = (h + 2 * pad - r) // stride + 1, (w + 2 * pad - r) // stride + 1
    y = np.zeros((n, k, oh, ow), np.float32)
    patch = ((8 - 1) * stride + r) ** 2
    run(
        "conv2d_relu", ww.In(x), ww.In(bias), ww.Out(y), c, h, w, k, r, pad, stride, oh, ow,
        grid=(-(-ow // 8), -(-oh // 8), n * k), block=(8, 8), shared=4 * patch,
    )  # fmt: skip
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad))).astype(np.float64)
    for i in range(n):
        for j in range(k):
            want = bias[j] + sum(
                scipy.signal.correlate2d(padded[i, d], filters[j, d].astype(np.float64), "valid")
                for d in range(c)
            )
            assert np.allclose(y[i, j], np.maximum(want[::stride, ::stride], 0), atol=1e-4)


def test_max_pool_and_its_gradient(load, rng):
    run = load("layers/convolution.cu")
    planes, h, w, p = 5, 15, 21, 3
    x = floats(rng, planes, h, w)
    y = np.zeros((planes, h // p, w // p), np.float32)
    arg, dx, dy = np.zeros(y.shape, np.int32), np.zeros_like(x), floats(rng, *y.shape)
    shape = {"grid": -(-y.size // 64), "block": 64}
    run("max_pool", ww.In(x), ww.Out(y), ww.Out(arg), planes, h, w, p, **shape)
    windows = x.reshape(planes, h // p, p, w // p, p)
    assert np.array_equal(y, windows.max((2, 4)))
    assert np.array_equal(x.ravel()[arg], y)
    run("max_pool_grad", ww.In(dy), ww.In(arg), ww.InOut(dx), dy.size, **shape)
    want = np.zeros_like(x)
    want.ravel()[arg] = dy
    assert np.array_equal(dx, want)


@pytest.mark.parametrize("causal", [False, True])
def test_attention(load, rng, causal):
    run = load("layers/attention.cu")
    heads, length, dim = 2, 75, 16
    q, k, v = (floats(rng, heads, length, dim) for _ in range(3))
    out = np.zeros_like(q)
    run(
        "flash_attention<16, 24>", ww.In(q), ww.In(k), ww.In(v), ww.Out(out), length, causal,
        grid=(3, heads), block=32,
    )  # fmt: skip
    score = q.astype(np.float64) @ k.swapaxes(1, 2) / 4
    if causal:
        score = np.where(np.tri(length, dtype=bool), score, -np.inf)
    assert np.allclose(out, scipy.special.softmax(score, axis=2) @ v, atol=1e-5)


def test_batch_norm_forward_and_backward(load, rng):
    run = load("layers/batch_norm.cu")
    n, c, s = 5, 3, 47
    x, grad = floats(rng, n, c, s) * 2 + 1, floats(rng, n, c, s)
    weight, bias = floats(rng, c), floats(rng, c)
    y, dx = np.zeros_like(x), np.zeros_like(x)
    running, mean, std = np.zeros((2, c), np.float32), *np.zeros((2, c), np.float32)
    r_mean, r_var = running[0].copy(), running[1] + 1
    shape = {"grid": c, "block": (32, 4)}
    run(
        "forward", ww.In(x), ww.Out(y), ww.In(weight), ww.In(bias), ww.InOut(r_mean),
        ww.InOut(r_var), ww.Out(mean), ww.Out(std), n, c, s, 0.1, 1e-5, **shape,
    )  # fmt: skip
    wide, over = x.astype(np.float64), (0, 2)
    mu, var = wide.mean(over, keepdims=True), wide.var(over, keepdims=True)
    hat = (wide - mu) / np.sqrt(var + 1e-5)
    assert np.allclose(y, hat * weight[:, None] + bias[:, None], atol=1e-4)
    assert np.allclose(r_mean, 0.1 * mu.ravel(), atol=1e-5)
    assert np.allclose(r_var, 0.9 + 0.1 * wide.var(over, ddof=1), atol=1e-4)

    run(
        "backward", ww.In(x), ww.In(grad), ww.Out(dx), ww.In(weight), ww.In(mean), ww.In(std), n,
        c, s, **shape,
    )  # fmt: skip
    g = grad.astype(np.float64)
    want = g - g.mean(over, keepdims=True) - hat * (g * hat).mean(over, keepdims=True)
    assert np.allclose(dx, want * weight[:, None] / np.sqrt(var + 1e-5), atol=1e-4)


def test_lstm_step(load, rng):
    run = load("layers/lstm.cu")
    batch, inputs, hidden = 3, 40, 19
    x, h, c = floats(rng, batch, inputs), floats(rng, batch, hidden), floats(rng, batch, hidden)
    wx, wh = floats(rng, 4 * hidden, inputs), floats(rng, 4 * hidden, hidden)
    bias = floats(rng, 4 * hidden)
    h_out, c_out = np.zeros_like(h), np.zeros_like(c)
    run(
        "lstm_step", ww.In(x), ww.In(h), ww.In(c), ww.In(wx), ww.In(wh), ww.In(bias),
        ww.Out(h_out), ww.Out(c_out), inputs, hidden, grid=(5, batch), block=(32, 4),
    )  # fmt: skip
    pre = x.astype(np.float64) @ wx.T + h.astype(np.float64) @ wh.T + bias
    i, f, g, o = np.split(pre, 4, axis=1)
    cell = scipy.special.expit(f) * c + scipy.special.expit(i) * np.tanh(g)
    assert np.allclose(c_out, cell, atol=1e-5)
    assert np.allclose(h_out, scipy.special.expit(o) * np.tanh(cell), atol=1e-5)
