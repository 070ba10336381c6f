// x86-64, from SSE4 to AVX-512.
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/MC/MCSubtargetInfo.h>

#include <algorithm>

#include "src/backends/cpu/compiler/gang/target/target_traits.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Value;

constexpr unsigned kWidestVector = 512;
constexpr std::uint64_t kPageBytes = 4096;
constexpr int kUpwards = 2 | 8;      // as in the instruction; without exceptions
constexpr int kLess = 4, kMore = 5;  // as in vrangeps; the sign is that of the result
constexpr int kRoundedAsUsual = 4;
constexpr int kZeroOrInfinity = 0x02 | 0x04 | 0x08 | 0x10;

bool is_of_floats(const Value* vector) {
    return vector->getType()->getScalarType()->isFloatTy();
}

unsigned vector_bits_of(const llvm::TargetMachine& machine) {
    const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
    // LLVM's own answer is 256 for x86-64-v4, where it would rather not use wider registers.
    if (features.checkFeatures("+avx512f")) return kWidestVector;
    return features.checkFeatures("+avx2") ? kWidestVector / 2 : kWidestVector / 4;
}

llvm::Intrinsic::ID minimum_of(unsigned bits, bool is_float) {
    using namespace llvm::Intrinsic;
    switch (bits) {
        case kWidestVector:
            return is_float ? x86_avx512_mask_range_ps_512 : x86_avx512_mask_range_pd_512;
        case kWidestVector / 2:
            return is_float ? x86_avx512_mask_range_ps_256 : x86_avx512_mask_range_pd_256;
        default:
            return is_float ? x86_avx512_mask_range_ps_128 : x86_avx512_mask_range_pd_128;
    }
}

class X86Traits final : public TargetTraits {
  public:
    explicit X86Traits(const llvm::TargetMachine& machine)
        : vector_bits_(vector_bits_of(machine)),
          has_fast_gathers_(vector_bits_ == kWidestVector &&
                            machine.getMCSubtargetInfo()->checkFeatures("+fast-gather")),
          has_minimum_(machine.getMCSubtargetInfo()->checkFeatures("+avx512dq,+avx512vl")) {}

    unsigned vector_bits() const override { return vector_bits_; }
    bool has_mask_registers() const override { return vector_bits_ == kWidestVector; }

    // LLVM itself takes them for fast wherever there is AVX-512.
    bool has_fast_gathers() const override { return has_fast_gathers_; }

    std::uint64_t page_bytes() const override { return kPageBytes; }

    bool can_permute_words(unsigned lanes) const override {
        return has_mask_registers() && lanes * 32 == kWidestVector;
    }

    Value* permute_words(llvm::IRBuilder<>& builder, Value* low, Value* high,
                         Value* sources) const override {
        return builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                       {low, sources, high});
    }

    bool has_minimum() const override { return has_minimum_; }

    Value* minimum(llvm::IRBuilder<>& builder, bool is_max, Value* left,
                   Value* right) const override {
        auto* type = llvm::cast<llvm::FixedVectorType>(left->getType());
        const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
        const unsigned mask_bits = std::max(type->getNumElements(), 8U);
        llvm::SmallVector<Value*, 6> operands = {
            left, right, builder.getInt32(is_max ? kMore : kLess), left,
            builder.getInt(llvm::APInt::getAllOnes(mask_bits))};
        if (bits == kWidestVector) operands.push_back(builder.getInt32(kRoundedAsUsual));
        return builder.CreateIntrinsic(minimum_of(bits, is_of_floats(left)), {}, operands);
    }

    // Only operations on whole registers name their rounding.
    unsigned reciprocal_lanes(const llvm::Type& element) const override {
        if (!has_mask_registers()) return 0;
        if (element.isFloatTy()) return kWidestVector / 32;
        return element.isDoubleTy() ? kWidestVector / 64 : 0;
    }

    Value* reciprocal_estimate(llvm::IRBuilder<>& builder, Value* value) const override {
        const bool is_float = is_of_floats(value);
        return builder.CreateIntrinsic(
            is_float ? llvm::Intrinsic::x86_avx512_rcp14_ps_512
                     : llvm::Intrinsic::x86_avx512_rcp14_pd_512,
            {},
            {value, llvm::Constant::getNullValue(value->getType()),
             is_float ? builder.getInt16(0xffff) : builder.getInt8(0xff)});
    }

    Value* fma_upwards(llvm::IRBuilder<>& builder, Value* left, Value* right,
                       Value* addend) const override {
        return builder.CreateIntrinsic(is_of_floats(left)
                                           ? llvm::Intrinsic::x86_avx512_vfmadd_ps_512
                                           : llvm::Intrinsic::x86_avx512_vfmadd_pd_512,
                                       {}, {left, right, addend, builder.getInt32(kUpwards)});
    }

    Value* is_zero_or_infinite(llvm::IRBuilder<>& builder, Value* value) const override {
        return builder.CreateIntrinsic(is_of_floats(value)
                                           ? llvm::Intrinsic::x86_avx512_fpclass_ps_512
                                           : llvm::Intrinsic::x86_avx512_fpclass_pd_512,
                                       {}, {value, builder.getInt32(kZeroOrInfinity)});
    }

  private:
    const unsigned vector_bits_;
    const bool has_fast_gathers_;
    const bool has_minimum_;
};

}  // namespace

std::unique_ptr<const TargetTraits> target_traits(const llvm::TargetMachine& machine) {
    if (machine.getTargetTriple().getArch() != llvm::Triple::x86_64) {
        throw UnsupportedError(
            fmt::format("the CPU device has no vectoriser for {}; compile for an x86-64 target",
                        machine.getTargetTriple().str()));
    }
    return std::make_unique<X86Traits>(machine);
}

}  // namespace warpwise::cpu_compiler::gang
