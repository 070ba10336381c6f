// Kinds of GPUs, and the formats of cubins.
#include "src/backends/cuda/compiler/portable_programs.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include "src/backends/cuda/link/binaries.hpp"

namespace warpwise::cuda {
namespace {

constexpr int kKinds[] = {75, 80, 90, 100, 120};

// CUDA 12 writes cubins for GPUs before Blackwell in the old format, all others are in the new one.
constexpr unsigned char kOldFormat = 7;
constexpr int kReadsOld = 12000;
constexpr int kReadsNew = 13000;
constexpr int kReadsNewOfBlackwell = 12080;
constexpr unsigned kBlackwell = 100;

std::string name_of(int number) {
    return fmt::format("sm_{}", number);
}

}  // namespace

std::string kind_of_gpu(const std::string& target) {
    const int number = architecture_number(target);
    if (target != name_of(number)) return target;
    std::string kind = target;
    for (const int known : kKinds) {
        if (known / 10 == number / 10 && known <= number) kind = name_of(known);
    }
    return kind;
}

bool loads_cubin(int version, std::span<const std::byte> cubin) {
    Elf64_Ehdr header{};
    if (cubin.size() < sizeof header) return false;
    std::memcpy(&header, cubin.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header.e_ident[EI_ABIVERSION] <= kOldFormat) return version >= kReadsOld;
    const unsigned processor = header.e_flags >> 8 & 0xffffu;
    return version >= (processor >= kBlackwell ? kReadsNewOfBlackwell : kReadsNew);
}

}  // namespace warpwise::cuda
