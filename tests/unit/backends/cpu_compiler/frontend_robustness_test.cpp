// Large, odd and broken sources; many threads.
#include <atomic>
#include <random>
#include <thread>

#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"

namespace warpwise::cpu_compiler {
namespace {

TEST(LargeSource, KernelOfFourThousandLines) {
    std::string source = "__global__ void k(float *x) {\n  float v = x[0];\n";
    for (int i = 0; i < 4000; ++i) source += "  v = v * 1.5f + x[" + std::to_string(i) + "];\n";
    EXPECT_EQ(run(source + "  x[0] = v;\n}\n").kernels.size(), 1u);
}

TEST(LargeSource, TwoHundredParameters) {
    std::string source = "__global__ void k(int p0";
    for (int i = 1; i < 200; ++i) source += ", int p" + std::to_string(i);
    const Translation result = run(source + ") {}");
    EXPECT_EQ(result.kernels.at(0).signature.parameters.size(), 200u);
    EXPECT_EQ(result.kernels.at(0).signature.argument_bytes, 800u);
}

TEST(LargeSource, ThousandKernels) {
    std::string source;
    for (int i = 0; i < 1000; ++i) {
        source += "__global__ void k" + std::to_string(i) + "(int *x) { *x = " + std::to_string(i) +
                  "; }\n";
    }
    EXPECT_EQ(run(source).kernels.size(), 1000u);
}

TEST(LargeSource, ExpressionOfThreeThousandOperands) {
    std::string source = "__global__ void k(int *x) { *x = x[0]";
    for (int i = 0; i < 3000; ++i) source += "+x[1]";
    EXPECT_EQ(run(source + "; }").kernels.size(), 1u);
}

TEST(LargeSource, BracketsBeyondTheLimitAreAnError) {
    const std::string open(100000, '(');
    EXPECT_THROW(run("__global__ void k(int *x) { *x = " + open + "1; }"), CompileError);
}

TEST(LargeSource, EndlessTemplateIsAnError) {
    EXPECT_THROW(run("template <int N> struct S { static const int v = S<N + 1>::v; };\n"
                     "__global__ void k(int *x) { *x = S<0>::v; }"),
                 CompileError);
}

TEST(OddSource, EmptyIsFine) {
    EXPECT_TRUE(run("").kernels.empty());
}

TEST(OddSource, NulByteDoesNotHideTheRest) {
    const std::string source = std::string("__global__ void k() {}\n\0\n", 25) + "oops\n";
    EXPECT_THROW(run(source), CompileError);
}

TEST(OddSource, UnfinishedSourcesAreErrors) {
    for (const char* source : {"/*", "\"", "R\"(", "#if 1", "__global__ void k() {",
                               "extern \"C\" {", "#define", "#include", "template <", "\\"}) {
        try {
            run(source);
        } catch (const CompileError&) {
        }
        EXPECT_FALSE(crashed()) << source;
    }
}

TEST(OddSource, RandomTokensNeverCrash) {
    static const char* const kTokens[] = {
        "__global__", "__device__", "__shared__", "void",   "int",       "float4",   "k",     "(",
        ")",          "{",          "}",          "<",      ">",         "<<<",      ">>>",   ";",
        ",",          "template",   "class",      "struct", "=",         "*",        "&",     "1",
        "x",          "for",        "if",         "return", "threadIdx", ".",        "x",     "#",
        "\n",         "::",         "auto",       "[",      "]",         "operator", "\"s\"", "asm",
        "enum",       "union",      "~",          "this",   "typename"};
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
        std::string source;
        for (int j = 0; j < 60; ++j) {
            source += std::string(kTokens[random() % std::size(kTokens)]) + " ";
        }
        try {
            run(source);
        } catch (const Error&) {
        }
    }
    EXPECT_FALSE(crashed());
}

TEST(Threads, CompileAtOnce) {
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&right, i] {
            const std::string name = "k" + std::to_string(i);
            const Translation result = run("__global__ void " + name + "(float *x) { x[0] = 1; }");
            if (find_kernel(result, name) != nullptr) ++right;
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 8);
}

}  // namespace
}  // namespace warpwise::cpu_compiler
