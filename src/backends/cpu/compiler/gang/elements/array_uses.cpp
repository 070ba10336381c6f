// Follows an array's address through the instructions that compute others from it.
#include "src/backends/cpu/compiler/gang/elements/array_uses.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Operator.h>

namespace warpwise::cpu_compiler::gang {

using llvm::Instruction;
using llvm::Value;

namespace {

constexpr std::uint64_t kLargestElement = 8;

bool is_simple_access(const Instruction& access, const Value* address) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) return load->isSimple();
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
    return store && store->isSimple() && store->getValueOperand() != address;
}

}  // namespace

std::optional<ArrayUses> uses_of_array(Instruction& array) {
    ArrayUses uses;
    llvm::SmallVector<Value*, 8> pointers{&array};
    while (!pointers.empty()) {
        Value* pointer = pointers.pop_back_val();
        for (llvm::User* user : pointer->users()) {
            auto* instruction = llvm::cast<Instruction>(user);
            if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
                uses.addresses.push_back(address);
                pointers.push_back(address);
            } else if (is_simple_access(*instruction, pointer)) {
                uses.accesses.push_back(instruction);
            } else if (instruction->isLifetimeStartOrEnd()) {
                uses.lifetimes.push_back(instruction);
            } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(instruction);
                       fill && !fill->isVolatile() &&
                       llvm::isa<llvm::Constant>(fill->getLength()) &&
                       llvm::isa<llvm::ConstantInt>(fill->getValue())) {
                uses.fills.push_back(fill);
            } else {
                return std::nullopt;
            }
        }
    }
    return uses;
}

std::uint64_t element_size(const ArrayUses& uses, const llvm::DataLayout& data) {
    std::uint64_t size = 0;
    for (Instruction* access : uses.accesses) {
        llvm::Type* type = llvm::getLoadStoreType(access);
        const bool is_plain =
            type->isIntegerTy() || type->isFloatingPointTy() || type->isPointerTy();
        if (!is_plain || data.getTypeSizeInBits(type) != data.getTypeAllocSizeInBits(type))
            return 0;
        const std::uint64_t own = data.getTypeAllocSize(type).getFixedValue();
        if (own > kLargestElement || (size != 0 && own != size)) return 0;
        size = own;
    }
    return size;
}

bool has_whole_steps(const llvm::GetElementPtrInst& address, std::uint64_t size,
                     const llvm::DataLayout& data) {
    llvm::MapVector<Value*, llvm::APInt> indices;
    llvm::APInt constant(64, 0);
    if (!llvm::cast<llvm::GEPOperator>(address).collectOffset(data, 64, indices, constant)) {
        return false;
    }
    const bool is_whole =
        llvm::all_of(indices, [&](const auto& index) { return index.second.urem(size) == 0; });
    return is_whole && constant.srem(static_cast<std::int64_t>(size)) == 0;
}

void limit_alignment(Instruction& access, llvm::Align most) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) {
        load->setAlignment(std::min(load->getAlign(), most));
    } else {
        auto& store = llvm::cast<llvm::StoreInst>(access);
        store.setAlignment(std::min(store.getAlign(), most));
    }
}

}  // namespace warpwise::cpu_compiler::gang
