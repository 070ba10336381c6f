"""The generators of curandom, and the directions of its quasi-random ones."""
