"""Programs that read textures and write surfaces, against the same in NumPy and SciPy.

Linear filters weigh with fractions of 8 bits: those results are compared with the exact mean to
within what that can make.
"""

import numpy as np
import scipy.ndimage
import scipy.sparse

import warpwise as ww


def image(values, channels=1):
    """A CUDA array of these values; with several channels, the last axis counts them."""
    shape = values.shape if channels == 1 else values.shape[:-1]
    array = ww.CudaArray(shape, values.dtype, channels)
    array.copy_from(values)
    return array


def test_rotated_image(load, rng):
    h, w, theta = 45, 61, 0.4
    picture = rng.random((h, w)).astype(np.float32)
    texture = ww.Texture(image(picture), address="wrap", filter="linear", normalized=True)
    out = np.zeros((h, w), np.float32)
    run = load("sampling/image_filter.cu")
    run("rotate_image", ww.Out(out), w, h, theta, texture, grid=(8, 6), block=(8, 8))
    y, x = np.mgrid[:h, :w]
    u, v = (x + 0.5) / w - 0.5, (y + 0.5) / h - 0.5
    tu = u * np.cos(theta) - v * np.sin(theta) + 0.5
    tv = v * np.cos(theta) + u * np.sin(theta) + 0.5
    at = [tv * h - 0.5, tu * w - 0.5]
    wanted = scipy.ndimage.map_coordinates(picture, at, order=1, mode="grid-wrap")
    assert np.abs(out - wanted).max() < 2 / 256


def test_blurred_photograph(load, rng):
    h, w, r = 38, 67, 3
    photo = rng.integers(0, 256, (h, w, 4), np.uint8)
    run = load("sampling/image_filter.cu")
    kernel = np.exp(-0.5 * (np.arange(-r, r + 1) / 1.4) ** 2)
    kernel = (kernel / kernel.sum()).astype(np.float32)
    run.module.get_global("weights").copy_from(kernel)
    texture = ww.Texture(
        image(photo, 4), address="mirror", normalized=True, read="normalized_float"
    )
    out = np.zeros((h, w, 4), np.uint8)
    run(f"blur_rows<{r}>", texture, ww.Out(out), w, w, h, 1 / w, 1 / h, grid=(5, 5), block=(16, 8))
    wanted = scipy.ndimage.correlate1d(photo.astype(float), kernel, axis=1, mode="reflect")
    assert np.abs(out - wanted).max() < 0.5 + 1e-3


def test_volume_rendered_by_rays(load, rng):
    n, w, h = 23, 29, 33
    steps = 8 / 256  # what the filters' fractions may change
    z, y, x = (np.mgrid[:n, :n, :n] + 0.5) / n * 2 - 1
    volume = (255 * np.exp(-3 * (x**2 + (y - 0.2) ** 2 + 2 * z**2))).astype(np.uint8)
    colours = np.linspace([0, 0, 0.3, 0], [1, 0.7, 0.2, 1], 9).astype(np.float32)
    view = np.eye(3, 4, dtype=np.float32)
    view[:, 3] = 0.2, -0.1, 4
    run = load("sampling/ray_casting.cu")
    run.module.get_global("inverse_view").copy_from(view)
    linear = {"filter": "linear", "normalized": True}
    out = np.zeros((h, w, 4), np.float32)
    run(
        "render", ww.Out(out), w, h, 0.05, 0.02,
        ww.Texture(image(volume), read="normalized_float", **linear),
        ww.Texture(image(colours, 4), **linear),
        grid=(4, 5), block=(8, 8),
    )  # fmt: skip
    v, u = np.mgrid[:h, :w] / [[[h]], [[w]]] * 2 - 1
    d = np.stack([u * 0.7, v * 0.7, np.full(u.shape, -2.0)], -1).reshape(-1, 3)
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    o = view[:, 3].astype(float)
    a, b = (-1 - o) / d, (1 - o) / d
    near, far = np.minimum(a, b).max(1), np.maximum(a, b).min(1)
    near = np.maximum(near, 0)
    total, t = np.zeros((d.shape[0], 4)), near.copy()
    alive = far > near
    while alive.any():
        at = ((o + d * t[:, None]) * 0.5 + 0.5)[:, ::-1].T * n - 0.5
        density = scipy.ndimage.map_coordinates(volume / 255, at, order=1, mode="nearest")
        colour = np.stack(
            [
                scipy.ndimage.map_coordinates(c, [density * 9 - 0.5], order=1, mode="nearest")
                for c in colours.T.astype(float)
            ],
            -1,
        )
        colour[:, 3] *= 0.05
        colour[:, :3] *= colour[:, 3:]
        total += np.where(alive[:, None], colour * (1 - total[:, 3:]), 0)
        t += 0.02
        alive &= (total[:, 3] <= 0.95) & (t <= far)
    assert total.max() > 0.5
    assert np.abs(out.reshape(-1, 4) - total).max() < steps


def test_function_from_a_table(load, rng):
    x0, x1, entries, n = 0.5, 4.0, 600, 1003
    grid = np.linspace(x0, x1, entries).astype(np.float32)
    texture = ww.Texture(image(np.sin(grid)), filter="linear")
    x = rng.uniform(x0, x1, n).astype(np.float32)
    y = np.zeros(n, np.float32)
    scale = (entries - 1) / (x1 - x0)
    load("sampling/lookup.cu")(
        "evaluate", ww.In(x), ww.Out(y), n, texture, x0, scale, grid=3, block=64
    )
    # Half of a 256th of the step between two entries.
    assert np.abs(y - np.sin(x)).max() < 1 / scale / 512 + 1e-4 / scale + 2e-6


def test_forces_from_tables_by_kind(load, rng):
    n, kinds, entries, r0, cutoff = 61, 3, 400, 0.3, 2.0
    r = np.linspace(r0, cutoff, entries)
    strength = 1 + np.arange(kinds)[:, None]
    tables = np.stack([strength * np.exp(-r), strength / r**2], -1).astype(np.float32)
    array = ww.CudaArray((kinds, entries), np.float32, 2, layered=True)
    array.copy_from(tables)
    atoms = rng.uniform(0, 3, (n, 4)).astype(np.float32)
    atoms[:, 3] = rng.integers(0, kinds, n)
    out = np.zeros((n, 4), np.float32)
    scale = (entries - 1) / (cutoff - r0)
    load("sampling/lookup.cu")(
        "pair_forces", ww.In(atoms), ww.Out(out), n, ww.Texture(array, filter="linear"), r0, scale,
        cutoff, grid=2, block=32,
    )  # fmt: skip
    wanted = np.zeros((n, 4))
    for i in range(n):
        d = (atoms[i, :3] - atoms[:, :3]).astype(float)
        distance = np.sqrt((d**2).sum(1))
        for j in np.flatnonzero((distance < cutoff) & (np.arange(n) != i)):
            energy, force = (
                np.interp(distance[j], r, tables[int(atoms[j, 3]), :, c]) for c in (0, 1)
            )
            wanted[i] += [*(force * d[j]), energy]
    assert np.allclose(out, wanted, rtol=2e-3, atol=2e-2)


def test_sparse_product_through_the_texture_cache(load, rng):
    m, n = 203, 307
    run = load("sampling/spmv.cu")
    for dtype, name, reference in (
        (np.float32, "float", "tex_x_float"),
        (np.float64, "double", "tex_x_double"),
    ):
        matrix = scipy.sparse.random(m, n, 0.06, "csr", dtype, random_state=rng)
        x = rng.normal(size=n).astype(dtype)
        memory = ww.mem_alloc(x.nbytes)
        memory.copy_from(x)
        run.module.get_texref(reference).set_address(memory)
        y = np.ones(m, dtype)
        index = [ww.In(a.astype(np.int32)) for a in (matrix.indptr, matrix.indices)]
        run(
            f"spmv_csr_scalar<int, {name}>", m, *index, ww.In(matrix.data), memory, ww.InOut(y),
            grid=2, block=64,
        )  # fmt: skip
        assert np.allclose(y, 1 + matrix @ x, rtol=1e-5, atol=1e-5)
        width = int(np.diff(matrix.indptr).max())
        columns, values = np.zeros((2, width, m))
        for row in range(m):
            part = slice(matrix.indptr[row], matrix.indptr[row + 1])
            columns[: part.stop - part.start, row] = matrix.indices[part]
            values[: part.stop - part.start, row] = matrix.data[part]
        run(
            f"spmv_ell<int, {name}>", m, width, m, ww.In(columns.astype(np.int32)),
            ww.In(values.astype(dtype)), memory, ww.Out(y), grid=4, block=64,
        )  # fmt: skip
        assert np.allclose(y, matrix @ x, rtol=1e-5, atol=1e-5)


def test_reaction_and_diffusion_between_texture_and_surface(load, rng):
    n, feed, kill = 37, 0.035, 0.065
    state = np.zeros((n, n, 2), np.float32)
    state[..., 0] = 1
    state[10:20, 12:25] = rng.random((10, 13, 2))
    arrays = [image(state, 2), image(state, 2)]
    textures = [ww.Texture(a, address="wrap", normalized=True) for a in arrays]
    surfaces = [ww.Surface(a) for a in arrays]
    run = load("sampling/reaction.cu")
    c = state.astype(float)
    for step in range(6):
        run(
            "react", textures[step % 2], surfaces[1 - step % 2], n, feed, kill,
            grid=(3, 5), block=(16, 8),
        )  # fmt: skip
        spread = sum(np.roll(c, s, axis) for s in (1, -1) for axis in (0, 1)) - 4 * c
        u, v = c[..., 0], c[..., 1]
        uvv = u * v * v
        c = np.stack(
            [
                u + 0.16 * spread[..., 0] - uvv + feed * (1 - u),
                v + 0.08 * spread[..., 1] + uvv - (feed + kill) * v,
            ],
            -1,
        )
    got = np.zeros_like(state)
    arrays[0].copy_to(got)
    assert np.allclose(got, c, rtol=1e-5, atol=1e-6)


def test_heat_between_references(load, rng):
    h, w, k = 30, 45, 0.2
    heat = rng.random((h, w)).astype(np.float32)
    arrays = [image(heat), image(heat)]
    run = load("sampling/reaction.cu")
    source = run.module.get_texref("heat_in")
    target = run.module.get_surfref("heat_out")
    wanted = heat.astype(float)
    for step in range(5):
        source.set_array(arrays[step % 2])
        target.set_array(arrays[1 - step % 2])
        run("spread", w, h, k, grid=(3, 4), block=(16, 8))
        around = np.pad(wanted, 1, "edge")
        total = around[1:-1, :-2] + around[1:-1, 2:] + around[:-2, 1:-1] + around[2:, 1:-1]
        wanted = wanted + k * (total - 4 * wanted)
    got = np.zeros_like(heat)
    arrays[1].copy_to(got)
    assert np.allclose(got, wanted, rtol=1e-5, atol=1e-6)
