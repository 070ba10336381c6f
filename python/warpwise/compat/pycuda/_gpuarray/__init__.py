"""GPUArray and the functions over it, above the arrays of Warpwise."""
