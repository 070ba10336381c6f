// The table of its functions, and one link.
#include "src/backends/cuda/link/nvjitlink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "src/backends/cuda/driver/libraries.hpp"
#include "src/backends/cuda/driver/library_search.hpp"
#include "src/backends/cuda/driver/toolkit.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using Handle = struct NvJitLinkTag*;
using Result = int;  // 0: good

struct Functions {
    Result (*nvJitLinkCreate)(Handle*, std::uint32_t, const char**) = nullptr;
    Result (*nvJitLinkDestroy)(Handle*) = nullptr;
    Result (*nvJitLinkAddData)(Handle, LinkKind, const void*, std::size_t, const char*) = nullptr;
    Result (*nvJitLinkComplete)(Handle) = nullptr;
    Result (*nvJitLinkGetLinkedCubinSize)(Handle, std::size_t*) = nullptr;
    Result (*nvJitLinkGetLinkedCubin)(Handle, void*) = nullptr;
    Result (*nvJitLinkGetErrorLogSize)(Handle, std::size_t*) = nullptr;
    Result (*nvJitLinkGetErrorLog)(Handle, char*) = nullptr;
    Result (*nvJitLinkGetInfoLogSize)(Handle, std::size_t*) = nullptr;
    Result (*nvJitLinkGetInfoLog)(Handle, char*) = nullptr;

    // The name of the first that is missing, or null.
    const char* fill(void* library) {
        SymbolFinder find(library);
#define WARPWISE_NVJITLINK(name) find(name, #name)
        WARPWISE_NVJITLINK(nvJitLinkCreate);
        WARPWISE_NVJITLINK(nvJitLinkDestroy);
        WARPWISE_NVJITLINK(nvJitLinkAddData);
        WARPWISE_NVJITLINK(nvJitLinkComplete);
        WARPWISE_NVJITLINK(nvJitLinkGetLinkedCubinSize);
        WARPWISE_NVJITLINK(nvJitLinkGetLinkedCubin);
        WARPWISE_NVJITLINK(nvJitLinkGetErrorLogSize);
        WARPWISE_NVJITLINK(nvJitLinkGetErrorLog);
        WARPWISE_NVJITLINK(nvJitLinkGetInfoLogSize);
        WARPWISE_NVJITLINK(nvJitLinkGetInfoLog);
#undef WARPWISE_NVJITLINK
        return find.missing();
    }
};

Functions open_library() {
    const OpenedLibrary opened = open_library(Library::NvJitLink);
    Functions functions;
    if (const char* const missing = functions.fill(opened.handle)) {
        throw DeviceError(fmt::format("{} is no nvJitLink of CUDA 12 or newer: it has no {}",
                                      quote(opened.path), missing));
    }
    return functions;
}

// When it is not found, the next call looks again.
const Functions& functions() {
    static const auto* const found = new Functions(open_library());
    return *found;
}

// One link. It goes on until something fails; then the log names it.
class Link {
  public:
    Link(const Functions& functions, const std::vector<std::string>& options) : f_(functions) {
        std::vector<const char*> texts;
        texts.reserve(options.size());
        for (const std::string& option : options) texts.push_back(option.c_str());
        result_ =
            f_.nvJitLinkCreate(&handle_, static_cast<std::uint32_t>(texts.size()), texts.data());
    }
    ~Link() {
        if (handle_ != nullptr) f_.nvJitLinkDestroy(&handle_);
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    bool is_good() const noexcept { return result_ == 0; }
    int result() const noexcept { return result_; }

    void add(const LinkItem& item) {
        if (!is_good()) return;
        std::span<const std::byte> image = item.image;
        std::vector<std::byte> ended;
        if (item.kind == LinkKind::Ptx) {  // of which it reads a byte more: the end of a C string
            ended.assign(image.begin(), image.end());
            ended.push_back(std::byte{0});
            image = std::span(ended).first(image.size());
        }
        result_ =
            f_.nvJitLinkAddData(handle_, item.kind, image.data(), image.size(), item.name.c_str());
        if (!is_good()) failed_ = item.name;
    }

    std::vector<std::byte> complete() {
        std::vector<std::byte> cubin;
        if (is_good()) result_ = f_.nvJitLinkComplete(handle_);
        std::size_t size = 0;
        if (is_good()) result_ = f_.nvJitLinkGetLinkedCubinSize(handle_, &size);
        cubin.resize(is_good() ? size : 0);
        if (is_good()) result_ = f_.nvJitLinkGetLinkedCubin(handle_, cubin.data());
        return cubin;
    }

    std::string log() const {
        std::string text = is_good() ? read(f_.nvJitLinkGetInfoLogSize, f_.nvJitLinkGetInfoLog)
                                     : read(f_.nvJitLinkGetErrorLogSize, f_.nvJitLinkGetErrorLog);
        if (is_good() || !text.empty()) return text;
        return failed_.empty() ? fmt::format("nvJitLink fails with error {}", result_)
                               : fmt::format("{} cannot be linked (nvJitLink's error {})",
                                             quote(failed_), result_);
    }

  private:
    template <class Size, class Get>
    std::string read(Size size_of, Get get) const {
        std::size_t size = 0;
        if (handle_ == nullptr || size_of(handle_, &size) != 0 || size == 0) return {};
        std::string text(size, '\0');
        if (get(handle_, text.data()) != 0) return {};
        text.resize(std::min(text.find('\0'), text.size()));
        return text;
    }

    const Functions& f_;
    Handle handle_ = nullptr;
    Result result_ = 0;
    std::string failed_;
};

}  // namespace

std::string nvjitlink_identity() {
    return file_identity(library_file(Library::NvJitLink));
}

LinkResult run_nvjitlink(std::span<const LinkItem> items, const std::vector<std::string>& options) {
    Link link(functions(), options);
    for (const LinkItem& item : items) link.add(item);
    LinkResult result{.is_good = false, .log = {}, .cubin = link.complete()};
    result.is_good = link.is_good();
    result.log = link.log();
    return result;
}

}  // namespace warpwise::cuda
