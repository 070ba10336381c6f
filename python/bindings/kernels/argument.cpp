// See argument.hpp. Types are tried in order of how often launches use them.
#include "python/bindings/kernels/argument.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/holders/array_holder.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/exact_numbers.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "python/bindings/kernels/argument_text.hpp"
#include "python/bindings/kernels/host_argument.hpp"
#include "python/bindings/kernels/scalar_argument.hpp"
#include "python/bindings/memory/allocation.hpp"
#include "python/bindings/memory/foreign_array.hpp"
#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/array.hpp"
#include "warpwise/error.hpp"
#include "warpwise/host_memory.hpp"
#include "warpwise/texture.hpp"

namespace warpwise::python {
namespace {

// What numpy.array(value, dtype) gives: treated as a plain value. An object array may
// hold anything, including an array.
bool is_scalar_array(nb::handle object) {
    if (!numpy_types().is_array(object)) return false;
    return nb::cast<int>(object.attr("ndim")) == 0 &&
           text_of(object.attr("dtype").attr("kind")) != "O";
}

}  // namespace

struct ArgumentPack::Rare {
    std::unique_ptr<std::byte[]> more;  // storage for arguments that do not fit inside the pack
    std::vector<HostMemory> records;
    std::vector<nb::object> arrays;   // of In, Out and InOut
    std::vector<nb::object> scalars;  // what 0-d arrays hold
    std::vector<nb::object> values;   // of array holders, beyond the first
    std::deque<std::string> texts;
    std::deque<ForeignObject> foreign;
    std::deque<DeviceArray> device_arrays;
    std::deque<std::vector<Argument>> tuple_values;
    std::deque<NumberTuple> tuples;
    std::vector<std::uint64_t> producers;  // streams of other libraries
};

// Arguments own nothing and are never destroyed.
static_assert(std::is_trivially_destructible_v<Argument>);

[[gnu::hot]] ArgumentPack::ArgumentPack(PyObject* const* objects, std::size_t count,
                                        const Stream* stream, std::uint64_t addresses)
    : stream_(stream) {
    if (count > kInlineArguments) [[unlikely]]
        make_room(count);
    for (std::size_t i = 0; i < count; ++i, addresses >>= 1) {
        add(objects[i], (addresses & 1) != 0);
    }
}

ArgumentPack::ArgumentPack(const nb::args& objects, const Stream* stream) : stream_(stream) {
    if (objects.size() > kInlineArguments) make_room(objects.size());
    for (nb::handle object : objects) add(object);
}

void ArgumentPack::make_room(std::size_t count) {
    rare().more = std::make_unique<std::byte[]>(count * sizeof(Argument));
    arguments_ = reinterpret_cast<Argument*>(rare().more.get());
}

inline void ArgumentPack::add(nb::handle object, bool is_address) {
    new (&arguments_[count_]) Argument(is_address ? convert_address(object) : convert(object));
    ++count_;
}

[[gnu::hot]] ArgumentPack::~ArgumentPack() = default;

[[gnu::hot]] InlineArrays::~InlineArrays() {
    std::destroy_n(std::launder(reinterpret_cast<DeviceArray*>(storage_)), count_);
}

const DeviceArray& InlineArrays::add(DeviceArray array) noexcept {
    auto* const place = storage_ + count_ * sizeof(DeviceArray);
    const DeviceArray* const added = new (place) DeviceArray(std::move(array));
    ++count_;
    return *added;
}

OwnedValues::~OwnedValues() {
    for (std::size_t i = 0; i < count_; ++i) Py_DECREF(objects_[i]);
}

void ArgumentPack::keep_until_done(const Event& event) {
    for (const nb::object& array : rare().arrays) {
        python::keep_until_done(HostMemory(array, HostMemory::Access::Read, "host"), event);
    }
}

ArgumentPack::Kept::Kept() = default;
ArgumentPack::Kept::~Kept() = default;

ArgumentPack::Kept& ArgumentPack::kept() {
    if (!kept_) kept_.emplace();
    return *kept_;
}

ArgumentPack::Rare& ArgumentPack::rare() {
    std::unique_ptr<Rare>& rare = kept().rare;
    if (!rare) rare = std::make_unique<Rare>();
    return *rare;
}

void ArgumentPack::wait_for_producers(const Device& device, const LaunchConfig& config) const {
    // Where no such streams exist the launch refuses the arrays.
    const Rare* const rare = kept_ ? kept_->rare.get() : nullptr;
    if (rare == nullptr || rare->producers.empty() || device.kind() != "cuda") return;
    const Stream consumer = config.stream ? *config.stream : Stream::current(device);
    // A recorded launch runs later: its order is then set by the graph.
    if (consumer.is_capturing()) return;
    for (const std::uint64_t handle : rare->producers) {
        const Stream producer = Stream::from_handle(handle, device);
        if (!(producer == consumer)) consumer.wait(producer.record());
    }
}

[[gnu::hot]] Argument ArgumentPack::convert(nb::handle object) {
    if (PyLong_CheckExact(object.ptr())) return convert_integer(object);
    if (PyFloat_CheckExact(object.ptr())) return Argument::python_float(value_of_float(object));
    // An object that has no value yet, Buffer.__new__(Buffer), is refused at the end.
    if (const Buffer* const buffer = exactly<Buffer>(object)) return Argument(*buffer);
    if (const Array* const array = exactly<Array>(object)) return convert_array(*array);
    return convert_other(object);
}

Argument ArgumentPack::convert_other(nb::handle object) {
    if (const Array* const array = array_in(object)) return convert_array(*array);  // derived
    if (PyBool_Check(object.ptr())) return Argument::python_bool(object.ptr() == Py_True);
    if (PyLong_Check(object.ptr())) return convert_integer(object);
    Kind kind = numpy_types().scalar_kind(object);
    if (kind != Kind::Void) return numpy_scalar_argument(object, kind);
    if (PyFloat_Check(object.ptr())) return Argument::python_float(real_value(object));
    if (const Buffer* const buffer = buffer_of_allocation(object)) return Argument(*buffer);
    if (is_array_holder(object)) return convert_holder(object);
    if (const HostArgument * host; nb::try_cast(object, host) && host != nullptr) {
        is_plain_ = false;
        rare().arrays.push_back(host->array());
        return Argument(host->host_array());
    }
    return convert_rare(object);
}

[[gnu::hot]] Argument ArgumentPack::convert_integer(nb::handle object) {
    int overflow = 0;
    const long long value = value_of_int(object, overflow);
    if (overflow == 0) return Argument::python_int(value);
    if (overflow > 0) {
        unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
        if (PyErr_Occurred() == nullptr) return Argument::python_uint(large);
        PyErr_Clear();
    }
    return foreign("an int of more than 64 bits");
}

[[gnu::hot]] Argument ArgumentPack::convert_address(nb::handle object) {
    if (const Buffer* const buffer = exactly<Buffer>(object)) return Argument(*buffer);
    if (const Buffer* const buffer = buffer_of_allocation(object)) return Argument(*buffer);
    if (is_array_holder(object)) return convert_holder(object);
    const bool is_exact = PyLong_CheckExact(object.ptr()) != 0;
    const Kind kind = is_exact ? Kind::UInt64 : numpy_types().scalar_kind(object);
    if (kind < Kind::Int8 || kind > Kind::UInt64) return convert(object);
    const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
    const unsigned long long address = PyLong_AsUnsignedLongLong(number.ptr());
    if (PyErr_Occurred() == nullptr) {
        has_pointers_ = true;
        return Argument(Pointer{address});
    }
    PyErr_Clear();
    return convert(object);  // no address: the launch refuses it by name
}

// What stands for the array may be made for this launch.
Argument ArgumentPack::convert_holder(nb::handle holder) {
    nb::object value = launched_for(holder);
    if (is_array_holder(value)) return foreign(describe(value));
    if (!kept().values.is_full()) return convert(kept().values.add(std::move(value)));
    return convert(rare().values.emplace_back(std::move(value)));
}

Argument ArgumentPack::convert_record(nb::handle object) {
    DType dtype = dtype_from_numpy(object.attr("dtype"));
    if (dtype.kind() == Kind::BFloat16) return Argument::python_float(real_value(object));
    auto& records = rare().records;
    records.emplace_back(object, HostMemory::Access::Read, "a record argument");
    return Argument::structure(records.back().data(), dtype);
}

Argument ArgumentPack::convert_rare(nb::handle object) {
    if (object.is_none()) return Argument(nullptr);
    if (Pointer pointer; nb::try_cast(object, pointer)) {
        has_pointers_ = true;
        return Argument(pointer);
    }
    if (const Buffer * buffer; nb::try_cast(object, buffer) && buffer != nullptr)
        return Argument(*buffer);
    if (const HostBuffer * host; nb::try_cast(object, host) && host != nullptr)
        return Argument(host->buffer());
    if (const RegisteredMemory * memory; nb::try_cast(object, memory) && memory != nullptr)
        return Argument(memory->buffer());
    if (const Texture * texture; nb::try_cast(object, texture) && texture != nullptr)
        return Argument(*texture);
    if (const Surface * surface; nb::try_cast(object, surface) && surface != nullptr)
        return Argument(*surface);
    if (PyComplex_Check(object.ptr())) return Argument(complex_value(object));
    if (PyTuple_Check(object.ptr())) return convert_tuple(object);
    if (is_scalar_array(object)) {
        const nb::object element = object[nb::make_tuple()];
        // Of a class whose elements are arrays again, as numpy.ma.masked is its own.
        if (numpy_types().is_array(element)) return foreign(describe(object));
        return convert(rare().scalars.emplace_back(element));
    }
    if (numpy_types().is_scalar(object)) {
        try {
            return convert_record(object);
        } catch (const ArgumentError& error) {
            return foreign(describe(object) + ": " + error.what());
        }
    }
    if (PyObject_HasAttrString(object.ptr(), kForeignArray) != 0) {
        try {
            return convert_foreign_array(object);
        } catch (const ArgumentError& error) {
            return foreign(describe(object) + ": " + error.what());
        }
    }
    return foreign(describe(object), instead_of_pointer(object), instead_of_struct(object));
}

Argument ArgumentPack::convert_tuple(nb::handle object) {
    std::vector<Argument> values;
    for (nb::handle value : object) values.push_back(convert(value));
    const auto& kept = rare().tuple_values.emplace_back(std::move(values));
    const std::string& text = rare().texts.emplace_back(describe(object));
    return Argument(rare().tuples.emplace_back(
        NumberTuple{.values = kept.data(),
                    .count = kept.size(),
                    .description = {.text = text.c_str(),
                                    .instead_of_pointer = instead_of_pointer(object),
                                    .instead_of_struct = "",
                                    .instead_of_vector = nullptr}}));
}

Argument ArgumentPack::convert_array(const Array& array) {
    if (stream_ == nullptr) stream_ = &kept().current.emplace(Stream::current(array.device()));
    DeviceArray described = array.device_array(stream_);
    if (!kept().arrays.is_full()) return Argument(kept().arrays.add(std::move(described)));
    return Argument(rare().device_arrays.emplace_back(std::move(described)));
}

Argument ArgumentPack::convert_foreign_array(nb::handle object) {
    ForeignArray found = foreign_array(object);
    const Device device = stream_ != nullptr ? stream_->device() : Device();
    if (found.array.bytes > 0 && is_freed_memory(found.array.address, device)) {
        throw ArgumentError(ArgumentError::Kind::Value, "its memory was freed; allocate a new one");
    }
    if (found.stream) {
        rare().producers.push_back(*found.stream);
        is_plain_ = false;
    }
    return Argument(rare().device_arrays.emplace_back(std::move(found.array)));
}

Argument ArgumentPack::foreign(std::string text, const char* instead_of_pointer,
                               const char* instead_of_struct) {
    const std::string& kept = rare().texts.emplace_back(std::move(text));
    return Argument::foreign(rare().foreign.emplace_back(kept.c_str(), instead_of_pointer,
                                                         instead_of_struct, &instead_of_vector));
}

}  // namespace warpwise::python
