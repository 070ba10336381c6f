// Which image is what, and whether it fits the device.
#include "src/backends/cuda/link/binaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "src/backends/cuda/driver/toolkit.hpp"
#include "src/backends/cuda/link/binary_signatures.hpp"
#include "src/backends/cuda/link/fatbin.hpp"
#include "src/backends/cuda/link/nvjitlink.hpp"
#include "src/backends/cuda/nvrtc/nvrtc.hpp"
#include "src/backends/cuda/nvrtc/nvrtc_options.hpp"
#include "src/base/text.hpp"
#include "src/compiler/compiler.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

std::string_view text_of(std::span<const std::byte> image) {
    return {reinterpret_cast<const char*>(image.data()), image.size()};
}

[[noreturn]] void refuse(const std::string& text) {
    throw ArgumentError(ArgumentError::Kind::Value, text);
}

// A cubin runs on GPUs of its own generation that are not older; PTX on all that are not older.
void check_processor(const compiler::Program& program, std::string_view name,
                     std::string_view target) {
    const int own = architecture_number(program.target);
    const int target_number = architecture_number(target);
    const bool fits = program.format == "ptx"
                          ? own <= target_number
                          : own <= target_number && own / 10 == target_number / 10;
    if (own == 0 || target_number == 0 || fits) return;
    refuse(fmt::format("{} is {} for {}, but the device is {}; compile it for {}{}", quote(name),
                       program.format == "ptx" ? "PTX" : "a cubin", program.target, target, target,
                       program.format == "ptx" ? "" : ", or to PTX of an older one"));
}

LinkKind link_kind(const runtime::LinkPart& part) {
    switch (kind_of_image(part.image)) {
        case ImageKind::Ptx:
            return LinkKind::Ptx;
        case ImageKind::Cubin:
            return LinkKind::Cubin;
        case ImageKind::Fatbin:
            return LinkKind::Fatbin;
        case ImageKind::Library:
            return LinkKind::Library;
        case ImageKind::LtoIr:
            return LinkKind::LtoIr;
        case ImageKind::Object:
            return LinkKind::Object;
        case ImageKind::Unknown:
            break;
    }
    refuse(
        fmt::format("{} is no part of a program for GPUs: neither PTX, cubin, LTO IR, fatbin, "
                    "object nor library",
                    quote(part.name)));
}

[[noreturn]] void throw_twice(const std::string& symbol, const std::string& places,
                              const std::string& log) {
    const std::string text = fmt::format(
        "{} is defined more than once{}; keep one definition, or make them static or inline",
        quote(demangled(symbol)), places);
    throw CompileError(text, log.empty() ? text + "\n" : log, {}, 0);
}

std::vector<std::string> definitions_in(const LinkItem& item) {
    switch (item.kind) {
        case LinkKind::Cubin:
            return definitions_in_cubin(item.image, item.name);
        case LinkKind::Ptx:
            return definitions_in_ptx(text_of(item.image));
        default:
            return {};  // of LTO IR nvJitLink reports it itself
    }
}

// nvJitLink prints that two cubins or PTX texts define a symbol, and goes on with one of them.
void refuse_what_is_defined_twice(std::span<const LinkItem> items) {
    std::map<std::string, std::string_view> known;  // symbol, part
    for (const LinkItem& item : items) {
        for (std::string& symbol : definitions_in(item)) {
            const auto [found, is_new] = known.emplace(std::move(symbol), item.name);
            if (is_new || found->second == item.name) continue;
            throw_twice(found->first,
                        fmt::format(": in {} and in {}", quote(found->second), quote(item.name)),
                        {});
        }
    }
}

// nvJitLink passes over cubins that are no relocatable code.
void refuse_what_is_left_out(const compiler::Program& linked, std::span<const LinkItem> items) {
    for (const LinkItem& item : items) {
        if (item.kind != LinkKind::Cubin) continue;
        const compiler::Program part = read_cubin(item.image, item.name, Relocatable::Allowed);
        for (const compiler::KernelInfo& kernel : part.kernels) {
            const std::string& symbol = kernel.signature.symbol;
            const bool is_there = std::ranges::any_of(
                linked.kernels, [&](const auto& one) { return one.signature.symbol == symbol; });
            if (is_there) continue;
            refuse(
                fmt::format("{} is a finished program, whose kernel {} is not linked; compile "
                            "it with -rdc=true, or to PTX",
                            quote(item.name), quote(kernel.signature.name)));
        }
    }
}

// "error   : Undefined reference to 'f' in 'k.cu'" -> the first such line, in a message of its own.
[[noreturn]] void throw_link_error(const std::string& log) {
    std::vector<std::string> missing;
    for (const std::string_view mark : {"Undefined reference to '", "Unresolved extern function '",
                                        "Unresolved extern variable '"}) {
        for (std::size_t at = log.find(mark); at != std::string::npos; at = log.find(mark, at)) {
            at += mark.size();
            std::string name = demangled(log.substr(at, log.find('\'', at) - at));
            if (std::ranges::find(missing, name) == missing.end()) missing.push_back(name);
        }
    }
    // "link error: error: Linking globals named 'f': symbol multiply defined!"
    constexpr std::string_view kTwice = "Linking globals named '";
    if (const std::size_t at = log.find(kTwice); missing.empty() && at != std::string::npos) {
        const std::size_t begin = at + kTwice.size();
        throw_twice(log.substr(begin, log.find('\'', begin) - begin), "", log);
    }
    if (missing.empty()) {
        throw CompileError("the parts do not link: " + log.substr(0, log.find('\n')), log, {}, 0);
    }
    throw CompileError(
        fmt::format("no part defines {}; add the part that does, or its source", join(missing)),
        log, {}, 0);
}

// Linking behind the cache: the parts are what else would be headers.
class LinkStep final : public compiler::Compiler {
  public:
    LinkStep(std::span<const LinkItem> items, const std::vector<std::string>& options)
        : items_(items), options_(options) {}

    compiler::Program compile(const compiler::CompileRequest&) override {
        LinkResult linked = run_nvjitlink(items_, options_);
        if (!linked.is_good) throw_link_error(linked.log);
        compiler::Program program = read_cubin(linked.cubin, "the linked program");
        program.log = std::move(linked.log);
        return program;
    }
    std::string fingerprint() const override { return "link 1 " + nvjitlink_identity(); }

    compiler::Program cached(std::string_view target) {
        compiler::CompileRequest request;
        request.name = "/linked";  // relative to no folder
        request.options = options_;
        request.target = target;
        request.format = "linked";
        for (const LinkItem& item : items_) {
            request.headers.emplace_back(
                fmt::format("/{} {}", static_cast<int>(item.kind), item.name), text_of(item.image));
        }
        return compiler::compile_cached(*this, request);
    }

  private:
    std::span<const LinkItem> items_;
    const std::vector<std::string>& options_;
};

// lib<name>.a, from -L, the toolkits, the packages.
std::vector<runtime::LinkPart> libraries_of(const NvrtcOptions& options) {
    std::vector<std::filesystem::path> folders(options.library_folders.begin(),
                                               options.library_folders.end());
    for (const auto& root : toolkit_roots()) {
        for (const char* name : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
            folders.push_back(root / name);
        }
    }
    for (const auto& package : package_folders(Nvrtc::path())) folders.push_back(package / "lib");
    std::vector<runtime::LinkPart> found;
    for (const std::string& name : options.libraries) {
        const std::size_t before = found.size();
        for (const auto& folder : folders) {
            std::ifstream file(folder / fmt::format("lib{}.a", name), std::ios::binary);
            if (!file) continue;
            const std::string bytes{std::istreambuf_iterator<char>(file), {}};
            const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
            found.push_back({.name = name, .image = {data, data + bytes.size()}});
            break;
        }
        if (found.size() > before) continue;
        refuse(
            fmt::format("there is no lib{}.a for -l{} in -L folders, the CUDA toolkit or "
                        "NVIDIA's Python packages",
                        name, name));
    }
    return found;
}

std::vector<std::string> linker_options(const std::vector<std::string>& options,
                                        std::span<const LinkItem> items, std::string_view target) {
    std::vector<std::string> result = {fmt::format("-arch={}", target)};
    const bool has_lto = std::ranges::any_of(
        items, [](const LinkItem& item) { return item.kind == LinkKind::LtoIr; });
    const NvrtcOptions known = nvrtc_options(options);
    if (known.is_lto || has_lto) result.emplace_back("-lto");
    for (const std::string& option : known.options) {
        for (const std::string_view name :
             {"-lineinfo", "--maxrregcount=", "--ftz=", "--fmad=", "--prec-div=", "--prec-sqrt="}) {
            if (!option.starts_with(name)) continue;
            // nvJitLink spells them with one dash, and truth as 1.
            std::string text = option.starts_with("--") ? option.substr(1) : option;
            if (text.ends_with("=true")) text.replace(text.size() - 4, 4, "1");
            if (text.ends_with("=false")) text.replace(text.size() - 5, 5, "0");
            result.push_back(std::move(text));
        }
    }
    return result;
}

}  // namespace

int architecture_number(std::string_view name) {
    const std::size_t digit = name.find_first_of("0123456789");
    int number = 0;
    if (digit != std::string_view::npos) {
        std::from_chars(name.data() + digit, name.data() + name.size(), number);
    }
    return number;
}

compiler::Program CudaBinaries::read(std::span<const std::byte> image, std::string_view name,
                                     std::string_view target) {
    compiler::Program program;
    switch (kind_of_image(image)) {
        case ImageKind::Ptx:
            program = read_ptx(text_of(image), name);
            break;
        case ImageKind::Cubin:
            program = read_cubin(image, name);
            break;
        case ImageKind::Fatbin:
            return read_fatbin(image, name, target);
        case ImageKind::LtoIr:
        case ImageKind::Library:
        case ImageKind::Object:
            refuse(fmt::format("{} is code that must be linked first: use link()", quote(name)));
        case ImageKind::Unknown:
            refuse(fmt::format("{} is neither PTX, a cubin nor a fatbin", quote(name)));
    }
    check_processor(program, name, target);
    return program;
}

compiler::Program CudaBinaries::link(std::span<const runtime::LinkPart> parts,
                                     const std::vector<std::string>& options,
                                     std::string_view target) {
    std::vector<LinkItem> items;
    items.reserve(parts.size());
    for (const runtime::LinkPart& part : parts) {
        items.push_back({link_kind(part), part.name, part.image});
        const int own = architecture_of_cubin(part.image);
        const int target_number = architecture_number(target);
        if (own != 0 && (own > target_number || own / 10 != target_number / 10)) {
            refuse(fmt::format("{} is a cubin for sm_{}, but the device is {}; compile it for {}",
                               quote(part.name), own, target, target));
        }
    }
    const std::vector<runtime::LinkPart> libraries = libraries_of(nvrtc_options(options));
    for (const runtime::LinkPart& library : libraries) {
        items.push_back({LinkKind::Library, library.name, library.image});
    }
    refuse_what_is_defined_twice(items);
    const std::vector<std::string> linking = linker_options(options, items, target);
    compiler::Program linked = LinkStep(items, linking).cached(target);
    refuse_what_is_left_out(linked, items);
    return linked;
}

}  // namespace warpwise::cuda
