// Reading, laying out, relocating and protecting one object. Everything read from the input goes
// through Reader, which checks its place; what relocations
// write is checked by ObjectImage::apply().
#include "src/backends/cpu/module/object_loader.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "src/backends/cpu/host/relocations.hpp"
#include "src/backends/cpu/module/jump_table.hpp"
#include "src/backends/cpu/module/leaf_functions.hpp"
#include "src/base/address_ranges.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// More than any module of kernels needs, small enough that sums of offsets cannot overflow.
constexpr std::uint64_t kMaxImageBytes = std::uint64_t{1} << 31;

[[noreturn]] void refuse(const std::string& what) {
    throw DeviceError("cannot load a compiled object: " + what +
                      "; if it comes from the cache, clear it with 'warpwise cache clear'");
}

class Reader {
  public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
    T at(std::uint64_t offset, const char* what) const {
        T value;
        std::memcpy(&value, range(offset, sizeof(T), what).data(), sizeof(T));
        return value;
    }
    std::span<const std::byte> range(std::uint64_t offset, std::uint64_t size,
                                     const char* what) const {
        if (offset > bytes_.size() || size > bytes_.size() - offset) {
            refuse(fmt::format("{} at {} (+{} bytes) lies outside its {} bytes", what, offset, size,
                               bytes_.size()));
        }
        return bytes_.subspan(offset, size);
    }

  private:
    std::span<const std::byte> bytes_;
};

enum Group : std::size_t { kCode, kConstants, kVariables, kGroups };

Group group_of(const Elf64_Shdr& section) {
    if (section.sh_flags & SHF_EXECINSTR) return kCode;
    return section.sh_flags & SHF_WRITE ? kVariables : kConstants;
}

RelocationRule rule_of(const Elf64_Rela& entry) {
    const std::optional<RelocationRule> rule = relocation_of(ELF64_R_TYPE(entry.r_info));
    if (!rule) refuse(fmt::format("relocation type {} is unknown", ELF64_R_TYPE(entry.r_info)));
    return *rule;
}

}  // namespace

class ObjectImage {
  public:
    ObjectImage(LoadedObject& target, std::span<const std::byte> object,
                const LoadedObject::Existing& existing)
        : target_(target), reader_(object), existing_(existing) {}

    void load() {
        read_headers();
        read_symbols();
        count_table_entries();
        lay_out();
        map();
        for (const auto& relocation : relocations_) apply(relocation);
        protect();
    }

  private:
    struct Section {
        Elf64_Shdr header{};
        bool is_loaded = false;
        std::uint64_t offset = 0;  // in the mapping
    };
    struct Symbol {
        Elf64_Sym entry{};
        std::string_view name;
        JumpTable::Number slot = 0;
        JumpTable::Number stub = 0;
        std::optional<std::uint64_t> address;
    };
    struct Relocation {
        std::uint32_t section = 0;
        Elf64_Rela entry{};
        RelocationRule rule{};
    };

    void read_headers();
    void read_section(std::uint32_t index, std::uint64_t table);
    void read_symbols();
    void read_relocations(const Section& section);
    std::string_view name_at(std::span<const std::byte> names, std::uint32_t offset) const;
    void count_table_entries();
    void lay_out();
    void map();
    void export_symbols();
    std::uint64_t resolve(Symbol& symbol);
    void apply(const Relocation& relocation);
    std::uint64_t target_of(const Relocation& relocation);
    void protect();

    LoadedObject& target_;
    Reader reader_;
    const LoadedObject::Existing& existing_;
    std::vector<Section> sections_;
    std::vector<Symbol> symbols_;
    std::vector<Relocation> relocations_;
    std::array<std::uint64_t, kGroups + 1> group_begin_{};
    JumpTable table_;
};

void ObjectImage::read_headers() {
    const auto header = reader_.at<Elf64_Ehdr>(0, "the file header");
    const bool is_elf = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                        header.e_ident[EI_CLASS] == ELFCLASS64 &&
                        header.e_ident[EI_DATA] == ELFDATA2LSB;
    if (!is_elf || header.e_machine != kElfMachine || header.e_type != ET_REL) {
        refuse(fmt::format("it is no relocatable ELF file for {}", kElfMachineName));
    }
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0) {
        refuse("its section table is damaged or of an unknown form");
    }
    sections_.resize(header.e_shnum);
    for (std::uint32_t i = 0; i < header.e_shnum; ++i) read_section(i, header.e_shoff);
}

void ObjectImage::read_section(std::uint32_t index, std::uint64_t table) {
    Section& section = sections_[index];
    reader_.range(table, 0, "the section table");
    section.header = reader_.at<Elf64_Shdr>(table + std::uint64_t{index} * sizeof(Elf64_Shdr),
                                            "a section header");
    const Elf64_Shdr& header = section.header;
    if (header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS) {
        reader_.range(header.sh_offset, header.sh_size, "a section");
    }
    if ((header.sh_flags & SHF_ALLOC) == 0) return;
    if (header.sh_flags & SHF_TLS) refuse("it has thread-local variables");
    if (header.sh_type == SHT_INIT_ARRAY || header.sh_type == SHT_FINI_ARRAY) {
        refuse("it has code to run at load time");
    }
    const std::uint64_t alignment = std::max<std::uint64_t>(1, header.sh_addralign);
    if (!std::has_single_bit(alignment) || alignment > kPageBytes) {
        refuse(fmt::format("section {} requires an alignment of {} bytes", index, alignment));
    }
    if (header.sh_size > kMaxImageBytes) {
        refuse(fmt::format("section {} has {} bytes", index, header.sh_size));
    }
    // Unwind tables serve C++ exceptions, which device code has not.
    section.is_loaded = header.sh_type == SHT_PROGBITS || header.sh_type == SHT_NOBITS;
}

std::string_view ObjectImage::name_at(std::span<const std::byte> names,
                                      std::uint32_t offset) const {
    if (offset >= names.size()) refuse("a symbol's name lies outside the name table");
    const char* begin = reinterpret_cast<const char*>(names.data()) + offset;
    const std::size_t length = strnlen(begin, names.size() - offset);
    if (length == names.size() - offset) refuse("a symbol's name has no end");
    return {begin, length};
}

void ObjectImage::read_symbols() {
    const Section* table = nullptr;
    for (const Section& section : sections_) {
        if (section.header.sh_type != SHT_SYMTAB) continue;
        if (table != nullptr) refuse("it has two symbol tables");
        table = &section;
    }
    if (table != nullptr) {
        const Elf64_Shdr& header = table->header;
        if (header.sh_entsize != sizeof(Elf64_Sym) || header.sh_link >= sections_.size()) {
            refuse("its symbol table is damaged");
        }
        const Elf64_Shdr& names_header = sections_[header.sh_link].header;
        if (names_header.sh_type != SHT_STRTAB) refuse("its symbol table has no names");
        const auto names = reader_.range(names_header.sh_offset, names_header.sh_size, "names");
        symbols_.resize(header.sh_size / sizeof(Elf64_Sym));
        for (std::size_t i = 0; i < symbols_.size(); ++i) {
            symbols_[i].entry =
                reader_.at<Elf64_Sym>(header.sh_offset + i * sizeof(Elf64_Sym), "a symbol");
            if (i > 0) symbols_[i].name = name_at(names, symbols_[i].entry.st_name);
        }
    }
    for (const Section& section : sections_) {
        if (section.header.sh_type == SHT_REL) refuse("it has relocations without addends");
        if (section.header.sh_type == SHT_RELA) read_relocations(section);
    }
}

void ObjectImage::read_relocations(const Section& section) {
    const Elf64_Shdr& header = section.header;
    if (header.sh_entsize != sizeof(Elf64_Rela) || header.sh_info >= sections_.size()) {
        refuse("a relocation table is damaged");
    }
    if (!sections_[header.sh_info].is_loaded) return;
    if (sections_[header.sh_info].header.sh_type == SHT_NOBITS) {
        refuse("it relocates a section without contents");
    }
    for (std::uint64_t i = 0; i < header.sh_size / sizeof(Elf64_Rela); ++i) {
        Relocation relocation{header.sh_info, {}, {}};
        relocation.entry =
            reader_.at<Elf64_Rela>(header.sh_offset + i * sizeof(Elf64_Rela), "a relocation");
        if (ELF64_R_SYM(relocation.entry.r_info) >= symbols_.size()) {
            refuse("a relocation names a symbol that does not exist");
        }
        relocation.rule = rule_of(relocation.entry);
        relocations_.push_back(relocation);
    }
}

void ObjectImage::count_table_entries() {
    for (const Relocation& relocation : relocations_) {
        Symbol& symbol = symbols_[ELF64_R_SYM(relocation.entry.r_info)];
        const RelocationRule::Target target = relocation.rule.target;
        if (target == RelocationRule::Target::Slot && symbol.slot == 0) {
            symbol.slot = table_.add_slot();
        }
        // A leaf function may lie further away than a call reaches: jump through the table.
        const bool is_call = target == RelocationRule::Target::Call;
        const bool is_leaf = symbol.entry.st_shndx == SHN_UNDEF && leaf_function(symbol.name);
        if (is_call && is_leaf && symbol.stub == 0) {
            symbol.stub = table_.add_stub();
            if (symbol.slot == 0) symbol.slot = table_.add_slot();
        }
    }
}

void ObjectImage::lay_out() {
    std::uint64_t offset = 0;
    for (std::size_t group = 0; group < kGroups; ++group) {
        offset = JumpTable::round_up(offset, kPageBytes);
        group_begin_[group] = offset;
        for (Section& section : sections_) {
            if (!section.is_loaded || group_of(section.header) != group) continue;
            offset = JumpTable::round_up(offset,
                                         std::max<std::uint64_t>(1, section.header.sh_addralign));
            section.offset = offset;
            offset += section.header.sh_size;
            if (offset > kMaxImageBytes) refuse("it is larger than 2 GiB");
        }
        if (group == kCode) offset = table_.place_stubs(offset);
        if (group == kConstants) offset = table_.place_slots(offset);
    }
    group_begin_[kGroups] = JumpTable::round_up(std::max<std::uint64_t>(offset, 1), kPageBytes);
}

void ObjectImage::map() {
    const std::uint64_t size = group_begin_[kGroups];
    void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        throw OutOfMemoryError(fmt::format("no memory for {} bytes of compiled code", size));
    }
    target_.base_ = static_cast<std::byte*>(base);
    target_.size_ = size;
    for (const Section& section : sections_) {
        if (!section.is_loaded || section.header.sh_type == SHT_NOBITS) continue;
        const auto contents =
            reader_.range(section.header.sh_offset, section.header.sh_size, "a section");
        std::memcpy(target_.base_ + section.offset, contents.data(), contents.size());
    }
    export_symbols();
    for (Symbol& symbol : symbols_) {
        if (symbol.slot == 0) continue;
        table_.write_slot(target_.base_, symbol.slot, resolve(symbol));
        if (symbol.stub != 0) table_.write_stub(target_.base_, symbol.stub, symbol.slot);
    }
}

void ObjectImage::export_symbols() {
    for (Symbol& symbol : symbols_) {
        const bool is_global = ELF64_ST_BIND(symbol.entry.st_info) != STB_LOCAL;
        if (!is_global || symbol.entry.st_shndx == SHN_UNDEF || symbol.name.empty()) continue;
        target_.symbols_.emplace(std::string(symbol.name), resolve(symbol));
    }
}

std::uint64_t ObjectImage::resolve(Symbol& symbol) {
    if (symbol.address) return *symbol.address;
    const Elf64_Sym& entry = symbol.entry;
    const bool is_local = ELF64_ST_BIND(entry.st_info) == STB_LOCAL;
    if (!is_local && !symbol.name.empty()) symbol.address = existing_(symbol.name);
    if (symbol.address) return *symbol.address;
    if (entry.st_shndx == SHN_ABS) {
        symbol.address = entry.st_value;
    } else if (entry.st_shndx == SHN_UNDEF) {
        symbol.address = leaf_function(symbol.name);
        if (!symbol.address && ELF64_ST_BIND(entry.st_info) == STB_WEAK) symbol.address = 0;
        if (!symbol.address) {
            refuse(fmt::format("it refers to '{}', which device code cannot reach", symbol.name));
        }
    } else {
        if (entry.st_shndx >= sections_.size() || !sections_[entry.st_shndx].is_loaded) {
            refuse(fmt::format("symbol '{}' lies in a section that is not loaded", symbol.name));
        }
        const Section& section = sections_[entry.st_shndx];
        if (entry.st_value > section.header.sh_size) {
            refuse(fmt::format("symbol '{}' lies outside its section", symbol.name));
        }
        symbol.address =
            reinterpret_cast<std::uint64_t>(target_.base_) + section.offset + entry.st_value;
    }
    return *symbol.address;
}

std::uint64_t ObjectImage::target_of(const Relocation& relocation) {
    Symbol& symbol = symbols_[ELF64_R_SYM(relocation.entry.r_info)];
    if (relocation.rule.target == RelocationRule::Target::Slot) {
        return table_.slot_address(target_.base_, symbol.slot);
    }
    const bool is_call = relocation.rule.target == RelocationRule::Target::Call;
    return is_call && symbol.stub != 0 ? table_.stub_address(target_.base_, symbol.stub)
                                       : resolve(symbol);
}

void ObjectImage::apply(const Relocation& relocation) {
    if (relocation.rule.target == RelocationRule::Target::Nothing) return;
    const Section& section = sections_[relocation.section];
    const std::uint64_t offset = relocation.entry.r_offset;
    std::uint64_t value =
        target_of(relocation) + static_cast<std::uint64_t>(relocation.entry.r_addend);
    if (offset > section.header.sh_size ||
        relocation.rule.bytes > section.header.sh_size - offset) {
        refuse("a relocation lies outside its section");
    }
    std::byte* const place = target_.base_ + section.offset + offset;
    if (relocation.rule.is_relative) value -= reinterpret_cast<std::uint64_t>(place);
    if (!write_relocation(place, relocation.rule, value)) {
        const Symbol& symbol = symbols_[ELF64_R_SYM(relocation.entry.r_info)];
        refuse(fmt::format("'{}' is out of reach for a 32-bit reference", symbol.name));
    }
}

void ObjectImage::protect() {
    constexpr std::array<int, 2> rights{PROT_READ | PROT_EXEC, PROT_READ};
    for (std::size_t group = 0; group < rights.size(); ++group) {
        const std::uint64_t begin = group_begin_[group];
        const std::uint64_t size = group_begin_[group + 1] - begin;
        if (size != 0 && mprotect(target_.base_ + begin, size, rights[group]) != 0) {
            refuse(fmt::format("the system refuses memory for code ({})", std::strerror(errno)));
        }
    }
}

LoadedObject::LoadedObject(std::span<const std::byte> object, const Existing& existing) {
    try {
        ObjectImage(*this, object, existing).load();
    } catch (...) {
        if (base_ != nullptr) munmap(base_, size_);
        throw;
    }
}

LoadedObject::~LoadedObject() {
    if (base_ != nullptr) munmap(base_, size_);
}

std::optional<std::uint64_t> LoadedObject::symbol(std::string_view name) const {
    const auto found = symbols_.find(std::string(name));
    if (found == symbols_.end()) return std::nullopt;
    return found->second;
}

}  // namespace warpwise::cpu
