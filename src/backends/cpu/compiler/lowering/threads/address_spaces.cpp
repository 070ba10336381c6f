// Follows an address back to the variables, parameters and loads that it may come from. A stack has
// no range that generated code knows, but what lies there is an alloca of the function at hand.
//
// Invariant: an answer is right for every launch; where it would be a guess there is none.
#include "src/backends/cpu/compiler/lowering/threads/address_spaces.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::Value;

bool is_space_query(const Value* value) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
    if (call == nullptr) return false;
    switch (call->getIntrinsicID()) {
        case llvm::Intrinsic::nvvm_isspacep_const:
        case llvm::Intrinsic::nvvm_isspacep_global:
        case llvm::Intrinsic::nvvm_isspacep_local:
        case llvm::Intrinsic::nvvm_isspacep_shared:
            return true;
        default:
            return false;
    }
}

// Whether an address has a use that neither accesses its memory nor compares it nor makes another
// address that has none: it may then be found in memory.
bool escapes(Value& own) {
    llvm::SmallPtrSet<Value*, 16> seen = {&own};
    llvm::SmallVector<Value*, 16> todo = {&own};
    while (!todo.empty()) {
        Value* address = todo.pop_back_val();
        for (llvm::Use& use : address->uses()) {
            llvm::User* user = use.getUser();
            if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::FreezeInst,
                          llvm::PHINode, llvm::SelectInst>(user)) {
                if (seen.insert(user).second) todo.push_back(user);
                continue;
            }
            if (llvm::isa<llvm::LoadInst, llvm::ICmpInst, llvm::MemIntrinsic,
                          llvm::LifetimeIntrinsic>(user) ||
                is_space_query(user)) {
                continue;
            }
            // As the place of an access, not as the value that it writes.
            const bool is_place =
                (llvm::isa<llvm::StoreInst>(user) &&
                 use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex()) ||
                (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user) &&
                 use.getOperandNo() == 0);
            if (!is_place) return true;
        }
    }
    return false;
}

// Whether an address of a thread's own memory may be found in memory.
bool stores_local_addresses(llvm::Module& module) {
    for (llvm::Function& function : module) {
        for (llvm::Argument& argument : function.args()) {
            if (argument.hasByValAttr() && escapes(argument)) return true;
        }
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            if (llvm::isa<llvm::AllocaInst>(instruction) && escapes(instruction)) return true;
        }
    }
    return false;
}

// Whether an address is local, as a value of the function; nullptr where that is not known.
class Origin {
  public:
    Origin(bool is_kernel, bool may_load_local)
        : is_kernel_(is_kernel), may_load_local_(may_load_local) {}

    Value* is_local(Value* address) {
        llvm::SmallPtrSet<Value*, 8> seen;
        return is_known(address, seen) ? answer(address) : nullptr;
    }

  private:
    // What an address is made of without a choice.
    static Value* base_of(Value* address) {
        if (auto* place = llvm::dyn_cast<llvm::GEPOperator>(address)) {
            return base_of(place->getPointerOperand());
        }
        if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(address)) {
            return base_of(cast->getPointerOperand());
        }
        if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(address)) {
            return base_of(freeze->getOperand(0));
        }
        return address;
    }

    bool is_known(Value* address, llvm::SmallPtrSet<Value*, 8>& seen) const {
        Value* base = base_of(address);
        if (!seen.insert(base).second) return true;
        if (llvm::isa<llvm::PHINode, llvm::SelectInst>(base)) {
            auto* choice = llvm::cast<llvm::User>(base);
            return llvm::all_of(choice->operands(), [&](const llvm::Use& operand) {
                return !operand->getType()->isPointerTy() || is_known(operand.get(), seen);
            });
        }
        if (llvm::isa<llvm::AllocaInst, llvm::Constant>(base)) {
            return !llvm::isa<llvm::ConstantExpr>(base);
        }
        if (llvm::isa<llvm::Argument>(base)) return is_kernel_;
        if (llvm::isa<llvm::LoadInst>(base)) return !may_load_local_;
        const auto* call = llvm::dyn_cast<llvm::CallInst>(base);
        const Service* service =
            call == nullptr ? nullptr : find_service(call->getCalledFunction());
        return service != nullptr && service->name == "malloc";
    }

    Value* answer(Value* address) {
        Value* base = base_of(address);
        llvm::LLVMContext& context = base->getContext();
        if (Value* known = answers_.lookup(base)) return known;
        if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(base)) {
            llvm::IRBuilder<> builder(choice);
            return answers_[base] =
                       builder.CreateSelect(choice->getCondition(), answer(choice->getTrueValue()),
                                            answer(choice->getFalseValue()));
        }
        if (auto* choice = llvm::dyn_cast<llvm::PHINode>(base)) {
            auto* made =
                llvm::PHINode::Create(llvm::Type::getInt1Ty(context),
                                      choice->getNumIncomingValues(), "", choice->getIterator());
            answers_[base] = made;  // before the operands, which may lead back here
            for (unsigned i = 0; i < choice->getNumIncomingValues(); ++i) {
                made->addIncoming(answer(choice->getIncomingValue(i)), choice->getIncomingBlock(i));
            }
            return made;
        }
        const auto* parameter = llvm::dyn_cast<llvm::Argument>(base);
        const bool is_local = llvm::isa<llvm::AllocaInst>(base) ||
                              (parameter != nullptr && parameter->hasByValAttr());
        return llvm::ConstantInt::getBool(context, is_local);
    }

    const bool is_kernel_, may_load_local_;
    llvm::DenseMap<Value*, Value*> answers_;
};

// What is in no other space.
Value* is_global(llvm::IntrinsicInst& query, Value* is_local) {
    llvm::IRBuilder<> builder(&query);
    Value* address = query.getArgOperand(0);
    Value* is_shared =
        builder.CreateIntrinsic(llvm::Intrinsic::nvvm_isspacep_shared, {}, {address});
    Value* is_constant =
        builder.CreateIntrinsic(llvm::Intrinsic::nvvm_isspacep_const, {}, {address});
    return builder.CreateNot(builder.CreateOr(builder.CreateOr(is_shared, is_constant), is_local));
}

// __builtin_assume(__isGlobal(p)), which may not refuse a kernel.
bool is_only_assumed(const llvm::IntrinsicInst& query) {
    return llvm::all_of(query.users(),
                        [](const llvm::User* user) { return llvm::isa<llvm::AssumeInst>(user); });
}

// `is_local` is null for a query that is only assumed.
Value* answer_of(llvm::IntrinsicInst& query, Value* is_local) {
    if (is_local == nullptr) return llvm::ConstantInt::getTrue(query.getContext());
    if (query.getIntrinsicID() == llvm::Intrinsic::nvvm_isspacep_local) return is_local;
    return is_global(query, is_local);
}

void resolve_in(llvm::Function& function, Origin origin) {
    llvm::SmallVector<llvm::IntrinsicInst*, 4> queries;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        auto* query = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (query == nullptr) continue;
        const llvm::Intrinsic::ID id = query->getIntrinsicID();
        if (id == llvm::Intrinsic::nvvm_isspacep_local ||
            id == llvm::Intrinsic::nvvm_isspacep_global) {
            queries.push_back(query);
        }
    }
    for (llvm::IntrinsicInst* query : queries) {
        Value* is_local = origin.is_local(query->getArgOperand(0));
        if (is_local == nullptr && !is_only_assumed(*query)) continue;
        query->replaceAllUsesWith(answer_of(*query, is_local));
        query->eraseFromParent();
    }
}

}  // namespace

void resolve_address_spaces(Lowering& job) {
    llvm::SmallPtrSet<const llvm::Function*, 8> kernels;
    for (const compiler::KernelInfo& kernel : job.translation.kernels) {
        kernels.insert(job.module.getFunction(kernel.signature.symbol));
    }
    const bool may_load_local = stores_local_addresses(job.module);
    for (llvm::Function& function : job.module) {
        if (function.isDeclaration()) continue;
        resolve_in(function, Origin(kernels.contains(&function), may_load_local));
    }
}

}  // namespace warpwise::cpu_compiler
