"""Modules, functions and their arguments: every form of a call."""
