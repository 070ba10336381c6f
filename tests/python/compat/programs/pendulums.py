"""A PyCUDA program: many pendulums by the Runge-Kutta method of order 4, on whole arrays."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import cumath, gpuarray

N, STEPS, H = 500, 300, 0.02
starts = np.linspace(0.1, 2.8, N)


def forces(angle, speed, sin):
    return speed, -sin(angle)


def step(angle, speed, sin):
    a1, s1 = forces(angle, speed, sin)
    a2, s2 = forces(angle + H / 2 * a1, speed + H / 2 * s1, sin)
    a3, s3 = forces(angle + H / 2 * a2, speed + H / 2 * s2, sin)
    a4, s4 = forces(angle + H * a3, speed + H * s3, sin)
    turned = angle + H / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return turned, speed + H / 6 * (s1 + 2 * s2 + 2 * s3 + s4)


def energy(angle, speed, cos):
    return 0.5 * speed * speed - cos(angle)


angle, speed = gpuarray.to_gpu(starts), gpuarray.zeros(N, np.float64)
before = energy(angle, speed, cumath.cos)
for _ in range(STEPS):
    angle, speed = step(angle, speed, cumath.sin)
drift = gpuarray.max(abs(energy(angle, speed, cumath.cos) - before)).get()
host_angle, host_speed = starts, np.zeros(N)
for _ in range(STEPS):
    host_angle, host_speed = step(host_angle, host_speed, np.sin)
assert np.allclose(angle.get(), host_angle) and np.allclose(speed.get(), host_speed)
assert drift < 1e-6
print([round(float(one), 4) for one in angle.get()[::125]], bool(drift < 1e-6))
print("done")
