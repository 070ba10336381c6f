"""Sources to modules: the compiler's options, headers, the linker."""
