// See image_modes.hpp. Each error lists the valid words.
#include "python/bindings/memory/image_modes.hpp"

#include <cstdint>
#include <iterator>
#include <limits>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

constexpr const char* kAddressModes[] = {"wrap", "clamp", "mirror", "border"};
constexpr const char* kFilterModes[] = {"point", "linear"};
constexpr const char* kReadModes[] = {"element", "normalized_float"};

// The index of `word` in a list, which is the mode's number.
template <std::size_t Count>
std::uint8_t number_of(nb::handle word, const char* const (&words)[Count], const char* what) {
    if (PyUnicode_Check(word.ptr()) != 0) {
        const std::string text = text_of(word);
        for (std::size_t i = 0; i < Count; ++i) {
            if (text == words[i]) return static_cast<std::uint8_t>(i);
        }
    }
    std::string list;
    for (const char* name : words) list += (list.empty() ? "'" : ", '") + std::string(name) + "'";
    throw ArgumentError(ArgumentError::Kind::Value,
                        std::string(what) + " is one of " + list + ", not " + value_text(word));
}

nb::object numpy_dtype(nb::handle given) {
    try {
        return nb::module_::import_("numpy").attr("dtype")(given);
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) throw;
        throw ArgumentError(ArgumentError::Kind::Type, "texels expects a NumPy dtype, got " +
                                                           value_text(given) + ": " +
                                                           text_of(error.value()));
    }
}

}  // namespace

AddressMode address_mode_named(nb::handle name) {
    return static_cast<AddressMode>(number_of(name, kAddressModes, "an address mode"));
}

FilterMode filter_mode_named(nb::handle name) {
    return static_cast<FilterMode>(number_of(name, kFilterModes, "a filter mode"));
}

ReadMode read_mode_named(nb::handle name) {
    return static_cast<ReadMode>(number_of(name, kReadModes, "a read mode"));
}

const char* name_of(AddressMode mode) {
    return kAddressModes[static_cast<int>(mode)];
}

const char* name_of(FilterMode mode) {
    return kFilterModes[static_cast<int>(mode)];
}

const char* name_of(ReadMode mode) {
    return kReadModes[static_cast<int>(mode)];
}

DType texel_format(nb::handle dtype, int channels) {
    const DType element = dtype_from_numpy(numpy_dtype(dtype));
    if (channels != 1 && channels != 2 && channels != 4) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "texels have 1, 2 or 4 channels, not " + std::to_string(channels));
    }
    return DType(element.kind(), static_cast<std::uint8_t>(channels));
}

nb::object format_dtype(const DType& format) {
    return numpy_from_dtype(DType(format.kind()));
}

std::array<double, 4> border_from(nb::handle border) {
    std::array<double, 4> numbers{};
    bool is_right = length_of(border) == 4;
    for (std::size_t i = 0; is_right && i < 4; ++i) {
        numbers[i] = PyFloat_AsDouble(nb::object(border[i]).ptr());
        is_right = PyErr_Occurred() == nullptr;
    }
    if (is_right) return numbers;
    PyErr_Clear();
    throw ArgumentError(
        ArgumentError::Kind::Type,
        "border expects 4 numbers such as (0, 0, 0, 1), got " + text_of(nb::repr(border)));
}

Py_ssize_t length_of(nb::handle sequence) {
    if (PySequence_Check(sequence.ptr()) == 0 || PyUnicode_Check(sequence.ptr()) != 0) return -1;
    const Py_ssize_t length = PySequence_Size(sequence.ptr());
    if (length < 0) PyErr_Clear();  // for instance an array without axes
    return length;
}

std::uint32_t extent_from(nb::handle value, const char* role) {
    nb::object index = nb::steal(PyNumber_Index(value.ptr()));
    if (!index.is_valid()) PyErr_Clear();
    int overflow = 0;
    const long long number =
        index.is_valid() ? PyLong_AsLongLongAndOverflow(index.ptr(), &overflow) : -1;
    if (overflow != 0 || number < 1 || number > std::numeric_limits<std::uint32_t>::max()) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            std::string(role) + " expects 1 or more texels, got " + value_text(value));
    }
    return static_cast<std::uint32_t>(number);
}

CudaArrayShape array_shape(nb::handle shape, bool layered, bool cubemap) {
    const Py_ssize_t length = length_of(shape);
    if (length < 0) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "shape expects a tuple such as (height, width), got " + value_text(shape));
    }
    std::uint32_t axes[3] = {};
    const auto count = static_cast<std::size_t>(length);
    const std::size_t least = cubemap ? 3 : layered ? 2 : 1;
    if (count < least || count > 3) {
        throw ArgumentError(ArgumentError::Kind::Value, "shape expects " + std::to_string(least) +
                                                            " to 3 axes, the last one x, got " +
                                                            value_text(shape));
    }
    for (std::size_t i = 0; i < count; ++i) {
        axes[count - 1 - i] = extent_from(nb::object(shape[i]), "shape");
    }
    CudaArrayShape result{.width = axes[0]};
    if (cubemap) {
        constexpr std::uint32_t faces = 6;
        if (axes[2] % faces != 0 || (axes[2] != faces && !layered)) {
            throw ArgumentError(ArgumentError::Kind::Value,
                                "a cubemap has the shape (6, n, n), a layered one (6 * layers, n, "
                                "n), not " +
                                    value_text(shape));
        }
        result.height = axes[1];
        result.cubemap = true;
        result.layers = layered ? axes[2] / faces : 0;
    } else if (layered) {
        result.layers = axes[count - 1];
        result.height = count == 3 ? axes[1] : 0;
    } else {
        result.height = axes[1];
        result.depth = axes[2];
    }
    return result;
}

nb::tuple shape_tuple(const CudaArrayShape& shape) {
    nb::list axes;
    const std::uint32_t layers = shape.layers == 0 ? 1 : shape.layers;
    if (shape.cubemap) {
        axes.append(6 * layers);
    } else if (shape.layers != 0) {
        axes.append(shape.layers);
    } else if (shape.depth != 0) {
        axes.append(shape.depth);
    }
    if (shape.height != 0) axes.append(shape.height);
    axes.append(shape.width);
    return nb::tuple(axes);
}

}  // namespace warpwise::python
