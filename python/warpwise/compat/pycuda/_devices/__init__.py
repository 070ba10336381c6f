"""Devices and contexts: attributes, limits, occupancy, the profiler."""
