"""A PyCUDA program: bounding boxes and the farthest point, by reductions of structs."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray, tools
from pycuda.reduction import ReductionKernel

# A reduction's last steps assign through a volatile pointer.
BOX = """
struct bounding_box {
    float x0, x1, y0, y1;
    __device__ volatile bounding_box &operator=(const bounding_box &other) volatile
    {
        x0 = other.x0; x1 = other.x1; y0 = other.y0; y1 = other.y1;
        return *this;
    }
};
"""
box = np.dtype([("x0", np.float32), ("x1", np.float32), ("y0", np.float32), ("y1", np.float32)])
tools.get_or_register_dtype("bounding_box", box)
bounds = ReductionKernel(
    box,
    neutral="bounding_box{INFINITY, -INFINITY, INFINITY, -INFINITY}",
    reduce_expr="bounding_box{fminf(a.x0, b.x0), fmaxf(a.x1, b.x1), fminf(a.y0, b.y0), "
    "fmaxf(a.y1, b.y1)}",
    map_expr="bounding_box{p[i].x, p[i].x, p[i].y, p[i].y}",
    arguments="float2 *p",
    preamble=BOX,
)
rng = np.random.default_rng(6)
host = np.zeros(5000, gpuarray.vec.float2)
host["x"], host["y"] = rng.standard_normal(5000), rng.standard_normal(5000) * 3
points = gpuarray.to_gpu(host)
found = bounds(points).get()
assert found["x0"] == host["x"].min() and found["x1"] == host["x"].max()
assert found["y0"] == host["y"].min() and found["y1"] == host["y"].max()

FAR = """
struct far_point {
    float distance;
    int index;
    __device__ volatile far_point &operator=(const far_point &other) volatile
    {
        distance = other.distance; index = other.index;
        return *this;
    }
};
"""
far = np.dtype([("distance", np.float32), ("index", np.int32)])
tools.get_or_register_dtype("far_point", far)
farthest = ReductionKernel(
    far, "far_point{-1.f, -1}",
    "far_point{fmaxf(a.distance, b.distance), a.distance > b.distance ? a.index : b.index}",
    "far_point{p[i].x*p[i].x + p[i].y*p[i].y, (int)i}", "float2 *p", preamble=FAR,
)  # fmt: skip
index = int(farthest(points).get()["index"])
assert index == (host["x"] ** 2 + host["y"] ** 2).argmax()
print([round(float(found[name]), 3) for name in box.names], index)
print("done")
