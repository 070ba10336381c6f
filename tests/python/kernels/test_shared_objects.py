"""Variables in shared memory whose types have constructors: accepted inside functions as by nvcc, which
runs none, and refused where nvcc refuses them."""

import devices
import numpy as np
import pytest

import warpwise as ww

# Each declares `room` and `other`, of types whose constructors or destructors do something.
DECLARATIONS = {
    "default values of members": """
        struct Sum { float value = 7; int count = 0; };
        template <class T> __device__ T *rooms() {
            __shared__ Sum room, other[2];
            other[1].count = 1;
            return (T *)&room.value; }""",
    "a constructor": """
        struct Sum { float value; __device__ Sum() : value(7) {} };
        template <class T> __device__ T *rooms() {
            __shared__ Sum other, room;
            other.value = 3;
            return (T *)&room.value; }""",
    "a constructor of a member of an array": """
        template <class T> struct Point {
            T x = 0, y = 0;
            Point() = default;
            __host__ __device__ Point(T x, T y) : x(x), y(y) {}
        };
        struct Tile { Point<float> points[2][3]; };
        template <class T> __device__ T *rooms() {
            static __shared__ __align__(16) Tile room [2][1] ;
            room[1][0].points[1][2] = Point<float>(1, 2);
            return &room[0][0].points[0][0].x; }""",
    "of a template's type": """
        template <class T> struct Box { T value = T(); typedef Box<T> self; };
        template <class T> __device__ T *rooms() {
            __shared__ typename Box<Box<T>>::self room;
            Box<int> __shared__ other[3];
            other[2].value = 3;
            return &room.value.value; }""",
    "a destructor": """
        struct Sum { float value; __device__ ~Sum() { value = 7; } };
        template <class T> __device__ T *rooms() { __shared__ Sum room; return (T *)&room.value; }""",
    "virtual functions": """
        struct Sum { float value; __device__ virtual void reset() { value = 7; } };
        template <class T> __device__ T *rooms() { __shared__ Sum room; return &room.value; }""",
}
KERNEL = """
__global__ void kernel(float *out) {
    float *value = rooms<float>();
    if (threadIdx.x == 0) *value = 40;
    __syncthreads();
    if (threadIdx.x == 1) *value += 2;
    __syncthreads();
    out[threadIdx.x] = *value;
}"""


@pytest.mark.parametrize("declaration", DECLARATIONS.values(), ids=DECLARATIONS)
def test_objects_in_shared_memory_are_not_constructed(run, declaration):
    out = np.zeros(40, np.float32)
    run(declaration + KERNEL, ww.Out(out), block=40)
    assert (out == 42).all()


@pytest.mark.parametrize("declaration", DECLARATIONS.values(), ids=DECLARATIONS)
def test_they_compile_for_gpus(declaration):
    assert ww.compile(declaration + KERNEL, target="sm_80", format="cubin")[:4] == b"\x7fELF"


@pytest.mark.cpu_only("nvcc and NVRTC have their own words")
def test_the_log_says_that_no_constructor_runs():
    module = ww.SourceModule(
        """struct Sum { float value = 7; };

        __global__ void kernel(float *out) {
            __shared__ Sum sum, more;
            out[0] = sum.value + more.value;
        }""",
    )
    assert (
        "line 4 of the source: constructors of variables in shared memory do not run: sum, more"
        in module.log
    )


@pytest.mark.parametrize("written", ["room(3)", "room{}", "room = Sum(3)"])
def test_an_initialiser_is_refused(written):
    source = f"""struct Sum {{ float value = 7; __device__ Sum(int i = 0) : value(i) {{}} }};
    __global__ void kernel(float *out) {{
        __shared__ Sum {written};
        out[0] = room.value;
    }}"""
    with pytest.raises(ww.CompileError, match=r"kernel.cu:3.*__shared__"):
        ww.SourceModule(source)


@pytest.mark.skipif(not devices.IS_CPU, reason="NVRTC takes it")
def test_such_a_variable_outside_of_functions_is_refused():
    source = """struct Sum { float value = 7; };
    __shared__ Sum room;
    __global__ void kernel(float *out) { out[0] = room.value; }"""
    with pytest.raises(ww.CompileError, match=r"kernel.cu:2.*__shared__"):
        ww.SourceModule(source)
