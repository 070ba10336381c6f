"""The names of `warpwise`, a file a concept: what is in the `__all__` of one is public.

Names of Python's built-in functions are in `warpwise/__init__.py`, for they are in no `__all__`.
"""
