"""Property tests compile kernels: what is measured by the clock is the compiler."""

from __future__ import annotations

import devices
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "arrays",
    deadline=None,
    # A new expression takes NVRTC, where the CPU device interprets.
    max_examples=60 if devices.IS_CPU else 15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("arrays")


@pytest.fixture
def rng() -> np.random.Generator:
    """Fresh random numbers; a failing test shows their seed."""
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    print(f"seed {seed}")
    return np.random.default_rng(seed)
