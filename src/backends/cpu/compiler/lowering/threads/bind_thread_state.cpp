// The calling convention of abi.hpp: every function takes its ThreadState first, kernels read their
// parameters from the packed buffer, shared variables become offsets from the block's memory, and
// all pointers become plain. After this step shared and global memory are no longer distinguished.
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"
#include "src/backends/cpu/compiler/lowering/threads/kernel_entry.hpp"
#include "src/backends/cpu/compiler/lowering/threads/shared_variables.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr unsigned kSharedSpace = 3;
constexpr unsigned kConstantSpace = 4;

// Types with all pointers in address space 0. Named structs hold generic pointers only.
class PlainTypes : public llvm::ValueMapTypeRemapper {
  public:
    llvm::Type* remapType(llvm::Type* type) override {
        if (type->isPointerTy()) return llvm::PointerType::get(type->getContext(), 0);
        if (auto* vector = llvm::dyn_cast<llvm::VectorType>(type)) {
            return llvm::VectorType::get(remapType(vector->getElementType()),
                                         vector->getElementCount());
        }
        if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
            return llvm::ArrayType::get(remapType(array->getElementType()),
                                        array->getNumElements());
        }
        if (auto* structure = llvm::dyn_cast<llvm::StructType>(type);
            structure && structure->isLiteral()) {
            return llvm::StructType::get(type->getContext(), remapped(structure->elements()),
                                         structure->isPacked());
        }
        if (auto* function = llvm::dyn_cast<llvm::FunctionType>(type)) {
            return llvm::FunctionType::get(remapType(function->getReturnType()),
                                           remapped(function->params()), function->isVarArg());
        }
        return type;
    }

  private:
    llvm::SmallVector<llvm::Type*, 8> remapped(llvm::ArrayRef<llvm::Type*> types) {
        llvm::SmallVector<llvm::Type*, 8> result;
        for (llvm::Type* type : types) result.push_back(remapType(type));
        return result;
    }
};

llvm::AttributeList shifted(llvm::LLVMContext& context, const llvm::AttributeList& attributes,
                            unsigned parameters) {
    llvm::SmallVector<llvm::AttributeSet, 8> sets{llvm::AttributeSet()};
    for (unsigned i = 0; i < parameters; ++i) sets.push_back(attributes.getParamAttrs(i));
    return llvm::AttributeList::get(context, attributes.getFnAttrs(), attributes.getRetAttrs(),
                                    sets);
}

llvm::FunctionType* with_thread(llvm::FunctionType* type) {
    llvm::SmallVector<llvm::Type*, 8> parameters{llvm::PointerType::get(type->getContext(), 0)};
    parameters.append(type->param_begin(), type->param_end());
    return llvm::FunctionType::get(type->getReturnType(), parameters, type->isVarArg());
}

// Memory attributes speak of what the function saw before it got a thread.
void forget_memory_effects(llvm::Function& function) {
    function.removeFnAttr(llvm::Attribute::Memory);
}

class Binder {
  public:
    Binder(Lowering& job, const SharedLayout& layout)
        : job_(job), module_(job.module), layout_(layout) {}

    void run() {
        make_uses_instructions();
        for (const compiler::KernelInfo& kernel : job_.translation.kernels) {
            bind_kernel(kernel.signature);
        }
        for (llvm::Function& function : llvm::make_early_inc_range(module_)) {
            if (!function.isDeclaration() && !bound_.contains(&function)) bind_function(function);
        }
        for (llvm::Function* function : bound_) {
            pass_thread_on(*function);
            place_shared(*function);
            lower_space_queries(*function);
        }
        move_globals();
        map_intrinsics();
        for (llvm::Function* function : bound_) make_plain(*function);
        remove_old_globals();
    }

  private:
    void make_uses_instructions() {
        llvm::SmallVector<llvm::Constant*, 16> spaced;
        for (llvm::GlobalVariable& variable : module_.globals()) {
            if (variable.getAddressSpace() != 0) spaced.push_back(&variable);
        }
        llvm::convertUsersOfConstantsToInstructions(spaced);
    }

    void bind_function(llvm::Function& old) {
        llvm::Function* bound =
            llvm::Function::Create(with_thread(old.getFunctionType()), old.getLinkage());
        adopt(old, *bound);
        bound->setAttributes(shifted(module_.getContext(), old.getAttributes(), old.arg_size()));
        forget_memory_effects(*bound);
        for (llvm::Argument& argument : old.args()) {
            llvm::Argument* moved = bound->getArg(argument.getArgNo() + 1);
            moved->takeName(&argument);
            argument.replaceAllUsesWith(moved);
        }
        finish(old, *bound);
    }

    void bind_kernel(const KernelSignature& signature) {
        llvm::Function& old = *module_.getFunction(signature.symbol);
        llvm::Type* pointer = llvm::PointerType::get(module_.getContext(), 0);
        llvm::FunctionType* type = llvm::FunctionType::get(
            llvm::Type::getVoidTy(module_.getContext()), {pointer, pointer}, false);
        llvm::Function* bound = llvm::Function::Create(type, old.getLinkage());
        adopt(old, *bound);
        bound->setAttributes(llvm::AttributeList::get(module_.getContext(),
                                                      old.getAttributes().getFnAttrs(), {}, {}));
        forget_memory_effects(*bound);
        read_parameters(old, *bound, signature);
        finish(old, *bound);
    }

    void adopt(llvm::Function& old, llvm::Function& bound) {
        module_.getFunctionList().insert(old.getIterator(), &bound);
        bound.splice(bound.begin(), &old);
        bound.setSubprogram(old.getSubprogram());
        old.setSubprogram(nullptr);
        bound.getArg(0)->setName("thread");
        bound_.insert(&bound);
    }

    void finish(llvm::Function& old, llvm::Function& bound) {
        if (auto place = layout_.dynamic.find(&old); place != layout_.dynamic.end()) {
            dynamic_[&bound] = place->second;
        }
        bound.takeName(&old);
        old.replaceAllUsesWith(&bound);
        old.eraseFromParent();
    }

    // Direct calls of bound functions and all calls through pointers.
    void pass_thread_on(llvm::Function& function) {
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            if (!call || call->isInlineAsm()) continue;
            auto* callee = llvm::dyn_cast<llvm::Function>(call->getCalledOperand());
            if (callee && !bound_.contains(callee)) continue;
            pass_thread(*call, function.getArg(0));
        }
    }

    void pass_thread(llvm::CallInst& call, llvm::Value* thread) {
        llvm::SmallVector<llvm::Value*, 8> arguments{thread};
        arguments.append(call.arg_begin(), call.arg_end());
        llvm::CallInst* lowered =
            llvm::CallInst::Create(with_thread(call.getFunctionType()), call.getCalledOperand(),
                                   arguments, "", call.getIterator());
        lowered->setAttributes(
            shifted(module_.getContext(), call.getAttributes(), call.arg_size()));
        lowered->removeFnAttr(llvm::Attribute::Memory);
        lowered->setDebugLoc(call.getDebugLoc());
        lowered->takeName(&call);
        call.replaceAllUsesWith(lowered);
        call.eraseFromParent();
    }

    void place_shared(llvm::Function& function) {
        ThreadStateValues state(function);
        llvm::DenseMap<llvm::GlobalVariable*, llvm::Value*> places;
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            for (llvm::Use& use : instruction.operands()) {
                auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(use.get());
                if (!variable || variable->getAddressSpace() != kSharedSpace) continue;
                llvm::Value*& place = places[variable];
                if (!place) place = shared_place(*variable, state);
                use.set(place);
            }
        }
    }

    llvm::Value* shared_place(llvm::GlobalVariable& variable, ThreadStateValues& state) {
        auto* base = llvm::cast<llvm::Instruction>(state.shared());
        const llvm::Function* function = base->getFunction();
        llvm::IRBuilder<> builder(base->getParent(), std::next(base->getIterator()));
        auto fixed = layout_.offsets.find(&variable);
        std::uint64_t offset =
            fixed != layout_.offsets.end() ? fixed->second : dynamic_.lookup(function);
        llvm::Value* address =
            builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
        mark_shared(*llvm::cast<llvm::GetElementPtrInst>(address),
                    bytes_if_alone(variable, *function));
        return builder.CreateAddrSpaceCast(address, variable.getType(), variable.getName());
    }

    // Of a static variable, at its first use, whose other uses are all in `function`; else 0.
    std::uint64_t bytes_if_alone(llvm::GlobalVariable& variable, const llvm::Function& function) {
        if (!placed_.insert(&variable).second || variable.isDeclaration()) return 0;
        const bool is_alone = llvm::all_of(variable.users(), [&](const llvm::User* user) {
            return llvm::cast<llvm::Instruction>(user)->getFunction() == &function;
        });
        const llvm::DataLayout& data = module_.getDataLayout();
        return is_alone ? data.getTypeAllocSize(variable.getValueType()).getFixedValue() : 0;
    }

    // __isShared() and __isConstant(): comparisons with the block's shared memory and the module's
    // constants. resolve_address_spaces() has answered those about local and global memory.
    void lower_space_queries(llvm::Function& function) {
        ThreadStateValues state(function);
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* query = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (!query) continue;
            llvm::IRBuilder<> builder(query);
            llvm::Value* answer = nullptr;
            switch (query->getIntrinsicID()) {
                case llvm::Intrinsic::nvvm_isspacep_shared:
                    answer = is_shared(builder, *query, state);
                    break;
                case llvm::Intrinsic::nvvm_isspacep_const:
                    answer = is_constant(builder, *query);
                    break;
                default:
                    continue;
            }
            query->replaceAllUsesWith(answer);
            query->eraseFromParent();
        }
    }

    llvm::Value* is_shared(llvm::IRBuilder<>& builder, llvm::IntrinsicInst& query,
                           ThreadStateValues& state) {
        llvm::Value* address = builder.CreatePtrToInt(query.getArgOperand(0), builder.getInt64Ty());
        llvm::Value* base = builder.CreatePtrToInt(state.shared(), builder.getInt64Ty());
        llvm::Value* dynamic =
            builder.CreateZExt(state.block_field(offsetof(cpu::BlockState, dynamic_shared_bytes)),
                               builder.getInt64Ty());
        std::uint64_t fixed = llvm::alignTo(layout_.largest_static, cpu::kSharedAlignment);
        llvm::Value* size = builder.CreateAdd(dynamic, builder.getInt64(fixed));
        return builder.CreateICmpULT(builder.CreateSub(address, base), size);
    }

    llvm::Value* is_constant(llvm::IRBuilder<>& builder, llvm::IntrinsicInst& query) {
        llvm::Value* address = builder.CreatePtrToInt(query.getArgOperand(0), builder.getInt64Ty());
        llvm::Value* found = builder.getFalse();
        for (llvm::GlobalVariable& variable : module_.globals()) {
            if (variable.getAddressSpace() != kConstantSpace) continue;
            const std::uint64_t size =
                module_.getDataLayout().getTypeAllocSize(variable.getValueType());
            // An instruction, as make_uses_instructions() makes of all uses.
            llvm::Value* base = builder.Insert(
                llvm::CastInst::Create(llvm::Instruction::PtrToInt, &variable, address->getType()));
            llvm::Value* is_inside =
                builder.CreateICmpULT(builder.CreateSub(address, base), builder.getInt64(size));
            found = builder.CreateOr(found, is_inside);
        }
        return found;
    }

    // __device__ and __constant__ variables as ordinary ones.
    void move_globals() {
        for (llvm::GlobalVariable& old : module_.globals()) {
            if (old.getAddressSpace() != 0 && old.getAddressSpace() != kSharedSpace) {
                old_globals_.push_back(&old);
            }
        }
        for (llvm::GlobalVariable* old : old_globals_) {
            auto* moved = new llvm::GlobalVariable(module_, old->getValueType(), old->isConstant(),
                                                   old->getLinkage(), nullptr);
            moved->takeName(old);
            moved->copyAttributesFrom(old);
            values_[old] = moved;
        }
        for (llvm::GlobalVariable* old : old_globals_) {
            if (!old->hasInitializer()) continue;
            llvm::cast<llvm::GlobalVariable>(values_[old])
                ->setInitializer(plain_constant(old->getInitializer()));
        }
        for (llvm::GlobalVariable& variable : module_.globals()) {
            if (variable.getAddressSpace() == 0 && variable.hasInitializer()) {
                variable.setInitializer(plain_constant(variable.getInitializer()));
            }
        }
    }

    llvm::Constant* plain_constant(llvm::Constant* constant) {
        if (auto known = values_.find(constant); known != values_.end()) {
            return llvm::cast<llvm::Constant>(static_cast<llvm::Value*>(known->second));
        }
        llvm::Type* type = types_.remapType(constant->getType());
        if (llvm::isa<llvm::ConstantPointerNull>(constant)) {
            return llvm::Constant::getNullValue(type);
        }
        if (llvm::isa<llvm::GlobalValue>(constant) || constant->getNumOperands() == 0) {
            return constant;
        }
        llvm::SmallVector<llvm::Constant*, 8> operands;
        for (llvm::Use& operand : constant->operands()) {
            operands.push_back(plain_constant(llvm::cast<llvm::Constant>(operand.get())));
        }
        llvm::Constant* result = rebuilt(*constant, operands, type);
        values_[constant] = result;
        return result;
    }

    static llvm::Constant* rebuilt(llvm::Constant& constant,
                                   llvm::ArrayRef<llvm::Constant*> operands, llvm::Type* type) {
        if (auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant)) {
            if (expression->getOpcode() == llvm::Instruction::AddrSpaceCast) return operands[0];
            return expression->getWithOperands(operands, type);
        }
        if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
            return llvm::ConstantArray::get(array, operands);
        }
        if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
            return llvm::ConstantStruct::get(structure, operands);
        }
        return llvm::ConstantVector::get(operands);
    }

    // llvm.memcpy.p0.p3 and the like: the same intrinsic for plain pointers.
    void map_intrinsics() {
        for (llvm::Function& function : llvm::make_early_inc_range(module_)) {
            if (!function.isIntrinsic()) continue;
            auto* type =
                llvm::cast<llvm::FunctionType>(types_.remapType(function.getFunctionType()));
            llvm::SmallVector<llvm::Type*, 4> overloads;
            if (type == function.getFunctionType() ||
                !llvm::Intrinsic::getIntrinsicSignature(function.getIntrinsicID(), type,
                                                        overloads)) {
                continue;
            }
            values_[&function] =
                llvm::Intrinsic::getDeclaration(&module_, function.getIntrinsicID(), overloads);
        }
    }

    void make_plain(llvm::Function& function) {
        llvm::RemapFunction(function, values_,
                            llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges, &types_);
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            if (!llvm::isa<llvm::AddrSpaceCastInst>(instruction)) continue;
            instruction.replaceAllUsesWith(instruction.getOperand(0));
            instruction.eraseFromParent();
        }
    }

    void remove_old_globals() {
        values_.clear();
        // They may point to each other: none goes while another's initial value still uses it.
        for (llvm::GlobalVariable* old : old_globals_) old->setInitializer(nullptr);
        for (llvm::GlobalVariable* old : old_globals_) {
            old->removeDeadConstantUsers();
            old->eraseFromParent();
        }
        for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module_.globals())) {
            if (variable.getAddressSpace() == kSharedSpace) variable.eraseFromParent();
        }
    }

    Lowering& job_;
    llvm::Module& module_;
    const SharedLayout& layout_;
    llvm::SetVector<llvm::Function*> bound_;
    llvm::DenseSet<const llvm::GlobalVariable*> placed_;  // shared variables, in any function
    llvm::DenseMap<const llvm::Function*, std::uint64_t> dynamic_;  // layout_'s, by bound function
    PlainTypes types_;
    llvm::ValueToValueMapTy values_;
    std::vector<llvm::GlobalVariable*> old_globals_;
};

}  // namespace

void bind_thread_state(Lowering& job, const SharedLayout& layout) {
    Binder(job, layout).run();
}

}  // namespace warpwise::cpu_compiler
