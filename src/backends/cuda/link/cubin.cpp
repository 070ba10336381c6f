// Cubins: 64-bit ELF files of machine 190. A kernel K has the sections .text.K, .nv.constant0.K
// (its arguments) and .nv.info.K, which lists the parameters.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "src/backends/cuda/link/binary_signatures.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

constexpr std::uint16_t kCudaMachine = 190;
// From this ABI on, the processor's number is in bits 8 to 23 of the flags; before, in 0 to 7.
constexpr unsigned char kNewAbi = 8;

// Of .nv.info: format and attribute of an entry, then a value or a size and so many bytes.
constexpr std::uint8_t kSized = 4;
constexpr std::uint8_t kParameterInfo = 0x17;
constexpr std::uint8_t kArgumentBank = 0x0a;

struct ParameterEntry {
    std::uint32_t index;
    std::uint16_t ordinal;
    std::uint16_t offset;
    std::uint32_t size_and_space;  // size: the upper 14 bits
};
static_assert(sizeof(ParameterEntry) == 12);

class Cubin {
  public:
    Cubin(std::span<const std::byte> bytes, std::string_view name) : bytes_(bytes), name_(name) {
        header_ = get<Elf64_Ehdr>(0);
        for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
            sections_.push_back(get<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
        }
        if (header_.e_shstrndx >= sections_.size()) refuse();
    }

    bool is_relocatable() const { return header_.e_type == ET_REL; }

    std::vector<compiler::KernelInfo> kernels() const {
        constexpr std::string_view kPrefix = ".nv.constant0.";
        std::vector<compiler::KernelInfo> found;
        for (const Elf64_Shdr& section : sections_) {
            const std::string_view title = title_of(section);
            if (!title.starts_with(kPrefix)) continue;
            compiler::KernelInfo kernel;
            kernel.signature.symbol = title.substr(kPrefix.size());
            read_info(kernel.signature);
            name_kernel(kernel);
            found.push_back(std::move(kernel));
        }
        return found;
    }

    // Symbols that no other part of a program may define.
    std::vector<std::string> definitions() const {
        std::vector<std::string> found;
        for (const Elf64_Shdr& table : sections_) {
            if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections_.size()) continue;
            for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size;
                 at += sizeof(Elf64_Sym)) {
                const auto symbol = get<Elf64_Sym>(table.sh_offset + at);
                const bool is_strong = ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
                if (!is_strong || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
                found.emplace_back(text_at(sections_[table.sh_link], symbol.st_name));
            }
        }
        return found;
    }

    std::vector<compiler::GlobalInfo> variables() const {
        std::vector<compiler::GlobalInfo> found;
        for (const Elf64_Shdr& table : sections_) {
            if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections_.size()) continue;
            for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size;
                 at += sizeof(Elf64_Sym)) {
                const auto symbol = get<Elf64_Sym>(table.sh_offset + at);
                if (symbol.st_shndx >= sections_.size() || symbol.st_size == 0) continue;
                const std::string_view place = title_of(sections_[symbol.st_shndx]);
                const bool is_constant = place == ".nv.constant3";
                if (!is_constant && !place.starts_with(".nv.global")) continue;
                const std::string name(text_at(sections_[table.sh_link], symbol.st_name));
                if (name.empty() || name.front() == '.' || name.front() == '$') continue;
                found.push_back({.name = demangled(name),
                                 .symbol = name,
                                 .size = symbol.st_size,
                                 .is_constant = is_constant,
                                 .dtype = {}});
            }
        }
        return found;
    }

  private:
    [[noreturn]] void refuse() const {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("{} is no whole cubin", quote(name_)));
    }

    template <class T>
    T get(std::uint64_t offset) const {
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) refuse();
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }

    std::string_view text_at(const Elf64_Shdr& section, std::uint64_t offset) const {
        if (section.sh_offset > bytes_.size() || offset >= bytes_.size() - section.sh_offset) {
            refuse();
        }
        const std::string_view all(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
        const std::string_view rest = all.substr(section.sh_offset + offset);
        return rest.substr(0, rest.find('\0'));
    }
    std::string_view title_of(const Elf64_Shdr& section) const {
        return text_at(sections_[header_.e_shstrndx], section.sh_name);
    }

    void read_info(KernelSignature& signature) const {
        const std::string target = ".nv.info." + signature.symbol;
        const auto found = std::ranges::find_if(
            sections_, [&](const Elf64_Shdr& section) { return title_of(section) == target; });
        if (found == sections_.end()) return;
        std::uint64_t at = found->sh_offset;
        const std::uint64_t end = at + found->sh_size;
        while (at + 4 <= end) {
            const auto format = get<std::uint8_t>(at);
            const auto attribute = get<std::uint8_t>(at + 1);
            const auto value = get<std::uint16_t>(at + 2);
            at += 4;
            if (format != kSized) continue;
            if (attribute == kParameterInfo && value == sizeof(ParameterEntry)) {
                add(signature, get<ParameterEntry>(at));
            } else if (attribute == kArgumentBank && value == 8) {
                signature.argument_bytes = get<std::uint16_t>(at + 6);
            }
            at += value;
        }
        std::ranges::sort(signature.parameters, {}, &Parameter::offset);
        for (const Parameter& parameter : signature.parameters) {
            signature.argument_bytes =
                std::max(signature.argument_bytes, parameter.offset + parameter.size);
        }
    }

    static void add(KernelSignature& signature, const ParameterEntry& entry) {
        signature.parameters.push_back({.passing = Parameter::Passing::Sized,
                                        .offset = entry.offset,
                                        .size = entry.size_and_space >> 18});
    }

    std::span<const std::byte> bytes_;
    std::string_view name_;
    Elf64_Ehdr header_{};
    std::vector<Elf64_Shdr> sections_;
};

}  // namespace

int architecture_of_cubin(std::span<const std::byte> cubin) noexcept {
    Elf64_Ehdr header;
    if (cubin.size() < sizeof header) return 0;
    std::memcpy(&header, cubin.data(), sizeof header);
    const bool is_cubin = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                          header.e_ident[EI_CLASS] == ELFCLASS64 &&
                          header.e_machine == kCudaMachine;
    if (!is_cubin) return 0;
    const bool is_new = header.e_ident[EI_ABIVERSION] >= kNewAbi;
    return static_cast<int>(is_new ? header.e_flags >> 8 & 0xffff : header.e_flags & 0xff);
}

std::vector<std::string> definitions_in_cubin(std::span<const std::byte> cubin,
                                              std::string_view name) {
    return Cubin(cubin, name).definitions();
}

compiler::Program read_cubin(std::span<const std::byte> bytes, std::string_view name,
                             Relocatable relocatable) {
    const Cubin cubin(bytes, name);
    if (cubin.is_relocatable() && relocatable == Relocatable::Refused) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format("{} is relocatable code (-dc), which must be linked: use link()",
                        quote(name)));
    }
    compiler::Program program;
    program.format = "cubin";
    program.target = fmt::format("sm_{}", architecture_of_cubin(bytes));
    program.binary.assign(bytes.begin(), bytes.end());
    program.kernels = cubin.kernels();
    program.globals = cubin.variables();
    std::erase_if(program.globals,
                  [](const auto& global) { return is_of_a_compiler(global.name); });
    std::erase_if(program.kernels,
                  [](const auto& kernel) { return is_of_a_compiler(kernel.signature.symbol); });
    return program;
}

}  // namespace warpwise::cuda
