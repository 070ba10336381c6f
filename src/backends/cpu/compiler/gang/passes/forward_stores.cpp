// Loads of what has just been stored a few elements beside, as kernels read their neighbours'
// values from shared memory once a barrier is nothing. A vector load that takes its elements from
// two stores waits until both have reached the cache: the processor forwards from one store only.
// In registers it is one shuffle.
//
// Within a block of code, at constant distances from one pointer. Whatever else may write ends it.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Value;

struct Stored {
    std::int64_t offset;  // bytes
    Value* value;
};

struct Source {
    Value* value = nullptr;
    unsigned element = 0;
};

class Forwarder {
  public:
    explicit Forwarder(const llvm::DataLayout& data) : data_(data) {}

    bool run(llvm::BasicBlock& block) {
        bool has_changed = false;
        forget();
        for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
            if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
                note(*store);
            } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
                has_changed |= forward(*load);
            } else if (instruction.mayWriteToMemory()) {
                forget();
            }
        }
        return has_changed;
    }

  private:
    void forget() {
        base_ = nullptr;
        stored_.clear();
    }

    std::pair<Value*, std::int64_t> place(Value* address) const {
        llvm::APInt offset(64, 0);
        Value* base = address->stripAndAccumulateConstantOffsets(data_, offset, true);
        return {base, offset.getSExtValue()};
    }

    std::int64_t element_size(const Value& value) const {
        return static_cast<std::int64_t>(
            data_.getTypeStoreSize(value.getType()->getScalarType()).getFixedValue());
    }

    static unsigned count(const llvm::Type& type) {
        auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
        return vector ? vector->getNumElements() : 1;
    }

    void note(llvm::StoreInst& store) {
        auto [base, offset] = place(store.getPointerOperand());
        auto* state = llvm::dyn_cast<llvm::Argument>(base);
        if (state && state->hasNoAliasAttr()) return;  // the thread's own
        if (!store.isSimple()) return forget();
        if (base != base_) forget();
        base_ = base;
        stored_.push_back({offset, store.getValueOperand()});
    }

    // The last store of the element at `offset`; none when another has touched a part of it.
    std::optional<Source> source_of(std::int64_t offset, llvm::Type* type,
                                    std::int64_t size) const {
        for (const Stored& stored : llvm::reverse(stored_)) {
            std::int64_t own = element_size(*stored.value);
            std::int64_t end = stored.offset + own * count(*stored.value->getType());
            if (offset + size <= stored.offset || end <= offset) continue;
            std::int64_t distance = offset - stored.offset;
            bool is_whole = distance >= 0 && distance % own == 0 && own == size &&
                            stored.value->getType()->getScalarType() == type;
            if (!is_whole) return std::nullopt;
            return Source{stored.value, static_cast<unsigned>(distance / own)};
        }
        return std::nullopt;
    }

    bool forward(llvm::LoadInst& load) const {
        auto* type = llvm::dyn_cast<llvm::FixedVectorType>(load.getType());
        if (!type || !load.isSimple() || stored_.size() < 2) return false;
        auto [base, offset] = place(load.getPointerOperand());
        if (base != base_) return false;
        std::int64_t size = element_size(load);
        llvm::SmallVector<Source, 16> sources;
        llvm::SmallVector<Value*, 2> vectors;
        for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
            auto source = source_of(offset + size * lane, type->getElementType(), size);
            if (!source) return false;
            sources.push_back(*source);
            if (source->value->getType() != type) continue;
            if (!llvm::is_contained(vectors, source->value)) vectors.push_back(source->value);
        }
        if (vectors.empty() || vectors.size() > 2) return false;
        load.replaceAllUsesWith(combine(load, *type, sources, vectors));
        load.eraseFromParent();
        return true;
    }

    static Value* combine(llvm::LoadInst& load, llvm::FixedVectorType& type,
                          llvm::ArrayRef<Source> sources, llvm::ArrayRef<Value*> vectors) {
        llvm::IRBuilder<> builder(&load);
        llvm::SmallVector<int, 16> order;
        for (const Source& source : sources) {
            int element = -1;
            if (source.value == vectors[0]) element = static_cast<int>(source.element);
            if (source.value == vectors.back() && vectors.size() == 2) {
                element = static_cast<int>(type.getNumElements() + source.element);
            }
            order.push_back(element);
        }
        Value* second = vectors.size() == 2 ? vectors[1] : llvm::PoisonValue::get(&type);
        Value* result = builder.CreateShuffleVector(vectors[0], second, order);
        for (unsigned lane = 0; lane < sources.size(); ++lane) {
            if (order[lane] >= 0) continue;
            Value* element = sources[lane].value;
            if (element->getType()->isVectorTy()) {
                element = builder.CreateExtractElement(element, sources[lane].element);
            }
            result = builder.CreateInsertElement(result, element, lane);
        }
        return result;
    }

    const llvm::DataLayout& data_;
    Value* base_ = nullptr;  // of all that is noted
    std::vector<Stored> stored_;
};

}  // namespace

PreservedAnalyses forward_stores(llvm::Function& gang, GangContext&) {
    bool has_changed = false;
    Forwarder forwarder(gang.getDataLayout());
    for (llvm::BasicBlock& block : gang) has_changed |= forwarder.run(block);
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
