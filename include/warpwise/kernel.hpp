// Kernels: launching compiled device functions with checked arguments.
//
//   ww::Kernel scale = module.get_function("scale<float>");
//   scale({.grid = 4, .block = 256}, buffer, 2.0f, 1024);   // or an Array
//   scale.forall(1024)(buffer, 2.0f, 1024);
//
// Every argument is checked and converted against the kernel's real signature before anything
// runs; ArgumentError names the parameter, its type and what it was given.
//
// Threading: a Kernel may be launched from many threads at once.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "warpwise/buffer.hpp"
#include "warpwise/dtype.hpp"
#include "warpwise/export.hpp"
#include "warpwise/kernel_report.hpp"
#include "warpwise/signature.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {

class Surface;
class Texture;
namespace runtime {
class KernelState;
}

// A grid or block extent. Whole numbers convert: {.grid = 4}, {.grid = {4, 2}}. Values are kept
// as given, so that a launch can refuse 0 or too much with the user's own number.
struct Dim3 {
    std::int64_t x = 1, y = 1, z = 1;
    constexpr Dim3() = default;
    constexpr Dim3(std::int64_t x_, std::int64_t y_ = 1, std::int64_t z_ = 1)
        : x(x_), y(y_), z(z_) {}
    friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

struct LaunchConfig {
    Dim3 grid;
    Dim3 block;
    std::optional<Stream> stream = std::nullopt;  // default: the current stream
    std::int64_t shared = 0;                      // dynamic shared memory, bytes
    bool cooperative = false;                     // grid-wide synchronisation is allowed
    // Blocks of a thread block cluster (GPUs since sm_90): the grid is a multiple of it.
    std::optional<Dim3> cluster = std::nullopt;
    // The kernel may start before the one queued before it has ended, and waits for it itself
    // (cudaGridDependencySynchronize()). Elsewhere it starts when that one has ended, as ever.
    bool programmatic = false;
};

// Which of the two a multiprocessor's memory should rather be. A hint.
enum class CachePreference : std::uint8_t { None, Shared, L1, Equal };

// A raw device address, for those who compute addresses themselves. Unchecked but for its type.
struct Pointer {
    std::uint64_t address = 0;
};

// Host memory that a launch copies to the device before (copies_in) and back after it (copies_out).
// A launch that copies out returns when the results are there. Contiguous; the caller keeps it
// alive for the duration of the launch, and after Interrupted until the stream is done.
struct HostArray {
    void* data = nullptr;
    std::size_t bytes = 0;
    DType dtype;
    bool copies_in = false;
    bool copies_out = false;
    std::int64_t inner_extent = 0;  // length of the last axis: float32 of (..., 4) fits float4*
};

// Device memory with a type and a shape: what arrays and foreign device arrays turn into.
struct DeviceArray {
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    DType dtype;
    std::int64_t inner_extent = 0;  // length of the last axis: float32 of (..., 4) fits float4*
    bool contiguous = true;
    bool read_only = false;
    // Null for another library's memory: then the kernel's device is asked whether it is its own.
    const Device* device = nullptr;
    std::shared_ptr<runtime::BufferState> owner;  // may be null for foreign memory
};

// Describes an object of another language that no kernel takes: what it is, and what to pass
// instead where the parameter is a pointer, a struct or a vector ("; pass ...", or empty).
struct ForeignObject {
    const char* text = "";
    const char* instead_of_pointer = "";
    const char* instead_of_struct = "";
    std::string (*instead_of_vector)(const DType& vector) = nullptr;
};

class Argument;

// Numbers for the lanes of a vector or the fields of a struct, in their order: (1, 2, 3) for a
// dim3, whose missing extents are 1. Not copied, as all that an Argument refers to.
struct NumberTuple {
    const Argument* values = nullptr;
    std::size_t count = 0;
    ForeignObject description{.text = "a tuple"};  // where no tuple is expected
};

// A C++ value that is its bytes: a struct as the kernel declares it too.
template <class T>
concept PlainStruct =
    std::is_class_v<T> && std::is_trivially_copyable_v<T> && !std::ranges::view<T>;

// One launch argument. Small, made on the stack, does not own what it refers to.
class WARPWISE_API Argument {
  public:
    enum class Form : std::uint8_t {
        Bool,
        Int,
        UInt,
        Float,  // a number; `from` is its type where it has one
        Complex,
        Struct,  // bytes of a value with a DType
        Bytes,   // of a C++ value, whose fields are unknown: fits by its size
        Tuple,   // a NumberTuple
        Extent,  // a Dim3
        Buffer,
        Pointer,
        HostArray,
        DeviceArray,
        Image,    // a Texture or Surface: fits its handle's type
        Null,     // nullptr / None: fits any pointer
        Foreign,  // a ForeignObject
    };

    template <std::integral T>
    Argument(T value) noexcept : form_(integral_form<T>()), from_(arithmetic_dtype<T>()) {
        integer_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
        if constexpr (std::is_unsigned_v<T>) integer_ = static_cast<std::uint64_t>(value);
    }
    template <std::floating_point T>
    Argument(T value) noexcept : form_(Form::Float), from_(arithmetic_dtype<T>()) {
        real_ = static_cast<double>(value);
    }
    template <std::floating_point T>
    Argument(const std::complex<T>& value) noexcept
        : form_(Form::Complex), from_(sizeof(T) == 4 ? Kind::Complex64 : Kind::Complex128) {
        real_ = value.real();
        imaginary_ = value.imag();
    }
    Argument(const warpwise::Buffer& buffer) noexcept : form_(Form::Buffer) { object_ = &buffer; }
    Argument(warpwise::Pointer pointer) noexcept : form_(Form::Pointer) {
        integer_ = pointer.address;
    }
    Argument(const warpwise::HostArray& array) noexcept : form_(Form::HostArray) {
        object_ = &array;
    }
    Argument(const warpwise::DeviceArray& array) noexcept : form_(Form::DeviceArray) {
        object_ = &array;
    }
    Argument(const Dim3& extent) noexcept : form_(Form::Extent) { object_ = &extent; }
    Argument(const NumberTuple& tuple) noexcept : form_(Form::Tuple) { object_ = &tuple; }
    // A struct, vector or complex number of the program's own, passed by value. It must be declared
    // as in the kernel's source: only the size is checked.
    template <PlainStruct T>
    Argument(const T& value) noexcept : form_(Form::Bytes) {
        integer_ = sizeof(T);
        object_ = &value;
    }
    Argument(const warpwise::Texture& texture) noexcept;
    Argument(const warpwise::Surface& surface) noexcept;
    Argument(std::nullptr_t) noexcept : form_(Form::Null) {}

    // An untyped number, as Python's int and float are: converts to any numeric parameter that can
    // hold its value exactly (floats: to the nearest).
    static Argument python_int(std::int64_t value) noexcept { return untyped(value); }
    static Argument python_uint(std::uint64_t value) noexcept { return untyped(value); }
    static Argument python_float(double value) noexcept { return untyped(value); }
    static Argument python_bool(bool value) noexcept { return untyped(value); }
    // The bytes of one value of type `dtype` (a record or vector); not copied.
    static Argument structure(const void* bytes, const DType& dtype) noexcept;
    // Something that can be no kernel argument. A launch always refuses it; the message is
    // "parameter 'x' wants float *, got " + text. Not copied, must outlive the call.
    static Argument foreign(const ForeignObject& object) noexcept;

    Form form() const noexcept { return form_; }
    const DType& from() const noexcept { return from_; }  // Void for untyped numbers
    std::int64_t as_int() const noexcept { return static_cast<std::int64_t>(integer_); }
    std::uint64_t as_uint() const noexcept { return integer_; }
    double real() const noexcept { return real_; }
    double imaginary() const noexcept { return imaginary_; }
    const void* object() const noexcept { return object_; }

  private:
    Argument() noexcept = default;
    template <class T>
    static Argument untyped(T value) noexcept {
        Argument argument(value);
        argument.from_ = DType();
        return argument;
    }
    template <class T>
    static constexpr Form integral_form() noexcept {
        if (std::is_same_v<T, bool>) return Form::Bool;
        return std::is_signed_v<T> ? Form::Int : Form::UInt;
    }
    template <class T>
    static constexpr Kind arithmetic_dtype() noexcept;

    Form form_ = Form::Null;
    DType from_;
    union {
        std::uint64_t integer_ = 0;
        double real_;
    };
    union {
        double imaginary_;
        const void* object_ = nullptr;
    };
};

// An Array: device memory once it is evaluated, in the order of a stream (null: the current one).
template <class T>
concept EvaluatedArray = requires(const T& value, const Stream* stream) {
    { value.device_array(stream) } -> std::same_as<DeviceArray>;
};

// What an argument of a launch refers to: an array's memory, or the value itself.
template <class T>
decltype(auto) evaluated(const T& value, const Stream* stream) {
    if constexpr (EvaluatedArray<T>) {
        return value.device_array(stream);
    } else {
        return (value);
    }
}

// Calls `use` with all arguments as Arguments, which live as long as the call.
template <class Use, class... Arguments>
void with_arguments(const Use& use, const Stream* stream, const Arguments&... arguments) {
    const std::tuple<decltype(evaluated(arguments, stream))...> held(
        evaluated(arguments, stream)...);
    std::apply(
        [&](const auto&... one) {
            const std::array<Argument, sizeof...(Arguments)> list{Argument(one)...};
            use(std::span<const Argument>(list.data(), list.size()));
        },
        held);
}

struct KernelAttributes {
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t max_threads_per_block = 0;  // what a launch may use at most
    std::uint32_t num_regs = 0;               // 0 on the CPU device
    std::uint32_t local_bytes = 0;            // per thread
    std::uint32_t constant_bytes = 0;
    std::uint32_t max_dynamic_shared_bytes = 0;  // what a launch may ask for
    std::uint32_t ptx_version = 0;               // 90: of sm_90; 0 on the CPU device
    std::uint32_t binary_version = 0;            // 90: for sm_90; 0 on the CPU device
    bool caches_globals_in_l1 = false;           // compiled with -Xptxas -dlcm=ca
    std::array<std::uint32_t, 3> cluster{};      // __cluster_dims__; 0: none
    // CPU device: "gang", "regions" or "reference", as it was when the kernel was looked up; empty
    // elsewhere.
    std::string executor;
    // CPU device: the share of the kernel's instructions, called functions' included, that run for
    // one thread after the other; 1 on executor "reference".
    double lane_by_lane = 0;
};

class WARPWISE_API Kernel {
  public:
    // Checks, packs and queues one launch; returns before the kernel has run, unless an argument
    // copies out. Arrays are evaluated first. Throws ArgumentError, LaunchError (limits),
    // OutOfMemoryError; then nothing ran.
    template <class... Arguments>
    void operator()(const LaunchConfig& config, const Arguments&... arguments) const {
        with_arguments([&](std::span<const Argument> list) { launch(config, list); },
                       config.stream ? &*config.stream : nullptr, arguments...);
    }
    void launch(const LaunchConfig& config, std::span<const Argument> arguments) const;

    const std::string& name() const noexcept;
    const KernelSignature& signature() const noexcept;
    const KernelAttributes& attributes() const noexcept;
    Device device() const;
    // Blocks of `block_size` threads that fit a multiprocessor at once (CPU device: 1 when the
    // block is within limits), and the block size forall() picks.
    // `shared`: dynamic shared memory, bytes.
    std::uint32_t occupancy(std::uint32_t block_size, std::uint32_t shared = 0) const;
    std::uint32_t suggested_block_size(std::uint32_t shared = 0) const;
    // Blocks that run at the same time on the whole device: what a cooperative launch may have.
    // Throws UnsupportedError on the CPU device, which has no such limit.
    std::uint32_t max_cooperative_blocks(std::uint32_t block_size, std::uint32_t shared = 0) const;
    // Grid and block that cover n elements, one thread each. n = 0 gives grid 0: nothing to launch.
    LaunchConfig cover(std::int64_t n, std::uint32_t shared = 0) const;
    // The launch that cover() describes: kernel.forall(n)(x, 2.0f, n).
    auto forall(std::int64_t n, std::uint32_t shared = 0) const {
        return [kernel = *this, config = cover(n, shared)](const auto&... arguments) {
            if (config.grid.x > 0) kernel(config, arguments...);
        };
    }

    // CPU device: the forms there are at this moment, and how they access memory.
    KernelReport report() const;
    // CPU device: compiles the form for blocks of this shape, unless it is there, and returns when
    // launches use it. A kernel that has no other form (executor "reference", WARPWISE_TIER=quick)
    // keeps the one it has. No effect on a GPU. Throws ArgumentError for a block beyond limits.
    void compile_fully(const Dim3& block) const;

    // Hints for all launches of this kernel from now on; without effect on the CPU device.
    void prefer_cache(CachePreference preference) const;
    // Share of a multiprocessor's memory that is shared memory, 0 to 100; -1: the driver's choice.
    void set_shared_carveout(int percent) const;

    explicit Kernel(std::shared_ptr<runtime::KernelState> state) noexcept;
    const std::shared_ptr<runtime::KernelState>& state() const noexcept { return state_; }

  private:
    std::shared_ptr<runtime::KernelState> state_;
};

template <class T>
constexpr Kind Argument::arithmetic_dtype() noexcept {
    if constexpr (std::is_same_v<T, bool>)
        return Kind::Bool;
    else if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? Kind::Float32 : Kind::Float64;
    else if constexpr (sizeof(T) == 1)
        return std::is_signed_v<T> ? Kind::Int8 : Kind::UInt8;
    else if constexpr (sizeof(T) == 2)
        return std::is_signed_v<T> ? Kind::Int16 : Kind::UInt16;
    else if constexpr (sizeof(T) == 4)
        return std::is_signed_v<T> ? Kind::Int32 : Kind::UInt32;
    else
        return std::is_signed_v<T> ? Kind::Int64 : Kind::UInt64;
}

}  // namespace warpwise
