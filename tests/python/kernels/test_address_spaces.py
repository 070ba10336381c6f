"""__isGlobal, __isShared, __isLocal and __isConstant of addresses that a kernel takes itself."""

import numpy as np
import pytest

import warpwise as ww

GLOBAL, SHARED, LOCAL, CONSTANT = 1, 2, 4, 8

# Bits: which of the four functions say yes.
SPACES = """
__constant__ int first[4] = {1, 2, 3, 4};
__constant__ int last[2] = {5, 6};
__device__ int variable[4];
__device__ int spaces_of(const void *p) {
    return __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p);
}
"""
executors = pytest.mark.parametrize("executor", ["gang", "regions", "reference"])


def spaces(address: str, executor: str, before: str = "") -> list[int]:
    """What the threads of a block of 40 say of ``address``."""
    out = np.zeros(40, np.int32)
    module = ww.SourceModule(
        SPACES
        + f"""
        __global__ void kernel(int *out, const int *in) {{
            extern __shared__ int dynamic[];
            __shared__ int fixed[40];
            int t = threadIdx.x, own[8];
            for (int i = 0; i < 8; ++i) own[i] = in[i] + t;
            fixed[t] = dynamic[t] = t;
            {before}
            int result = spaces_of({address});
            out[t] = result + (own[t % 8] < 0) + (fixed[t] < 0);
        }}""",
        options=[f"--warpwise-executor={executor}"],
    )
    module["kernel"](
        ww.Out(out), ww.In(np.arange(8, dtype=np.int32)), block=40, shared=40 * 4
    )  # fmt: skip
    return sorted(set(out.tolist()))


@executors
@pytest.mark.parametrize("address", ["in", "out + t", "&variable[t % 4]"])
def test_buffers_and_device_variables_are_global(address: str, executor: str) -> None:
    assert spaces(address, executor) == [GLOBAL]


@executors
@pytest.mark.parametrize("address", ["fixed", "&fixed[t]", "dynamic", "&dynamic[39]"])
def test_shared_variables_are_shared(address: str, executor: str) -> None:
    assert spaces(address, executor) == [SHARED]


@executors
@pytest.mark.parametrize("address", ["own", "&own[t % 8]", "&t"])
def test_variables_of_a_thread_are_local(address: str, executor: str) -> None:
    assert spaces(address, executor) == [LOCAL]


@executors
def test_variables_that_outlive_a_barrier_are_local(executor: str) -> None:
    assert spaces("own + t % 8", executor, before="__syncthreads();") == [LOCAL]


@executors
@pytest.mark.parametrize("address", ["first", "&first[3]", "&last[t % 2]"])
def test_constant_variables_are_constant(address: str, executor: str) -> None:
    assert spaces(address, executor) == [CONSTANT]


@executors
def test_each_thread_has_the_answer_for_its_own_address(executor: str) -> None:
    address = "t % 4 == 0 ? in : t % 4 == 1 ? fixed : t % 4 == 2 ? own : first"
    assert spaces(address, executor) == [GLOBAL, SHARED, LOCAL, CONSTANT]


@executors
def test_memory_of_malloc_is_global(executor: str) -> None:
    assert spaces("heap", executor, before="int *heap = (int *)malloc(8);") == [GLOBAL]


@pytest.mark.cpu_only("a GPU answers at run time")
def test_an_address_of_unknown_origin_is_refused_by_name() -> None:
    source = """
    __global__ void kernel(int **slots, int *out) {
        int own[2] = {out[0], out[1]};
        slots[threadIdx.x] = own;
        __syncthreads();
        out[threadIdx.x] = __isLocal(slots[1 - threadIdx.x]) + own[out[2] & 1];
    }"""
    with pytest.raises(ww.UnsupportedError, match=r"__isLocal.. of an address of unknown") as info:
        ww.SourceModule(source, name="spaces.cu")
    assert info.value.line == 6


@pytest.mark.cpu_only("a GPU answers at run time")
def test_a_chosen_local_address_in_memory_makes_others_unknown() -> None:
    source = """
    __global__ void kernel(int **slots, int *out) {
        int own[2] = {out[0], out[1]};
        slots[threadIdx.x] = out[3] > 0 ? own : out;
        __syncthreads();
        out[threadIdx.x] = __isGlobal(slots[1 - threadIdx.x]) + own[out[2] & 1];
    }"""
    with pytest.raises(ww.UnsupportedError, match=r"__isGlobal.. of an address of unknown origin"):
        ww.SourceModule(source, name="spaces.cu")


@executors
def test_an_address_read_from_memory_is_global_where_none_is_local(executor: str) -> None:
    out = np.zeros(2, np.int32)
    module = ww.SourceModule(
        "__device__ int *slot;"
        "__global__ void kernel(int *out) {"
        "    slot = out; __threadfence();"
        "    int *volatile *place = &slot;"
        "    out[0] = __isGlobal(*place); out[1] = __isLocal(*place);"
        "}",
        options=[f"--warpwise-executor={executor}"],
    )
    module["kernel"](ww.Out(out), block=1)
    assert out.tolist() == [1, 0]


@executors
def test_an_assumption_about_an_unknown_address_is_accepted(executor: str) -> None:
    out = np.ones(1, np.int32)
    module = ww.SourceModule(
        """
        __global__ void kernel(int **slots, int *out) {
            int own[2] = {out[0], out[0] + 1};
            if (out[0] == 0) slots[0] = own;
            __builtin_assume(__isGlobal(slots[out[0]]));
            out[0] = own[out[0] & 1] + 5;
        }""",
        options=[f"--warpwise-executor={executor}"],
    )
    module["kernel"](ww.In(np.zeros(2, np.uint64)), ww.InOut(out), block=1)
    assert out[0] == 7
