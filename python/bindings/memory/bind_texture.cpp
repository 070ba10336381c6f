// Texture, Surface, TextureReference and SurfaceReference.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/sizes.hpp"
#include "python/bindings/memory/image_modes.hpp"
#include "warpwise/error.hpp"
#include "warpwise/texture.hpp"
#include "warpwise/texture_reference.hpp"

namespace warpwise::python {
namespace {

// One mode for all axes, or a sequence that begins with x.
std::array<AddressMode, 3> address_modes(nb::handle words) {
    std::array<AddressMode, 3> modes{AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
    const Py_ssize_t length = length_of(words);
    if (length < 0) {
        modes.fill(address_mode_named(words));
        return modes;
    }
    const auto count = static_cast<std::size_t>(length);
    if (count > modes.size()) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            "a texture has at most 3 axes, got address modes for " + std::to_string(count));
    }
    for (std::size_t axis = 0; axis < count; ++axis) {
        modes[axis] = address_mode_named(nb::object(words[axis]));
    }
    return modes;
}

// Additional options of textures over mipmapped arrays, and of sRGB.
struct LevelWords {
    bool srgb;
    nb::handle mip_filter;
    float level_bias, min_level;
    std::optional<float> max_level;
    std::uint32_t max_anisotropy;
};

TextureSettings settings_from(nb::handle address, nb::handle filter, nb::handle read,
                              bool normalized, nb::handle border, const LevelWords& words) {
    return {.address = address_modes(address),
            .filter = filter_mode_named(filter),
            .read = read_mode_named(read),
            .normalized_coordinates = normalized,
            .border = border_from(border),
            .srgb = words.srgb,
            .mip_filter = filter_mode_named(words.mip_filter),
            .level_bias = words.level_bias,
            .lowest_level = words.min_level,
            .highest_level = words.max_level.value_or(kAllLevels),
            .max_anisotropy = words.max_anisotropy};
}

template <class Array>
void construct_over_array(Texture* self, const Array& array, nb::handle address, nb::handle filter,
                          nb::handle read, bool normalized, nb::handle border, bool srgb,
                          nb::handle mip_filter, float level_bias, float min_level,
                          std::optional<float> max_level, std::uint32_t max_anisotropy) {
    new (self) Texture(
        array, settings_from(address, filter, read, normalized, border,
                             {srgb, mip_filter, level_bias, min_level, max_level, max_anisotropy}));
}

void construct_over_buffer(Texture* self, const Buffer& buffer, nb::handle dtype, int channels,
                           nb::handle shape, const Size& pitch, nb::handle address,
                           nb::handle filter, nb::handle read, bool normalized, nb::handle border,
                           bool srgb) {
    const TextureSettings settings =
        settings_from(address, filter, read, normalized, border,
                      {srgb, nb::str("point"), 0.0f, 0.0f, std::nullopt, 1});
    const DType format = texel_format(dtype, channels);
    if (shape.is_none()) {
        new (self) Texture(buffer, format, settings);
        return;
    }
    const CudaArrayShape extents = array_shape(shape, /*layered=*/false, /*cubemap=*/false);
    if (extents.depth != 0) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "linear memory is read as (width,) or (height, width), not " +
                                value_text(shape) + "; copy it to a CudaArray");
    }
    const std::size_t given = size_of(pitch, "pitch");
    new (self) Texture(buffer, format, extents.width, extents.height,
                       given == 0 ? extents.width * format.size() : given, settings);
}

template <class T>
std::string handle_text(const T& self, const char* name) {
    nb::object text = nb::module_::import_("builtins").attr("hex")(self.handle());
    return std::string(name) + "(handle=" + text_of(text) + ", device='" + self.device().name() +
           "')";
}

nb::tuple address_names(const TextureSettings& settings) {
    return nb::make_tuple(name_of(settings.address[0]), name_of(settings.address[1]),
                          name_of(settings.address[2]));
}

template <class Array>
void bind_over(nb::class_<Texture>& texture, const nb::sig& signature) {
    texture.def("__init__", &construct_over_array<Array>, "array"_a, nb::kw_only(),
                "address"_a = "clamp", "filter"_a = "point", "read"_a = "element",
                "normalized"_a = false, "border"_a = nb::make_tuple(0, 0, 0, 0), "srgb"_a = false,
                "mip_filter"_a = "point", "level_bias"_a = 0.0f, "min_level"_a = 0.0f,
                "max_level"_a = nb::none(), "max_anisotropy"_a = 1, signature);
}

void bind_objects(nb::module_& module) {
    nb::class_<Texture> texture(module, "Texture",
                                "A texture object, for parameters of type cudaTextureObject_t.");
    bind_over<CudaArray>(
        texture,
        nb::sig("def __init__(self, array: CudaArray, *, address: str | "
                "collections.abc.Sequence[str] = 'clamp', filter: str = 'point', read: str = "
                "'element', normalized: bool = False, border: collections.abc.Sequence[float] = "
                "(0, 0, 0, 0), srgb: bool = False, mip_filter: str = 'point', level_bias: float = "
                "0.0, min_level: float = 0.0, max_level: float | None = None, max_anisotropy: int "
                "= 1) -> None"));
    bind_over<MipmappedArray>(
        texture,
        nb::sig("def __init__(self, array: MipmappedArray, *, address: str | "
                "collections.abc.Sequence[str] = 'clamp', filter: str = 'point', read: str = "
                "'element', normalized: bool = False, border: collections.abc.Sequence[float] = "
                "(0, 0, 0, 0), srgb: bool = False, mip_filter: str = 'point', level_bias: float = "
                "0.0, min_level: float = 0.0, max_level: float | None = None, max_anisotropy: int "
                "= 1) -> None"));
    texture
        .def("__init__", &construct_over_buffer, "buffer"_a, "dtype"_a, "channels"_a = 1,
             nb::kw_only(), "shape"_a = nb::none(), "pitch"_a = 0, "address"_a = "clamp",
             "filter"_a = "point", "read"_a = "element", "normalized"_a = false,
             "border"_a = nb::make_tuple(0, 0, 0, 0), "srgb"_a = false,
             nb::sig("def __init__(self, buffer: Buffer, dtype: typing.Any, channels: int = 1, *, "
                     "shape: collections.abc.Sequence[int] | None = None, pitch: int = 0, address: "
                     "str | collections.abc.Sequence[str] = 'clamp', filter: str = 'point', read: "
                     "str = 'element', normalized: bool = False, border: "
                     "collections.abc.Sequence[float] = (0, 0, 0, 0), srgb: bool = False) -> None"))
        .def_prop_ro("handle", &Texture::handle, "The cudaTextureObject_t, a number.")
        .def_prop_ro("device", &Texture::device)
        .def_prop_ro(
            "dtype", [](const Texture& self) { return format_dtype(self.format()); },
            nb::sig("def dtype(self) -> typing.Any"), "Of one channel.")
        .def_prop_ro("channels", [](const Texture& self) { return self.format().lanes(); })
        .def_prop_ro(
            "address", [](const Texture& self) { return address_names(self.settings()); },
            nb::sig("def address(self) -> tuple[str, str, str]"))
        .def_prop_ro("filter", [](const Texture& self) { return name_of(self.settings().filter); })
        .def_prop_ro("read", [](const Texture& self) { return name_of(self.settings().read); })
        .def_prop_ro("normalized",
                     [](const Texture& self) { return self.settings().normalized_coordinates; })
        .def_prop_ro("srgb", [](const Texture& self) { return self.settings().srgb; })
        .def_prop_ro("mip_filter",
                     [](const Texture& self) { return name_of(self.settings().mip_filter); })
        .def_prop_ro("level_bias", [](const Texture& self) { return self.settings().level_bias; })
        .def_prop_ro("min_level", [](const Texture& self) { return self.settings().lowest_level; })
        .def_prop_ro("max_level", [](const Texture& self) { return self.settings().highest_level; })
        .def_prop_ro("max_anisotropy",
                     [](const Texture& self) { return self.settings().max_anisotropy; })
        .def("__repr__", [](const Texture& self) { return handle_text(self, "Texture"); });
    nb::class_<Surface>(module, "Surface",
                        "A surface object, for parameters of type cudaSurfaceObject_t.")
        .def(nb::init<const CudaArray&>(), "array"_a)
        .def_prop_ro("handle", &Surface::handle, "The cudaSurfaceObject_t, a number.")
        .def_prop_ro("device", &Surface::device)
        .def("__repr__", [](const Surface& self) { return handle_text(self, "Surface"); });
}

nb::object bound_array(const std::optional<CudaArray>& array) {
    return array ? nb::cast(*array) : nb::none();
}

void set_address_2d(TextureReference& self, const Buffer& buffer, nb::handle shape,
                    const Size& pitch) {
    const CudaArrayShape extents = array_shape(shape, /*layered=*/false, /*cubemap=*/false);
    const std::size_t given = size_of(pitch, "pitch");
    self.set_address_2d(buffer, extents.width, extents.height == 0 ? 1 : extents.height,
                        given == 0 ? extents.width * self.format().size() : given);
}

}  // namespace

void bind_texture(nb::module_& module) {
    bind_objects(module);
    nb::class_<TextureReference>(
        module, "TextureReference",
        "A texture that a source declares as a variable. Launches read the "
        "memory bound when they were queued.")
        .def("set_array", &TextureReference::set_array, "array"_a, "Reads the array from now on.")
        .def("set_address", &TextureReference::set_address, "buffer"_a,
             "Linear memory, in the format of set_format or the declared one.")
        .def("set_address_2d", &set_address_2d, "buffer"_a, "shape"_a, "pitch"_a = 0,
             nb::sig("def set_address_2d(self, buffer: Buffer, shape: "
                     "collections.abc.Sequence[int], pitch: int = 0) -> None"),
             "Rows of linear memory; `pitch` bytes from one to the next.")
        .def(
            "set_format",
            [](TextureReference& self, nb::handle dtype, int channels) {
                self.set_format(texel_format(dtype, channels));
            },
            "dtype"_a, "channels"_a = 1,
            nb::sig("def set_format(self, dtype: typing.Any, channels: int = 1) -> None"),
            "What the texels of linear memory are.")
        .def(
            "set_filter_mode",
            [](TextureReference& self, nb::handle mode) {
                self.set_filter_mode(filter_mode_named(mode));
            },
            "mode"_a, nb::sig("def set_filter_mode(self, mode: str) -> None"),
            "'point' or 'linear'.")
        .def(
            "set_address_mode",
            [](TextureReference& self, int axis, nb::handle mode) {
                self.set_address_mode(axis, address_mode_named(mode));
            },
            "axis"_a, "mode"_a, nb::sig("def set_address_mode(self, axis: int, mode: str) -> None"),
            "'wrap', 'clamp', 'mirror' or 'border'; axis 0 is x.")
        .def("set_flags", &TextureReference::set_flags, "flags"_a,
             "1: integers are read as integers; 2: coordinates are normalized; 16: bytes read as "
             "ratios are sRGB. Added up.")
        .def_prop_ro(
            "array", [](const TextureReference& self) { return bound_array(self.array()); },
            nb::sig("def array(self) -> CudaArray | None"))
        .def_prop_ro("buffer", &TextureReference::buffer)
        .def_prop_ro(
            "dtype", [](const TextureReference& self) { return format_dtype(self.format()); },
            nb::sig("def dtype(self) -> typing.Any"))
        .def_prop_ro("channels", [](const TextureReference& self) { return self.format().lanes(); })
        .def_prop_ro("filter_mode",
                     [](const TextureReference& self) { return name_of(self.filter_mode()); })
        .def(
            "address_mode",
            [](const TextureReference& self, int axis) { return name_of(self.address_mode(axis)); },
            "axis"_a, "That of set_address_mode.")
        .def_prop_ro("flags", &TextureReference::flags)
        .def("__repr__", [](nb::handle_t<TextureReference> self) {
            return fields_text(self, {"array", "buffer", "dtype", "channels", "filter_mode"});
        });
    nb::class_<SurfaceReference>(module, "SurfaceReference",
                                 "A surface that a source declares as a variable.")
        .def("set_array", &SurfaceReference::set_array, "array"_a, "Uses the array from now on.")
        .def_prop_ro(
            "array", [](const SurfaceReference& self) { return bound_array(self.array()); },
            nb::sig("def array(self) -> CudaArray | None"))
        .def("__repr__",
             [](nb::handle_t<SurfaceReference> self) { return fields_text(self, {"array"}); });
}

}  // namespace warpwise::python
