// NumPy dtype <-> DType. See numpy_types.hpp.
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

constexpr std::pair<const char*, Kind> kScalarNames[] = {
    {"float32", Kind::Float32},     {"intc", Kind::Int32},
    {"float64", Kind::Float64},     {"int64", Kind::Int64},
    {"longlong", Kind::Int64},      {"uintc", Kind::UInt32},
    {"uint64", Kind::UInt64},       {"ulonglong", Kind::UInt64},
    {"uint8", Kind::UInt8},         {"int8", Kind::Int8},
    {"int16", Kind::Int16},         {"uint16", Kind::UInt16},
    {"bool_", Kind::Bool},          {"float16", Kind::Float16},
    {"complex64", Kind::Complex64}, {"complex128", Kind::Complex128},
};

nb::module_ numpy() {
    return nb::module_::import_("numpy");
}

// `letter` is NumPy's dtype.kind.
Kind kind_of(char letter, std::size_t size) {
    auto by_size = [size](Kind one, Kind two, Kind four, Kind eight) {
        return size == 1   ? one
               : size == 2 ? two
               : size == 4 ? four
               : size == 8 ? eight
                           : Kind::Void;
    };
    switch (letter) {
        case 'b':
            return Kind::Bool;
        case 'i':
            return by_size(Kind::Int8, Kind::Int16, Kind::Int32, Kind::Int64);
        case 'u':
            return by_size(Kind::UInt8, Kind::UInt16, Kind::UInt32, Kind::UInt64);
        case 'f':
            return by_size(Kind::Void, Kind::Float16, Kind::Float32, Kind::Float64);
        case 'S':  // bytes: NumPy's array of single characters
            return size == 1 ? Kind::UInt8 : Kind::Void;
        case 'c':
            return size == 8 ? Kind::Complex64 : size == 16 ? Kind::Complex128 : Kind::Void;
        default:
            return Kind::Void;
    }
}

// Arrays of several axes are arrays of arrays: of structs with one field, which has no name.
StructField with_inner_axis(const StructField& field, std::size_t extent) {
    StructField inner{.name = "", .dtype = field.dtype, .count = extent};
    StructType row{.name = "numpy axis", .fields = {inner}, .size = field.dtype.size() * extent};
    row.alignment = field.dtype.alignment();
    StructField outer = field;
    outer.dtype = DType::structure(row);
    return outer;
}

bool is_axis(const StructType& type) {
    return type.fields.size() == 1 && type.fields[0].name.empty();
}

StructField field_from_numpy(nb::handle name, nb::handle description) {
    nb::object dtype = nb::borrow(description[0]);
    StructField field;
    field.name = utf8_of(name, "the name of a struct's field");
    field.offset = nb::cast<std::size_t>(nb::object(description[1]));
    nb::object subarray = dtype.attr("subdtype");
    if (!subarray.is_none()) {
        std::vector<std::size_t> shape;
        for (nb::handle extent : nb::object(subarray[1]))
            shape.push_back(nb::cast<std::size_t>(extent));
        field.dtype = dtype_from_numpy(nb::object(subarray[0]));
        const bool is_flat = field.dtype.kind() == Kind::Struct;  // as C++ describes those
        for (; shape.size() > 1 && !is_flat; shape.pop_back()) {
            field = with_inner_axis(field, shape.back());
        }
        for (const std::size_t extent : shape) field.count *= extent;
        return field;
    }
    field.dtype = dtype_from_numpy(dtype);
    return field;
}

DType struct_from_numpy(nb::handle numpy_dtype) {
    StructType type;
    type.name = "numpy record";
    type.size = nb::cast<std::size_t>(numpy_dtype.attr("itemsize"));
    type.alignment = nb::cast<std::size_t>(numpy_dtype.attr("alignment"));
    nb::object fields = numpy_dtype.attr("fields");
    for (nb::handle name : nb::object(numpy_dtype.attr("names")))
        type.fields.push_back(field_from_numpy(name, nb::object(fields[name])));
    return DType::structure(type);
}

nb::object numpy_from_struct(const StructType& type) {
    nb::list names, formats, offsets;
    for (const StructField& field : type.fields) {
        nb::list shape;
        if (field.count != 1) shape.append(field.count);
        DType element = field.dtype;
        for (const StructType* row = element.fields(); row != nullptr && is_axis(*row);
             row = element.fields()) {
            shape.append(row->fields[0].count);
            element = row->fields[0].dtype;
        }
        nb::object format = numpy_from_dtype(element);
        if (nb::len(shape) != 0) format = nb::make_tuple(format, nb::tuple(shape));
        names.append(field.name.c_str());
        formats.append(format);
        offsets.append(field.offset);
    }
    nb::dict layout;
    layout["names"] = names;
    layout["formats"] = formats;
    layout["offsets"] = offsets;
    layout["itemsize"] = type.size;
    return numpy().attr("dtype")(layout, nb::arg("align") = type.alignment > 1);
}

nb::object numpy_from_scalar(Kind kind) {
    if (const nb::object known = numpy_types().dtype_of(kind)) return known;
    if (kind == Kind::BFloat16)
        return numpy().attr("dtype")(nb::module_::import_("ml_dtypes").attr("bfloat16"));
    if (kind == Kind::Pointer) return numpy().attr("dtype")("uintp");
    return numpy().attr("dtype")(DType(kind).name().c_str());
}

}  // namespace

NumpyTypes::NumpyTypes() {
    nb::module_ module = numpy();
    array_ = nb::object(module.attr("ndarray")).release().ptr();
    generic_ = nb::object(module.attr("generic")).release().ptr();
    void_ = nb::object(module.attr("void")).release().ptr();
    static_assert(std::size(kScalarNames) == std::tuple_size_v<decltype(rows_)>);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        auto [name, kind] = kScalarNames[i];
        rows_[i] = {nb::object(module.attr(name)).release().ptr(), kind};
        PyObject*& dtype = dtypes_[static_cast<std::size_t>(kind)];
        const bool is_first = dtype == nullptr;
        if (is_first) dtype = module.attr("dtype")(DType(kind).name().c_str()).release().ptr();
    }
}

const NumpyTypes& numpy_types() {
    static const NumpyTypes& types = *new NumpyTypes;
    return types;
}

DType dtype_from_numpy(nb::handle numpy_dtype) {
    const bool is_native = nb::cast<bool>(numpy_dtype.attr("isnative"));
    const Kind plain = numpy_types().kind_of_type(numpy_dtype.attr("type"));
    if (plain != Kind::Void && is_native) return DType(plain);
    if (!numpy_dtype.attr("fields").is_none()) return struct_from_numpy(numpy_dtype);
    std::string letter = text_of(numpy_dtype.attr("kind"));
    std::string name = text_of(numpy_dtype);
    Kind kind = kind_of(letter[0], nb::cast<std::size_t>(numpy_dtype.attr("itemsize")));
    if (name == "bfloat16") kind = Kind::BFloat16;
    if (!is_native)
        throw ArgumentError(ArgumentError::Kind::Type,
                            "dtype " + name +
                                " has the other byte order; convert it with "
                                "a.astype(a.dtype.newbyteorder('='))");
    if (kind == Kind::Void)
        throw ArgumentError(ArgumentError::Kind::Type,
                            "dtype " + name +
                                " has no CUDA C++ type; use bool, (u)int8-64, "
                                "float16-64, bfloat16, complex64/128 or a struct of them");
    return DType(kind);
}

nb::object numpy_from_dtype(const DType& dtype) {
    if (dtype.kind() == Kind::Void) return nb::none();
    if (dtype.kind() == Kind::Struct) return numpy_from_struct(*dtype.fields());
    nb::object scalar = numpy_from_scalar(dtype.kind());
    if (dtype.lanes() == 1) return scalar;
    return numpy().attr("dtype")(nb::make_tuple(scalar, nb::make_tuple(dtype.lanes())));
}

}  // namespace warpwise::python
