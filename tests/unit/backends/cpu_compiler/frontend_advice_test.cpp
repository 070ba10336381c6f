// Every advice on a missing name or header, by a source that needs it.
#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"

namespace warpwise::cpu_compiler {
namespace {

using testing::HasSubstr;

struct Example {
    const char* code;  // the whole kernel body, a declaration or the name of a header
    const char* advice;
};

void PrintTo(const Example& example, std::ostream* out) {
    *out << example.code;
}

std::string in_kernel(const std::string& body) {
    return "__global__ void k(float *x) { " + body + " }\n";
}

class NameOfAHeader : public testing::TestWithParam<Example> {};

TEST_P(NameOfAHeader, IsAdvisedToIncludeIt) {
    const auto error = error_of<CompileError>(in_kernel(GetParam().code));
    EXPECT_THAT(error.what(), HasSubstr(std::string("add #include <") + GetParam().advice + ">"));
}

INSTANTIATE_TEST_SUITE_P(
    Names, NameOfAHeader,
    testing::Values(
        Example{"half a;", "cuda_fp16.h"}, Example{"half2 a;", "cuda_fp16.h"},
        Example{"__half a;", "cuda_fp16.h"}, Example{"__half2 a;", "cuda_fp16.h"},
        Example{"__half_raw a;", "cuda_fp16.h"}, Example{"__half2_raw a;", "cuda_fp16.h"},
        Example{"__float2half(x[0]);", "cuda_fp16.h"},
        Example{"__floats2half2_rn(x[0], x[1]);", "cuda_fp16.h"},
        Example{"__half2float(x[0]);", "cuda_fp16.h"},
        Example{"__halves2half2(1, 2);", "cuda_fp16.h"}, Example{"__nv_bfloat16 a;", "cuda_bf16.h"},
        Example{"__nv_bfloat162 a;", "cuda_bf16.h"}, Example{"nv_bfloat16 a;", "cuda_bf16.h"},
        Example{"nv_bfloat162 a;", "cuda_bf16.h"},
        Example{"__float2bfloat16(x[0]);", "cuda_bf16.h"},
        Example{"__bfloat162float(1);", "cuda_bf16.h"}, Example{"cuComplex a;", "cuComplex.h"},
        Example{"cuFloatComplex a;", "cuComplex.h"}, Example{"cuDoubleComplex a;", "cuComplex.h"},
        Example{"make_cuComplex(1, 2);", "cuComplex.h"}, Example{"cufftComplex a;", "cufft.h"},
        Example{"curandState a;", "curand_kernel.h"},
        Example{"cooperative_groups::this_grid();", "cooperative_groups.h"},
        Example{"nvcuda::wmma::mma_sync();", "mma.h"}, Example{"wmma::mma_sync();", "mma.h"},
        Example{"__pipeline_commit();", "cuda_pipeline.h"}, Example{"cub::Sum();", "cub/cub.cuh"}));

class MissingFeature : public testing::TestWithParam<Example> {};

TEST_P(MissingFeature, IsNamed) {
    compiler::CompileRequest asked = request(in_kernel(GetParam().code));
    asked.format = "ptx";  // textures and surfaces are declared for the CPU
    EXPECT_THAT(error_of<UnsupportedError>(asked).what(),
                HasSubstr(std::string(GetParam().advice) + " are not part of this version"));
}

INSTANTIATE_TEST_SUITE_P(
    Names, MissingFeature,
    testing::Values(Example{"texture<float, 2> t;", "textures"},
                    Example{"x[0] = tex1D<float>(1, 0);", "textures"},
                    Example{"x[0] = tex2D<float>(1, 0, 0);", "textures"},
                    Example{"x[0] = tex3D<float>(1, 0, 0, 0);", "textures"},
                    Example{"x[0] = texCubemap<float>(1, 0, 0, 0);", "textures"},
                    Example{"surface<void, 2> s;", "surfaces"},
                    Example{"x[0] = surf1Dread<float>(1, 0);", "surfaces"},
                    Example{"x[0] = surf2Dread<float>(1, 0, 0);", "surfaces"},
                    Example{"x[0] = surf3Dread<float>(1, 0, 0, 0);", "surfaces"},
                    Example{"x[0] = clusterDim.x;", "thread block clusters"},
                    Example{"x[0] = clusterIdx.x;", "thread block clusters"},
                    Example{"cutlass::gemm();", "CUTLASS's templates"}));

class MissingHeader : public testing::TestWithParam<Example> {};

TEST_P(MissingHeader, IsExplainedInTheLog) {
    const Translation result =
        run("#include <" + std::string(GetParam().code) + ">\n" + in_kernel("x[0] = 1;"));
    EXPECT_THAT(result.log, HasSubstr(std::string("<") + GetParam().code +
                                      ">: " + GetParam().advice + " is not part of this version"));
}

INSTANTIATE_TEST_SUITE_P(
    Headers, MissingHeader,
    testing::Values(
        Example{"thrust/async/for_each.h", "this part of Thrust"},
        Example{"cub/agent/agent_reduce.cuh", "this part of CUB"},
        Example{"cuda/stream_ref", "this part of libcu++"},
        Example{"nv/absent", "this part of libcu++"}, Example{"cutlass/cutlass.h", "CUTLASS"},
        Example{"cute/tensor.hpp", "CUTLASS"},
        Example{"curand_mtgp32_kernel.h", "cuRAND's MTGP32 generator"},
        Example{"curand_discrete.h", "this part of cuRAND"},
        Example{"cooperative_groups/absent.h", "this part of cooperative groups"},
        Example{"cublas_v2.h", "cuBLAS"}, Example{"cufftw.h", "this part of cuFFT"},
        Example{"cudnn.h", "cuDNN"}, Example{"cusparse.h", "cuSPARSE"},
        Example{"cusolverDn.h", "cuSOLVER"}, Example{"nccl.h", "NCCL"}, Example{"npp.h", "NPP"},
        Example{"nvml.h", "NVML"}, Example{"nvToolsExt.h", "NVTX"},
        Example{"nvtx3/nvtx3.hpp", "NVTX"}, Example{"nvrtc.h", "NVRTC"},
        Example{"cudaProfiler.h", "the profiler"}, Example{"cuda_profiler_api.h", "the profiler"},
        Example{"cuda_gl_interop.h", "OpenGL"}, Example{"cuda_egl_interop.h", "EGL"},
        Example{"cuda_d3d11_interop.h", "Direct3D"}, Example{"cuda_vdpau_interop.h", "VDPAU"},
        Example{"helper_cuda.h", "host code"}, Example{"cutil_absent.h", "host code"},
        Example{"shrUtils.h", "host code"}, Example{"shrQATest.h", "host code"},
        Example{"drvapi_error_string.h", "host code"}, Example{"multithreading.h", "host code"},
        Example{"exception.h", "host code"}, Example{"timer.h", "host code"}));

TEST(MissingHeader, OfTheSystemIsPassedOver) {
    EXPECT_THAT(run("#include \"unistd.h\"\n" + in_kernel("x[0] = 1;")).log,
                HasSubstr("<unistd.h> was not found"));
}

TEST(MissingMember, OfAClusterIsNamed) {
    EXPECT_THAT(error_of<UnsupportedError>("#include <cooperative_groups.h>\n" +
                                           in_kernel("cooperative_groups::cluster_group g;"))
                    .what(),
                HasSubstr("'cluster_group': thread block clusters"));
}

TEST(Ellipsis, InADeviceFunctionIsAllowedWhereNothingReadsIt) {
    EXPECT_EQ(run("__device__ int f(int n, ...) { return n; }\n" + in_kernel("x[0] = f(1, 2);"))
                  .kernels.size(),
              1u);
}

}  // namespace
}  // namespace warpwise::cpu_compiler
