"""Kernels written in Python, and for each the CUDA C++ written by hand for the same work."""
