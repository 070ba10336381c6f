"""Fractals, rays, polygons, distances."""

from __future__ import annotations

import math

import numpy as np
from launching import over, over_2d

from warpwise import cuda
from warpwise.cuda.types import float64


@cuda.jit(device=True)
def escape(x, y, limit):
    c = complex(x, y)
    z = 0.0j
    for i in range(limit):
        z = z * z + c
        if (z.real * z.real + z.imag * z.imag) >= 4:
            return i
    return limit


@cuda.jit
def mandelbrot(left, right, low, high, image, limit):
    rows, columns = image.shape
    start_x, start_y = cuda.grid(2)
    grid_x = cuda.gridDim.x * cuda.blockDim.x
    grid_y = cuda.gridDim.y * cuda.blockDim.y
    for j in range(start_x, columns, grid_x):
        real = left + j * (right - left) / columns
        for i in range(start_y, rows, grid_y):
            image[i, j] = escape(real, low + i * (high - low) / rows, limit)


def escape_times(z, c, limit):
    times = np.full(c.shape, limit)
    for i in range(limit):
        z = np.where(times == limit, z * z + c, z)
        times[(times == limit) & (z.real**2 + z.imag**2 >= 4)] = i
    return times


def test_the_mandelbrot_set():
    image = np.zeros((30, 40), np.uint8)
    mandelbrot[(2, 2), (8, 8)](-2.0, 1.0, -1.1, 1.1, image, 30)
    x, y = -2 + np.arange(40) * 3.0 / 40, -1.1 + np.arange(30) * 2.2 / 30
    c = x[None, :] + 1j * y[:, None]
    differ = image != escape_times(np.zeros_like(c), c, 30)
    assert differ.sum() <= 2


@cuda.jit
def julia(c, image):
    j, i = cuda.grid(2)
    rows, columns = image.shape
    if i < rows and j < columns:
        z = complex(3.0 * j / columns - 1.5, 3.0 * i / rows - 1.5)
        count = 0
        while abs(z) < 2 and count < 50:
            z = z**2 + c
            count += 1
        image[i, j] = count


def test_a_julia_set():
    image = np.zeros((21, 23), np.int32)
    over_2d(julia, image.shape, -0.4 + 0.6j, image)
    y, x = np.mgrid[0:21, 0:23]
    z = 3.0 * x / 23 - 1.5 + 1j * (3.0 * y / 21 - 1.5)
    expected = np.zeros((21, 23), int)
    for _ in range(50):
        inside = np.abs(z) < 2
        expected[inside] += 1
        z[inside] = z[inside] ** 2 - 0.4 + 0.6j
    assert (image != expected).sum() <= 2


@cuda.jit
def newton_fractal(points, roots, out):
    i = cuda.grid(1)
    if i < points.size:
        z = points[i]
        for _ in range(60):
            z = z - (z * z * z - 1) / (3 * z * z)
        best, nearest = 0, math.inf
        for k in range(roots.size):
            distance = abs(z - roots[k])
            if distance < nearest:
                best, nearest = k, distance
        out[i] = best


def test_newtons_method_on_complex_numbers(rng):
    points = rng.normal(size=120) + 1j * rng.normal(size=120)
    roots = np.exp(2j * np.pi * np.arange(3) / 3)
    out = np.empty(120, np.int64)
    over(newton_fractal, 120, points, roots, out)
    z = points.copy()
    for _ in range(60):
        z -= (z**3 - 1) / (3 * z**2)
    expected = np.abs(z[:, None] - roots).argmin(axis=1)
    assert (out != expected).sum() <= 2


@cuda.jit
def burning_ship(image):
    j, i = cuda.grid(2)
    rows, columns = image.shape
    if i < rows and j < columns:
        cx, cy = 3.5 * j / columns - 2.5, 3.0 * i / rows - 2.0
        x = y = 0.0
        count = 0
        while x * x + y * y <= 4.0 and count < 40:
            x, y = x * x - y * y + cx, abs(2 * x * y) + cy
            count += 1
        image[i, j] = count


def test_the_burning_ship():
    image = np.zeros((16, 20), np.int16)
    over_2d(burning_ship, image.shape, image)
    expected = np.zeros((16, 20), int)
    for i in range(16):
        for j in range(20):
            cx, cy, x, y, count = 3.5 * j / 20 - 2.5, 3.0 * i / 16 - 2.0, 0.0, 0.0, 0
            while x * x + y * y <= 4 and count < 40:
                x, y, count = x * x - y * y + cx, abs(2 * x * y) + cy, count + 1
            expected[i, j] = count
    assert (image != expected).sum() <= 2


@cuda.jit(device=True)
def hit_sphere(ox, oy, oz, dx, dy, dz, sphere):
    lx, ly, lz = sphere[0] - ox, sphere[1] - oy, sphere[2] - oz
    along = lx * dx + ly * dy + lz * dz
    if along < 0:
        return -1.0
    distance = lx * lx + ly * ly + lz * lz - along * along
    if distance > sphere[3] * sphere[3]:
        return -1.0
    return along - math.sqrt(sphere[3] * sphere[3] - distance)


@cuda.jit
def cast_rays(spheres, directions, depth, shade):
    i = cuda.grid(1)
    if i >= depth.size:
        return
    dx, dy, dz = directions[i, 0], directions[i, 1], directions[i, 2]
    nearest, which = math.inf, -1
    for s in range(spheres.shape[0]):
        t = hit_sphere(0.0, 0.0, 0.0, dx, dy, dz, spheres[s])
        if 0 < t < nearest:
            nearest, which = t, s
    depth[i] = nearest
    if which >= 0:
        nx = (nearest * dx - spheres[which, 0]) / spheres[which, 3]
        ny = (nearest * dy - spheres[which, 1]) / spheres[which, 3]
        nz = (nearest * dz - spheres[which, 2]) / spheres[which, 3]
        shade[i] = max(0.0, -(nx * dx + ny * dy + nz * dz))
    else:
        shade[i] = 0


def test_rays_and_spheres(rng):
    spheres = np.column_stack([rng.normal(0, 3, (6, 3)) + [0, 0, 9], 0.5 + rng.random(6)])
    directions = np.column_stack([rng.normal(0, 0.3, (150, 2)), np.ones(150)])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    depth, shade = np.empty(150), np.empty(150)
    over(cast_rays, 150, spheres, directions, depth, shade)
    along = directions @ spheres[:, :3].T
    gap = (spheres[:, :3] ** 2).sum(axis=1) - along**2
    inside = spheres[:, 3] ** 2 - gap
    t = np.where((along >= 0) & (inside >= 0), along - np.sqrt(np.maximum(inside, 0)), np.inf)
    np.testing.assert_allclose(depth, t.min(axis=1), rtol=1e-9)
    assert ((shade > 0) <= np.isfinite(depth)).all() and (shade <= 1 + 1e-12).all()


@cuda.jit
def in_polygon(x, y, corners, out):
    i = cuda.grid(1)
    if i < x.size:
        inside = False
        j = corners.shape[0] - 1
        for k in range(corners.shape[0]):
            xa, ya, xb, yb = corners[k, 0], corners[k, 1], corners[j, 0], corners[j, 1]
            if (ya > y[i]) != (yb > y[i]) and x[i] < (xb - xa) * (y[i] - ya) / (yb - ya) + xa:
                inside = not inside
            j = k
        out[i] = inside


def test_points_in_a_polygon(rng):
    angles = np.arange(7) * 2 * np.pi / 7
    corners = np.column_stack([np.cos(angles), np.sin(angles)])
    x, y = rng.uniform(-1.2, 1.2, (2, 200))
    out = np.empty(200, np.bool_)
    over(in_polygon, 200, x, y, corners, out)
    edges = np.roll(corners, -1, axis=0) - corners
    side = edges[:, 0] * (y[:, None] - corners[:, 1]) - edges[:, 1] * (x[:, None] - corners[:, 0])
    assert np.array_equal(out, (side > 0).all(axis=1))


@cuda.jit
def haversine(lat1, lon1, lat2, lon2, out):
    i = cuda.grid(1)
    if i < out.size:
        p1, p2 = math.radians(lat1[i]), math.radians(lat2[i])
        a = math.sin((p2 - p1) / 2) ** 2
        a += math.cos(p1) * math.cos(p2) * math.sin(math.radians(lon2[i] - lon1[i]) / 2) ** 2
        out[i] = 2 * 6371.0 * math.asin(math.sqrt(a))


def test_distances_on_a_sphere(rng):
    lat1, lat2 = rng.uniform(-90, 90, (2, 100))
    lon1, lon2 = rng.uniform(-180, 180, (2, 100))
    out = np.empty(100)
    over(haversine, 100, lat1, lon1, lat2, lon2, out)

    def on_sphere(lat, lon):
        a, b = np.radians(lat), np.radians(lon)
        return np.stack([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(a)])

    one, other = on_sphere(lat1, lon1), on_sphere(lat2, lon2)
    angle = np.arctan2(np.linalg.norm(np.cross(one, other, axis=0), axis=0), (one * other).sum(0))
    np.testing.assert_allclose(out, 6371 * angle, rtol=1e-7)


@cuda.jit
def voronoi(sites, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        best, owner = 1 << 60, -1
        for s, site in enumerate(sites):
            d = (i - site[0]) ** 2 + (j - site[1]) ** 2
            if d < best:
                best, owner = d, s
        out[i, j] = owner


def test_a_voronoi_diagram(rng):
    sites = rng.integers(0, 20, (7, 2))
    out = np.empty((18, 20), np.int64)
    over_2d(voronoi, out.shape, sites, out)
    i, j = np.mgrid[0:18, 0:20]
    distances = (i[..., None] - sites[:, 0]) ** 2 + (j[..., None] - sites[:, 1]) ** 2
    assert np.array_equal(out, distances.argmin(axis=2))


@cuda.jit
def nearest_neighbour(points, index, distance):
    i = cuda.grid(1)
    if i < points.shape[0]:
        best = math.inf
        for j in range(points.shape[0]):
            if j == i:
                continue
            d = 0.0
            for k in range(points.shape[1]):
                d += (points[i, k] - points[j, k]) ** 2
            if d < best:
                best = d
                index[i] = j
        distance[i] = math.sqrt(best)


def test_nearest_neighbours(rng):
    points = rng.normal(size=(80, 3))
    index, distance = np.empty(80, np.int64), np.empty(80)
    over(nearest_neighbour, 80, points, index, distance)
    gaps = np.linalg.norm(points[:, None] - points, axis=2) + np.diag([np.inf] * 80)
    assert np.array_equal(index, gaps.argmin(axis=1))
    np.testing.assert_allclose(distance, gaps.min(axis=1), rtol=1e-12)


@cuda.jit
def rotate(points, axis, angle, out):
    i = cuda.grid(1)
    if i < points.shape[0]:
        c, s = math.cos(angle), math.sin(angle)
        u, v, w = axis
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        along = (u * x + v * y + w * z) * (1 - c)
        out[i, 0] = x * c + (v * z - w * y) * s + u * along
        out[i, 1] = y * c + (w * x - u * z) * s + v * along
        out[i, 2] = z * c + (u * y - v * x) * s + w * along


def test_rotations_about_an_axis(rng):
    points = rng.normal(size=(50, 3))
    out = np.empty_like(points)
    over(rotate, 50, points, (0.6, 0.0, 0.8), 0.7, out)
    k = np.array([[0, -0.8, 0], [0.8, 0, -0.6], [0, 0.6, 0]])
    matrix = np.eye(3) + math.sin(0.7) * k + (1 - math.cos(0.7)) * k @ k
    np.testing.assert_allclose(out, points @ matrix.T, rtol=1e-12, atol=1e-14)


@cuda.jit
def bezier(control, t, out):
    i = cuda.grid(1)
    if i < t.size:
        work = cuda.local.array((6, 2), float64)
        n = control.shape[0]
        for k in range(n):
            work[k, 0], work[k, 1] = control[k, 0], control[k, 1]
        for level in range(n - 1, 0, -1):
            for k in range(level):
                for axis in range(2):
                    work[k, axis] = (1 - t[i]) * work[k, axis] + t[i] * work[k + 1, axis]
        out[i, 0], out[i, 1] = work[0, 0], work[0, 1]


def test_bezier_curves(rng):
    control, t = rng.normal(size=(6, 2)), np.linspace(0, 1, 50)
    out = np.empty((50, 2))
    over(bezier, 50, control, t, out)
    weights = np.stack([math.comb(5, k) * t**k * (1 - t) ** (5 - k) for k in range(6)], axis=1)
    np.testing.assert_allclose(out, weights @ control, rtol=1e-11, atol=1e-13)


@cuda.jit
def polygon_area(polygons, out):
    i = cuda.grid(1)
    if i < polygons.shape[0]:
        p = polygons[i]
        total = 0.0
        for k in range(len(p)):
            total += p[k - 1, 0] * p[k, 1] - p[k, 0] * p[k - 1, 1]
        out[i] = abs(total) / 2


def test_areas_of_polygons(rng):
    polygons = rng.normal(size=(30, 5, 2))
    out = np.empty(30)
    over(polygon_area, 30, polygons, out)
    x, y = polygons[..., 0], polygons[..., 1]
    expected = 0.5 * np.abs((np.roll(x, 1, 1) * y - x * np.roll(y, 1, 1)).sum(axis=1))
    np.testing.assert_allclose(out, expected, rtol=1e-12)
