"""Memory of the device and of the host, copies and fills, pools, CUDA arrays and textures."""
