"""Programs that no GPU takes are refused by the CPU device too, unless they are allowed."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("what NVRTC says is NVIDIA's")

ALLOW = "--allow-beyond-gpu"


def shared(size: int) -> str:
    return (
        "__global__ void big(int *o) {\n"
        f" __shared__ char s[{size}]; s[threadIdx.x] = 7; __syncthreads(); o[0] = s[1]; }}"
    )


def constant(size: int) -> str:
    return f"__constant__ char c[{size}]; __global__ void big(int *o) {{ o[0] = c[o[1]]; }}"


def parameters(size: int) -> str:
    return (
        f"struct P {{ char c[{size}]; }};\n"
        f"__global__ void big(P p, int *o) {{ o[0] = p.c[{size} - 1]; }}"
    )


def local(size: int) -> str:
    return (
        f"__global__ void big(int *o, int n) {{ char a[{size}];\n"
        f" for (int i = 0; i < n; ++i) a[i * 7 % {size}] = i; o[0] = a[n]; }}"
    )


BEYOND = {
    "shared": (
        shared(49153),
        "kernel 'big' has 49153 bytes of static shared memory, 49153 of them in 'big(int*)::s', "
        "and on a GPU at most 49152",
        "use extern __shared__ memory, whose size is given at the launch",
    ),
    "two shared": (
        "__global__ void big(int *o) { __shared__ int s[10000]; __shared__ int t[5000];"
        " s[o[1]] = t[o[2]] = 7; __syncthreads(); o[0] = s[1] + t[2]; }",
        "has 60000 bytes of static shared memory, 40000 of them in 'big(int*)::s'",
        "use extern __shared__ memory, whose size is given at the launch",
    ),
    "constant": (
        constant(65537),
        "the __constant__ variables have 65537 bytes, 65537 of them in 'c', and on a GPU at most "
        "65536",
        "declare what is large as __device__",
    ),
    "parameters": (
        parameters(32768),
        "kernel 'big' has 32776 bytes of parameters, 32768 of them in 'p', and on a GPU at most "
        "32764",
        "pass the address of device memory",
    ),
    "local": (
        local(1 << 30),
        "the stack of a thread is exhausted: kernel 'big' has 1073741824 bytes of local "
        "variables, and on a GPU at most 524288",
        "use device memory",
    ),
}


@pytest.mark.parametrize(("source", "what", "advice"), BEYOND.values(), ids=BEYOND)
def test_what_no_gpu_takes_is_refused(source: str, what: str, advice: str) -> None:
    with pytest.raises(ww.CompileError) as caught:
        ww.SourceModule(source, name="mine.cu")
    text = str(caught.value)
    assert what in text
    assert f"{advice}, or compile with {ALLOW}" in text
    assert caught.value.file == "mine.cu"
    with pytest.raises(ww.CompileError):
        ww.compile(source)


@pytest.mark.parametrize("name", ["shared", "parameters", "local"])
def test_the_error_has_the_line_of_the_kernel(name: str) -> None:
    with pytest.raises(ww.CompileError) as caught:
        ww.SourceModule("// one\n// two\n" + BEYOND[name][0])
    assert caught.value.line == (4 if name == "parameters" else 3)


@pytest.mark.parametrize("name", ["shared", "two shared", "constant", "parameters"])
def test_it_is_allowed_with_a_warning(name: str) -> None:
    source, what, _ = BEYOND[name]
    module = ww.SourceModule(source, options=[ALLOW], name="mine.cu")
    assert module.log.startswith("mine.cu: warning: ")
    assert what in module.log
    assert module["big"].signature.name == "big"


def test_what_is_allowed_runs() -> None:
    result = np.zeros(4, np.int32)
    ww.SourceModule(shared(200_000), options=[ALLOW])["big"](ww.InOut(result), block=32)
    assert result[0] == 7


def test_local_arrays_beyond_every_stack_are_refused_in_any_case() -> None:
    with pytest.raises(ww.Error, match=r"the stack of a thread is exhausted|no memory for the sta"):
        module = ww.SourceModule(local(1 << 30), options=[ALLOW])
        module["big"](ww.Out(np.zeros(1, np.int32)), 5, block=256)
        ww.Device().synchronize()


FITS = {
    "shared": shared(49152),
    "constant": constant(65536),
    "parameters": parameters(32752),
    "local": local(400_000),
    "dynamic": "__global__ void big(int *o) { extern __shared__ int s[]; o[0] = s[0]; }",
    "of two kernels": "__global__ void a(int *o) { __shared__ int s[9000]; s[o[1]] = 1; "
    "__syncthreads(); o[0] = s[o[2]]; }\n"
    "__global__ void big(int *o) { __shared__ int t[9000]; t[o[1]] = 1; "
    "__syncthreads(); o[0] = t[o[2]]; }",
    "unused": "__device__ int f() { __shared__ int s[90000]; return s[threadIdx.x]; }\n"
    "__global__ void big(int *o) { o[0] = 1; }",
}


@pytest.mark.parametrize("source", FITS.values(), ids=FITS)
def test_what_a_gpu_takes_is_taken(source: str) -> None:
    module = ww.SourceModule(source)
    assert module.log == ""
    assert module["big"].signature.name == "big"


def test_device_variables_beyond_what_can_be_loaded_are_named() -> None:
    source = (
        "__device__ char c[10000000000ll]; __global__ void k(char *o) { o[0] = c[threadIdx.x]; }"
    )
    for options in ([], [ALLOW]):
        with pytest.raises(ww.CompileError) as caught:
            ww.SourceModule(source, options=options)
        text = str(caught.value)
        assert "10000000000 bytes, 10000000000 of them in 'c'" in text
        assert "mem_alloc" in text


DEPTH = (
    "template <int N> struct F { static constexpr int v = F<N - 1>::v + 1; };\n"
    "template <> struct F<0> { static constexpr int v = 0; };\n"
    "__global__ void k(int *o) { o[0] = F<2000>::v; }"
)
PARENTHESES = "__global__ void k(int *o) { o[0] = " + "(" * 5000 + "1" + ")" * 5000 + "; }"
STEPS = (
    "constexpr int count(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i & 1; return s; }\n"
    "__global__ void k(int *o) { constexpr int c = count(3000000); o[0] = c; }"
)
RAISED = {
    "-ftemplate-depth": (DEPTH, "5000", 2000),
    "--ftemplate-depth": (DEPTH, "5000", 2000),
    "-fbracket-depth": (PARENTHESES, "10000", 1),
    "-fconstexpr-steps": (STEPS, "100000000", 1500000),
}


@pytest.mark.parametrize("option", RAISED)
@pytest.mark.parametrize("is_joined", [True, False])
def test_limits_of_the_front_end_can_be_raised(option: str, is_joined: bool) -> None:
    source, limit, expected = RAISED[option]
    with pytest.raises(ww.CompileError):
        ww.SourceModule(source)
    options = [f"{option}={limit}"] if is_joined else [option, limit]
    result = np.zeros(1, np.int32)
    ww.SourceModule(source, options=options)["k"](ww.Out(result), block=1)
    assert result[0] == expected


@pytest.mark.parametrize("value", ["0", "-1", "many", "99999999999", ""])
def test_such_a_limit_is_a_number(value: str) -> None:
    with pytest.raises(ww.ArgumentError, match="-ftemplate-depth expects a number from 1 to"):
        ww.SourceModule(DEPTH, options=[f"-ftemplate-depth={value}"])


def test_a_warning_without_a_name_is_explained() -> None:
    with pytest.raises(ww.ArgumentError, match="'-W' expects the name of a group of warnings"):
        ww.SourceModule("__global__ void k() {}", options=["-W"])
