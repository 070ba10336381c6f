// Signatures of kernels and facts about globals, as the run time will see them.
#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"

namespace warpwise::cpu_compiler {
namespace {

using Passing = Parameter::Passing;

// The only parameter of a kernel declared with `type`, after `before`.
Parameter parameter(const std::string& type, const std::string& before = "") {
    const Translation result =
        run(before + "\nextern \"C\" __global__ void k(" + type + " p) {}\n");
    return result.kernels.at(0).signature.parameters.at(0);
}

struct ScalarRow {
    const char* type;
    DType dtype;
};

class ScalarParameter : public testing::TestWithParam<ScalarRow> {};

TEST_P(ScalarParameter, HasItsDtype) {
    const Parameter result = parameter(GetParam().type);
    EXPECT_EQ(result.passing, Passing::Scalar);
    EXPECT_EQ(result.dtype, GetParam().dtype) << result.dtype.name();
    EXPECT_EQ(result.size, GetParam().dtype.size());
    EXPECT_EQ(result.alignment, GetParam().dtype.alignment());
}

INSTANTIATE_TEST_SUITE_P(
    Types, ScalarParameter,
    testing::Values(
        ScalarRow{"bool", bool_}, ScalarRow{"char", int8}, ScalarRow{"unsigned char", uint8},
        ScalarRow{"short", int16}, ScalarRow{"unsigned short", uint16}, ScalarRow{"int", int32},
        ScalarRow{"unsigned", uint32}, ScalarRow{"long", int64}, ScalarRow{"size_t", uint64},
        ScalarRow{"long long", int64}, ScalarRow{"float", float32}, ScalarRow{"double", float64},
        ScalarRow{"float2", DType(Kind::Float32, 2)}, ScalarRow{"float3", DType(Kind::Float32, 3)},
        ScalarRow{"float4", DType(Kind::Float32, 4)}, ScalarRow{"double2", DType(Kind::Float64, 2)},
        ScalarRow{"uchar4", DType(Kind::UInt8, 4)}, ScalarRow{"longlong2", DType(Kind::Int64, 2)},
        ScalarRow{"dim3", DType(Kind::UInt32, 3)}, ScalarRow{"const int", int32},
        ScalarRow{"_Float16", float16}));

TEST(Signature, EnumIsItsUnderlyingType) {
    EXPECT_EQ(parameter("Color", "enum class Color : unsigned char { Red };").dtype, uint8);
}

TEST(Signature, TextureAndSurfaceObjectsAreKnownByTheirTypes) {
    EXPECT_EQ(parameter("cudaTextureObject_t").handle, Parameter::Handle::Texture);
    EXPECT_EQ(parameter("const cudaSurfaceObject_t").handle, Parameter::Handle::Surface);
    EXPECT_EQ(parameter("cudaTextureObject_t").dtype, uint64);
}

TEST(Signature, TheyAreAlsoUnderNamesOfTheSourcesOwn) {
    EXPECT_EQ(parameter("Image", "using Image = cudaTextureObject_t;").handle,
              Parameter::Handle::Texture);
    EXPECT_EQ(parameter("Again", "typedef cudaSurfaceObject_t Once; typedef Once Again;").handle,
              Parameter::Handle::Surface);
}

TEST(Signature, OtherTypesAreNoHandlesWhateverTheirNames) {
    EXPECT_EQ(parameter("unsigned long long").handle, Parameter::Handle::None);
    EXPECT_EQ(parameter("my_cudaTextureObject_t", "using my_cudaTextureObject_t = int;").handle,
              Parameter::Handle::None);
}

TEST(Signature, PointerTellsElementAndConstness) {
    const Parameter result = parameter("const float *");
    EXPECT_EQ(result.passing, Passing::Pointer);
    EXPECT_EQ(result.dtype, float32);
    EXPECT_TRUE(result.is_const);
    EXPECT_EQ(result.type, "const float *");
    EXPECT_EQ(result.size, 8u);
}

TEST(Signature, RestrictPointerIsAPointer) {
    const Parameter result = parameter("float *__restrict__");
    EXPECT_EQ(result.passing, Passing::Pointer);
    EXPECT_FALSE(result.is_const);
}

TEST(Signature, VoidPointerPointsToAnything) {
    EXPECT_EQ(parameter("void *").dtype, DType());
}

TEST(Signature, PointerToPointerPointsToAddresses) {
    EXPECT_EQ(parameter("float **").dtype, DType(Kind::Pointer));
}

TEST(Signature, ArrayParameterIsAPointer) {
    const Translation result = run("__global__ void k(int p[16]) {}");
    EXPECT_EQ(result.kernels.at(0).signature.parameters.at(0).passing, Passing::Pointer);
}

TEST(Signature, ComplexByTypedefName) {
    const std::string typedefs = "typedef float2 cuFloatComplex;";
    EXPECT_EQ(parameter("cuFloatComplex", typedefs).dtype, complex64);
    EXPECT_EQ(parameter("const cuFloatComplex *", typedefs).dtype, complex64);
}

TEST(Signature, ComplexByTemplateName) {
    EXPECT_EQ(parameter("n::complex<double>",
                        "namespace n { template <class T> struct complex { T re, im; }; }")
                  .dtype,
              complex128);
}

TEST(Signature, StructHasFieldsWithOffsets) {
    const Parameter result =
        parameter("Point", "struct Point { char tag; double at[3]; float4 colour; int *next; };");
    EXPECT_EQ(result.passing, Passing::Struct);
    const StructType* type = result.dtype.fields();
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(type->name, "Point");
    ASSERT_EQ(type->fields.size(), 4u);
    EXPECT_EQ(type->fields[1].name, "at");
    EXPECT_EQ(type->fields[1].offset, 8u);
    EXPECT_EQ(type->fields[1].count, 3u);
    EXPECT_EQ(type->fields[2].offset, 32u);
    EXPECT_EQ(type->fields[2].dtype, DType(Kind::Float32, 4));
    EXPECT_EQ(type->fields[3].dtype, DType(Kind::Pointer));
    EXPECT_EQ(type->size, 64u);
    EXPECT_EQ(type->alignment, 16u);
}

TEST(Signature, StructTakesInFieldsOfItsBases) {
    const Parameter result = parameter("B", "struct A { int a; }; struct B : A { float b; };");
    ASSERT_NE(result.dtype.fields(), nullptr);
    EXPECT_EQ(result.dtype.fields()->fields.size(), 2u);
}

TEST(Signature, FieldsOfASecondBaseLieBehindTheFirst) {
    const Parameter result = parameter("C",
                                       "struct A { int a; }; struct B { double b; char c; };"
                                       "struct C : A, B { float d; };");
    ASSERT_NE(result.dtype.fields(), nullptr);
    std::vector<std::size_t> offsets;
    for (const StructField& field : result.dtype.fields()->fields) offsets.push_back(field.offset);
    EXPECT_THAT(offsets, testing::ElementsAre(0, 8, 16, 24));
}

TEST(Signature, UnionIsOpaque) {
    const Parameter result = parameter("U", "union U { int i; double d; };");
    EXPECT_EQ(result.passing, Passing::Opaque);
    EXPECT_EQ(result.size, 8u);
}

TEST(Signature, BitFieldsMakeAStructOpaque) {
    EXPECT_EQ(parameter("F", "struct F { int a : 3; int b : 5; };").passing, Passing::Opaque);
}

TEST(Signature, PointerToListNodeIsAStructPointer) {
    const Parameter result = parameter("Node *", "struct Node { int value; Node *next; };");
    EXPECT_EQ(result.passing, Passing::Pointer);
    EXPECT_EQ(result.dtype.kind(), Kind::Struct);
}

TEST(Signature, ParametersArePackedByTheirAlignment) {
    const Translation result = run("__global__ void k(char a, double b, char c, float3 d) {}");
    const KernelSignature& signature = result.kernels.at(0).signature;
    EXPECT_EQ(signature.parameters[1].offset, 8u);
    EXPECT_EQ(signature.parameters[2].offset, 16u);
    EXPECT_EQ(signature.parameters[3].offset, 20u);
    EXPECT_EQ(signature.argument_bytes, 32u);
}

TEST(Signature, ParameterWithoutANameHasNone) {
    EXPECT_EQ(run("__global__ void k(int) {}").kernels.at(0).signature.parameters.at(0).name, "");
}

TEST(Signature, LaunchBoundsAreRead) {
    const Translation result = run("__global__ void __launch_bounds__(128, 4) k() {}");
    EXPECT_EQ(result.kernels.at(0).signature.max_threads_per_block, 128u);
    EXPECT_EQ(result.kernels.at(0).signature.min_blocks, 4u);
}

TEST(Signature, LaunchBoundsOfATemplateAreThoseOfTheInstance) {
    const Translation result =
        run("template <int N> __global__ void __launch_bounds__(N) k() {}\n"
            "template __global__ void k<64>();\n");
    EXPECT_EQ(result.kernels.at(0).signature.max_threads_per_block, 64u);
}

TEST(Kernels, ExternCNameIsPlain) {
    const Translation result = run("extern \"C\" { __global__ void k() {} }");
    EXPECT_EQ(result.kernels.at(0).signature.name, "k");
    EXPECT_EQ(result.kernels.at(0).signature.symbol, "k");
}

TEST(Kernels, NamespacesAreInTheName) {
    const Translation result = run("namespace a { namespace b { __global__ void k() {} } }");
    EXPECT_NE(find_kernel(result, "a::b::k"), nullptr);
}

TEST(Kernels, AnonymousNamespaceIsNotInTheName) {
    EXPECT_NE(find_kernel(run("namespace { __global__ void k() {} }"), "k"), nullptr);
}

TEST(Kernels, OverloadsAreAllKept) {
    const Translation result = run("__global__ void k(int *) {} __global__ void k(float *) {}");
    ASSERT_EQ(result.kernels.size(), 2u);
    EXPECT_NE(result.kernels[0].signature.symbol, result.kernels[1].signature.symbol);
}

TEST(Kernels, ExplicitInstancesAreKernels) {
    const Translation result =
        run("template <class T> __global__ void scale(T *x) {}\n"
            "template __global__ void scale<float>(float *);\n");
    EXPECT_NE(find_kernel(result, "scale<float>"), nullptr);
}

TEST(Kernels, TemplatesAreListed) {
    const Translation result =
        run("namespace n { template <class T> __global__ void scale(T *x) {} }\n"
            "template <class T> __device__ T twice(T x) { return x + x; }\n");
    EXPECT_THAT(result.templates, testing::ElementsAre("n::scale"));
}

TEST(Kernels, DeclarationIsNoKernel) {
    EXPECT_TRUE(run("__global__ void k(int);").kernels.empty());
}

TEST(Kernels, HostCodeIsIgnored) {
    const Translation result = run("int helper() { return 3; } __global__ void k() {}");
    EXPECT_EQ(result.kernels.size(), 1u);
}

TEST(Globals, DeviceArrayHasSizeAndElement) {
    const Translation result = run("__device__ float table[16];");
    const compiler::GlobalInfo* global = find_global(result, "table");
    ASSERT_NE(global, nullptr);
    EXPECT_EQ(global->size, 64u);
    EXPECT_EQ(global->dtype, float32);
    EXPECT_FALSE(global->is_constant);
}

TEST(Globals, ConstantIsMarked) {
    const Translation result = run("namespace n { __constant__ int c; }");
    ASSERT_NE(find_global(result, "n::c"), nullptr);
    EXPECT_TRUE(find_global(result, "n::c")->is_constant);
}

TEST(Globals, StaticVariableInUseCanBeFound) {
    const Translation result = run("static __device__ int count; __global__ void k() { ++count; }");
    ASSERT_NE(find_global(result, "count"), nullptr);
    EXPECT_EQ(find_global(result, "count")->symbol, "_ZL5count");
}

constexpr const char* kPart =
    "struct S { float x; };\n"
    "extern __constant__ float factor;\n"
    "__device__ float square(float);\n"
    "__global__ void k(float *out, S s) { *out = square(s.x) * factor; }\n";

compiler::CompileRequest signatures(const char* source, std::vector<std::string> options = {}) {
    compiler::CompileRequest asked = request(source, std::move(options));
    asked.format = "signatures";
    return asked;
}

TEST(Parts, AreReadWithoutWhatOthersDefine) {
    for (const char* option : {"-rdc=true", "--relocatable-device-code=true", "-dc"}) {
        const Translation part = run(signatures(kPart, {option}));
        ASSERT_NE(find_kernel(part, "k"), nullptr);
        EXPECT_EQ(find_kernel(part, "k")->parameters.at(1).type, "S");
    }
}

TEST(Parts, HaveNoVariablesOfOthers) {
    EXPECT_EQ(find_global(run(signatures(kPart, {"-rdc=true"})), "factor"), nullptr);
}

TEST(Parts, AreNoWholePrograms) {
    EXPECT_THAT(error_of<CompileError>(signatures(kPart)).what(),
                testing::HasSubstr("'square' is used by device code but not defined"));
}

TEST(Globals, SharedMemoryIsNoGlobal) {
    EXPECT_TRUE(run("__global__ void k() { __shared__ int s[4]; s[0] = 1; }").globals.empty());
}

using Role = compiler::GlobalInfo::Role;

Role role_in(const char* source, std::string_view name) {
    const Translation result = run(source);
    const compiler::GlobalInfo* global = find_global(result, name);
    if (global == nullptr) throw std::logic_error("no such variable");
    return global->role;
}

TEST(References, AreKnownByTheirTypes) {
    EXPECT_EQ(role_in("texture<float, 2> image;", "image"), Role::Texture);
    EXPECT_EQ(role_in("surface<void, 2> image;", "image"), Role::Surface);
    EXPECT_EQ(role_in("typedef texture<int> Row; namespace n { Row row; }", "n::row"),
              Role::Texture);
}

TEST(References, AreNoVariablesOfTheSourcesOwnTypes) {
    EXPECT_EQ(role_in("namespace n { template <class T> struct texture { T texel; }; }\n"
                      "__device__ n::texture<float> image;",
                      "image"),
              Role::Plain);
    for (const char* parameters :
         {"class T", "class T, class U = T", "class T, int N = 1, int M = 2",
          "class T, class U = T, class V = T, class W = T"}) {
        const std::string source = std::string("template <") + parameters +
                                   "> struct texture { T texel; };\n"
                                   "__device__ texture<float> image; __global__ void k() {}";
        EXPECT_EQ(role_in(source.c_str(), "image"), Role::Plain) << parameters;
    }
    EXPECT_EQ(role_in("__device__ float texture; __global__ void k() {}", "texture"), Role::Plain);
}

TEST(References, NamesOfTheSourcesOwnAreReportedAsWritten) {
    const Translation result =
        run("template <class T> struct texture { T surface; };\n"
            "__device__ int surface;\n"
            "__global__ void k(texture<float> texture) { surface = 1; }\n");
    EXPECT_NE(find_global(result, "surface"), nullptr);
    ASSERT_NE(find_kernel(result, "k"), nullptr);
    const Parameter& parameter = find_kernel(result, "k")->parameters.at(0);
    EXPECT_EQ(parameter.name, "texture");
    EXPECT_EQ(parameter.type, "texture<float>");
    EXPECT_EQ(parameter.dtype.fields()->fields.at(0).name, "surface");
}

// What a caller says of the kernels, against what clang reads.
constexpr const char* kAdd = "extern \"C\" __global__ void add(float *x, int n) { x[0] += n; }";

compiler::CompileRequest knowing(std::vector<KernelSignature> signatures, const char* source) {
    compiler::CompileRequest asked = request(source);
    asked.mode.signatures = std::move(signatures);
    return asked;
}

TEST(KnownSignatures, ThatAreRightChangeNothing) {
    const KernelSignature read = *find_kernel(run(kAdd), "add");
    EXPECT_EQ(run(knowing({read}, kAdd)).kernels.size(), 1u);
}

TEST(KnownSignatures, ThatAreWrongAreRefused) {
    const KernelSignature read = *find_kernel(run(kAdd), "add");
    const auto error = error_of<ArgumentError>(
        knowing({read}, "extern \"C\" __global__ void add(float *x, float n) { x[0] += n; }"));
    EXPECT_THAT(error.what(), testing::HasSubstr("'add(float *x, int n)', but the source declares "
                                                 "'add(float *x, float n)'"));
}

TEST(KnownSignatures, AreOfAllKernels) {
    const KernelSignature read = *find_kernel(run(kAdd), "add");
    const std::string two = std::string(kAdd) + "__global__ void other() {}";
    EXPECT_THAT(error_of<ArgumentError>(knowing({read}, two.c_str())).what(),
                testing::HasSubstr("a kernel 'other()' that the given signatures lack"));
}

}  // namespace
}  // namespace warpwise::cpu_compiler
