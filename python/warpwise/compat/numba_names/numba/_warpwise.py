"""This package is Warpwise's."""
