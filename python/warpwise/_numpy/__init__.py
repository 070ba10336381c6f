"""NumPy's functions over arrays: dispatch.py is what its protocols call."""
