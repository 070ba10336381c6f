// Arrays through DLPack, both ways.
//
// An export lasts until the consumer deletes the tensor, or the capsule is freed unused.
#include <nanobind/stl/string.h>

#include <array>
#include <memory>
#include <string>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/memory/dlpack.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

using namespace dlpack;

[[noreturn]] void refuse(const std::string& message) {
    throw ArgumentError(ArgumentError::Kind::Value, message);
}

[[noreturn]] void refuse_export(const std::string& message) {
    throw ArgumentError(ArgumentError::Kind::Type, message);
}

DataType type_of_elements(const Array& array) {
    const Kind kind = array.dtype().kind();
    const auto bits = static_cast<std::uint8_t>(array.dtype().size() * 8);
    switch (kind) {
        case Kind::Bool:
            return {kBool, 8, 1};
        case Kind::Int8:
        case Kind::Int16:
        case Kind::Int32:
        case Kind::Int64:
            return {kInt, bits, 1};
        case Kind::UInt8:
        case Kind::UInt16:
        case Kind::UInt32:
        case Kind::UInt64:
            return {kUInt, bits, 1};
        case Kind::Float16:
        case Kind::Float32:
        case Kind::Float64:
            return {kFloat, bits, 1};
        case Kind::BFloat16:
            return {kBfloat, 16, 1};
        case Kind::Complex64:
        case Kind::Complex128:
            return {kComplex, bits, 1};
        default:
            refuse_export("an array of " + array.dtype().name() +
                          " cannot be exported by DLPack; export its fields");
    }
}

Kind kind_of(const DataType& type) {
    struct Row {
        std::uint8_t code, bits;
        Kind kind;
    };
    static constexpr Row kRows[] = {
        {kBool, 8, Kind::Bool},
        {kInt, 8, Kind::Int8},
        {kInt, 16, Kind::Int16},
        {kInt, 32, Kind::Int32},
        {kInt, 64, Kind::Int64},
        {kUInt, 8, Kind::UInt8},
        {kUInt, 16, Kind::UInt16},
        {kUInt, 32, Kind::UInt32},
        {kUInt, 64, Kind::UInt64},
        {kFloat, 16, Kind::Float16},
        {kFloat, 32, Kind::Float32},
        {kFloat, 64, Kind::Float64},
        {kBfloat, 16, Kind::BFloat16},
        {kComplex, 64, Kind::Complex64},
        {kComplex, 128, Kind::Complex128},
    };
    for (const Row& row : kRows) {
        if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.kind;
    }
    refuse("a DLPack tensor has elements of code " + std::to_string(type.code) + " with " +
           std::to_string(type.bits) + " bits and " + std::to_string(type.lanes) +
           " lanes, which no dtype is; convert it first");
}

DeviceId device_id(const Array& array) {
    const Device device = array.device();
    if (device.kind() == "cuda") return {kCuda, device.ordinal()};
    if (device.info().shares_host_memory) return {kCpu, 0};
    refuse_export("memory of device " + device.name() + " cannot be exported by DLPack");
}

// What an exported tensor refers to.
struct Exported {
    explicit Exported(const Array& array) : memory(array) {
        const auto item = static_cast<std::int64_t>(array.dtype().size());
        for (int axis = 0; axis < array.ndim(); ++axis) {
            shape[static_cast<std::size_t>(axis)] = array.shape()[axis];
            if (array.strides()[axis] % item != 0 && array.shape()[axis] > 1) {
                refuse_export("strides " + text_of(array.strides()) + " are no multiples of the " +
                              std::to_string(item) + " bytes of an element; export a copy");
            }
            strides[static_cast<std::size_t>(axis)] = array.strides()[axis] / item;
        }
    }
    Export memory;
    std::array<std::int64_t, kMaxRank> shape{}, strides{};
};

void fill(Tensor& tensor, Exported& exported) {
    const Array& array = exported.memory.array();
    tensor = {.data = reinterpret_cast<void*>(exported.memory.address()),
              .device = device_id(array),
              .ndim = array.ndim(),
              .dtype = type_of_elements(array),
              .shape = exported.shape.data(),
              .strides = exported.strides.data(),
              .byte_offset = 0};
}

// A capsule with a tensor of this layout.
template <class Managed>
nb::object capsule_of(std::unique_ptr<Exported> exported, const char* name,
                      void (*destructor)(PyObject*)) {
    auto managed = std::make_unique<Managed>();
    fill(
        [&]() -> Tensor& {
            if constexpr (std::is_same_v<Managed, VersionedTensor>) {
                managed->version = {1, 0};
                managed->flags = exported->memory.array().is_read_only() ? kReadOnly : 0;
            }
            return managed->tensor;
        }(),
        *exported);
    managed->context = exported.get();
    managed->deleter = [](Managed* self) {
        delete static_cast<Exported*>(self->context);
        delete self;
    };
    PyObject* const capsule = PyCapsule_New(managed.get(), name, destructor);
    if (capsule == nullptr) throw nb::python_error();
    // The tensor's deleter deletes both.
    managed->context = exported.release();
    managed.release();
    return nb::steal(capsule);
}

// A capsule that was not consumed deletes its tensor.
template <class Managed>
void free_unused(PyObject* capsule, const char* name) {
    if (PyCapsule_IsValid(capsule, name) == 0) return;
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    if (managed->deleter != nullptr) managed->deleter(managed);
}

// The consumer's stream waits for what the array's has been given.
void order_before(const Array& array, nb::handle stream) {
    const Device device = array.device();
    if (device.kind() != "cuda") {
        if (!stream.is_none()) {
            refuse_export("memory of the CPU device has no stream; pass stream=None");
        }
        return;
    }
    const std::int64_t handle = stream.is_none() ? 1 : integer_of(stream, "stream");
    if (handle == -1) return;
    const Stream consumer = handle == 1
                                ? device.default_stream()
                                : Stream::from_handle(static_cast<std::uint64_t>(handle), device);
    const Stream producer = Stream::current(device);
    if (!(consumer == producer)) consumer.wait(producer.record());
}

// Calls the deleter once; it may be Python's.
template <class Managed>
std::shared_ptr<const void> owner_of(Managed* managed) {
    return {managed, [](const void* pointer) {
                auto* const tensor = static_cast<Managed*>(const_cast<void*>(pointer));
                if (PythonEntry python; python && tensor->deleter != nullptr) {
                    tensor->deleter(tensor);
                }
            }};
}

Array array_over(const Tensor& tensor, bool is_read_only, std::shared_ptr<const void> owner) {
    if (tensor.ndim < 0 || tensor.ndim > kMaxRank) {
        refuse("a DLPack tensor has " + std::to_string(tensor.ndim) +
               " axes; arrays have at most " + std::to_string(kMaxRank));
    }
    const DType dtype(kind_of(tensor.dtype));
    const auto rank = static_cast<std::size_t>(tensor.ndim);
    const Shape shape(std::span<const std::int64_t>(tensor.shape, rank));
    std::optional<Strides> strides;
    if (tensor.strides != nullptr) {
        strides = Strides(std::span<const std::int64_t>(tensor.strides, rank));
        for (std::int64_t& stride : *strides) stride *= static_cast<std::int64_t>(dtype.size());
    }
    const bool is_host = tensor.device.type == kCpu || tensor.device.type == kCudaHost;
    if (!is_host && tensor.device.type != kCuda && tensor.device.type != kCudaManaged) {
        refuse("a DLPack tensor is on a device of type " + std::to_string(tensor.device.type) +
               ", which Warpwise does not have; copy it to the host or to a CUDA device");
    }
    const Device device(is_host ? "cpu" : "cuda:" + std::to_string(tensor.device.ordinal));
    const auto address = reinterpret_cast<std::uint64_t>(tensor.data) + tensor.byte_offset;
    if (count_of(shape) == 0) return empty(shape, dtype, device);
    return from_pointer(address, shape, dtype, strides ? &*strides : nullptr, device,
                        std::move(owner), is_read_only);
}

Array taken(nb::handle capsule) {
    PyObject* const object = capsule.ptr();
    if (PyCapsule_IsValid(object, kVersionedName) != 0) {
        auto* const managed =
            static_cast<VersionedTensor*>(PyCapsule_GetPointer(object, kVersionedName));
        PyCapsule_SetName(object, kUsedVersionedName);
        const auto owner = owner_of(managed);
        if (managed->version.major != 1) {
            refuse("a DLPack tensor has version " + std::to_string(managed->version.major) +
                   ", and this Warpwise knows version 1");
        }
        return array_over(managed->tensor, (managed->flags & kReadOnly) != 0, owner);
    }
    if (PyCapsule_IsValid(object, kName) != 0) {
        auto* const managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(object, kName));
        PyCapsule_SetName(object, kUsedName);
        return array_over(managed->tensor, false, owner_of(managed));
    }
    refuse("from_dlpack got a capsule that holds no tensor, or was used before; get a new one");
}

}  // namespace

Array import_dlpack(nb::handle object) {
    if (PyCapsule_CheckExact(object.ptr())) return taken(object);
    if (PyObject_HasAttrString(object.ptr(), "__dlpack__") == 0 ||
        PyObject_HasAttrString(object.ptr(), "__dlpack_device__") == 0) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            "from_dlpack expects an object with __dlpack__ and __dlpack_device__, "
                            "got " +
                                value_text(object));
    }
    const nb::object place = object.attr("__dlpack_device__")();
    nb::dict options;
    if (nb::cast<int>(nb::int_(nb::object(place[0]))) == kCuda) {
        const Device device("cuda:" + text_of(nb::int_(nb::object(place[1]))));
        options["stream"] = Stream::current(device).handle();
    }
    const nb::object export_it = object.attr("__dlpack__");
    try {
        return taken(export_it(**options, "max_version"_a = nb::make_tuple(1, 0)));
    } catch (nb::python_error& error) {
        // Producers before version 1 do not know the keyword.
        if (!error.matches(PyExc_TypeError)) throw;
    }
    return taken(export_it(**options));
}

nb::tuple dlpack_device(const Array& array) {
    const DeviceId id = device_id(array);
    return nb::make_tuple(static_cast<int>(id.type), id.ordinal);
}

nb::object export_dlpack(const Array& array, nb::handle stream, nb::handle max_version,
                         std::optional<bool> copy) {
    const bool is_versioned =
        !max_version.is_none() && integer_of(nb::object(max_version[0]), "max_version") >= 1;
    if (array.is_read_only() && !is_versioned && copy != true) {
        refuse_export("a read-only array cannot be exported without DLPack 1; export a copy");
    }
    type_of_elements(array);
    const Array source = copy == true ? warpwise::copy(array) : array;
    std::unique_ptr<Exported> exported;
    {
        const GilRelease unlocked;
        exported = std::make_unique<Exported>(source);
    }
    order_before(source, stream);
    if (!is_versioned) {
        return capsule_of<ManagedTensor>(std::move(exported), kName, [](PyObject* capsule) {
            free_unused<ManagedTensor>(capsule, kName);
        });
    }
    return capsule_of<VersionedTensor>(std::move(exported), kVersionedName, [](PyObject* capsule) {
        free_unused<VersionedTensor>(capsule, kVersionedName);
    });
}

}  // namespace warpwise::python
