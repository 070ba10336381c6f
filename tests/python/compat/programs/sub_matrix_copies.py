"""A PyCUDA program: parts of matrices and volumes, copied with Memcpy2D and Memcpy3D."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

WIDTH, HEIGHT = 100, 40
matrix = np.random.default_rng(10).random((HEIGHT, WIDTH), np.float32)
memory, pitch = cuda.mem_alloc_pitch(WIDTH * 4, HEIGHT, 4)
copy = cuda.Memcpy2D()
copy.set_src_host(matrix)
copy.set_dst_device(memory)
copy.src_pitch, copy.dst_pitch = matrix.strides[0], pitch
copy.width_in_bytes, copy.height = WIDTH * 4, HEIGHT
copy(aligned=True)
module = SourceModule(
    """
__global__ void negate(char *rows, int pitch, int width)
{
    float *row = (float *)(rows + blockIdx.x * pitch);
    for (int x = threadIdx.x; x < width; x += blockDim.x) row[x] = -row[x];
}
"""
)
module.get_function("negate")(
    memory, np.int32(pitch), np.int32(WIDTH), block=(32, 1, 1), grid=(HEIGHT, 1)
)
part = np.zeros((8, 16), np.float32)
back = cuda.Memcpy2D()
back.set_src_device(memory)
back.set_dst_host(part)
back.src_x_in_bytes, back.src_y, back.src_pitch = 4 * 10, 20, pitch
back.dst_pitch, back.width_in_bytes, back.height = 4 * 16, 4 * 16, 8
stream = cuda.Stream()
back(stream)
stream.synchronize()
np.testing.assert_array_equal(part, -matrix[20:28, 10:26])

volume = np.arange(4 * 6 * 8, dtype=np.int32).reshape(4, 6, 8)
array = cuda.np_to_array(volume, order="C")
slab = np.zeros((2, 3, 8), np.int32)
box = cuda.Memcpy3D()
box.set_src_array(array)
box.set_dst_host(slab)
box.src_y, box.src_z = 2, 1
box.dst_pitch, box.dst_height = 32, 3
box.width_in_bytes, box.height, box.depth = 32, 3, 2
box()
np.testing.assert_array_equal(slab, volume[1:3, 2:5])
print("done")
