"""A PyCUDA program: bounding boxes and the farthest point, by reductions of structs."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray, tools
from pycuda.reduction import ReductionKernel

box = np.dtype([("x0", np.float32), ("x1", np.float32), ("y0", np.float32), ("y1", np.float32)])
box, text = tools.match_dtype_to_c_struct(None, "bounding_box", box)
tools.get_or_register_dtype("bounding_box", box)
bounds = ReductionKernel(
    box,
    neutral="bounding_box{INFINITY, -INFINITY, INFINITY, -INFINITY}",
    reduce_expr="bounding_box{fminf(a.x0, b.x0), fmaxf(a.x1, b.x1), fminf(a.y0, b.y0), "
    "fmaxf(a.y1, b.y1)}",
    map_expr="bounding_box{p[i].x, p[i].x, p[i].y, p[i].y}",
    arguments="float2 *p",
    preamble=text,
)
rng = np.random.default_rng(6)
host = np.zeros(5000, gpuarray.vec.float2)
host["x"], host["y"] = rng.standard_normal(5000), rng.standard_normal(5000) * 3
points = gpuarray.to_gpu(host)
found = bounds(points).get()
assert found["x0"] == host["x"].min() and found["x1"] == host["x"].max()
assert found["y0"] == host["y"].min() and found["y1"] == host["y"].max()

far = np.dtype([("distance", np.float32), ("index", np.int32)])
tools.register_dtype(far, "far_point")
farthest = ReductionKernel(
    far, "far_point{-1.f, -1}", "a.distance > b.distance ? a : b",
    "far_point{p[i].x*p[i].x + p[i].y*p[i].y, (int)i}", "float2 *p",
    preamble="struct far_point { float distance; int index; };",
)  # fmt: skip
assert farthest(points).get()["index"] == (host["x"] ** 2 + host["y"] ** 2).argmax()
print("done")
