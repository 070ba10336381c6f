"""Particles as structs, stencils of several fields, rays, deposition and random walks."""

from __future__ import annotations

import numpy as np
from contestants import Memory, zeros
from works import BLOCK, Array, Work, blocks_for

from .registry import random, work


@work("particles, float4 and float3, unsigned")
def move_bodies() -> Work:
    n, step = 1 << 20, 0.01
    start = random(61, (n, 8), 1, 2)
    start[:, 7] = 0
    bodies, moved, force = Memory(start), zeros((n, 8)), Memory(random(62, (n, 3), -1, 1))

    def expected() -> Array:
        b = bodies.array.astype(np.float64)
        b[:, 4:7] += force.array * (step / b[:, 3:4])
        b[:, :3] += b[:, 4:7] * step
        return b

    return Work(
        "move_bodies",
        "move_bodies",
        None,
        blocks_for(n),
        (BLOCK,),
        [bodies, moved, force, np.float32(step), n],
        moved,
        expected,
        "move_bodies",
        [bodies, moved, force, np.float32(step), np.int64(n)],
    )


@work("lattice Boltzmann D2Q9, unsigned")
def lattice_step() -> Work:
    side, omega = 1024, 1.2
    cx, cy = [0, 1, 0, -1, 0, 1, -1, -1, 1], [0, 0, 1, 0, -1, 1, 1, -1, -1]
    weight = [4 / 9] + 4 * [1 / 9] + 4 * [1 / 36]
    cells, after = Memory(random(63, (9, side, side), 0.1, 0.2)), zeros((9, side, side))

    def expected() -> Array:
        wide = cells.array.astype(np.float64)
        f = np.stack([np.roll(wide[k], (cy[k], cx[k]), (0, 1)) for k in range(9)])
        density = f.sum(axis=0)
        ux, uy = (np.tensordot(c, f, 1) / density for c in (cx, cy))
        for k in range(9):
            along = 3 * (cx[k] * ux + cy[k] * uy)
            square = 1.5 * (ux**2 + uy**2)
            rest = weight[k] * density * (1 + along + along**2 / 2 - square)
            f[k] += omega * (rest - f[k])
        return f

    return Work(
        "lattice_step",
        "lattice_step",
        None,
        (side // BLOCK, side),
        (BLOCK,),
        [cells, after, side, side, np.float32(omega)],
        after,
        expected,
        "lattice_step",
    )


@work("heat in three dimensions, size_t")
def heat() -> Work:
    n, k = 256, 0.1
    x, z = Memory(random(64, (n, n, n))), zeros((n, n, n))

    def expected() -> Array:
        full, result = x.array.astype(np.float64), np.zeros((n, n, n))
        inner = full[1:-1, 1:-1, 1:-1]
        sides = full[:-2, 1:-1, 1:-1] + full[2:, 1:-1, 1:-1] + full[1:-1, :-2, 1:-1]
        sides += full[1:-1, 2:, 1:-1] + full[1:-1, 1:-1, :-2] + full[1:-1, 1:-1, 2:]
        result[1:-1, 1:-1, 1:-1] = inner + k * (sides - 6 * inner)
        return result

    return Work(
        "heat",
        "heat",
        None,
        (n // 32, n // 8, n),
        (32, 8),
        [x, z, n, n, n, np.float32(k)],
        z,
        expected,
        "heat",
    )


@work("FDTD, electric step")
def electric_step() -> Work:
    side = 1536
    shape = (side, side)
    fields = zeros((2, side, side))
    hz, ca, cb = (
        Memory(random(66, shape, -1, 1)),
        Memory(random(67, shape)),
        Memory(random(68, shape)),
    )

    def expected() -> Array:
        h, c = hz.array.astype(np.float64), cb.array
        result = np.zeros((2, side, side))
        result[0, 1:] = c[1:] * (h[1:] - h[:-1])
        result[1, :, 1:] = -c[:, 1:] * (h[:, 1:] - h[:, :-1])
        return result

    return Work(
        "electric_step",
        "electric_step",
        None,
        (side // 32, side // 8),
        (32, 8),
        [fields.part(0), fields.part(1), hz, ca, cb, side, side],
        fields,
        expected,
        "electric_step",
        reset=[fields],
    )


@work("rays and spheres, unsigned")
def rays() -> Work:
    side, count = 1024, 32
    spheres = random(69, (count, 4))
    spheres[:, 2] += 1
    spheres[:, 3] = 0.05 + 0.1 * spheres[:, 3]
    scene, hit = Memory(spheres), zeros((side, side), np.int32)

    def expected() -> Array:
        axis = (np.arange(side) + 0.5) / side
        px, py = np.meshgrid(axis, axis)
        rx, ry = 0.1 * (px - 0.5), 0.1 * (py - 0.5)
        rz = 1 / np.sqrt(rx**2 + ry**2 + 1)
        nearest, which = np.full((side, side), 1e30), np.full((side, side), -1)
        for k, (x, y, z, radius) in enumerate(spheres.astype(np.float64)):
            dx, dy = x - px, y - py
            along = (dx * rx + dy * ry + z) * rz
            inside = along**2 - (dx**2 + dy**2 + z**2) + radius**2
            t = along - np.sqrt(np.maximum(inside, 0))
            nearer = (inside > 0) & (t > 0) & (t < nearest)
            which[nearer] = k
            nearest[nearer] = t[nearer]
        return which

    return Work(
        "rays",
        "rays",
        None,
        (side // 16, side // 16),
        (16, 16),
        [scene, hit, side, side],
        hit,
        expected,
        "rays",
        tolerance=-0.001,  # rays along a sphere's rim go either way by a last bit
    )


@work("charges onto a grid, atomics")
def deposit() -> Work:
    n, side = 1 << 20, 512
    place, grid = Memory(random(70, (n, 2), 0, side - 1.01)), zeros((side, side))

    def expected() -> Array:
        p = place.array.astype(np.float64)
        x, y = p[:, 0].astype(int), p[:, 1].astype(int)
        fx, fy = p[:, 0] - x, p[:, 1] - y
        total = np.zeros(side * side)
        corners = [(0, 0, (1 - fx) * (1 - fy)), (1, 0, fx * (1 - fy))]
        corners += [(0, 1, (1 - fx) * fy), (1, 1, fx * fy)]
        for right, down, share in corners:
            at = (y + down) * side + x + right
            total += np.bincount(at, share, minlength=side * side)
        return total.reshape(side, side)

    return Work(
        "deposit",
        "deposit",
        None,
        blocks_for(n),
        (BLOCK,),
        [place, grid, side, n],
        grid,
        expected,
        "deposit",
        [place, grid, side, np.int64(n), side],
        reset=[grid],
    )


@work("random walks, switch, unsigned")
def walk() -> Work:
    walkers, steps, seed = 1 << 16, 256, 12345
    returns = zeros(walkers, np.uint32)

    def expected() -> Array:
        number = np.arange(1, walkers + 1, dtype=np.uint64) * 2654435761 & 0xFFFFFFFF
        state = number.astype(np.uint32) ^ np.uint32(seed)
        x, y, count = (np.zeros(walkers, np.uint8) for _ in range(3))
        for _ in range(steps):
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            move = np.where(state >> 30 & 1, 255, 1).astype(np.uint8)
            x += np.where(state >> 31, 0, move).astype(np.uint8)
            y += np.where(state >> 31, move, 0).astype(np.uint8)
            count += (x == 0) & (y == 0)
        return count

    return Work(
        "walk",
        "walk",
        None,
        blocks_for(walkers),
        (BLOCK,),
        [returns, steps, seed],
        returns,
        expected,
        "walk",
        [returns, steps, seed, walkers],
        tolerance=0,
    )
