// CudaArray, MipmappedArray and copy_box.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <optional>
#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/sizes.hpp"
#include "python/bindings/interpreter/stream_argument.hpp"
#include "python/bindings/memory/host_memory.hpp"
#include "python/bindings/memory/image_modes.hpp"
#include "warpwise/cuda_array.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

using Access = HostMemory::Access;

void construct(CudaArray* self, nb::handle shape, nb::handle dtype, int channels, bool layered,
               bool cubemap, const Device* device) {
    const CudaArrayShape extents = array_shape(shape, layered, cubemap);
    const DType format = texel_format(dtype, channels);
    GilRelease unlocked;
    new (self) CudaArray(extents, format, device != nullptr ? *device : Device());
}

// One side of copy_box().
struct Side {
    CopyPlace place;
    std::optional<HostMemory> memory;
};

// A coordinate of a position: 0 or more.
std::size_t coordinate(nb::handle at, int axis) {
    Py_ssize_t value = -1;
    if (length_of(at) == 3) {
        value = PyNumber_AsSsize_t(nb::object(at[axis]).ptr(), nullptr);
        if (PyErr_Occurred() != nullptr) PyErr_Clear();
    }
    if (value >= 0) return static_cast<std::size_t>(value);
    throw ArgumentError(
        ArgumentError::Kind::Value,
        "a position in an array is (x in bytes, y, z), each 0 or more, not " + value_text(at));
}

void set_place(Side& side, nb::handle object, nb::handle at, const Size& pitch,
               const Size& slice_rows, Access access, const char* role) {
    side.place.row_bytes = size_of(pitch, "pitch");
    side.place.slice_rows = size_of(slice_rows, "slice_rows");
    side.place.x_bytes = coordinate(at, 0);
    side.place.y = coordinate(at, 1);
    side.place.z = coordinate(at, 2);
    if (nb::try_cast(object, side.place.array) && side.place.array != nullptr) return;
    if (nb::try_cast(object, side.place.buffer) && side.place.buffer != nullptr) return;
    side.memory.emplace(object, access, role);
    side.place.host = side.memory->data();
}

// A copy to or from host memory must end inside it; the core only has its address.
void check_host(const Side& side, std::size_t width, std::size_t height, std::size_t depth) {
    if (!side.memory || width == 0 || height == 0 || depth == 0) return;
    const CopyPlace& place = side.place;
    const std::size_t row = place.row_bytes == 0 ? width : place.row_bytes;
    const std::size_t rows = place.slice_rows == 0 ? height : place.slice_rows;
    const std::size_t end =
        ((place.z + depth - 1) * rows + place.y + height - 1) * row + place.x_bytes + width;
    if (end <= side.memory->size()) return;
    throw ArgumentError(ArgumentError::Kind::Value, "the copy ends at byte " + std::to_string(end) +
                                                        " of host memory that has " +
                                                        std::to_string(side.memory->size()));
}

void copy_any(nb::handle destination, nb::handle source, const Size& width, const Size& height,
              const Size& depth, nb::handle destination_at, const Size& destination_pitch,
              const Size& destination_rows, nb::handle source_at, const Size& source_pitch,
              const Size& source_rows, const StreamArgument& given_stream) {
    Side to, from;
    set_place(to, destination, destination_at, destination_pitch, destination_rows, Access::Write,
              "destination");
    set_place(from, source, source_at, source_pitch, source_rows, Access::Read, "source");
    const std::size_t bytes = size_of(width, "width_bytes");
    const std::size_t rows = size_of(height, "height"), slices = size_of(depth, "depth");
    check_host(to, bytes, rows, slices);
    check_host(from, bytes, rows, slices);
    const std::optional<Stream> stream = stream_of(given_stream);
    const Stream given = stream ? *stream : Stream::current();
    std::exception_ptr error;  // of a wait that ended before the copy
    {
        GilRelease unlocked;
        if (stream) {
            copy_box(to.place, from.place, bytes, rows, slices, given);
        } else {
            try {
                copy_box(to.place, from.place, bytes, rows, slices);
            } catch (const Interrupted&) {
                error = std::current_exception();
            }
        }
    }
    if (!stream && !error) return;
    if (to.memory) keep_until_done(std::move(*to.memory), given);
    if (from.memory) keep_until_done(std::move(*from.memory), given);
    if (error) std::rethrow_exception(error);
}

void construct_mipmaps(MipmappedArray* self, nb::handle shape, nb::handle dtype,
                       std::optional<std::uint32_t> levels, int channels, bool layered,
                       bool cubemap, const Device* device) {
    const CudaArrayShape extents = array_shape(shape, layered, cubemap);
    const DType format = texel_format(dtype, channels);
    if (levels && *levels == 0) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "a mipmapped array has at least one level, not 0; levels=None is all");
    }
    GilRelease unlocked;
    new (self)
        MipmappedArray(extents, format, levels.value_or(0), device != nullptr ? *device : Device());
}

std::string representation(const MipmappedArray& self) {
    return "MipmappedArray(shape=" + text_of(shape_tuple(self.shape())) + ", format='" +
           self.format().name() + "', levels=" + std::to_string(self.levels()) + ", device='" +
           self.device().name() + "')";
}

void bind_mipmapped_array(nb::module_& module) {
    nb::class_<MipmappedArray>(module, "MipmappedArray",
                               "An image in several sizes, each half of the previous one: an array "
                               "for each level. Shapes as those of CudaArray.")
        .def("__init__", &construct_mipmaps, "shape"_a, "dtype"_a, "levels"_a = nb::none(),
             "channels"_a = 1, "layered"_a = false, "cubemap"_a = false, "device"_a = nb::none(),
             nb::sig("def __init__(self, shape: collections.abc.Sequence[int], dtype: typing.Any, "
                     "levels: int | None = None, channels: int = 1, layered: bool = False, "
                     "cubemap: bool = False, device: Device | None = None) -> None"),
             "levels: level 0 included; None: down to a single texel.")
        .def("level", &MipmappedArray::level, "index"_a,
             "A level as an array, which copies and surfaces write; 0 is the largest.")
        .def_prop_ro(
            "shape", [](const MipmappedArray& self) { return shape_tuple(self.shape()); },
            nb::sig("def shape(self) -> tuple[int, ...]"), "Of level 0.")
        .def_prop_ro("levels", &MipmappedArray::levels)
        .def_prop_ro("channels", [](const MipmappedArray& self) { return self.format().lanes(); })
        .def_prop_ro(
            "dtype", [](const MipmappedArray& self) { return format_dtype(self.format()); },
            nb::sig("def dtype(self) -> typing.Any"), "Of one channel.")
        .def_prop_ro("nbytes", &MipmappedArray::size, "Bytes of the texels of all levels.")
        .def_prop_ro("device", &MipmappedArray::device)
        .def("__repr__", [](const MipmappedArray& self) { return representation(self); });
}

std::string representation(const CudaArray& self) {
    return "CudaArray(shape=" + text_of(shape_tuple(self.shape())) + ", format='" +
           self.format().name() + "', device='" + self.device().name() + "')";
}

}  // namespace

void bind_cuda_array(nb::module_& module) {
    nb::class_<CudaArray>(module, "CudaArray",
                          "Device memory for textures and surfaces: shape is (width,), (height, "
                          "width) or (depth, height, width); of a layered one the first axis "
                          "counts layers, of a cubemap faces.")
        .def("__init__", &construct, "shape"_a, "dtype"_a, "channels"_a = 1, "layered"_a = false,
             "cubemap"_a = false, "device"_a = nb::none(),
             nb::sig("def __init__(self, shape: collections.abc.Sequence[int], dtype: typing.Any, "
                     "channels: int = 1, layered: bool = False, cubemap: bool = False, device: "
                     "Device | None = None) -> None"))
        .def_prop_ro(
            "shape", [](const CudaArray& self) { return shape_tuple(self.shape()); },
            nb::sig("def shape(self) -> tuple[int, ...]"))
        .def_prop_ro("channels", [](const CudaArray& self) { return self.format().lanes(); })
        .def_prop_ro(
            "dtype", [](const CudaArray& self) { return format_dtype(self.format()); },
            nb::sig("def dtype(self) -> typing.Any"), "Of one channel.")
        .def_prop_ro("is_layered", [](const CudaArray& self) { return self.shape().layers != 0; })
        .def_prop_ro("is_cubemap", [](const CudaArray& self) { return self.shape().cubemap; })
        .def_prop_ro("nbytes", &CudaArray::size, "Bytes of its texels.")
        .def_prop_ro("device", &CudaArray::device)
        .def(
            "copy_from",
            [](CudaArray& self, nb::handle host) {
                HostMemory memory(host, Access::Read, "copy_from");
                GilRelease unlocked;
                self.copy_from(memory.data(), memory.size());
            },
            "host"_a, nb::sig("def copy_from(self, host: typing.Any) -> None"),
            "Copies a contiguous host array of nbytes bytes here.")
        .def(
            "copy_to",
            [](const CudaArray& self, nb::handle host) {
                HostMemory memory(host, Access::Write, "copy_to");
                GilRelease unlocked;
                self.copy_to(memory.data(), memory.size());
            },
            "host"_a, nb::sig("def copy_to(self, host: typing.Any) -> None"),
            "Copies from here into a contiguous host array of nbytes bytes.")
        .def("__repr__", [](const CudaArray& self) { return representation(self); });
    bind_mipmapped_array(module);
    module.def(
        "copy_box", &copy_any, "destination"_a, "source"_a, "width_bytes"_a, "height"_a = 1,
        "depth"_a = 1, nb::kw_only(), "destination_at"_a = nb::make_tuple(0, 0, 0),
        "destination_pitch"_a = 0, "destination_rows"_a = 0,
        "source_at"_a = nb::make_tuple(0, 0, 0), "source_pitch"_a = 0, "source_rows"_a = 0,
        "stream"_a = nb::none(),
        nb::sig("def copy_box(destination: typing.Any, source: typing.Any, width_bytes: int, "
                "height: int = 1, depth: int = 1, *, destination_at: tuple[int, int, int] = (0, 0, "
                "0), destination_pitch: int = 0, destination_rows: int = 0, source_at: tuple[int, "
                "int, int] = (0, 0, 0), source_pitch: int = 0, source_rows: int = 0, stream: "
                "Stream | None = None) -> None"),
        "Copies `depth` slices of `height` rows of `width_bytes` bytes between arrays, buffers and "
        "contiguous host memory. `..._at` is (x in bytes, y, z), `..._pitch` the bytes from row to "
        "row, `..._rows` the rows in a slice. Blocks, unless a stream is given.");
}

}  // namespace warpwise::python
