// The rules of arguments, one function for each thing that can be wrong.
#include "src/runtime/launch/arguments.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/image/image_state.hpp"
#include "src/runtime/launch/element_match.hpp"
#include "src/runtime/launch/number.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

using Form = Argument::Form;
using Handle = Parameter::Handle;
using Passing = Parameter::Passing;
using ErrorKind = ArgumentError::Kind;

std::string count_of(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string describe_number(const Argument& argument) {
    std::string text;
    switch (argument.form()) {
        case Form::Bool:
            return argument.as_int() != 0 ? "true" : "false";
        case Form::Int:
            text = fmt::format("{}", argument.as_int());
            break;
        case Form::UInt:
            text = fmt::format("{}", argument.as_uint());
            break;
        case Form::Float:
            text = fmt::format("{}", argument.real());
            break;
        default:
            text = fmt::format("{}{:+}j", argument.real(), argument.imaginary());
    }
    if (argument.from().kind() != Kind::Void) text += " (" + argument.from().name() + ")";
    return text;
}

const ForeignObject& foreign_object(const Argument& argument) {
    return *static_cast<const ForeignObject*>(argument.object());
}

const ImageState& image_of(const Argument& argument) {
    return *static_cast<const ImageState*>(argument.object());
}

const NumberTuple& tuple_of(const Argument& argument) {
    return *static_cast<const NumberTuple*>(argument.object());
}

std::string describe(const Argument& argument) {
    switch (argument.form()) {
        case Form::Struct:
            return "a value of type " + argument.from().name();
        case Form::Bytes:
            return fmt::format("a C++ value of {}", count_of(argument.as_uint(), "byte"));
        case Form::Tuple:
            return tuple_of(argument).description.text;
        case Form::Extent:
            return "a Dim3";
        case Form::Buffer:
            return fmt::format("a buffer of {} bytes",
                               static_cast<const Buffer*>(argument.object())->size());
        case Form::Pointer:
            return "the address " + hex_address(argument.as_uint());
        case Form::HostArray:
            return fmt::format("a host array of {}",
                               static_cast<const HostArray*>(argument.object())->dtype.name());
        case Form::DeviceArray:
            return fmt::format("an array of {}",
                               static_cast<const DeviceArray*>(argument.object())->dtype.name());
        case Form::Image:
            return image_of(argument).is_surface() ? "a surface" : "a texture";
        case Form::Null:
            return "null";
        case Form::Foreign:
            return foreign_object(argument).text;
        default:
            return describe_number(argument);
    }
}

// One argument in the light of its parameter; knows all that a message needs.
struct Match {
    const KernelState* kernel;  // null: of a signature alone, where only values are packed
    const KernelSignature& signature;
    const Parameter& parameter;
    const Argument& argument;

    [[noreturn]] void refuse(ErrorKind kind, const std::string& rest) const {
        const std::size_t index = &parameter - signature.parameters.data();
        const std::string which = parameter.name.empty()
                                      ? fmt::format("parameter {}", index + 1)
                                      : fmt::format("parameter '{}'", parameter.name);
        throw ArgumentError(kind, fmt::format("{}: {} expects {}, got {}{}", signature.name, which,
                                              parameter.type, describe(argument), rest));
    }
};

[[noreturn]] void refuse_as_pointer(const Match& match) {
    switch (match.argument.form()) {
        case Form::Bool:
        case Form::Int:
        case Form::UInt:
            match.refuse(ErrorKind::Type,
                         "; a number is no address: wrap it in Pointer if it is one");
        case Form::Foreign:
            match.refuse(ErrorKind::Type, foreign_object(match.argument).instead_of_pointer);
        case Form::Tuple:
            match.refuse(ErrorKind::Type, tuple_of(match.argument).description.instead_of_pointer);
        default:
            match.refuse(ErrorKind::Type,
                         "; pass a buffer, or an array of the device or of the host");
    }
}

// Programs without a 16-bit floating-point type hold such numbers as the integer of their bits.
bool may_be_bits(const Argument& argument, const DType& dtype) noexcept {
    const Kind from = argument.from().kind();
    return (from == Kind::UInt16 || from == Kind::Int16) && dtype.lanes() == 1 &&
           (dtype.kind() == Kind::Float16 || dtype.kind() == Kind::BFloat16);
}

[[noreturn]] void refuse_as_value(const Match& match) {
    const Argument& argument = match.argument;
    switch (argument.form()) {
        case Form::Bool:
        case Form::Int:
        case Form::UInt:
        case Form::Float:
            if (match.parameter.dtype.kind() == Kind::Void ||
                match.parameter.dtype.kind() == Kind::Struct || match.parameter.dtype.lanes() > 1) {
                break;
            }
            if (may_be_bits(argument, match.parameter.dtype)) {
                match.refuse(ErrorKind::Type,
                             fmt::format("; pass float(value) for the number, or the value as {} "
                                         "for its bits: value.view(...)",
                                         match.parameter.dtype.name()));
            }
            match.refuse(ErrorKind::Value,
                         fmt::format("; {} cannot hold that value", match.parameter.dtype.name()));
        case Form::Complex:
            match.refuse(ErrorKind::Type, "; pass a real number, or its real part");
        case Form::Struct: {
            const DType& wanted = match.parameter.dtype;
            if (wanted.kind() == Kind::Struct && argument.from().kind() == Kind::Struct) {
                match.refuse(ErrorKind::Type,
                             ": " + struct_difference(*argument.from().fields(), *wanted.fields()));
            }
            break;
        }
        case Form::Foreign:
            if (match.parameter.handle != Handle::None) {
                match.refuse(ErrorKind::Type, "; pass a Texture or Surface of it");
            }
            if (const auto advice = foreign_object(argument).instead_of_vector;
                advice != nullptr && match.parameter.dtype.lanes() > 1) {
                match.refuse(ErrorKind::Type, advice(match.parameter.dtype));
            }
            if (match.parameter.passing == Passing::Scalar) break;
            match.refuse(ErrorKind::Type, foreign_object(argument).instead_of_struct);
        case Form::Bytes:
        case Form::Tuple:
        case Form::Extent:
            break;
        case Form::Buffer:
        case Form::Pointer:
        case Form::HostArray:
        case Form::DeviceArray:
        case Form::Null:
            match.refuse(ErrorKind::Type, "; this parameter is a value, not a pointer");
        case Form::Image:
            match.refuse(ErrorKind::Type,
                         image_of(argument).is_surface()
                             ? "; a surface goes to a parameter of type cudaSurfaceObject_t"
                             : "; a texture goes to a parameter of type cudaTextureObject_t");
    }
    const DType& wanted = match.parameter.dtype;
    if (match.parameter.passing >= Passing::Opaque) {
        match.refuse(ErrorKind::Type,
                     fmt::format("; pass one value of {}", count_of(match.parameter.size, "byte")));
    }
    match.refuse(ErrorKind::Type, wanted.lanes() > 1
                                      ? fmt::format("; pass a tuple of {} numbers", wanted.lanes())
                                      : fmt::format("; pass one value of {}", wanted.name()));
}

[[noreturn]] void refuse_device(const Match& match, const Context& other) {
    const std::string& own = match.kernel->context().name();
    match.refuse(ErrorKind::Value,
                 fmt::format(" of {}, but the kernel was loaded on {}; copy it there first",
                             other.name(), own));
}

[[noreturn]] void refuse_freed(const Match& match) {
    match.refuse(ErrorKind::Value, " that was freed before; allocate a new one");
}

// `bytes` of device memory at `address`: whole elements, where an element may lie.
void check_extent(const Match& match, DeviceAddress address, std::size_t bytes) {
    const DType& element = match.parameter.dtype;
    if (bytes != 0 && bytes < element.size()) {
        match.refuse(ErrorKind::Value,
                     fmt::format(" of {}, too small for one {} of {}", count_of(bytes, "byte"),
                                 element.cuda_name(), count_of(element.size(), "byte")));
    }
    if (address % element.alignment() != 0) {
        match.refuse(ErrorKind::Value,
                     fmt::format(" at {}, but {} must lie at multiples of {} bytes",
                                 hex_address(address), element.cuda_name(), element.alignment()));
    }
}

DeviceAddress check_buffer(const Match& match, const Buffer& buffer) {
    const BufferState* const state = buffer.state().get();
    if (state == nullptr) return 0;
    if (state->is_freed()) [[unlikely]]
        refuse_freed(match);
    if (&state->context() != &match.kernel->context()) [[unlikely]] {
        refuse_device(match, state->context());
    }
    const DeviceAddress address = address_of(buffer);
    check_extent(match, address, buffer.size());
    return address;
}

// char has no sign of its own: bytes are text to it, of any type of the host.
bool is_text(const DType& dtype, const Parameter& parameter) {
    constexpr std::string_view kConst = "const ";
    std::string_view type = parameter.type;
    if (type.starts_with(kConst)) type.remove_prefix(kConst.size());
    return dtype == uint8 && (type.starts_with("char ") || type.starts_with("char*"));
}

void check_elements(const Match& match, const DType& dtype, std::int64_t inner_extent,
                    std::size_t bytes) {
    const DType& wanted = match.parameter.dtype;
    if (dtype == wanted) return;
    const std::size_t count = dtype.size() == 0 ? 0 : bytes / dtype.size();
    if (is_text(dtype, match.parameter)) return;
    const std::string mismatch = element_mismatch(dtype, {inner_extent, count}, wanted);
    if (mismatch.empty()) return;
    match.refuse(ErrorKind::Type, ": " + mismatch);
}

// Memory of unknown ownership.
void check_owner(const Match& match, DeviceAddress address) {
    Context& own = match.kernel->context();
    const std::optional<int> owner = own.backend().owner_of(address);
    if (owner == own.ordinal()) return;
    const std::string whose = owner
                                  ? fmt::format("memory of {}:{}, but the kernel was loaded on {}",
                                                own.backend().kind(), *owner, own.name())
                                  : fmt::format("which {} cannot reach", own.name());
    match.refuse(ErrorKind::Value,
                 fmt::format(" at {}, {}; copy it there first", hex_address(address), whose));
}

DeviceAddress check_device_array(const Match& match, const DeviceArray& array) {
    if (array.owner && array.owner->is_freed()) refuse_freed(match);
    const bool is_foreign = array.device == nullptr && !array.owner;
    if (is_foreign && array.bytes > 0) check_owner(match, array.address);
    if (array.device != nullptr && &array.device->context() != &match.kernel->context()) {
        refuse_device(match, array.device->context());
    }
    check_elements(match, array.dtype, array.inner_extent, array.bytes);
    if (array.read_only && !match.parameter.is_const) {
        match.refuse(ErrorKind::Value,
                     " that is read-only; make the parameter const, or pass a copy");
    }
    if (!array.contiguous) {
        match.refuse(ErrorKind::Value,
                     " that is not contiguous, which a plain pointer cannot express; pass a "
                     "contiguous copy");
    }
    check_extent(match, array.address, array.bytes);
    return array.address;
}

void check_host_array(const Match& match, const HostArray& array) {
    check_elements(match, array.dtype, array.inner_extent, array.bytes);
    if (array.copies_out && !array.copies_in && match.parameter.is_const) {
        match.refuse(ErrorKind::Value,
                     " that is only copied out, but the kernel may not write through a const "
                     "pointer; copy it in instead");
    }
    if (!array.copies_out && !array.copies_in) {
        match.refuse(ErrorKind::Value,
                     " that is copied neither in nor out; copy it in, out or both");
    }
    if (array.data == nullptr && array.bytes > 0) {
        match.refuse(ErrorKind::Value,
                     fmt::format(" with {} at address null", count_of(array.bytes, "byte")));
    }
}

// Returns true for a host array, whose address comes later.
bool pack_pointer(const Match& match, std::byte* packed) {
    const Argument& argument = match.argument;
    DeviceAddress address = 0;
    switch (argument.form()) {
        case Form::Buffer:
            address = check_buffer(match, *static_cast<const Buffer*>(argument.object()));
            break;
        case Form::DeviceArray:
            address =
                check_device_array(match, *static_cast<const DeviceArray*>(argument.object()));
            break;
        case Form::HostArray:
            check_host_array(match, *static_cast<const HostArray*>(argument.object()));
            return true;
        case Form::Pointer:
            address = argument.as_uint();
            break;
        case Form::Null:
            break;
        default:
            refuse_as_pointer(match);
    }
    std::memcpy(packed, &address, sizeof address);
    return false;
}

// The handle of an image that this kernel may read.
void write_handle(const Match& match, std::byte* packed) {
    const ImageState& image = image_of(match.argument);
    if (&image.context() != &match.kernel->context()) refuse_device(match, image.context());
    if (image.buffer() && image.buffer()->is_freed()) {
        match.refuse(ErrorKind::Value,
                     fmt::format(" over a buffer of {} that was freed before; make a texture of "
                                 "memory that is in use",
                                 count_of(image.buffer()->size(), "byte")));
    }
    const std::uint64_t handle = image.handle();
    std::memcpy(packed, &handle, sizeof handle);
}

// A handle is a 64-bit number; a parameter that names the kind of object it takes gets that kind.
void pack_image(const Match& match, std::byte* packed) {
    const ImageState& image = image_of(match.argument);
    const Parameter& parameter = match.parameter;
    const Handle other = image.is_surface() ? Handle::Texture : Handle::Surface;
    const bool is_handle = parameter.passing == Passing::Scalar &&
                           (parameter.dtype == uint64 || parameter.dtype == int64);
    if (!is_handle || parameter.handle == other) refuse_as_value(match);
    write_handle(match, packed);
}

void pack_sized(const Match& match, std::byte* packed) {
    const Argument& argument = match.argument;
    const std::uint32_t size = match.parameter.size;
    if (argument.form() == Form::Struct) {
        if (argument.from().size() != size) refuse_as_value(match);
        std::memcpy(packed, argument.object(), size);
    } else if (argument.form() == Form::Image && size == sizeof(std::uint64_t)) {
        write_handle(match, packed);
    } else {
        const DType dtype = type_for_size(argument, size);
        const bool is_number = argument.form() <= Form::Complex;
        if (!is_number || dtype.size() != size || !write_number(argument, dtype, packed)) {
            refuse_as_value(match);
        }
    }
}

bool is_memory(const Argument& argument) {
    const Form form = argument.form();
    return form == Form::Buffer || form == Form::Pointer || form == Form::HostArray ||
           form == Form::DeviceArray || form == Form::Null;
}

// Bytes of a C++ value, for whatever holds more than one number.
void pack_bytes(const Match& match, std::byte* packed) {
    const Parameter& parameter = match.parameter;
    const DType& dtype = parameter.dtype;
    const bool is_one_number = parameter.passing == Passing::Scalar && dtype.lanes() == 1 &&
                               dtype.kind() != Kind::Complex64 && dtype.kind() != Kind::Complex128;
    if (is_one_number || match.argument.as_uint() != parameter.size) refuse_as_value(match);
    std::memcpy(packed, match.argument.object(), parameter.size);
}

void pack_numbers(const Match& match, std::span<const Argument> values, std::byte* packed) {
    const std::string_view type = match.parameter.type;
    const bool is_dim3 = type == "dim3" || type == "const dim3";
    const std::string mismatch = write_numbers(values, match.parameter.dtype, is_dim3, packed);
    if (!mismatch.empty()) match.refuse(ErrorKind::Value, mismatch);
}

void pack_tuple(const Match& match, std::byte* packed) {
    const Parameter& parameter = match.parameter;
    const bool is_list = parameter.passing == Passing::Struct ||
                         (parameter.passing == Passing::Scalar && parameter.dtype.lanes() > 1);
    if (!is_list) refuse_as_value(match);
    if (match.argument.form() == Form::Extent) {
        const Dim3& extent = *static_cast<const Dim3*>(match.argument.object());
        const Argument values[] = {extent.x, extent.y, extent.z};
        return pack_numbers(match, values, packed);
    }
    const NumberTuple& tuple = tuple_of(match.argument);
    pack_numbers(match, {tuple.values, tuple.count}, packed);
}

void pack_value(const Match& match, std::byte* packed) {
    const Argument& argument = match.argument;
    const Parameter& parameter = match.parameter;
    if (argument.form() == Form::Bytes) return pack_bytes(match, packed);
    if (argument.form() == Form::Tuple || argument.form() == Form::Extent) {
        return pack_tuple(match, packed);
    }
    if (parameter.passing == Passing::Sized) return pack_sized(match, packed);
    if (argument.form() == Form::Image) return pack_image(match, packed);
    if (argument.form() == Form::Struct) {
        const bool fits = parameter.passing == Passing::Opaque
                              ? argument.from().size() == parameter.size
                              : same_bytes(argument.from(), parameter.dtype);
        if (!fits) refuse_as_value(match);
        std::memcpy(packed, argument.object(), argument.from().size());
        return;
    }
    const bool is_number = argument.form() <= Form::Complex;
    if (!is_number || parameter.passing != Passing::Scalar ||
        may_be_bits(argument, parameter.dtype) ||
        !write_number(argument, parameter.dtype, packed)) {
        refuse_as_value(match);
    }
}

// A buffer of this device that nothing is wrong with and nothing pending on. False for everything
// else.
[[gnu::always_inline]] inline bool pack_sound_buffer(const KernelState& kernel,
                                                     const ParameterCheck& check,
                                                     const Argument& argument,
                                                     std::byte* packed) noexcept {
    if (argument.form() != Form::Buffer) return false;
    const Buffer& buffer = *static_cast<const Buffer*>(argument.object());
    const BufferState* const state = buffer.state().get();
    if (state == nullptr || buffer.size() == 0 || buffer.size() < check.element_bytes ||
        !state->is_ready() || &state->context() != &kernel.context()) {
        return false;
    }
    const DeviceAddress address = state->address() + buffer.offset();
    std::memcpy(packed, &address, sizeof address);
    return (address & check.alignment_mask) == 0;
}

// Such a buffer, or a number that is written as it is.
[[gnu::always_inline]] inline bool pack_plain(const KernelState& kernel,
                                              const ParameterCheck& check, const Argument& argument,
                                              std::byte* packed) noexcept {
    std::byte* const place = packed + check.offset;
    return check.is_pointer ? pack_sound_buffer(kernel, check, argument, place)
                            : write_plain_number(argument, check.number, place);
}

// All the rest, and the words for what is wrong.
[[gnu::noinline]] void pack_any(const Match& match, std::byte* packed, PackedArguments& found) {
    const Parameter& parameter = match.parameter;
    const bool is_sized_pointer = parameter.passing == Passing::Sized &&
                                  parameter.size == sizeof(DeviceAddress) &&
                                  is_memory(match.argument);
    if (parameter.passing == Passing::Pointer || is_sized_pointer) {
        found.host_arrays += pack_pointer(match, packed) ? 1 : 0;
        return;
    }
    pack_value(match, packed);
    found.has_images |= match.argument.form() == Form::Image;
}

}  // namespace

void refuse_count(const KernelSignature& signature, std::size_t given) {
    refuse_type("{} takes {}, but {} given: {}", signature.name,
                count_of(signature.parameters.size(), "argument"),
                given == 1 ? "1 was" : fmt::format("{} were", given), signature.declaration());
}

[[gnu::hot]] bool pack_plain_arguments(const KernelState& kernel,
                                       std::span<const Argument> arguments,
                                       std::byte* packed) noexcept {
    const std::span<const ParameterCheck> checks = kernel.checks();
    if (arguments.size() != checks.size()) return false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!pack_plain(kernel, checks[i], arguments[i], packed)) return false;
    }
    return true;
}

[[gnu::hot]] PackedArguments pack_arguments(const KernelState& kernel,
                                            std::span<const Argument> arguments,
                                            std::byte* packed) {
    const std::span<const ParameterCheck> checks = kernel.checks();
    if (arguments.size() != checks.size()) refuse_count(kernel.signature(), arguments.size());
    PackedArguments found;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (pack_plain(kernel, checks[i], arguments[i], packed)) continue;
        found.are_plain = false;
        pack_any({&kernel, kernel.signature(), kernel.signature().parameters[i], arguments[i]},
                 packed + checks[i].offset, found);
    }
    return found;
}

void pack_value(const KernelSignature& signature, std::size_t number, const Argument& argument,
                std::byte* packed) {
    const Match match{nullptr, signature, signature.parameters[number], argument};
    if (argument.form() == Form::Image) refuse_as_value(match);
    pack_value(match, packed);
}

std::string described(const Argument& argument) {
    return describe(argument);
}

}  // namespace warpwise::runtime
