"""cuda.jit and its relatives: options, dispatch, and what kernels may name."""
