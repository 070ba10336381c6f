// The entry of a kernel as the run time calls it: loads from the packed buffer, then the body.
#include "src/backends/cpu/compiler/lowering/threads/kernel_entry.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwise::cpu_compiler {
namespace {

// All threads of a launch share the buffer: a struct may be used in place only if it is only read.
bool is_only_read(const llvm::Argument& parameter) {
    llvm::SmallSetVector<const llvm::Value*, 16> pointers;
    pointers.insert(&parameter);
    for (unsigned next = 0; next < pointers.size(); ++next) {
        for (const llvm::User* user : pointers[next]->users()) {
            if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
                if (load->isVolatile()) return false;
            } else if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst, llvm::PHINode,
                                 llvm::SelectInst>(user)) {
                pointers.insert(user);
            } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
                if (copy->getRawDest() == pointers[next]) return false;
            } else {
                return false;
            }
        }
    }
    return true;
}

void mark_invariant(llvm::LoadInst& load) {
    load.setMetadata(llvm::LLVMContext::MD_invariant_load,
                     llvm::MDNode::get(load.getContext(), {}));
}

// The members of a struct that is used in place: no store changes them, whatever it writes to.
void mark_members_invariant(llvm::Value& address) {
    for (llvm::User* user : address.users()) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
            mark_invariant(*load);
        } else if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user)) {
            mark_members_invariant(*user);
        }
    }
}

llvm::Value* read(llvm::IRBuilder<>& builder, llvm::Argument& parameter, llvm::Value* address) {
    llvm::Type* type = parameter.getType();
    if (!parameter.hasByValAttr()) {
        // bool is a byte in memory.
        llvm::Type* stored = type->isIntegerTy(1) ? builder.getInt8Ty() : type;
        llvm::LoadInst* value = builder.CreateLoad(stored, address);
        mark_invariant(*value);
        return stored == type ? value : builder.CreateTrunc(value, type);
    }
    if (is_only_read(parameter)) {
        mark_members_invariant(parameter);
        return address;
    }
    llvm::Type* structure = parameter.getParamByValType();
    llvm::AllocaInst* copy = builder.CreateAlloca(structure);
    copy->setAlignment(std::max(copy->getAlign(), parameter.getParamAlign().valueOrOne()));
    const llvm::DataLayout& target = parameter.getParent()->getDataLayout();
    builder.CreateMemCpy(copy, copy->getAlign(), address, llvm::Align(1),
                         target.getTypeAllocSize(structure));
    return copy;
}

}  // namespace

void read_parameters(llvm::Function& old, llvm::Function& bound, const KernelSignature& signature) {
    llvm::Argument* buffer = bound.getArg(1);
    buffer->setName("arguments");
    llvm::IRBuilder<> builder(&bound.getEntryBlock(), bound.getEntryBlock().begin());
    for (llvm::Argument& parameter : old.args()) {
        std::uint32_t offset = signature.parameters[parameter.getArgNo()].offset;
        llvm::Value* address =
            builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), buffer, offset);
        llvm::Value* value = read(builder, parameter, address);
        value->setName(parameter.getName());
        parameter.replaceAllUsesWith(value);
    }
}

}  // namespace warpwise::cpu_compiler
