"""A PyCUDA program: layers of doubles, read through a texture and written through a surface."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
#include <pycuda-helpers.hpp>
texture<fp_tex_double, cudaTextureType2DLayered, cudaReadModeElementType> from;
surface<void, cudaSurfaceType2DLayered> to;

__global__ void average(int w, int h)
{
    const int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    double left = fp_tex2DLayered(from, x > 0 ? x - 1 : 0, y, layer);
    double right = fp_tex2DLayered(from, x + 1 < w ? x + 1 : x, y, layer);
    fp_surf2DLayeredwrite(0.5 * (left + right), to, x, y, layer, cudaBoundaryModeZero);
}
"""
)
LAYERS, HEIGHT, WIDTH = 3, 4, 8
data = np.random.default_rng(12).random((LAYERS, HEIGHT, WIDTH))


def layered(values):
    """An array of layers of doubles, each two 32-bit integers."""
    descr = cuda.ArrayDescriptor3D()
    descr.width, descr.height, descr.depth = WIDTH, HEIGHT, LAYERS
    descr.format, descr.num_channels = cuda.array_format.SIGNED_INT32, 2
    descr.flags = cuda.array3d_flags.ARRAY3D_LAYERED | cuda.array3d_flags.SURFACE_LDST
    array = cuda.Array(descr)
    copy = whole()
    copy.set_src_host(values)
    copy.set_dst_array(array)
    copy.src_pitch, copy.src_height = 8 * WIDTH, HEIGHT
    copy()
    return array


def whole():
    copy = cuda.Memcpy3D()
    copy.width_in_bytes, copy.height, copy.depth = 8 * WIDTH, HEIGHT, LAYERS
    return copy


source, target = layered(data), layered(np.zeros_like(data))
module.get_texref("from").set_array(source)
module.get_surfref("to").set_array(target)
module.get_function("average")(
    np.int32(WIDTH), np.int32(HEIGHT), block=(WIDTH, HEIGHT, 1), grid=(LAYERS, 1)
)
result = np.empty_like(data)
back = whole()
back.set_src_array(target)
back.set_dst_host(result)
back.dst_pitch, back.dst_height = 8 * WIDTH, HEIGHT
back()
edged = np.pad(data, ((0, 0), (0, 0), (1, 1)), "edge")
np.testing.assert_allclose(result, 0.5 * (edged[:, :, :-2] + edged[:, :, 2:]), rtol=1e-15)
print("done")
