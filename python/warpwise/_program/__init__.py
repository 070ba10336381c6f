"""What the text of a Python program for kernels is made of: see _script_tree.py."""
