// Module: binaries and linked programs.
#include "warpwise/module.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <utility>

#include "src/base/file.hpp"
#include "src/base/text.hpp"
#include "src/compiler/mode_options.hpp"
#include "src/runtime/binary_support.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/module/compile_request.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/runtime/module/name_lookup.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/refuse.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace runtime {
namespace {

BinarySupport& binaries_of(Context& context, const char* what) {
    if (BinarySupport* const support = context.backend().binaries()) return *support;
    throw UnsupportedError(
        fmt::format("{} {}, which is machine code for GPUs; give it the source (SourceModule)",
                    context.name(), what));
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes;
    std::array<char, 1 << 16> chunk{};
    while (file.read(chunk.data(), chunk.size()) || file.gcount() > 0) {
        bytes.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    }
    if (!file.is_open() || file.bad()) {
        throw DeviceError(
            fmt::format("cannot read the file {}: {}", quote(path), last_error().message()));
    }
    return bytes;
}

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto* const data = reinterpret_cast<const std::byte*>(text.data());
    return {data, data + text.size()};
}

Module load(const Device& device, compiler::Program program) {
    std::string log = program.log;
    return {ModuleState::load(device.context().shared(),
                              std::make_shared<const compiler::Program>(std::move(program))),
            std::move(log)};
}

// A device without a linker: all sources are one.
Module load_together(const std::vector<LinkInput>& inputs, CompileOptions options,
                     const Device& device) {
    Context& context = device.context();
    std::string source;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        // Two parts may have one name; lines are reported by the part's own.
        const std::string header = fmt::format("warpwise-part-{}/{}", i + 1, inputs[i].name);
        options.headers.emplace_back(header, inputs[i].data);
        // A file finds the headers that lie beside it.
        const std::size_t folder = inputs[i].name.rfind('/');
        if (folder != std::string::npos) {
            options.include_dirs.push_back(inputs[i].name.substr(0, folder));
        }
        source += fmt::format("#include \"{}\"\n", header);
    }
    compiler::CompileRequest request = compile_request(std::move(source), std::move(options));
    request.target = context.info().architecture;
    // The module does not keep the source.
    if (!request.mode.tier) request.mode.tier = compiler::Tier::Full;
    return load(device, compile_program(context.backend().compiler(), request));
}

// The sources' own signatures in place of what the linked program has.
void adopt(compiler::Program& linked, compiler::Program& source) {
    for (compiler::KernelInfo& kernel : linked.kernels) {
        for (compiler::KernelInfo& known : source.kernels) {
            if (known.signature.symbol == kernel.signature.symbol) kernel = std::move(known);
        }
    }
    for (compiler::GlobalInfo& global : linked.globals) {
        for (const compiler::GlobalInfo& known : source.globals) {
            if (known.symbol == global.symbol) global = known;
        }
    }
}

}  // namespace
}  // namespace runtime

Module::Module(std::shared_ptr<runtime::ModuleState> module, std::string log) noexcept
    : module_(std::move(module)), log_(std::move(log)) {}

Module Module::from_bytes(std::string_view image, const std::string& name) {
    return from_bytes(image, name, Device());
}

Module Module::from_bytes(std::string_view image, const std::string& name, const Device& device) {
    runtime::Context& context = device.context();
    runtime::BinarySupport& support =
        runtime::binaries_of(context, "loads no PTX, cubin or fatbin");
    const auto bytes = runtime::bytes_of(image);
    return runtime::load(device, support.read(bytes, name, context.info().architecture));
}

Module Module::from_file(const std::string& path) {
    return from_file(path, Device());
}

Module Module::from_file(const std::string& path, const Device& device) {
    return from_bytes(runtime::read_file(path), path, device);
}

Kernel Module::get_function(std::string_view name) const {
    const auto match = runtime::match_kernel(runtime::normalised_name(name), module_->kernels(), {},
                                             module_->globals());
    return Kernel(module_->kernel(*match.kernel));
}

Buffer Module::get_global(std::string_view name) const {
    const auto globals = module_->globals();
    const compiler::GlobalInfo& info = runtime::match_global(name, globals);
    return Buffer(module_->global(info), 0, info.size);
}

std::vector<std::string> Module::functions() const {
    return runtime::function_names(module_->kernels(), {});
}

std::vector<std::string> Module::globals() const {
    std::vector<std::string> names;
    for (const auto* global : module_->globals()) names.push_back(global->name);
    return names;
}

const std::string& Module::log() const noexcept {
    return log_;
}

Device Module::device() const {
    return Device(module_->shared_context());
}

LinkInput LinkInput::source(std::string text, std::string name) {
    return {.data = std::move(text), .name = std::move(name), .is_source = true};
}

LinkInput LinkInput::bytes(std::string image, std::string name) {
    return {.data = std::move(image), .name = std::move(name), .is_source = false};
}

LinkInput LinkInput::file(const std::string& path) {
    return {.data = runtime::read_file(path), .name = path, .is_source = path.ends_with(".cu")};
}

Module link(const std::vector<LinkInput>& inputs, CompileOptions options) {
    return link(inputs, std::move(options), Device());
}

Module link(const std::vector<LinkInput>& inputs, CompileOptions options, const Device& device) {
    if (inputs.empty()) runtime::refuse_value("link() has nothing to link; give it parts");
    runtime::Context& context = device.context();
    const bool has_images = !std::ranges::all_of(inputs, &LinkInput::is_source);
    if (context.backend().binaries() == nullptr && !has_images) {
        return runtime::load_together(inputs, std::move(options), device);
    }
    runtime::BinarySupport& support =
        runtime::binaries_of(context, "links no PTX, cubin, object or library");
    const std::string& target = context.info().architecture;
    std::vector<runtime::LinkPart> parts;
    std::vector<compiler::Program> sources;
    for (const LinkInput& input : inputs) {
        if (!input.is_source) {
            parts.push_back({.name = input.name, .image = runtime::bytes_of(input.data)});
            continue;
        }
        options.name = input.name;
        compiler::CompileRequest request = runtime::compile_request(input.data, options);
        request.target = target;
        request.format = "relocatable";
        sources.push_back(runtime::compile_program(context.backend().compiler(), request));
        parts.push_back({.name = input.name, .image = sources.back().binary});
    }
    compiler::Program linked = support.link(
        parts, compiler::nvidia_options(runtime::compile_request({}, options)), target);
    for (compiler::Program& source : sources) {
        linked.log = source.log + linked.log;
        runtime::adopt(linked, source);
    }
    return runtime::load(device, std::move(linked));
}

}  // namespace warpwise
