// Local arrays element by element, the elements of all lanes side by side, where a lane's own array
// was contiguous before: an access by an index that all lanes share is a vector access then, and
// one by another index is the gather that it was.
//
// Only arrays whose every access is of elements of one size. The scalar function keeps its meaning:
// a thread's array is as large as the gang's, and the thread uses every so many elements of it.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/elements/array_uses.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

class Interleaving {
  public:
    Interleaving(llvm::AllocaInst& local, ArrayUses uses, std::uint64_t size, unsigned lanes)
        : local_(local),
          uses_(std::move(uses)),
          size_(size),
          lanes_(lanes),
          data_(local.getDataLayout()) {}

    bool can() const {
        const std::uint64_t bytes = local_.getAllocationSize(data_)->getFixedValue();
        auto is_small = [&](const llvm::MemIntrinsic* fill) {
            const std::uint64_t length = length_of(*fill);
            return length % size_ == 0 && length / size_ <= costs::kMostFilled;
        };
        return bytes % size_ == 0 && llvm::all_of(uses_.fills, is_small) &&
               llvm::all_of(uses_.addresses, [&](const llvm::GetElementPtrInst* address) {
                   return has_whole_steps(*address, size_, data_);
               });
    }

    void write() {
        for (Instruction* lifetime : uses_.lifetimes) lifetime->eraseFromParent();
        for (llvm::MemIntrinsic* fill : uses_.fills) write_fill(*fill);
        llvm::IRBuilder<> builder(&local_);
        const std::uint64_t bytes = local_.getAllocationSize(data_)->getFixedValue();
        llvm::AllocaInst* all =
            builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), bytes * lanes_));
        all->setAlignment(std::max(local_.getAlign(), llvm::Align(costs::kAlignmentOfLanes)));
        mark_interleaved(*all, size_);
        for (llvm::GetElementPtrInst* address : uses_.addresses) write_address(*address);
        for (Instruction* access : uses_.accesses) limit_alignment(*access, llvm::Align(size_));
        local_.replaceAllUsesWith(all);
        local_.eraseFromParent();
    }

  private:
    static std::uint64_t length_of(const llvm::MemIntrinsic& fill) {
        return llvm::cast<llvm::ConstantInt>(fill.getLength())->getZExtValue();
    }

    void write_fill(llvm::MemIntrinsic& fill) {
        llvm::IRBuilder<> builder(&fill);
        const llvm::APInt& byte =
            llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::MemSetInst>(fill).getValue())
                ->getValue();
        const unsigned bits = static_cast<unsigned>(size_) * 8;
        Value* element = builder.getInt(llvm::APInt::getSplat(bits, byte));
        for (std::uint64_t at = 0; at < length_of(fill); at += size_) {
            auto* place = llvm::GetElementPtrInst::Create(builder.getInt8Ty(), fill.getRawDest(),
                                                          {builder.getInt64(at)}, "", &fill);
            uses_.addresses.push_back(place);
            uses_.accesses.push_back(
                builder.CreateAlignedStore(element, place, llvm::Align(size_)));
        }
        fill.eraseFromParent();
    }

    // The same elements, so many times as far from the start.
    void write_address(llvm::GetElementPtrInst& address) {
        llvm::IRBuilder<> builder(&address);
        llvm::MapVector<Value*, llvm::APInt> indices;
        llvm::APInt constant(64, 0);
        llvm::cast<llvm::GEPOperator>(address).collectOffset(data_, 64, indices, constant);
        Value* place = address.getPointerOperand();
        for (const auto& [index, factor] : indices) {
            const std::uint64_t bytes = factor.getZExtValue() * lanes_;
            place =
                builder.CreateGEP(llvm::ArrayType::get(builder.getInt8Ty(), bytes), place, index);
        }
        if (!constant.isZero()) {
            place = builder.CreateGEP(builder.getInt8Ty(), place,
                                      builder.getInt(constant * llvm::APInt(64, lanes_)));
        }
        address.replaceAllUsesWith(place);
        address.eraseFromParent();
    }

    llvm::AllocaInst& local_;
    ArrayUses uses_;
    const std::uint64_t size_;
    const unsigned lanes_;
    const llvm::DataLayout& data_;
};

}  // namespace

PreservedAnalyses interleave_locals(llvm::Function& kernel, GangContext& context) {
    std::vector<llvm::AllocaInst*> locals;
    for (Instruction& instruction : kernel.getEntryBlock()) {
        auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        if (local && local->isStaticAlloca()) locals.push_back(local);
    }
    bool has_changed = false;
    for (llvm::AllocaInst* local : locals) {
        std::optional<ArrayUses> uses = uses_of_array(*local);
        const std::uint64_t size = uses ? element_size(*uses, kernel.getDataLayout()) : 0;
        if (size == 0) continue;
        Interleaving interleaving(*local, std::move(*uses), size, context.layout.lanes());
        if (!interleaving.can()) continue;
        interleaving.write();
        has_changed = true;
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
