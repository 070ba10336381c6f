// For which GPUs programs are installed, and which drivers load them.
#include "src/backends/cuda/compiler/portable_programs.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace warpwise::cuda {
namespace {

std::vector<std::byte> cubin(unsigned char format, unsigned flags) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_ABIVERSION] = format;
    header.e_flags = flags;
    const auto bytes = std::as_bytes(std::span(&header, 1));
    return {bytes.begin(), bytes.end()};
}

// As NVRTC 12.9 and 13.0 write them.
const std::vector<std::byte> kHopperOf12 = cubin(7, 0x005a055a);
const std::vector<std::byte> kHopperOf13 = cubin(8, 0x06005a04);
const std::vector<std::byte> kBlackwell = cubin(8, 0x06006402);

TEST(PortablePrograms, AreOfTheSameMajorCapability) {
    EXPECT_EQ(kind_of_gpu("sm_80"), "sm_80");
    EXPECT_EQ(kind_of_gpu("sm_86"), "sm_80");
    EXPECT_EQ(kind_of_gpu("sm_89"), "sm_80");
    EXPECT_EQ(kind_of_gpu("sm_90"), "sm_90");
    EXPECT_EQ(kind_of_gpu("sm_103"), "sm_100");
    EXPECT_EQ(kind_of_gpu("sm_121"), "sm_120");
}

TEST(PortablePrograms, AreNotOfALaterMinorCapability) {
    EXPECT_EQ(kind_of_gpu("sm_72"), "sm_72");
}

TEST(PortablePrograms, AreNotForGpusInBetween) {
    EXPECT_EQ(kind_of_gpu("sm_110"), "sm_110");
}

TEST(PortablePrograms, AreNotForFeaturesOfOneGpuOrForPtx) {
    for (const std::string target : {"sm_90a", "sm_120f", "compute_80", "", "x86-64-v3"}) {
        EXPECT_EQ(kind_of_gpu(target), target);
    }
}

TEST(PortablePrograms, OfCuda12AreLoadedByEveryDriverOfIt) {
    EXPECT_TRUE(loads_cubin(12000, kHopperOf12));
    EXPECT_TRUE(loads_cubin(13000, kHopperOf12));
}

TEST(PortablePrograms, OfCuda12AreNotLoadedByADriverOfCuda11) {
    EXPECT_FALSE(loads_cubin(11080, kHopperOf12));
}

TEST(PortablePrograms, OfCuda13TakeADriverOfIt) {
    EXPECT_FALSE(loads_cubin(12090, kHopperOf13));
    EXPECT_TRUE(loads_cubin(13000, kHopperOf13));
}

TEST(PortablePrograms, ForBlackwellAreLoadedSinceThereAreDriversForIt) {
    EXPECT_FALSE(loads_cubin(12060, kBlackwell));
    EXPECT_TRUE(loads_cubin(12080, kBlackwell));
}

TEST(PortablePrograms, WhichAreNoCubinsAreNotLoaded) {
    EXPECT_FALSE(loads_cubin(13000, {}));
    EXPECT_FALSE(loads_cubin(13000, std::vector<std::byte>(sizeof(Elf64_Ehdr))));
}

}  // namespace
}  // namespace warpwise::cuda
