"""Arrays with Numba's methods, records, layouts, and host memory that devices reach."""
