"""The enlarged suite of the CPU benchmark; `registry` lists its works."""
