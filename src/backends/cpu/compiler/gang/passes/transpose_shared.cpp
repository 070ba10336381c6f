// Shared arrays stored by columns, where lanes walk through columns: lane l at element a + l *
// step. Such an access takes a load or store a lane. With every step-th element side by side it is
// a vector access: element `i` lies at place i % step * (length / step) + i / step, and the columns
// that have one element more in front.
//
//     table[t][d - t], a diagonal of 129 columns      step 128
//     tile[threadIdx.x][j], columns padded to 33      step 33
//
// The array is as large as before, and any index within it has a place of its own: nothing is
// assumed of how an index is computed. Only arrays whose every access is known, all of elements of
// one size, and where accesses by columns weigh more than the others, which become gathers.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <map>

#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/elements/array_uses.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/threads/shared_variables.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr std::uint64_t kIterations = 8;  // of a loop, for all that is known

std::uint64_t weight_of(const Instruction& access, const Plan& plan) {
    std::uint64_t weight = 1;
    const llvm::Loop* loop = plan.blocks()[plan.index_of(access.getParent())].loop;
    for (; loop != nullptr; loop = loop->getParentLoop()) weight *= kIterations;
    return weight;
}

class Transposition {
  public:
    Transposition(llvm::GetElementPtrInst& array, std::uint64_t bytes, ArrayUses uses)
        : array_(array),
          data_(array.getDataLayout()),
          uses_(std::move(uses)),
          size_(element_size(uses_, data_)),
          length_(size_ == 0 ? 0 : bytes / size_) {}

    // The step between lanes in elements, where it pays; 0: it does not.
    std::uint64_t step(const Analysis& found, const TargetTraits& target,
                       const Layout& layout) const {
        if (size_ == 0 || !uses_.fills.empty()) return 0;
        const bool is_whole =
            llvm::all_of(uses_.addresses, [&](const llvm::GetElementPtrInst* address) {
                return has_whole_steps(*address, size_, data_);
            });
        if (!is_whole) return 0;
        // Accesses in small steps are a few vectors and shuffles.
        const std::uint64_t least =
            costs::kMostShuffledVectors * target.vector_bits() / 8 / (size_ * layout.width) + 1;
        std::map<std::uint64_t, std::uint64_t> by_step;
        std::uint64_t all = 0;
        for (const Instruction* access : uses_.accesses) {
            const std::optional<std::int64_t> lane = lane_step(*access, *found.shapes);
            if (lane == 0) continue;
            const std::uint64_t weight = weight_of(*access, *found.plan);
            all += weight;
            const auto signed_size = static_cast<std::int64_t>(size_);
            if (!lane || *lane < 0 || *lane % signed_size != 0) continue;
            const auto elements = static_cast<std::uint64_t>(*lane / signed_size);
            if (elements >= least && elements < length_) by_step[elements] += weight;
        }
        for (const auto& [elements, weight] : by_step) {
            if ((all - weight) * costs::kColumnsPerOther <= weight) return elements;
        }
        return 0;
    }

    void write(std::uint64_t step) {
        for (Instruction* access : uses_.accesses) write_access(*access, step);
    }

  private:
    // Bytes; nothing where the code looks for wraps of the index, as it does for addresses only.
    std::optional<std::int64_t> lane_step(const Instruction& access, const Shapes& shapes) const {
        const Value* address = llvm::getLoadStorePointerOperand(&access);
        for (const Value* at = address; at != &array_;) {
            auto* part = llvm::cast<llvm::GetElementPtrInst>(at);
            for (const Value* index : part->indices()) {
                auto* cast = llvm::dyn_cast<llvm::CastInst>(index);
                if (cast != nullptr && shapes.is_checked(*cast)) return std::nullopt;
            }
            at = part->getPointerOperand();
        }
        return shapes.of(address).lane;
    }

    void write_access(Instruction& access, std::uint64_t step) {
        llvm::IRBuilder<> builder(&access);
        Value* index = index_of(builder, llvm::getLoadStorePointerOperand(&access));
        llvm::Type* word = builder.getInt64Ty();
        Value* place = call_marker(
            builder, kTransposed, word,
            {index, llvm::ConstantInt::get(word, step), llvm::ConstantInt::get(word, length_)});
        llvm::Type* element = builder.getIntNTy(static_cast<unsigned>(size_ * 8));
        Value* address = builder.CreateGEP(element, &array_, place);
        Value* before = llvm::getLoadStorePointerOperand(&access);
        access.replaceUsesOfWith(before, address);
        limit_alignment(access, llvm::Align(size_));
        llvm::RecursivelyDeleteTriviallyDeadInstructions(before);
    }

    // The element's number, with 64 bits.
    Value* index_of(llvm::IRBuilder<>& builder, Value* address) const {
        Value* sum = nullptr;
        llvm::APInt bytes(64, 0);
        for (Value* at = address; at != &array_;) {
            auto* part = llvm::cast<llvm::GetElementPtrInst>(at);
            llvm::MapVector<Value*, llvm::APInt> indices;
            llvm::cast<llvm::GEPOperator>(part)->collectOffset(data_, 64, indices, bytes);
            for (const auto& [index, factor] : indices) {
                Value* wide = builder.CreateSExtOrTrunc(index, builder.getInt64Ty());
                Value* elements =
                    builder.CreateMul(wide, builder.getInt(factor.udiv(llvm::APInt(64, size_))));
                sum = sum == nullptr ? elements : builder.CreateAdd(sum, elements);
            }
            at = part->getPointerOperand();
        }
        llvm::Constant* fixed = builder.getInt(bytes.sdiv(llvm::APInt(64, size_)));
        return sum == nullptr ? fixed : builder.CreateAdd(sum, fixed);
    }

    llvm::GetElementPtrInst& array_;
    const llvm::DataLayout& data_;
    const ArrayUses uses_;
    const std::uint64_t size_;
    const std::uint64_t length_;
};

}  // namespace

PreservedAnalyses transpose_shared(llvm::Function& kernel, GangContext& context) {
    std::vector<std::pair<Transposition, std::uint64_t>> found;
    for (Instruction& instruction : kernel.getEntryBlock()) {
        auto* array = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
        const std::uint64_t bytes = array == nullptr ? 0 : bytes_of_shared(*array);
        if (bytes == 0) continue;
        std::optional<ArrayUses> uses = uses_of_array(*array);
        if (!uses) continue;
        Transposition transposition(*array, bytes, std::move(*uses));
        const std::uint64_t step = transposition.step(context.analysis(kernel, context.layout),
                                                      *context.target, context.layout);
        if (step != 0) found.emplace_back(std::move(transposition), step);
    }
    for (auto& [transposition, step] : found) transposition.write(step);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
