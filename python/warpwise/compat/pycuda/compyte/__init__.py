"""pycuda.compyte: what PyCUDA's sources share with PyOpenCL's, as far as programs import it."""
