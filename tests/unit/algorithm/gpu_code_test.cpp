// Users' kernels through NVRTC, which needs no GPU, with the signature that is given to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "src/compiler/compiler.hpp"
#include "src/runtime/module/compile_request.hpp"
#include "src/runtime/registry.hpp"
#include "tests/unit/algorithm/sample_kernels.hpp"
#include "warpwise/error.hpp"

namespace warpwise::algorithm {
namespace {

constexpr std::array kArchitectures = {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"};

compiler::Program compiled(const SampleKernel& sample, const char* architecture) {
    const auto rows = runtime::registry();
    runtime::Backend& cuda =
        std::ranges::find(rows, "cuda", &runtime::RegistryRow::kind)->backend();
    compiler::CompileRequest request = runtime::compile_request(
        sample.source, {.options = sample.text.options, .name = sample.text.name + ".cu"});
    request.target = architecture;
    request.mode.signatures = {sample.signature};
    return compiler::compile_cached(cuda.compiler(), request);
}

class GpuCodeOfUserKernels : public testing::Test {
  protected:
    void SetUp() override {
        try {
            compiled(sample_kernels().front(), "sm_80");
        } catch (const CompileError&) {
            // The tests say which kernels.
        } catch (const Error& error) {
            GTEST_SKIP() << "there is no NVRTC here: " << error.what();
        }
    }
};

TEST_F(GpuCodeOfUserKernels, CompilesForEveryArchitecture) {
    for (const SampleKernel& one : sample_kernels()) {
        for (const char* const architecture : kArchitectures) {
            EXPECT_NO_THROW({ EXPECT_FALSE(compiled(one, architecture).binary.empty()); })
                << one.name << " for " << architecture << "\n"
                << one.source;
        }
    }
}

TEST_F(GpuCodeOfUserKernels, NamesTheUsersLineInErrors) {
    const auto definition = definition_of("float *x", "int k = 1;\nx[i] = k + wrong");
    const ElementwiseLayout layout =
        lay_out(definition, Shape{5},
                {{.shape = Shape{5}, .strides = Strides{4}, .item_bytes = 4, .takes_part = true}},
                false, ElementwiseForm::Range::All);
    const SampleKernel sample{.name = "wrong",
                              .source = emit(definition, layout.form),
                              .text = definition.text,
                              .signature = signature_of(definition, layout.form)};
    try {
        compiled(sample, "sm_80");
        FAIL() << "it compiled";
    } catch (const CompileError& error) {
        EXPECT_EQ(error.file(), "k.operation") << error.what();
        EXPECT_EQ(error.line(), 2) << error.what();
    }
}

}  // namespace
}  // namespace warpwise::algorithm
