"""Inline PTX with labels, approximate functions and pairs of halves, on every executor."""

import devices
import numpy as np
import pytest

import warpwise as ww


@pytest.fixture(params=["gang", "reference"])
def each(run, request):
    def launch(source, *args, **kw):
        run(source, *args, options=[f"--warpwise-executor={request.param}"], **kw)

    return launch


def test_a_branch_chooses_for_each_thread(each):
    out = np.zeros(100, np.int32)
    each(
        r"""__global__ void kernel(int *out) {
            int r, i = threadIdx.x;
            asm("{\n .reg .pred p;\n setp.lt.s32 p, %1, 10;\n @p bra SMALL;\n"
                " mul.lo.s32 %0, %1, 3;\n bra.uni DONE;\n"
                "SMALL:\n add.s32 %0, %1, 1000;\nDONE:\n}" : "=r"(r) : "r"(i));
            out[i] = r;
        }""",
        ww.Out(out), block=100,
    )  # fmt: skip
    assert out.tolist() == [i + 1000 if i < 10 else 3 * i for i in range(100)]


def test_a_loop_iterates_as_often_as_its_thread_sets(each):
    out = np.zeros(70, np.int32)
    each(
        r"""__device__ unsigned collatz(unsigned n) {
            unsigned steps = 0;
            asm volatile("{ .reg .pred odd, end; .reg .u32 bit;\n"
                "AGAIN%=: setp.le.u32 end, %1, 1; @end bra OUT%=;\n"
                "and.b32 bit, %1, 1; setp.ne.u32 odd, bit, 0;\n"
                "@odd bra ODD%=; shr.u32 %1, %1, 1; bra NEXT%=;\n"
                "ODD%=: mad.lo.u32 %1, %1, 3, 1;\n"
                "NEXT%=: add.u32 %0, %0, 1; bra AGAIN%=;\n"
                "OUT%=: }" : "+r"(steps), "+r"(n));
            return steps;
        }
        __global__ void kernel(int *out) {
            out[threadIdx.x] = collatz(threadIdx.x) + collatz(1u);
        }""",
        ww.Out(out), block=70,
    )  # fmt: skip

    def collatz(n):
        steps = 0
        while n > 1:
            n = 3 * n + 1 if n % 2 else n // 2
            steps += 1
        return steps

    assert out.tolist() == [collatz(i) for i in range(70)]


def test_a_guarded_instruction_between_labels_holds_where_the_guard_does(each):
    out = np.full(40, -1, np.int32)
    each(
        r"""__global__ void kernel(int *out) {
            asm volatile("{ .reg .pred p; .reg .u32 t; mov.u32 t, %%tid.x;\n"
                "setp.gt.u32 p, t, 30; @p bra END;\n"
                "setp.eq.u32 p, t, 5; @!p st.global.u32 [%0], t;\n"
                "END: }" :: "l"(out + threadIdx.x) : "memory");
        }""",
        ww.InOut(out), block=40,
    )  # fmt: skip
    assert out.tolist() == [i if i <= 30 and i != 5 else -1 for i in range(40)]


@pytest.mark.parametrize(
    ("opcode", "function", "low", "high", "absolute"),
    [
        ("ex2.approx.ftz.f32", np.exp2, -126, 127.5, 0),
        ("lg2.approx.f32", np.log2, 1e-30, 1e30, 2**-22),
        ("sin.approx.ftz.f32", np.sin, -3.2, 3.2, 2**-20),
        ("cos.approx.f32", np.cos, -3.2, 3.2, 2**-20),
        ("tanh.approx.f32", np.tanh, -6, 6, 2**-22),
        ("rcp.approx.ftz.f32", lambda x: 1 / x, 0.1, 90, 0),
        ("rsqrt.approx.f32", lambda x: x**-0.5, 0.1, 90, 0),
    ],
)
def test_functions_are_within_what_ptx_promises(each, opcode, function, low, high, absolute):
    x = np.linspace(low, high, 1024, dtype=np.float32)
    out = np.zeros_like(x)
    each(
        f"""__global__ void kernel(const float *x, float *out) {{
            asm("{opcode} %0, %1;" : "=f"(out[threadIdx.x]) : "f"(x[threadIdx.x]));
        }}""",
        ww.In(x), ww.Out(out), block=1024,
    )  # fmt: skip
    # A GPU's tanh has eleven good bits, as PTX says.
    rtol = 2**-10.9 if "tanh" in opcode and not devices.IS_CPU else 2**-21
    np.testing.assert_allclose(out, function(x.astype(np.float64)), rtol=rtol, atol=absolute)


def test_functions_know_infinities_and_nan(each):
    x = np.array([0, -1, np.inf, -np.inf, np.nan], np.float32)
    out = np.zeros((5, 2), np.float32)
    each(
        """__global__ void kernel(const float *x, float2 *out) {
            float2 r;
            asm("ex2.approx.f32 %0, %2; lg2.approx.f32 %1, %2;"
                : "=f"(r.x), "=f"(r.y) : "f"(x[threadIdx.x]));
            out[threadIdx.x] = r;
        }""",
        ww.In(x), ww.Out(out), block=5,
    )  # fmt: skip
    nan, inf = np.nan, np.inf
    np.testing.assert_array_equal(out[:, 0], [1, 0.5, inf, 0, nan])
    np.testing.assert_array_equal(out[:, 1], [-inf, nan, inf, nan, nan])


def test_pairs_of_halves_are_two_numbers(each, rng):
    a, b, c = rng.normal(size=(3, 64, 2)).astype(np.float16)
    out = np.zeros((64, 4, 2), np.float16)
    each(
        """__global__ void kernel(const unsigned *a, const unsigned *b, const unsigned *c,
                                  unsigned *out) {
            int i = threadIdx.x;
            unsigned *o = out + 4 * i;
            asm("add.f16x2 %0, %1, %2;" : "=r"(o[0]) : "r"(a[i]), "r"(b[i]));
            asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(o[1]) : "r"(a[i]), "r"(b[i]));
            asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(o[2]) : "r"(a[i]), "r"(b[i]), "r"(c[i]));
            asm("max.f16x2 %0, %1, %2;" : "=r"(o[3]) : "r"(a[i]), "r"(b[i]));
        }""",
        ww.In(a.view(np.uint32)), ww.In(b.view(np.uint32)), ww.In(c.view(np.uint32)),
        ww.Out(out.view(np.uint32)), block=64,
    )  # fmt: skip
    np.testing.assert_array_equal(out[:, 0], a + b)
    np.testing.assert_array_equal(out[:, 1], a * b)
    exact = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
    np.testing.assert_array_equal(out[:, 2], exact.astype(np.float16))
    np.testing.assert_array_equal(out[:, 3], np.maximum(a, b))
