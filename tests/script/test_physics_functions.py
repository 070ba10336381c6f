"""Particles and ordinary differential equations."""

from __future__ import annotations

import math

import numpy as np
from launching import over

from warpwise import cuda
from warpwise.cuda.types import float64


@cuda.jit
def accelerations(positions, masses, softening, out):
    i = cuda.grid(1)
    if i < positions.shape[0]:
        ax = ay = az = 0.0
        for j in range(positions.shape[0]):
            dx = positions[j, 0] - positions[i, 0]
            dy = positions[j, 1] - positions[i, 1]
            dz = positions[j, 2] - positions[i, 2]
            pull = masses[j] / (dx * dx + dy * dy + dz * dz + softening) ** 1.5
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
        out[i, 0], out[i, 1], out[i, 2] = ax, ay, az


def gravity(positions, masses):
    gap = positions[None] - positions[:, None]
    pull = masses / ((gap**2).sum(axis=2) + 0.01) ** 1.5
    return (pull[..., None] * gap).sum(axis=1)


def test_forces_between_bodies(rng):
    positions, masses = rng.normal(size=(70, 3)), rng.random(70)
    out = np.empty((70, 3))
    over(accelerations, 70, positions, masses, 0.01, out)
    np.testing.assert_allclose(out, gravity(positions, masses), rtol=1e-9, atol=1e-10)


@cuda.jit
def tiled_accelerations(bodies, out):
    tile = cuda.shared.array((32, 4), float64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    n = bodies.shape[0]
    a = cuda.local.array(3, float64)
    for k in range(3):
        a[k] = 0.0
    for start in range(0, n, 32):
        if start + t < n:
            for k in range(4):
                tile[t, k] = bodies[start + t, k]
        cuda.syncthreads()
        if i < n:
            for j in range(min(32, n - start)):
                square = 0.01
                for k in range(3):
                    square += (tile[j, k] - bodies[i, k]) ** 2
                for k in range(3):
                    a[k] += tile[j, 3] * (tile[j, k] - bodies[i, k]) / (square * math.sqrt(square))
        cuda.syncthreads()
    if i < n:
        for k in range(3):
            out[i, k] = a[k]


def test_forces_with_tiles(rng):
    bodies = np.column_stack([rng.normal(size=(77, 3)), rng.random(77)])
    out = np.empty((77, 3))
    over(tiled_accelerations, 77, bodies, out, threads=32)
    np.testing.assert_allclose(out, gravity(bodies[:, :3], bodies[:, 3]), rtol=1e-9, atol=1e-10)


@cuda.jit
def lennard_jones(positions, cutoff, energy):
    i = cuda.grid(1)
    if i < positions.shape[0]:
        total = 0.0
        for j in range(positions.shape[0]):
            if i != j:
                square = 0.0
                for k in range(positions.shape[1]):
                    d = positions[i, k] - positions[j, k]
                    square += d * d
                if square < cutoff**2:
                    inverse = 1 / square**3
                    total += 4 * (inverse * inverse - inverse)
        energy[i] = total / 2


def test_lennard_jones_energies(rng):
    positions = rng.random((60, 2)) * 9
    energy = np.empty(60)
    over(lennard_jones, 60, positions, 2.5, energy)
    square = ((positions[:, None] - positions) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    pairs = np.where(square < 6.25, 4 * (square**-6.0 - square**-3.0), 0)
    np.testing.assert_allclose(energy, pairs.sum(axis=1) / 2, rtol=1e-9)


@cuda.jit(device=True)
def lorenz(x, y, z):
    return 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z


@cuda.jit
def lorenz_steps(states, dt, steps):
    i = cuda.grid(1)
    if i < states.shape[0]:
        x, y, z = states[i, 0], states[i, 1], states[i, 2]
        for _ in range(steps):
            a1, b1, c1 = lorenz(x, y, z)
            a2, b2, c2 = lorenz(x + dt / 2 * a1, y + dt / 2 * b1, z + dt / 2 * c1)
            a3, b3, c3 = lorenz(x + dt / 2 * a2, y + dt / 2 * b2, z + dt / 2 * c2)
            a4, b4, c4 = lorenz(x + dt * a3, y + dt * b3, z + dt * c3)
            x += dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            y += dt / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
            z += dt / 6 * (c1 + 2 * c2 + 2 * c3 + c4)
        states[i, 0], states[i, 1], states[i, 2] = x, y, z


def runge_kutta(f, state, dt, steps):
    for _ in range(steps):
        k1 = f(state)
        k2 = f(state + dt / 2 * k1)
        k3 = f(state + dt / 2 * k2)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + f(state + dt * k3))
    return state


def test_lorenz_by_runge_and_kutta(rng):
    states = rng.normal(size=(40, 3)) * 5
    expected = runge_kutta(lambda s: np.array(lorenz_of(*s)), states.T, 0.01, 30).T
    over(lorenz_steps, 40, states, 0.01, 30)
    np.testing.assert_allclose(states, expected, rtol=1e-8)


def lorenz_of(x, y, z):
    return 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z


@cuda.jit
def pendulum(angle, speed, dt, steps):
    i = cuda.grid(1)
    if i < angle.size:
        for _ in range(steps):
            speed[i] -= dt * math.sin(angle[i])
            angle[i] += dt * speed[i]


def test_pendulums(rng):
    angle, speed = rng.normal(size=(2, 60))
    a, s = angle.copy(), speed.copy()
    over(pendulum, 60, angle, speed, 0.01, 100)
    for _ in range(100):
        s -= 0.01 * np.sin(a)
        a += 0.01 * s
    np.testing.assert_allclose(angle, a, rtol=1e-10, atol=1e-12)


@cuda.jit
def springs(x, v, stiffness, dt):
    i = cuda.grid(1)
    left = x[i - 1] if i > 0 else 0.0
    right = x[i + 1] if i + 1 < x.size else 0.0
    force = stiffness * (left - 2 * x[i] + right)
    cuda.syncthreads()
    v[i] += dt * force
    x[i] += dt * v[i]


def test_a_chain_of_springs(rng):
    x, v = rng.normal(size=64), np.zeros(64)
    padded = np.pad(x, 1)
    expected = x + 0.1 * 0.1 * 2.0 * (padded[:-2] - 2 * x + padded[2:])
    springs[1, 64](x, v, 2.0, 0.1)
    np.testing.assert_allclose(x, expected, rtol=1e-12)


@cuda.jit
def kepler(mean, eccentricity, out):
    i = cuda.grid(1)
    if i < mean.size:
        e = eccentricity[i]
        anomaly = mean[i] if e < 0.8 else math.pi
        delta = 1.0
        while abs(delta) > 1e-13:
            delta = (anomaly - e * math.sin(anomaly) - mean[i]) / (1 - e * math.cos(anomaly))
            anomaly -= delta
        out[i] = anomaly


def test_keplers_equation(rng):
    mean, eccentricity = rng.uniform(0, 2 * np.pi, 90), rng.uniform(0, 0.9, 90)
    out = np.empty(90)
    over(kepler, 90, mean, eccentricity, out)
    np.testing.assert_allclose(out - eccentricity * np.sin(out), mean, atol=1e-11)


@cuda.jit
def projectiles(angles, drag, distance):
    i = cuda.grid(1)
    if i < angles.size:
        x, y = 0.0, 0.0
        vx, vy = 30 * math.cos(angles[i]), 30 * math.sin(angles[i])
        while y >= 0:
            speed = math.sqrt(vx * vx + vy * vy)
            vx -= 0.01 * drag * speed * vx
            vy -= 0.01 * (9.81 + drag * speed * vy)
            x += 0.01 * vx
            y += 0.01 * vy
        distance[i] = x


def test_projectiles_with_drag():
    angles = np.linspace(0.1, 1.4, 40)
    distance = np.empty(40)
    over(projectiles, 40, angles, 0.01, distance)
    for angle, found in zip(angles, distance):
        x, y, vx, vy = 0.0, 0.0, 30 * math.cos(angle), 30 * math.sin(angle)
        while y >= 0:
            speed = math.sqrt(vx * vx + vy * vy)
            vx, vy = vx - 0.01 * 0.01 * speed * vx, vy - 0.01 * (9.81 + 0.01 * speed * vy)
            x, y = x + 0.01 * vx, y + 0.01 * vy
        assert math.isclose(found, x, rel_tol=1e-8)


@cuda.jit
def deposit(positions, charges, grid):
    p = cuda.grid(1)
    if p < positions.size:
        cell = int(math.floor(positions[p]))
        rest = positions[p] - cell
        cuda.atomic.add(grid, cell, charges[p] * (1 - rest))
        cuda.atomic.add(grid, cell + 1, charges[p] * rest)


def test_charges_on_a_grid(rng):
    positions, charges, grid = rng.random(300) * 10, rng.random(300), np.zeros(12)
    over(deposit, 300, positions, charges, grid)
    cell = positions.astype(int)
    expected = np.zeros(12)
    np.add.at(expected, cell, charges * (1 - positions + cell))
    np.add.at(expected, cell + 1, charges * (positions - cell))
    np.testing.assert_allclose(grid, expected, rtol=1e-12)
