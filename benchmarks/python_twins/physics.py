"""Particles, differential equations, equations solved by iteration, rays, a stage of an FFT."""

from __future__ import annotations

import math

import numpy as np

from warpwise import cuda
from warpwise.cuda.types import float32

from .registry import Work, seeded, twin

BLOCK = 128


@cuda.jit
def accelerations(positions, masses, softening, out):
    i = cuda.grid(1)
    if i < positions.shape[0]:
        ax = ay = az = 0.0
        for j in range(positions.shape[0]):
            dx = positions[j, 0] - positions[i, 0]
            dy = positions[j, 1] - positions[i, 1]
            dz = positions[j, 2] - positions[i, 2]
            inverse = 1 / math.sqrt(dx * dx + dy * dy + dz * dz + softening)
            pull = masses[j] * inverse * inverse * inverse
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
        out[i, 0], out[i, 1], out[i, 2] = ax, ay, az


@twin(accelerations, gpu=16)
def accelerations_work(scale: int) -> Work:
    n = 512 * scale
    positions, masses = seeded(50).normal(size=(n, 3)), seeded(51).random(n)
    arguments = [positions, masses, 0.01, np.zeros((n, 3))]
    return Work(arguments, n // BLOCK, BLOCK, (n,), tolerance=1e-12)


@cuda.jit
def tiled_accelerations(bodies, softening, out):
    tile = cuda.shared.array((BLOCK, 4), float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    n = bodies.shape[0]
    x, y, z = bodies[i, 0], bodies[i, 1], bodies[i, 2]
    ax = ay = az = float32(0)
    for start in range(0, n, BLOCK):
        for k in range(4):
            tile[t, k] = bodies[start + t, k]
        cuda.syncthreads()
        for j in range(BLOCK):
            dx, dy, dz = tile[j, 0] - x, tile[j, 1] - y, tile[j, 2] - z
            inverse = float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + softening)
            pull = tile[j, 3] * inverse * inverse * inverse
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
        cuda.syncthreads()
    out[i, 0], out[i, 1], out[i, 2] = ax, ay, az


@twin(tiled_accelerations, gpu=16)
def tiled_accelerations_work(scale: int) -> Work:
    n = 1024 * scale
    bodies = seeded(52).normal(size=(n, 4)).astype(np.float32)
    arguments = [bodies, np.float32(0.01), np.zeros((n, 3), np.float32)]
    return Work(arguments, n // BLOCK, BLOCK, (n,), tolerance=1e-5)


@cuda.jit(device=True)
def lorenz(x, y, z):
    return 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z


@cuda.jit
def lorenz_steps(states, dt, steps, out):
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
        out[i, 0], out[i, 1], out[i, 2] = x, y, z


@twin(lorenz_steps, cpu=2, gpu=512)
def lorenz_steps_work(scale: int) -> Work:
    states = 5 * seeded(53).normal(size=(4096 * scale, 3))
    n = len(states)
    arguments = [states, 0.01, 16, np.zeros_like(states)]
    return Work(arguments, n // BLOCK, BLOCK, (n,), tolerance=1e-9)


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


@twin(kepler, cpu=2, gpu=512)
def kepler_work(scale: int) -> Work:
    n = scale << 13
    mean, eccentricity = seeded(54).uniform(0, 6.25, n), seeded(55).uniform(0, 0.9, n)
    arguments = [mean, eccentricity, np.zeros(n)]
    return Work(arguments, n // BLOCK, BLOCK, (n,), tolerance=1e-11)


@cuda.jit
def deposit(positions, charges, grid):
    p = cuda.grid(1)
    if p < positions.size:
        cell = int(math.floor(positions[p]))
        rest = positions[p] - cell
        cuda.atomic.add(grid, cell, charges[p] * (1 - rest))
        cuda.atomic.add(grid, cell + 1, charges[p] * rest)


@twin(deposit, cpu=2, gpu=64)
def deposit_work(scale: int) -> Work:
    n, cells = scale << 15, 1024
    positions, charges = seeded(56).random(n) * cells, seeded(57).random(n)
    arguments = [positions, charges, np.zeros(cells + 1)]
    return Work(arguments, n // BLOCK, BLOCK, (n,), tolerance=1e-11)


@cuda.jit(device=True)
def hit_sphere(dx, dy, dz, sphere):
    along = sphere[0] * dx + sphere[1] * dy + sphere[2] * dz
    if along < 0:
        return -1.0
    square = sphere[0] * sphere[0] + sphere[1] * sphere[1] + sphere[2] * sphere[2] - along * along
    if square > sphere[3] * sphere[3]:
        return -1.0
    return along - math.sqrt(sphere[3] * sphere[3] - square)


@cuda.jit
def cast_rays(spheres, directions, depth, shade):
    i = cuda.grid(1)
    if i >= depth.size:
        return
    dx, dy, dz = directions[i, 0], directions[i, 1], directions[i, 2]
    nearest, which = math.inf, -1
    for s in range(spheres.shape[0]):
        t = hit_sphere(dx, dy, dz, spheres[s])
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


@twin(cast_rays, gpu=256)
def cast_rays_work(scale: int) -> Work:
    rng, n = seeded(58), 16384 * scale
    centres = rng.normal(0, 3, (24, 3)) + [0, 0, 9]
    spheres = np.column_stack([centres, 0.5 + rng.random(24)])
    directions = np.column_stack([rng.normal(0, 0.3, (n, 2)), np.ones(n)])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    arguments = [spheres, directions, np.zeros(n), np.zeros(n)]
    return Work(arguments, n // BLOCK, BLOCK, (24, n), (2, 3), 1e-9, differing=1e-5)


@cuda.jit
def fft_stage(re, im, wr, wi, half, step, out_re, out_im):
    i = cuda.grid(1)
    if i < re.size // 2:
        j = i % half
        a = (i // half) * 2 * half + j
        b = a + half
        c, s = wr[j * step], wi[j * step]
        tr = re[b] * c - im[b] * s
        ti = re[b] * s + im[b] * c
        out_re[b] = re[a] - tr
        out_im[b] = im[a] - ti
        out_re[a] = re[a] + tr
        out_im[a] = im[a] + ti


@twin(fft_stage, gpu=64)
def fft_stage_work(scale: int) -> Work:
    n = scale << 18
    half, step = 1024, n // 2048
    re, im = seeded(59).random((2, n), np.float32)
    angles = -2 * np.pi * np.arange(n // 2) / n
    wr, wi = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    arguments = [re, im, wr, wi, half, step, np.zeros_like(re), np.zeros_like(im)]
    extents = (n,)
    return Work(arguments, n // 2 // BLOCK, BLOCK, extents, outputs=(6, 7), tolerance=1e-6)
