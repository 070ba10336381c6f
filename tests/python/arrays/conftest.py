"""Property tests compile kernels: what is measured by the clock is the compiler."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "arrays",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("arrays")
