"""Ray tracing and fractals, against the same in NumPy."""

import numpy as np

import warpwise as ww

FAR = 2e10


def nearest(scene, origin, ray):
    """(index or -1, distance) of the first sphere that each ray intersects."""
    between = origin[:, None] - np.stack([scene["cx"], scene["cy"], scene["cz"]], 1)
    b = (between * ray[:, None]).sum(2)
    disc = b**2 - (between**2).sum(2) + scene["radius"] ** 2
    root = np.sqrt(np.maximum(disc, 0))
    t = np.where(-b - root > 1e-3, -b - root, -b + root)
    t = np.where((disc >= 0) & (t > 1e-3), t, FAR)
    return np.where(t.min(1) < FAR, t.argmin(1), -1), t.min(1)


def shade(scene, origin, ray, light, depth):
    colour = np.zeros_like(ray)
    if depth == 0 or not len(ray):
        return colour
    which, t = nearest(scene, origin, ray)
    sky = which < 0
    colour[sky] = np.array([0.2, 0.3, 0.5]) * (0.5 + 0.5 * ray[sky, 1:2])
    sphere, ray, at = scene[which[~sky]], ray[~sky], (origin + ray * t[:, None])[~sky]
    normal = at - np.stack([sphere["cx"], sphere["cy"], sphere["cz"]], 1)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    dark = nearest(scene, at, np.broadcast_to(light, at.shape))[0] >= 0
    lit = np.where(dark, 0, np.maximum(normal @ light, 0))[:, None]
    own = np.stack([sphere["r"], sphere["g"], sphere["b"]], 1) * (0.1 + 0.9 * lit)
    mirror = ray - 2 * (normal * ray).sum(1, keepdims=True) * normal
    shine = sphere["shine"][:, None]
    colour[~sky] = own * (1 - shine) + shade(scene, at, mirror, light, depth - 1) * shine
    return colour


def test_ray_traced_spheres(load, rng):
    run = load("rays/spheres.cu")
    names = ["cx", "cy", "cz", "radius", "r", "g", "b", "shine"]
    scene = np.zeros(9, [(name, "f4") for name in names])
    for name in names:
        scene[name] = rng.uniform(-1.5, 1.5, 9) if name in ("cx", "cy") else rng.random(9)
    scene["radius"] = rng.uniform(0.2, 0.5, 9)
    scene["shine"][::3] = 0
    run.module.get_global("scene").copy_from(scene)
    w, h = 61, 45
    light = np.array([0.48, 0.6, -0.64])
    image = np.zeros((h, w, 3), np.float32)
    towards = np.array(tuple(light), [(name, "f4") for name in "xyz"])
    run("render", ww.Out(image), w, h, 9, towards, grid=(8, 6), block=(8, 8))
    y, x = np.mgrid[:h, :w]
    ray = np.stack([(x + 0.5) / w * 2 - 1, (y + 0.5) / h * 2 - 1, np.full(x.shape, 2.0)], 2)
    ray = (ray / np.linalg.norm(ray, axis=2, keepdims=True)).reshape(-1, 3)
    wide = scene.astype([(name, "f8") for name in names])
    want = shade(wide, np.broadcast_to([0.0, 0, -4], ray.shape), ray, light, 4)
    # Rays that graze a sphere's edge may hit or miss in single precision.
    assert np.isclose(image.reshape(-1, 3), want, atol=2e-3).all(1).mean() > 0.97


def test_julia_set(load):
    dim = 75
    out = np.zeros((dim, dim), np.int32)
    load("rays/fractals.cu", "-fmad=false")("julia", ww.Out(out), -0.8, 0.156, grid=(dim, dim))
    f = np.float32
    axis = (1.5 * (dim // 2 - np.arange(dim)) / (dim // 2)).astype(f)
    r, i = np.meshgrid(axis, axis)
    want, alive = np.full((dim, dim), 200), np.ones((dim, dim), bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for step in range(200):
            r, i = r * r - i * i + f(-0.8), i * r + r * i + f(0.156)
            escaped = alive & (r * r + i * i > 1000)
            want[escaped] = step
            alive &= ~escaped
    assert np.array_equal(out, want)


def test_mandelbrot_set(load):
    w, h, limit, step = 71, 53, 300, 0.05
    out = np.zeros((h, w), np.uint16)
    load("rays/fractals.cu", "-fmad=false")(
        "mandelbrot<double>", ww.Out(out), w, h, -2.5, -1.3, step, limit, grid=(9, 7), block=(8, 8)
    )
    c = (-2.5 + np.arange(w) * step)[None] + 1j * (-1.3 + np.arange(h) * step)[:, None]
    x, y = np.zeros((2, h, w))
    want, alive = np.full((h, w), limit), np.ones((h, w), bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(limit):
            x, y = x * x - y * y + c.real, 2 * x * y + c.imag
            escaped = alive & (x * x + y * y > 4)
            want[escaped] = i
            alive &= ~escaped
    assert np.array_equal(out, want)
