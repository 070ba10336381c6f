// Loads a compiled object (ELF64 of the host, relocatable, position independent, small code model)
// into the process, without the compiler or the dynamic linker.
//
// One mapping per object: code | constants and the offset table | variables. It is written first
// and then protected (never writable and executable at once). Invariant: no byte of the input is
// trusted; whatever is out of range, unknown or unresolved raises DeviceError and leaves nothing
// mapped.
//
// Threading: load() may run on several threads at once; a LoadedObject is immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace warpwise::cpu {

class LoadedObject {
  public:
    // The address a variable already has elsewhere: it replaces the object's own definition.
    using Existing = std::function<std::optional<std::uint64_t>(std::string_view symbol)>;

    LoadedObject(std::span<const std::byte> object, const Existing& existing);
    ~LoadedObject();
    LoadedObject(const LoadedObject&) = delete;
    LoadedObject& operator=(const LoadedObject&) = delete;

    // The address of a global symbol: of the existing variable when there was one. None when the
    // object does not define it.
    std::optional<std::uint64_t> symbol(std::string_view name) const;

  private:
    friend class ObjectImage;

    std::byte* base_ = nullptr;
    std::size_t size_ = 0;
    std::unordered_map<std::string, std::uint64_t> symbols_;
};

}  // namespace warpwise::cpu
