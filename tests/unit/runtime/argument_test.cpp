// What each kind of parameter takes and refuses. The messages name parameter, type, what was given
// and what to do.
#include "tests/unit/runtime/null_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class... A>
std::string refusal(const Kernel& kernel, const A&... arguments) {
    return message_of<ArgumentError>([&] { kernel({}, arguments...); });
}

const Kernel& floats() {
    static const Kernel kernel = kernel_with(pointer_to("x", "float *", float32));
    return kernel;
}

const Kernel& const_floats() {
    static const Kernel kernel = kernel_with(pointer_to("x", "const float *", float32, true));
    return kernel;
}

const Kernel& vectors() {
    static const Kernel kernel = kernel_with(pointer_to("v", "float4 *", DType(Kind::Float32, 4)));
    return kernel;
}

const Kernel& integer() {
    static const Kernel kernel = kernel_with(value_of("n", "int", int32));
    return kernel;
}

DeviceArray array_of(const Buffer& buffer, DType dtype) {
    return {.address = buffer.address(),
            .bytes = buffer.size(),
            .dtype = dtype,
            .inner_extent = 4,
            .owner = buffer.state()};
}

// The packed arguments of the only launch `call` makes.
template <class F>
std::vector<std::byte> packed_by(F&& call) {
    const null::Recorder recorder;
    call();
    const auto launches = recorder.calls(null::Call::Kind::Launch);
    return launches.size() == 1 ? launches[0].arguments : std::vector<std::byte>{};
}

template <class T>
T value_at(const std::vector<std::byte>& bytes, std::size_t offset) {
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

TEST(Arguments, AreCounted) {
    const Kernel kernel = load_kernel(
        kernel_info("scale", {pointer_to("x", "float *", float32), value_of("n", "int", int32)}));
    EXPECT_EQ(refusal(kernel, nullptr),
              "scale takes 2 arguments, but 1 was given: scale(float *x, int n)");
    EXPECT_THAT(refusal(kernel, nullptr, 1, 2), HasSubstr("takes 2 arguments, but 3 were given"));
}

TEST(Arguments, ArePackedAtTheirOffsets) {
    const Kernel kernel = load_kernel(
        kernel_info("k", {value_of("a", "char", int8), pointer_to("x", "float *", float32),
                          value_of("f", "float", float32), value_of("d", "double", float64)}));
    const Buffer buffer = mem_alloc(16);
    const auto packed = packed_by([&] { kernel({}, 3, buffer, 2.5, 7); });
    EXPECT_EQ(value_at<std::int8_t>(packed, 0), 3);
    EXPECT_EQ(value_at<std::uint64_t>(packed, 8), buffer.address());
    EXPECT_EQ(value_at<float>(packed, 16), 2.5f);
    EXPECT_EQ(value_at<double>(packed, 24), 7.0);
    EXPECT_EQ(packed.size(), 32u);
}

TEST(Arguments, HavePaddingOfZeros) {
    const Kernel kernel = load_kernel(
        kernel_info("k", {value_of("a", "char", int8), value_of("d", "double", float64)}));
    const auto packed = packed_by([&] { kernel({}, -1, 0.0); });
    EXPECT_EQ(value_at<std::uint32_t>(packed, 1) & 0xffffffu, 0u);
}

TEST(Arguments, MayBeHundreds) {
    std::vector<Parameter> parameters;
    for (int i = 0; i < 1000; ++i) parameters.push_back(value_of("", "double", float64));
    const Kernel kernel = load_kernel(kernel_info("k", parameters));
    const std::vector<Argument> arguments(1000, Argument(1.5));
    const auto packed = packed_by([&] { kernel.launch({}, arguments); });
    EXPECT_EQ(value_at<double>(packed, 999 * 8), 1.5);
}

TEST(Arguments, WithoutANameAreCountedFromOne) {
    EXPECT_THAT(refusal(kernel_with(value_of("", "int", int32)), nullptr),
                HasSubstr("k: parameter 1 expects int, got null"));
}

TEST(PointerParameter, TakesBuffersNullAndAddresses) {
    const Buffer buffer = mem_alloc(16);
    EXPECT_NO_THROW(floats()({}, buffer));
    EXPECT_NO_THROW(floats()({}, Buffer()));
    EXPECT_NO_THROW(floats()({}, mem_alloc(0)));
    EXPECT_NO_THROW(floats()({}, nullptr));
    EXPECT_NO_THROW(floats()({}, Pointer{buffer.address()}));
}

TEST(PointerParameter, RefusesNumbers) {
    EXPECT_EQ(refusal(floats(), 5),
              "k: parameter 'x' expects float *, got 5 (int32); a number is no address: wrap it in "
              "Pointer if it is one");
    EXPECT_THAT(refusal(floats(), 2.5), HasSubstr("got 2.5 (float64); pass a buffer, or an array"));
    EXPECT_THAT(refusal(floats(), Argument::python_int(7)), HasSubstr("got 7; a number is no"));
    EXPECT_THAT(refusal(floats(), true), HasSubstr("got true"));
}

TEST(PointerParameter, RefusesForeignObjectsInTheirOwnWords) {
    EXPECT_EQ(refusal(floats(), Argument::foreign({"a list", "; use ww.In", ""})),
              "k: parameter 'x' expects float *, got a list; use ww.In");
}

TEST(PointerParameter, RefusesStructs) {
    const double value = 0;
    EXPECT_THAT(refusal(floats(), Argument::structure(&value, float64)),
                HasSubstr("got a value of type float64; pass a buffer"));
}

TEST(PointerParameter, RefusesFreedBuffers) {
    Buffer buffer = mem_alloc(16);
    const DeviceArray array = array_of(buffer, float32);
    buffer.free();
    EXPECT_EQ(refusal(floats(), buffer),
              "k: parameter 'x' expects float *, got a buffer of 16 bytes that was freed before; "
              "allocate a new one");
    EXPECT_THAT(refusal(floats(), array), HasSubstr("freed before"));
}

TEST(PointerParameter, RefusesMemoryOfAnotherDevice) {
    const Device other("null:1");
    const Buffer buffer = mem_alloc(16, other.default_stream());
    EXPECT_THAT(refusal(floats(), buffer),
                HasSubstr("got a buffer of 16 bytes of null:1, but the kernel was loaded on null"));
    DeviceArray array = array_of(buffer, float32);
    array.device = &other;
    EXPECT_THAT(refusal(floats(), array), HasSubstr("of null:1"));
}

TEST(PointerParameter, RefusesBuffersTooSmallForOneElement) {
    EXPECT_THAT(refusal(vectors(), mem_alloc(8)),
                HasSubstr("of 8 bytes, too small for one float4 of 16 bytes"));
}

TEST(PointerParameter, RefusesAddressesAnElementCannotHave) {
    EXPECT_THAT(refusal(vectors(), mem_alloc(64).slice(4, 32)),
                HasSubstr("but float4 must lie at multiples of 16 bytes"));
}

TEST(PointerParameter, TakesArraysOfItsElement) {
    const Buffer buffer = mem_alloc(64);
    EXPECT_NO_THROW(floats()({}, array_of(buffer, float32)));
}

TEST(PointerParameter, RefusesArraysOfOtherElements) {
    const Buffer buffer = mem_alloc(64);
    EXPECT_EQ(refusal(floats(), array_of(buffer, float64)),
              "k: parameter 'x' expects float *, got an array of float64: its elements are not "
              "float32; convert "
              "it to float32 first");
    EXPECT_THAT(refusal(floats(), array_of(buffer, int32)),
                HasSubstr("got an array of int32: its elements are not float32"));
}

TEST(PointerParameter, TakesAnythingForVoid) {
    const Kernel kernel = kernel_with(pointer_to("p", "void *", DType()));
    const Buffer buffer = mem_alloc(64);
    EXPECT_NO_THROW(kernel({}, array_of(buffer, float64)));
    EXPECT_NO_THROW(kernel({}, buffer));
}

TEST(PointerParameter, TakesRowsOfFourForFloat4) {
    const Buffer buffer = mem_alloc(64);
    DeviceArray array = array_of(buffer, float32);
    EXPECT_NO_THROW(vectors()({}, array));
    array.inner_extent = 3;
    EXPECT_THAT(refusal(vectors(), array),
                HasSubstr("float32 with 3 to the last axis, which must be 4"));
}

TEST(PointerParameter, RefusesReadOnlyArraysUnlessConst) {
    const Buffer buffer = mem_alloc(64);
    DeviceArray array = array_of(buffer, float32);
    array.read_only = true;
    EXPECT_NO_THROW(const_floats()({}, array));
    EXPECT_THAT(refusal(floats(), array), HasSubstr("read-only; make the parameter const"));
}

TEST(PointerParameter, RefusesArraysWithGaps) {
    const Buffer buffer = mem_alloc(64);
    DeviceArray array = array_of(buffer, float32);
    array.contiguous = false;
    EXPECT_THAT(refusal(floats(), array), HasSubstr("not contiguous"));
}

TEST(HostArrayArgument, IsCheckedLikeDeviceMemory) {
    std::vector<double> values(4);
    HostArray array{.data = values.data(), .bytes = 32, .dtype = float64, .copies_in = true};
    EXPECT_THAT(refusal(floats(), array),
                HasSubstr("got a host array of float64: its elements are not float32; convert"));
}

TEST(HostArrayArgument, RefusesResultsThroughConst) {
    std::vector<float> values(4);
    HostArray array{.data = values.data(), .bytes = 16, .dtype = float32, .copies_out = true};
    EXPECT_THAT(refusal(const_floats(), array), HasSubstr("only copied out"));
    array.copies_in = true;
    EXPECT_NO_THROW(const_floats()({}, array));
}

TEST(HostArrayArgument, RefusesNoDirection) {
    float value = 0;
    EXPECT_THAT(refusal(floats(), HostArray{.data = &value, .bytes = 4, .dtype = float32}),
                HasSubstr("neither in nor out; copy it in, out or both"));
}

TEST(HostArrayArgument, RefusesNull) {
    EXPECT_THAT(refusal(floats(), HostArray{.bytes = 4, .dtype = float32, .copies_in = true}),
                HasSubstr("with 4 bytes at address null"));
}

TEST(NumberParameter, TakesWhatFits) {
    const auto packed = packed_by([] { integer()({}, std::uint8_t{200}); });
    EXPECT_EQ(value_at<int>(packed, 0), 200);
    EXPECT_NO_THROW(integer()({}, 2.0));
    EXPECT_NO_THROW(integer()({}, true));
}

TEST(NumberParameter, RefusesWhatDoesNotFit) {
    EXPECT_EQ(refusal(integer(), Argument::python_float(2.7)),
              "k: parameter 'n' expects int, got 2.7; int32 cannot hold that value");
    EXPECT_THAT(refusal(integer(), std::int64_t{1} << 40),
                HasSubstr("got 1099511627776 (int64); int32 cannot hold"));
    EXPECT_THAT(refusal(integer(), ~std::uint64_t{0}),
                HasSubstr("got 18446744073709551615 (uint64)"));
}

TEST(NumberParameter, RefusesComplexNumbers) {
    EXPECT_THAT(refusal(integer(), std::complex<float>(1, 2)),
                AllOf(HasSubstr("got 1+2j (complex64)"), HasSubstr("pass a real number")));
}

TEST(NumberParameter, RefusesMemory) {
    const char* const text = "this parameter is a value, not a pointer";
    EXPECT_THAT(refusal(integer(), mem_alloc(4)), HasSubstr(text));
    EXPECT_THAT(refusal(integer(), nullptr), HasSubstr(text));
    EXPECT_THAT(refusal(integer(), Pointer{64}), HasSubstr(text));
    EXPECT_THAT(refusal(integer(), HostArray{.dtype = int32}), HasSubstr(text));
    EXPECT_THAT(refusal(integer(), DeviceArray{.dtype = int32}), HasSubstr(text));
    EXPECT_THAT(refusal(integer(), Argument::foreign({"a dict", "", "; pass a record"})),
                HasSubstr("expects int, got a dict; pass one value of int32"));
}

TEST(VectorParameter, TakesItsOwnTypeAndRecordsOfIt) {
    const DType float4(Kind::Float32, 4);
    const Kernel kernel = kernel_with(value_of("v", "float4", float4));
    const float values[] = {1, 2, 3, 4};
    const DType record = DType::structure(
        lay_out_struct("xyzw", {{"x", float32}, {"y", float32}, {"z", float32}, {"w", float32}}));
    const auto packed = packed_by([&] { kernel({}, Argument::structure(values, float4)); });
    EXPECT_EQ(value_at<float>(packed, 12), 4.0f);
    EXPECT_NO_THROW(kernel({}, Argument::structure(values, record)));
    EXPECT_THAT(refusal(kernel, 1.0f), HasSubstr("got 1 (float32); pass a tuple of 4 numbers"));
}

const StructType& particle() {
    static const StructType type =
        lay_out_struct("Particle", {{"mass", float32}, {"charge", float64}});
    return type;
}

TEST(StructParameter, TakesTheSameLayout) {
    const Kernel kernel = kernel_with(value_of("p", "Particle", DType::structure(particle())));
    const char bytes[16] = {1, 2, 3};
    const DType record =
        DType::structure(lay_out_struct("record", {{"mass", float32}, {"charge", float64}}));
    EXPECT_NO_THROW(kernel({}, Argument::structure(bytes, record)));
}

TEST(StructParameter, RefusesAnotherLayoutNamingTheField) {
    const Kernel kernel = kernel_with(value_of("p", "Particle", DType::structure(particle())));
    const char bytes[16] = {};
    const DType record =
        DType::structure(lay_out_struct("record", {{"mass", float32}, {"charge", float32}}));
    EXPECT_THAT(refusal(kernel, Argument::structure(bytes, record)),
                AllOf(HasSubstr("expects Particle"), HasSubstr("charge")));
    EXPECT_THAT(refusal(kernel, 5), HasSubstr("got 5 (int32); pass one value of"));
}

TEST(StructParameter, TakesAStructOfTheProgramByValue) {
    struct Particle {
        float mass;
        double charge;
    };
    const Kernel kernel = kernel_with(value_of("p", "Particle", DType::structure(particle())));
    EXPECT_NO_THROW(kernel({}, Particle{1, 2}));
    struct Larger : Particle {
        int more;
    };
    EXPECT_THAT(refusal(kernel, Larger{}),
                HasSubstr("expects Particle, got a C++ value of 24 bytes"));
    EXPECT_THAT(refusal(kernel_with(value_of("d", "double", float64)), std::array<char, 8>{}),
                HasSubstr("pass one value of float64"));
}

TEST(StructParameter, TakesATupleOfItsNumbers) {
    const Kernel kernel = kernel_with(value_of("p", "Particle", DType::structure(particle())));
    const Argument values[] = {1, 2.5};
    EXPECT_NO_THROW(kernel({}, NumberTuple{values, 2}));
    EXPECT_THAT(refusal(kernel, NumberTuple{values, 1}), HasSubstr("it takes 2 numbers, not 1"));
}

TEST(VectorParameter, OfTypeDim3TakesAnExtent) {
    const Kernel kernel = kernel_with(value_of("extent", "dim3", DType(Kind::UInt32, 3)));
    EXPECT_NO_THROW(kernel({}, Dim3(4, 2)));
    EXPECT_THAT(refusal(kernel, Dim3(4, -2)), HasSubstr("got a Dim3; its number 2 does not fit"));
    EXPECT_THAT(refusal(kernel_with(value_of("n", "int", int32)), Dim3(4)),
                HasSubstr("got a Dim3; pass one value of int32"));
}

TEST(OpaqueParameter, TakesBytesOfItsSize) {
    Parameter parameter = value_of("u", "Union", float64);
    parameter.passing = Parameter::Passing::Opaque;
    parameter.dtype = DType();
    const Kernel kernel = kernel_with(parameter);
    const double value = 1;
    EXPECT_NO_THROW(kernel({}, Argument::structure(&value, float64)));
    EXPECT_THAT(refusal(kernel, Argument::structure(&value, float32)),
                HasSubstr("pass one value of 8 bytes"));
}

}  // namespace
}  // namespace warpwise
